// Tests the closing of months. A statement must have exactly the units that were reported to clients, and must never
// change. The ledger and the records of an independent bookkeeper must have the same units. Fails if a unit is lost or
// billed twice, or if a month is closed too early, twice or not at all.
import { afterEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { AccountsService } from '../../../src/accounts/accounts-service.ts'
import { parseStatement, toStatementCsv } from '../../../src/accounts/statement.ts'
import { PLANS } from '../../../src/plans/plans.ts'
import { makeDatabase, POSTGRES, sayWhatIsLeftOut, type TestDatabase } from '../../databases/test-postgres.ts'
import { microCentsOf } from '../../oracles/monthly-bill.ts'
import { bySize, SEED } from '../../size.ts'
import { DAY_MILLIS, makeFolder } from '../account-fixture.ts'
import { BilledWorld, type ClerkAccount, type Step } from './billed-world.ts'

sayWhatIsLeftOut()

const HISTORIES = bySize({ quick: 6, ci: 30, full: 1_500 })

/** Plans that sell units. Most changes of plan are to one of them. */
const SELLING = ['pay_as_you_go', 'pro'] as const
const who = fc.nat(2)
const which = fc.nat(5)
const use = fc.record({
  kind: fc.constant('use' as const),
  who,
  which,
  thread: fc.nat(1),
  calls: fc.integer({ min: 1, max: 8 }),
  cost: fc.constantFrom(1 as const, 5 as const),
})
const plan = fc.record({
  kind: fc.constant('plan' as const),
  who,
  plan: fc.constantFrom(...PLANS, ...SELLING, ...SELLING, ...SELLING),
})
const billing = fc.record({
  kind: fc.constant('billing' as const),
  who,
  isOverageEnabled: fc.constantFrom(true, true, true, false),
  spendCapCents: fc.nat(60),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: use },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      hours: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 400 })),
    }),
  },
  { weight: 3, arbitrary: plan },
  { weight: 4, arbitrary: billing },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('new key' as const, 'revoke' as const, 'rename' as const),
      who,
      which,
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom({ kind: 'flush' as const }, { kind: 'restart' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), who: fc.constant(2) }) },
)
/** Steps for one account: it changes to a plan that sells units, turns on overage and uses units. */
const deal = fc
  .record({ who, plan: fc.constantFrom(...SELLING), spendCapCents: fc.nat(60), which, thread: fc.nat(1) })
  .map(({ who, plan, spendCapCents, which, thread }): Step[] => [
    { kind: 'plan', who, plan },
    { kind: 'billing', who, isOverageEnabled: true, spendCapCents },
    { kind: 'use', who, which, thread, calls: 12, cost: 1 },
  ])
const steps = fc.oneof({ weight: 4, arbitrary: step.map((one) => [one]) }, { weight: 1, arbitrary: deal })
const history = fc.array(steps, { minLength: 20, maxLength: 50 }).map((parts) => parts.flat())

const databases: TestDatabase[] = []

afterEach(async () => {
  for (const database of databases.splice(0)) await database.remove()
})

/** Runs all steps and closes every month. Compares the statements with the bookkeeper's records. */
async function live(steps: readonly Step[], flags: Record<string, unknown>): Promise<void> {
  const world = new BilledWorld(makeFolder(), flags)
  try {
    await world.open()
    for (const one of steps) await world.run(one)
    const end = world.clock.millis
    const months = [...new Set(world.accounts.flatMap(({ bills }) => [...bills.keys()]))].sort()
    // The last month is due to be closed on the fourth day of the month after it.
    const date = new Date(end)
    const dueMillis = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 4)
    world.clock.millis = dueMillis - 1
    expect(await world.service.closeMonths()).toEqual(months.slice(0, -1))
    const early = await documentsOf(world)
    world.clock.millis = dueMillis
    expect(await world.service.closeMonths()).toEqual(months.slice(-1))
    expect(await world.service.closeMonths()).toEqual([])
    for (const account of world.accounts) await checkAccount(world.service, account)
    expect((await world.service.operations.verifyLedger({})).faults).toEqual([])
    // Whatever happens later, the statements of closed months must remain the same, byte for byte.
    const closed = await documentsOf(world)
    expect(closed).toMatchObject(early)
    for (const kind of ['rename', 'plan', 'billing', 'restart', 'use', 'flush'] as const) {
      const more = {
        who: 0,
        which: 0,
        thread: 0,
        calls: 3,
        cost: 5,
        plan: 'pay_as_you_go',
        isOverageEnabled: true,
        spendCapCents: 9,
      } as const
      await world.run({ kind, ...more })
    }
    expect(await world.service.closeMonths()).toEqual([])
    expect(await documentsOf(world)).toEqual(closed)
    expect(world.problems).toEqual([])
  } finally {
    await world.close()
  }
}

/** `<account> <month>` → its statement. */
async function documentsOf({ service, accounts }: BilledWorld): Promise<Record<string, string>> {
  const documents: Record<string, string> = {}
  for (const { id } of accounts) {
    for (const { month } of await service.store.billing.listStatements(id)) {
      documents[`${id} ${month}`] = (await service.store.billing.findStatement(id, month))?.document ?? ''
    }
  }
  return documents
}

async function checkAccount({ store }: AccountsService, account: ClerkAccount): Promise<void> {
  const heads = await store.billing.listStatements(account.id)
  expect(heads.map(({ month }) => month)).toEqual([...account.bills.keys()].sort().reverse())
  const ledger = (await store.listUsage()).filter(({ keyId }) => account.keys.some(({ id }) => id === keyId))
  for (const head of heads) {
    const bill = account.bills.get(head.month)
    const stored = await store.billing.findStatement(account.id, head.month)
    if (bill === undefined || stored === undefined) throw new Error('a month has no bill or no statement')
    const statement = parseStatement(stored.document)
    const reported = [...account.reported]
      .filter(([name]) => name.startsWith(head.month))
      .sort(([a], [b]) => (a < b ? -1 : 1))
    expect(statement.lines.map(({ date, key_id, units }) => [`${date} ${key_id}`, units])).toEqual(reported)
    const ofMonth = ledger.filter(({ utcDay }) => new Date(utcDay * DAY_MILLIS).toISOString().startsWith(head.month))
    const sums = [
      statement.units,
      sum(statement.lines.map(({ units }) => units)),
      sum(ofMonth.map(({ units }) => units)),
      sum(reported.map(([, units]) => units)),
      bill.units,
      head.units,
    ]
    expect(sums).toEqual(sums.map(() => bill.units))
    expect([statement.included_units, statement.overage_units]).toEqual([bill.includedUnits, bill.billableUnits])
    expect(microCentsOf(statement.amount_decimal)).toBe(bill.microCents)
    expect([statement.amount_cents, head.amountCents]).toEqual([bill.cents, bill.cents])
    expect(statement.calls).toBe(sum(ofMonth.map(({ calls }) => calls)))
    checkCsv(toStatementCsv(statement), statement)
    expect(stored.document).not.toContain('@') // a statement never contains an address
  }
}

/** Parses the CSV strictly by RFC 4180 and compares it with the statement. */
function checkCsv(csv: string, statement: ReturnType<typeof parseStatement>): void {
  const [columns, ...rows] = readCsv(csv)
  const read = rows.map((row) => Object.fromEntries(row.map((cell, at) => [columns?.[at] ?? '', cell])))
  const usage = read.filter(({ record }) => record === 'usage')
  expect(usage.map((row) => [row['date'], row['key_id'], Number(row['units']), Number(row['calls'])])).toEqual(
    statement.lines.map(({ date, key_id, units, calls }) => [date, key_id, units, calls]),
  )
  expect(usage.map((row) => (row['key_name'] ?? '').replaceAll(/(^|; ?)'/g, '$1'))).toEqual(
    statement.lines.map(({ key_name }) => key_name),
  )
  // A spreadsheet program must not execute a cell, even if the program also separates cells at semicolons.
  for (const row of usage) expect(row['key_name']).not.toMatch(/(^|;\s*)[=+\-@]/)
  const overage = read.filter(({ record }) => record === 'overage')
  expect(sum(overage.map((row) => Number(row['units'])))).toBe(statement.overage_units)
  const included = read.filter(({ record }) => record === 'included')
  expect(sum([...included, ...overage].map((row) => Number(row['units'])))).toBe(statement.units)
  const amounts = overage.map((row) => microCentsOf(row['amount_decimal'] ?? ''))
  expect(amounts.reduce((total, amount) => total + amount, 0n)).toBe(microCentsOf(statement.amount_decimal))
  for (const row of overage) {
    const price = microCentsOf(row['unit_amount_decimal'] ?? '')
    expect(BigInt(row['units'] ?? '') * price).toBe(microCentsOf(row['amount_decimal'] ?? ''))
  }
  const [total] = read.filter(({ record }) => record === 'total')
  expect([Number(total?.['units']), total?.['amount_decimal']]).toEqual([statement.units, statement.amount_decimal])
}

function readCsv(text: string): string[][] {
  const rows: string[][] = []
  for (let at = 0; at < text.length; ) {
    const row: string[] = []
    for (;;) {
      const quoted = /^"((?:[^"]|"")*)"/.exec(text.slice(at))
      const plain = quoted ?? /^()[^",\r\n]*/.exec(text.slice(at))
      const cell = plain?.[0] ?? ''
      row.push(quoted === null ? cell : (quoted[1] ?? '').replaceAll('""', '"'))
      at += cell.length
      if (text[at] === ',') at++
      else break
    }
    if (!text.startsWith('\r\n', at)) throw new Error(`a row ends at ${at} without CRLF`)
    at += 2
    rows.push(row)
  }
  return rows
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

const ON_RUNS = { numRuns: HISTORIES, seed: SEED }

describe('a closed month', () => {
  test(`equals what clients saw, the ledger and the bookkeeper: ${HISTORIES} histories, in SQLite`, async () => {
    await fc.assert(
      fc.asyncProperty(history, (steps) => live(steps, {})),
      ON_RUNS,
    )
  }, 3_600_000)

  test.skipIf(POSTGRES === undefined)(
    `and in PostgreSQL`,
    async () => {
      const property = fc.asyncProperty(history, async (steps) => {
        const database = await makeDatabase()
        databases.push(database)
        await live(steps, { database_url: database.url })
      })
      await fc.assert(property, { ...ON_RUNS, numRuns: Math.ceil(HISTORIES / 3) })
    },
    3_600_000,
  )
})
