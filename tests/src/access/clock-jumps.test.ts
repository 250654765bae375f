// Tests the month to which units are charged, while the machine's clock jumps and is set back. Fails if two threads,
// the control thread or the ledger disagree about the month or the remaining units, if a charged unit is lost, or if a
// jump is not logged exactly once.
import { afterEach, expect, test } from 'bun:test'
import type { Gate } from '../../../src/access/gate.ts'
import { openGate } from '../../../src/access/open-gate.ts'
import type { AccountsService } from '../../../src/accounts/accounts-service.ts'
import { openAccounts } from '../../../src/accounts/open-accounts.ts'
import { findPeriod, toUtcText } from '../../../src/metering/utc-day.ts'
import { until } from '../../service/running.ts'
import { makeConfig } from '../account-config.ts'
import { admitted, DAY_MILLIS, HandClock, makeFolder, spend } from '../account-fixture.ts'

const HOUR_MILLIS = 3_600_000
const EMAIL = 'a@example.org'

let accounts: AccountsService | undefined
afterEach(async () => {
  await accounts?.close()
  accounts = undefined
})

/** Opens a service with two threads, on a folder and with a clock that the test sets. */
async function openService(clock: HandClock, folder = makeFolder()) {
  const problems: string[] = []
  accounts = await openAccounts(makeConfig(folder), { onProblem: (message) => problems.push(message), clock })
  const service = accounts
  const start = await service.start()
  const gates = [0, 1].map((ordinal) => openGate(start, ordinal, clock))
  service.subscribe((change) => {
    for (const gate of gates) gate.apply(change)
  })
  return { service, folder, problems, gates: gates.map(({ gate }) => gate) }
}

type Service = Awaited<ReturnType<typeof openService>>

async function makeKey({ service }: Service): Promise<string> {
  const input = { email: EMAIL, name: 'k', scopes: ['transit:read'], expiresAtMillis: null, plan: 'max' as const }
  return (await service.operations.createKey(input)).key
}

/** What a thread reports about the month: in the headers of a free call, and in the caller's usage. */
function reportOf(gate: Gate, key: string, clock: HandClock) {
  const caller = admitted(gate, key)
  const taken = gate.reserve(caller, 0)
  if ('reason' in taken) throw new Error(taken.reason)
  const [, left, seconds] = /"units";r=(\d+);t=(\d+)/.exec(gate.limitFields().limit) ?? []
  const { period, remaining, units, resets_at } = gate.usage(caller)
  const ledgerMillis = Date.parse(resets_at) - Number(seconds) * 1_000
  expect(Number(left)).toBe(remaining)
  // The header gives the seconds until the reset, counted from the clock's time. If a later day already has charges,
  // the seconds are counted from that day instead. So the count never starts before the clock's time.
  expect(ledgerMillis).toBeGreaterThanOrEqual(clock.millis - 1_000)
  return { period, remaining, units, resets_at, seconds }
}

/** Checks that all threads and the ledger report the same month and units; returns a thread's report. */
async function agreed({ service, gates }: Service, key: string, clock: HandClock) {
  const reports = gates.map((gate) => reportOf(gate, key, clock))
  const [first] = reports
  if (first === undefined) throw new Error('there is no thread')
  expect(reports).toEqual(reports.map(() => first))
  const [account] = await service.store.listAccounts()
  const report = await service.owners.report(account?.id ?? '')
  expect(report).toMatchObject({ period: first.period, remaining: first.remaining, units: first.units })
  const month = findPeriod(first.period)
  if (month === undefined) throw new Error(`${first.period} is not a month`)
  const days = await service.owners.listDays(account?.id ?? '', month)
  expect(days.reduce((sum, { units }) => sum + units, 0)).toBe(first.units)
  const listed = await service.owners.listKeys(account?.id ?? '')
  expect(listed.keys.map(({ units_this_month }) => units_this_month)).toEqual([first.units])
  return first
}

const spendAs = (gate: Gate | undefined, key: string, units: number) => {
  if (gate === undefined) throw new Error('there is no such thread')
  spend(gate, admitted(gate, key), units)
}

/** The sum of all units in the ledger, over all days. */
async function chargedUnits({ service }: Service): Promise<number> {
  await service.flush()
  return (await service.store.listUsage()).reduce((sum, row) => sum + row.units, 0)
}

const JUMPS = {
  'an hour back across the start of a month': { at: Date.UTC(2026, 2, 1, 0, 30), by: -HOUR_MILLIS },
  'an hour back across midnight': { at: Date.UTC(2026, 2, 10, 0, 30), by: -HOUR_MILLIS },
  'an hour back within a day': { at: Date.UTC(2026, 2, 10, 12, 30), by: -HOUR_MILLIS },
  'forty-five days ahead': { at: Date.UTC(2026, 2, 10, 12), by: 45 * DAY_MILLIS },
  'a year back': { at: Date.UTC(2026, 2, 10, 12), by: -365 * DAY_MILLIS },
}

for (const [name, { at, by }] of Object.entries(JUMPS)) {
  for (const charging of ['nobody', 'one thread', 'both threads'] as const) {
    test(`${name} and back, while ${charging} charges: one month, one remainder, nothing lost`, async () => {
      const clock = new HandClock()
      clock.millis = at
      const running = await openService(clock)
      const key = await makeKey(running)
      spendAs(running.gates[0], key, 3)
      spendAs(running.gates[1], key, 1)
      clock.millis += by
      const during = { nobody: [], 'one thread': [0], 'both threads': [0, 1] }[charging]
      for (const ordinal of during) spendAs(running.gates[ordinal], key, 2)
      if (during.length > 0) await agreed(running, key, clock)
      clock.millis -= by
      const before = await agreed(running, key, clock)
      spendAs(running.gates[1], key, 5)
      spendAs(running.gates[0], key, 7)
      const after = await agreed(running, key, clock)
      expect([after.period, after.units]).toEqual([before.period, before.units + 12])
      if (charging === 'nobody') expect(after.period).toBe(toUtcText(at).slice(0, 7))
      expect(await chargedUnits(running)).toBe(4 + 2 * during.length + 12)
      await accounts?.close()
      const again = await openService(clock, running.folder)
      expect(await agreed(again, key, clock)).toEqual(after)
    })
  }
}

test('a jump is reported once, with the day that units count for; nothing is closed or removed right after it', async () => {
  const clock = new HandClock()
  const running = await openService(clock)
  const key = await makeKey(running)
  const { service, problems, gates } = running
  const loggedJumps = () => problems.filter((line) => line.includes('clock'))
  service.startFlushing()
  for (const [at, { by, text }] of [
    { by: 45 * DAY_MILLIS, text: 'forward by 45 d to 2026-04-24T12:00:00+00:00; units are charged to 2026-04-24' },
    {
      by: -45 * DAY_MILLIS,
      text: 'back by 45 d to 2026-03-10T12:00:00+00:00; units are charged to 2026-04-24, the last day with charges, until the clock reaches that day',
    },
  ].entries()) {
    clock.millis += by
    await until(() => loggedJumps().length > at, 'the jump is logged')
    expect(loggedJumps().at(-1)).toBe(`the system clock was set ${text}`)
    spendAs(gates[0], key, 1)
  }
  await Bun.sleep(1_200) // the clock is checked once a second
  expect(loggedJumps()).toHaveLength(2)
  expect(await service.store.billing.findLastClosedMonth()).toBeUndefined()
})
