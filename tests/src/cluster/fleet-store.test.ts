// Compares the database functions with their in-memory model, which the cluster histories use. The same random calls
// must have the same results on both, including refusals because a replica has ended or a write was lost.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openPostgresStore } from '../../../src/accounts/postgres-account-store.ts'
import type { FleetStore, UnitRequest } from '../../../src/cluster/fleet-store.ts'
import { PostgresFleetStore } from '../../../src/cluster/postgres-fleet-store.ts'
import { monthNumber } from '../../../src/metering/limit-cells.ts'
import type { UsageRow } from '../../../src/metering/usage-store.ts'
import { utcDayOf, utcDayStartMillis } from '../../../src/metering/utc-day.ts'
import { makeDatabase, POSTGRES, sayWhatIsLeftOut, type TestDatabase } from '../../databases/test-postgres.ts'
import { Dice } from '../../oracles/fleet/event-loop.ts'
import { FleetDatabase } from '../../oracles/fleet/fleet-database.ts'
import { bySize, SEED } from '../../size.ts'
import { ACCOUNT, storedKey } from '../accounts/stored-records.ts'

sayWhatIsLeftOut()

const CALLS = bySize({ quick: 300, ci: 1_000, full: 10_000 })
const MONTHS = [24_321, 24_322] as const
const ACCOUNTS = ['a0', 'a1'] as const
/** The number of calls of each kind in a round. A round makes these 70 calls in random order. */
const KINDS = {
  join: 5,
  serve: 5,
  tick: 5,
  find: 3,
  end: 2,
  settle: 5,
  flush: 10,
  report_life: 4,
  failover: 1,
  changes: 5,
  unconfirmed: 5,
  list: 3,
  marks: 2,
  seal: 4,
  close: 1,
  change: 5,
  grant: 5,
}
type Kind = keyof typeof KINDS
type Reading = 'changes' | 'unconfirmed' | 'list' | 'marks'
const ROUND = (Object.keys(KINDS) as Kind[]).flatMap((kind) => new Array<Kind>(KINDS[kind]).fill(kind))
const DAYS = MONTHS.map((month) => utcDayOf(Date.UTC(Math.floor(month / 12), month % 12, 1)))

describe.skipIf(POSTGRES === undefined)('the database functions', () => {
  let database: TestDatabase
  let store: PostgresFleetStore
  let twin: FleetDatabase

  beforeAll(async () => {
    database = await makeDatabase()
    const use = { isShared: true, isPooled: false }
    const accounts = await openPostgresStore(database.url, { use })
    for (const id of ACCOUNTS) {
      await accounts.insertAccount({ ...ACCOUNT, id, email: `${id}@example.org` })
      await accounts.insertKey(storedKey(id, { accountId: id }), 5)
    }
    await accounts.close()
    store = new PostgresFleetStore(database.url, false)
    await database.query(`UPDATE quai.store SET mode = 'cluster'`)
    const [{ mark }] = await database.query<{ mark: string }>('SELECT mark FROM quai.changes')
    const [{ life }] = await database.query<{ life: string }>('SELECT quai.store_life() AS life')
    twin = new FleetDatabase(
      {
        now: () => performance.now(),
        life: () => life,
        isOn: () => true,
        monthOfDay: (day) => Number(monthNumber(utcDayStartMillis(day))),
        accountOfKey: (keyId) => keyId,
      },
      new Map(ACCOUNTS.map((id) => [id, { cap: 0, isRevoked: false, mark: 0 }])),
      Number(mark),
    )
  }, 30_000)

  afterAll(async () => {
    await store.close()
    await database.remove()
  })

  test(`answer ${CALLS} random calls like their twin (seed ${SEED})`, async () => {
    const dice = new Dice(SEED)
    let round: Kind[] = []
    for (let call = 0; call < CALLS; call++) {
      if (round.length === 0) round = [...ROUND]
      const [kind] = round.splice(dice.below(round.length), 1)
      const ask = someCall(dice, kind)
      const [should, is] = [outcomeOf(() => ask(twinStore())), outcomeOf(() => ask(store))]
      expect({ call, kind, outcome: await is }).toEqual({ call, kind, outcome: await should })
    }
  }, 600_000)

  /**
   * A random call of this kind, to be made on both the database and the model. Parts of the result that depend only on
   * the clock are removed.
   */
  function someCall(dice: Dice, kind: Kind): (of: FleetStore) => Promise<unknown> {
    const replicas = [...twin.durable.replicas.keys()]
    const id = dice.chance(0.9) && replicas.length > 0 ? dice.pick(replicas.slice(-6)) : `r${dice.below(1_000)}`
    const beat = twin.durable.replicas.get(id)?.beat ?? 0
    const acked = dice.chance(0.9) ? Math.max(0, beat - dice.below(3)) : beat + 1
    const seen = seenVersion(dice)
    switch (kind) {
      case 'join': {
        const start = someStart(dice, id)
        return (of) => of.join(start)
      }
      case 'serve':
        return (of) => of.serve(id)
      case 'tick':
        return async (of) => withoutTime(await of.tick(id, seen, {}))
      case 'find':
        return async (of) => (await of.findReplica(id))?.folder
      case 'end': {
        const why = dice.pick(['left', 'lost', 'forgotten'] as const)
        return async (of) => of.end(id, why, (await of.findReplica(id))?.seenAt ?? null)
      }
      case 'settle': {
        const by = dice.chance(0.5) ? undefined : { id: dice.pick(replicas.length > 0 ? replicas : ['r0']), acked }
        return (of) => of.settle(id, by)
      }
      case 'flush': {
        const write = someFlush(dice, id, acked)
        return (of) => of.flush(write)
      }
      case 'report_life': {
        const life = dice.chance(0.5) ? 'another' : twin.durable.life
        return (of) => of.reportLife(id, acked, life)
      }
      case 'grant': {
        const units = someUnits(dice)
        return async (of) => {
          const { beat: after, waits, grants } = await of.grant(id, acked, { plans: 0, units })
          return { after, waits, grants: grants.map(({ unspentBySilent, ...grant }) => grant) }
        }
      }
      case 'change':
        return someChange(dice)
      case 'failover':
        return newLife()
      case 'seal':
        return (of) => of.seal(id, DAYS[1])
      case 'close': {
        const day = dice.chance(0.9) ? DAYS[0] : DAYS[1]
        return (of) => of.closeDays(day)
      }
      default:
        return someReading(kind, seen)
    }
  }

  function someReading(kind: Reading, seen: ReturnType<typeof seenVersion>): (of: FleetStore) => Promise<unknown> {
    switch (kind) {
      case 'changes':
        return (of) => of.changesSince(seen)
      case 'unconfirmed':
        return async (of) => (await of.listUnconfirmed(seen.version)).sort()
      case 'list':
        return async (of) => (await of.listReplicas()).map(({ seenAt, ...row }) => row).sort(byId)
      case 'marks':
        return async (of) => ({ ...(await of.readMarks()), plans: 0 })
    }
  }

  /** Gives the database a different identity, which the next call must notice. */
  function newLife(): (of: FleetStore) => Promise<unknown> {
    return async () => {
      await database.query(`UPDATE quai.store SET life = 'before'`)
      twin.durable.life = 'before'
    }
  }

  function seenVersion(dice: Dice) {
    const version = Math.max(1, twin.version - dice.below(4) + (dice.chance(0.1) ? 1 : 0))
    const mark = twin.durable.changes[version - 1]?.mark ?? 7
    return { version, mark: dice.chance(0.9) ? mark : 5 }
  }

  function someStart(dice: Dice, predecessor: string): Parameters<FleetStore['join']>[0] {
    const isAgain = dice.chance(0.2)
    const id = isAgain ? predecessor : `r${dice.below(1_000)}`
    return {
      id,
      about: { name: id, folder: `f${dice.below(5)}`, admin: '', program: '', clock: '' },
      predecessors: isAgain || dice.chance(0.3) ? [] : [predecessor],
      writers: { [`w${dice.below(20)}`]: dice.pick([id, predecessor, '']) },
      isAgain,
    }
  }

  function someFlush(dice: Dice, replica: string, acked: number): Parameters<FleetStore['flush']>[0] {
    const owner = dice.chance(0.7) ? replica : dice.pick(['', `r${dice.below(1_000)}`])
    const rows = new Map<string, UsageRow>()
    for (let count = 1 + dice.below(3); count > 0; count--) {
      const [writerId, keyId, utcDay] = [`w${dice.below(20)}`, dice.pick(ACCOUNTS), dice.pick(DAYS)]
      const units = dice.below(60)
      rows.set(`${writerId} ${keyId} ${utcDay}`, {
        writerId,
        keyId,
        utcDay,
        units,
        calls: units,
        lastUsedMillis: units,
      })
    }
    const used = [{ accountId: dice.pick(ACCOUNTS), month: dice.pick(MONTHS), units: dice.below(60) }]
    return { replica, owner, acked, rows: [...rows.values()], used: owner === replica ? used : undefined }
  }

  function someUnits(dice: Dice): UnitRequest[] {
    return ACCOUNTS.slice(0, 1 + dice.below(2)).map((accountId) => ({
      accountId,
      month: dice.pick(MONTHS),
      cap: dice.chance(0.1) ? null : dice.below(2_000),
      need: dice.chance(0.5) ? dice.below(30) : 0,
      size: dice.chance(0.5) ? dice.below(300) : 0,
      returned: dice.below(20),
      used: dice.below(20),
      known: dice.below(40),
      termsMark: dice.chance(0.9) ? (twin.durable.accounts.get(accountId)?.mark ?? 0) : 3,
    }))
  }

  /**
   * Changes an account. The database creates random marks for this change, and the test copies them to the model.
   */
  function someChange(dice: Dice): (of: FleetStore) => Promise<unknown> {
    const accountId = dice.pick(ACCOUNTS)
    let made: Promise<{ mark: string; terms_mark: string }> | undefined
    const make = async () => {
      await database.query('UPDATE quai.accounts SET spend_cap_cents = spend_cap_cents + 1 WHERE id = $1', [accountId])
      const [row] = await database.query<{ mark: string; terms_mark: string }>(
        `SELECT c.mark, a.terms_mark FROM quai.changes c, quai.accounts a WHERE a.id = $1
         ORDER BY version DESC LIMIT 1`,
        [accountId],
      )
      const terms = { cap: 0, isRevoked: false, mark: Number(row.terms_mark) }
      twin.change(accountId, terms, Number(row.mark))
      return row
    }
    return async (of) => {
      made ??= make()
      await made
      return of.lastVersion()
    }
  }

  /** The model, with the interface of a store. */
  function twinStore(): FleetStore {
    const later = async <Result>(run: () => Result) => run()
    return {
      join: (start) => later(() => twin.join({ ...start, folder: start.about.folder, writers: { ...start.writers } })),
      serve: (id) => later(() => twin.serve(id)),
      tick: (id, seen) => later(() => twin.tick(id, seen)),
      findReplica: (id) => later(() => twin.find(id)),
      listReplicas: () => later(() => twin.list()),
      end: (id, why, seenAt) => later(() => twin.end(id, why, seenAt)),
      settle: (id, by) => later(() => twin.settle(id, by)),
      flush: (write) => later(() => twin.flush(write)),
      grant: (id, acked, { units }) => later(() => twin.grant(id, acked, units)),
      reportLife: (id, acked, life) => later(() => twin.reportLife(id, acked, life)),
      changesSince: (seen) => later(() => twin.changesSince(seen)),
      readMarks: () => later(() => twin.readMarks()),
      listUnconfirmed: (version) => later(() => twin.unconfirmed(version)),
      lastVersion: () => later(() => twin.version),
      usageElsewhere: () => later(() => []),
      seal: (id, day) => later(() => twin.seal(id, day)),
      closeDays: (day) => later(() => twin.closeDays(day)),
    }
  }
})

async function outcomeOf(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Error && ['ReplicaEnded', 'StoreLostWrites'].includes(error.name)) return error.name
    throw error
  }
}

/** A tick's answer without the parts that depend only on time. */
function withoutTime(answer: Awaited<ReturnType<FleetStore['tick']>>) {
  const { at, recalls, is_first, peers, ...rest } = answer
  return rest
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1
}
