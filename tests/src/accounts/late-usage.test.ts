// Tests units that arrive for a closed month, and the operator's decision to bill or to waive them. Fails if a decision
// counts a unit twice or loses one, if a closed month changes, or if a cap does not apply to billed units.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { LateUsage } from '../../../src/accounts/late-usage.ts'
import { openPostgresStore } from '../../../src/accounts/postgres-account-store.ts'
import { PostgresFleetStore } from '../../../src/cluster/postgres-fleet-store.ts'
import { runLedgerLate } from '../../../src/commands/late-usage.ts'
import { monthNumber } from '../../../src/metering/limit-cells.ts'
import { periodOf, utcDayStartMillis } from '../../../src/metering/utc-day.ts'
import { makeDatabase, POSTGRES, sayWhatIsLeftOut, type TestDatabase } from '../../databases/test-postgres.ts'
import { Dice } from '../../oracles/fleet/event-loop.ts'
import { bySize, SEED } from '../../size.ts'
import { makeConfig } from '../account-config.ts'
import { KeptOutput, makeFolder } from '../account-fixture.ts'
import { ACCOUNT, storedKey } from './stored-records.ts'

sayWhatIsLeftOut()

const STEPS = bySize({ quick: 60, ci: 120, full: 600 })
/** A month that is closed before the test; the month after it is open. */
const CLOSED = periodOf(Date.UTC(2026, 9, 15))
const [LATE_DAY, TODAY] = [CLOSED.endDay - 2, CLOSED.endDay + 6]
const TODAY_MILLIS = utcDayStartMillis(TODAY) + 3_600_000
const ACCOUNTS = ['a0', 'a1']
const REPLICA = 'r0'

describe.skipIf(POSTGRES === undefined)('late units', () => {
  let database: TestDatabase
  let fleet: PostgresFleetStore
  let late: LateUsage

  beforeAll(async () => {
    database = await makeDatabase()
    const accounts = await openPostgresStore(database.url, { use: { isShared: true, isPooled: false } })
    for (const id of ACCOUNTS) {
      await accounts.insertAccount({ ...ACCOUNT, id, email: `${id}@example.org` })
      await accounts.insertKey(storedKey(id, { accountId: id }), 5)
    }
    await accounts.close()
    fleet = new PostgresFleetStore(database.url, false)
    late = new LateUsage(database.url, false)
    const about = { name: REPLICA, folder: 'f', admin: '', program: '', clock: '' }
    await fleet.join({ id: REPLICA, about, predecessors: [], writers: {}, isAgain: false })
    await fleet.serve(REPLICA)
    await flush('w0', 'a0', LATE_DAY, 100)
    await fleet.seal(REPLICA, CLOSED.endDay)
    expect(await fleet.closeDays(CLOSED.endDay)).toBe(true)
  }, 30_000)

  afterAll(async () => {
    await Promise.all([fleet.close(), late.close()])
    await database.remove()
  })

  async function flush(writerId: string, keyId: string, utcDay: number, units: number): Promise<void> {
    const row = { writerId, keyId, utcDay, units, calls: units, lastUsedMillis: 1 }
    await fleet.flush({ replica: REPLICA, owner: REPLICA, acked: 0, rows: [row], used: [] })
  }

  async function unitsOf(account: string, isClosed: boolean): Promise<number> {
    const [{ units }] = await database.query<{ units: number }>(
      `SELECT coalesce(sum(units), 0)::float8 AS units FROM quai.usage WHERE key_id = $1 AND (utc_day < $2) = $3`,
      [account, CLOSED.endDay, isClosed],
    )
    return units
  }

  test(`are billed or waived once each, whatever arrives in between (${STEPS} steps, seed ${SEED})`, async () => {
    const dice = new Dice(SEED)
    const reported = new Map([['w0 a0', 100]])
    const settled = { billed: new Map<string, number>(), waived: new Map<string, number>() }
    const sumOf = (account: string) =>
      [...reported].reduce((sum, [row, units]) => sum + (row.endsWith(account) ? units : 0), 0)
    const openOf = (account: string) =>
      sumOf(account) -
      (account === 'a0' ? 100 : 0) -
      (settled.billed.get(account) ?? 0) -
      (settled.waived.get(account) ?? 0)
    for (let step = 0; step < STEPS; step++) {
      const account = dice.pick(ACCOUNTS)
      if (dice.chance(0.6)) {
        const writer = `w${dice.below(4)}`
        const [row, units] = [`${writer} ${account}`, dice.below(300)]
        await flush(writer, account, LATE_DAY, units)
        reported.set(row, Math.max(units, reported.get(row) ?? 0))
      } else {
        const decision = dice.pick(['billed', 'waived'] as const)
        const units = await late.decide(account, CLOSED.name, decision, TODAY_MILLIS)
        expect(units).toBe(openOf(account))
        settled[decision].set(account, (settled[decision].get(account) ?? 0) + units)
      }
      const waiting = ACCOUNTS.filter((each) => openOf(each) > 0)
      const expected = waiting.map((id) => [`${id}@example.org`, CLOSED.name, openOf(id)])
      expect((await late.list()).map(({ email, month, units }) => [email, month, units])).toEqual(expected)
      expect(await unitsOf(account, false)).toBe(settled.billed.get(account) ?? 0)
    }
    expect(await unitsOf('a0', true)).toBe(100)
    expect(await unitsOf('a1', true)).toBe(0)
    const events = await database.query<{ kind: string; units: number }>(
      `SELECT kind, sum((detail::jsonb ->> 'units')::float8) AS units FROM quai.events WHERE kind LIKE 'late%' GROUP BY kind`,
    )
    for (const { kind, units } of events) {
      const sums = kind === 'late_usage_billed' ? settled.billed : settled.waived
      expect(units).toBe([...sums.values()].reduce((sum, each) => sum + each, 0))
    }
  })

  test('when billed, count against the current month’s cap', async () => {
    const month = Number(monthNumber(TODAY_MILLIS))
    const usedElsewhere = async () => {
      const [{ mark }] = await database.query<{ mark: string }>(
        `SELECT terms_mark AS mark FROM quai.accounts WHERE id = 'a1'`,
      )
      const used = { need: 0, size: 0, returned: 0, used: 0, known: 0 }
      const ask = { accountId: 'a1', month, cap: 1_000_000, termsMark: Number(mark), ...used }
      return (await fleet.grant(REPLICA, 0, { plans: 0, units: [ask] })).grants[0]?.usedElsewhere
    }
    const before = await usedElsewhere()
    await flush('w9', 'a1', LATE_DAY, 77)
    const units = await late.decide('a1', CLOSED.name, 'billed', TODAY_MILLIS)
    expect(units).toBeGreaterThanOrEqual(77)
    expect(await usedElsewhere()).toBe((before ?? 0) + units)
  })

  test('are listed and decided with a command', async () => {
    const config = { ...makeConfig(makeFolder()), databaseUrl: database.url }
    const run = async (action: string, account?: string, month?: string) => {
      const io = new KeptOutput()
      const status = await runLedgerLate(config, { action, account, month, json: false }, io)
      return [status, io.out, io.err] as const
    }
    await late.decide('a0', CLOSED.name, 'waived', TODAY_MILLIS)
    await flush('w8', 'a0', LATE_DAY, 12)
    expect(await run('list')).toEqual([0, 'MONTH    ACCOUNT         LATE UNITS\n2026-10  a0@example.org  12\n', ''])
    expect(await run('waive', 'A0@example.org', CLOSED.name)).toEqual([0, '', '12 late units for 2026-10 waived\n'])
    expect(await run('bill', 'a0', CLOSED.name)).toEqual([1, '', 'quai: a0 has no late units for 2026-10\n'])
    expect((await run('bill', 'nobody', CLOSED.name))[2]).toContain('no account has the address or id nobody')
    expect((await run('bill', 'a0', 'october'))[0]).toBe(2)
    expect((await run('drop'))[2]).toContain('expected "list", "bill" or "waive"')
  })
})
