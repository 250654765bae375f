// The contract for the data that a store needs for bills: events, changes of terms, statements, and daily sums. A store
// fails if it stores a change without its event or an event without its change, if a closed month changes, or if a unit
// is added twice.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type AccountEvent, EVENT_KINDS, makeEvent } from '../../../src/accounts/account-event.ts'
import type { Account, AccountStore } from '../../../src/accounts/account-store.ts'
import type { StoredStatement } from '../../../src/accounts/billing-store.ts'
import type { UsageRow } from '../../../src/metering/usage-store.ts'
import { bySize, SEED } from '../../size.ts'
import { DAY_MILLIS, NOON_MILLIS } from '../account-fixture.ts'
import { ACCOUNT, HOSTILE_TEXTS, storedKey, usageRow } from './stored-records.ts'

const HISTORIES = bySize({ quick: 25, ci: 200, full: 2_000 })
const TERMS = { atMillis: NOON_MILLIS, fromUnits: 7 }
const STATEMENT: StoredStatement = {
  accountId: ACCOUNT.id,
  month: '2026-03',
  closedAtMillis: NOON_MILLIS,
  plan: 'pay_as_you_go',
  units: Number.MAX_SAFE_INTEGER,
  includedUnits: 10_000,
  overageUnits: Number.MAX_SAFE_INTEGER - 10_000,
  amountCents: 450_359_962_736,
  document: '{"units":1,"name":"é\\u0000","é":[]}',
}

function eventOf(members: Partial<AccountEvent> = {}): AccountEvent {
  const about = { accountId: ACCOUNT.id, atMillis: NOON_MILLIS, actor: 'owner' } as const
  return { ...makeEvent('key_created', about), ...members }
}

/** Declares the tests for bills, which belong to the contract of every store (store-contract.ts). */
export function testBillingContract(open: () => Promise<AccountStore>): void {
  testEvents(open)
  testChanges(open)
  testTerms(open)
  testDays(open)
  testStatements(open)
}

function testEvents(open: () => Promise<AccountStore>): void {
  test('returns events unchanged, newest first, in pages', async () => {
    const { billing, ...store } = await openWithAccount(open)
    const kinds = EVENT_KINDS.map((kind, at) => {
      const about = { accountId: ACCOUNT.id, atMillis: NOON_MILLIS + Math.floor(at / 3), actor: 'operator' } as const
      const detail = { text: HOSTILE_TEXTS[at] ?? '', number: 0.1, yes: true, none: null }
      return makeEvent(kind, at % 2 === 0 ? { ...about, keyId: 'key_00000001' } : about, detail)
    })
    await store.insertOther()
    await billing.appendEvents([...kinds, eventOf({ accountId: 'acc_2' })])
    const newest = kinds.toReversed()
    expect(await billing.listEvents(ACCOUNT.id, { limit: 100 })).toEqual(newest)
    const pages: AccountEvent[] = []
    for (let page = await billing.listEvents(ACCOUNT.id, { limit: 4 }); page.length > 0; ) {
      pages.push(...page)
      page = await billing.listEvents(ACCOUNT.id, { limit: 4, beforeId: page.at(-1)?.id ?? '' })
    }
    expect(pages).toEqual(newest)
    expect(await billing.listEvents(`' OR 1=1 --`, { limit: 9 })).toEqual([])
  })

  test('lists events in order of creation, even at the same time', () => {
    const ids = Array.from({ length: 2_000 }, () => eventOf().id)
    expect(ids).toEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(ids.length)
    expect(eventOf({}).id < makeEvent('resumed', { ...ABOUT, atMillis: NOON_MILLIS + 1 }).id).toBe(true)
  })
}

const ABOUT = { accountId: ACCOUNT.id, actor: 'owner' } as const

function testChanges(open: () => Promise<AccountStore>): void {
  test('writes a change with its event, and neither if one is rejected', async () => {
    const { billing, store } = await openWithAccount(open)
    const kindsSoFar = async () => (await billing.listEvents(ACCOUNT.id, { limit: 100 })).map((event) => event.id)
    const [made, renamed, revoked, changed] = [eventOf(), eventOf(), eventOf(), eventOf()]
    await store.insertKey(storedKey('key_00000001'), 1, { events: [made] })
    await expect(store.insertKey(storedKey('key_00000002'), 1, { events: [eventOf()] })).rejects.toThrow()
    await store.renameKey('key_00000001', 'ж<img onerror=x>', { events: [renamed] })
    expect((await store.findKey('key_00000001'))?.name).toBe('ж<img onerror=x>')
    await expect(store.renameKey('key_0000ffff', 'x', { events: [eventOf()] })).rejects.toMatchObject({
      reason: 'not_found',
    })
    await expect(store.renameKey('key_00000001', 'a\0b')).rejects.toMatchObject({ reason: 'invalid' })
    await store.revokeKey('key_00000001', 5, { events: [revoked] })
    await store.revokeKey('key_00000001', 6, { events: [eventOf()] }) // already revoked, so there is no event
    await expect(store.revokeKey('key_0000ffff', 6, { events: [eventOf()] })).rejects.toThrow()
    await store.updateAccount({ ...ACCOUNT, suspendedAtMillis: 9 }, { events: [changed] })
    await expect(store.updateAccount({ ...ACCOUNT, id: 'acc_0' }, { events: [eventOf()] })).rejects.toThrow()
    expect((await kindsSoFar()).toReversed()).toEqual([made, renamed, revoked, changed].map((event) => event.id))
    // If an event cannot be written, the change is not stored either.
    await expect(store.renameKey('key_00000001', 'other', { events: [made] })).rejects.toThrow()
    await expect(store.insertKey(storedKey('key_00000003'), 9, { events: [made] })).rejects.toThrow()
    await expect(store.updateAccount(ACCOUNT, { events: [made] })).rejects.toThrow()
    expect((await store.findKey('key_00000001'))?.name).toBe('ж<img onerror=x>')
    expect(await store.findKey('key_00000003')).toBeUndefined()
    expect((await store.findAccountById(ACCOUNT.id))?.suspendedAtMillis).toBe(9)
  })

  test('opens an account with its event, or not at all', async () => {
    const store = await open()
    const event = eventOf()
    await store.insertAccount(ACCOUNT, { events: [event] })
    const second = { ...ACCOUNT, id: 'acc_2', email: 'b@example.org' }
    await expect(store.insertAccount(second, { events: [event] })).rejects.toThrow()
    expect(await store.billing.listEvents(ACCOUNT.id, { limit: 9 })).toEqual([event])
    expect(await store.listAccounts()).toEqual([ACCOUNT])
  })
}

function testTerms(open: () => Promise<AccountStore>): void {
  test('records every change to plan and overage', async () => {
    const { billing, store } = await openWithAccount(open)
    const free = { plan: 'free', isOverageEnabled: false } as const
    const payg = { plan: 'pay_as_you_go', isOverageEnabled: false } as const
    const steps: Account[] = [
      { ...ACCOUNT, ...payg },
      { ...ACCOUNT, ...payg, isOverageEnabled: true },
      { ...ACCOUNT, ...payg, isOverageEnabled: true, spendCapCents: 9 }, // no effect, so no event
      { ...ACCOUNT, ...free },
    ]
    for (const [at, account] of steps.entries()) {
      await expect(store.updateAccount({ ...account, plan: 'max' })).rejects.toThrow('needs "terms"')
      await store.updateAccount(account, { events: [], terms: { atMillis: NOON_MILLIS, fromUnits: at } })
    }
    const buying = { ...payg, isOverageEnabled: true }
    const noted = [
      { accountId: ACCOUNT.id, atMillis: NOON_MILLIS, fromUnits: 0, before: free, after: payg },
      { accountId: ACCOUNT.id, atMillis: NOON_MILLIS, fromUnits: 1, before: payg, after: buying },
      { accountId: ACCOUNT.id, atMillis: NOON_MILLIS, fromUnits: 3, before: buying, after: free },
    ]
    expect(await billing.listTermChanges()).toEqual(noted)
    expect(await billing.listTermChanges(ACCOUNT.id)).toEqual(noted)
    expect(await billing.listTermChanges('acc_2')).toEqual([])
    await expect(store.updateAccount({ ...ACCOUNT, id: 'acc_0' }, { events: [], terms: TERMS })).rejects.toThrow()
    expect(await billing.listTermChanges()).toEqual(noted)
  })

  test('keeps each plan’s periods', async () => {
    const { billing } = await openWithAccount(open)
    const history = [3, 1, 2].map((atMillis) => ({ atMillis, plans: `{"é":${atMillis}}` }))
    for (const plans of history) await billing.appendPlans(plans)
    expect(await billing.listPlans()).toEqual(history)
  })
}

function testDays(open: () => Promise<AccountStore>): void {
  test(`sums days over all writers, for this account only (${HISTORIES} ledgers)`, async () => {
    const { billing, store, insertOther } = await openWithAccount(open)
    await insertOther()
    const keyIds = ['key_00000001', 'key_00000002', 'key_00000003']
    for (const [at, id] of keyIds.entries()) {
      await store.insertKey(storedKey(id, { accountId: at === 2 ? 'acc_2' : ACCOUNT.id }), 9)
    }
    expect(await billing.findFirstUsedDay()).toBeUndefined()
    const rows = new Map<string, UsageRow>()
    const row = fc.record({
      writerId: fc.constantFrom('w1', 'w2', 'w3'),
      keyId: fc.constantFrom(...keyIds, 'key_0000ffff'),
      utcDay: fc.integer({ min: 19_998, max: 20_003 }),
      units: fc.oneof(fc.nat(9), fc.constant(2 ** 40)),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 12 }), async (added) => {
        for (const { writerId, keyId, utcDay, units } of added) {
          const name = `${writerId} ${keyId} ${utcDay}`
          const larger = Math.max(units, rows.get(name)?.units ?? 0)
          rows.set(name, usageRow(larger, { writerId, keyId, utcDay }))
        }
        await store.mergeUsage([...rows.values()])
        const own = [...rows.values()].filter(({ keyId, utcDay }) => {
          return keyIds.slice(0, 2).includes(keyId) && utcDay >= 19_999 && utcDay < 20_002
        })
        const expected = [...new Set(own.map(({ keyId, utcDay }) => `${utcDay} ${keyId}`))].sort().map((name) => {
          const units = own
            .filter((one) => `${one.utcDay} ${one.keyId}` === name)
            .reduce((sum, { units: n }) => sum + n, 0)
          return { keyId: name.slice(6), utcDay: Number(name.slice(0, 5)), units, calls: units }
        })
        expect(await billing.listDailyUse(ACCOUNT.id, { firstDay: 19_999, endDay: 20_002 })).toEqual(expected)
        const others = [...rows.values()].filter(
          ({ keyId, utcDay }) => keyId === keyIds[2] && utcDay >= 19_999 && utcDay < 20_002,
        )
        const sums = [
          { accountId: ACCOUNT.id, rows: own },
          { accountId: 'acc_2', rows: others },
        ].filter(({ rows: used }) => used.length > 0)
        expect(await billing.listUnitsByAccount({ firstDay: 19_999, endDay: 20_002 })).toEqual(
          sums.map(({ accountId, rows: used }) => ({
            accountId,
            units: used.reduce((sum, { units }) => sum + units, 0),
          })),
        )
        const days = [...rows.values()].map(({ utcDay }) => utcDay)
        expect(await billing.findFirstUsedDay()).toBe(Math.min(...days))
      }),
      { numRuns: HISTORIES, seed: SEED },
    )
  })
}

function testStatements(open: () => Promise<AccountStore>): void {
  test('keeps a statement as first made, with one event', async () => {
    const { billing, insertOther } = await openWithAccount(open)
    await insertOther()
    const [first, second] = [eventOf({ kind: 'statement_closed' }), eventOf({ kind: 'statement_closed' })]
    const other = { ...STATEMENT, accountId: 'acc_2', amountCents: 1 }
    await billing.insertStatements([{ statement: STATEMENT, event: first }])
    await billing.insertStatements([
      { statement: { ...STATEMENT, units: 1, document: '{}' }, event: second },
      { statement: other, event: eventOf({ accountId: 'acc_2' }) },
    ])
    await billing.insertStatements([])
    expect(await billing.findStatement(ACCOUNT.id, '2026-03')).toEqual(STATEMENT)
    expect(await billing.findStatement('acc_2', '2026-03')).toEqual(other)
    expect(await billing.findStatement(ACCOUNT.id, '2026-04')).toBeUndefined()
    expect(await billing.listEvents(ACCOUNT.id, { limit: 9 })).toEqual([first])
    const later = { ...STATEMENT, month: '2026-12' }
    const next = { ...STATEMENT, month: '2027-01' }
    await billing.insertStatements([next, later].map((statement) => ({ statement, event: eventOf() })))
    const { document: _, ...head } = STATEMENT
    expect(await billing.listStatements(ACCOUNT.id)).toEqual(
      ['2027-01', '2026-12', '2026-03'].map((month) => ({ ...head, month })),
    )
    const names = async (month?: string) =>
      (await billing.listAllStatements(month)).map((one) => `${one.month} ${one.accountId}`)
    expect(await names('2026-03')).toEqual(['2026-03 acc_1', '2026-03 acc_2'])
    expect(await names()).toEqual(['2027-01 acc_1', '2026-12 acc_1', '2026-03 acc_1', '2026-03 acc_2'])
    expect(await names("' OR 1=1 --")).toEqual([])
  })

  test('stores all statements of one call or none', async () => {
    const { billing } = await openWithAccount(open)
    const event = eventOf()
    const nobody = { ...STATEMENT, accountId: 'acc_0' }
    await expect(
      billing.insertStatements([
        { statement: STATEMENT, event },
        { statement: nobody, event: eventOf({ accountId: 'acc_0' }) },
      ]),
    ).rejects.toThrow()
    expect(await billing.listStatements(ACCOUNT.id)).toEqual([])
    expect(await billing.listEvents(ACCOUNT.id, { limit: 9 })).toEqual([])
  })

  test('returns the last closed month', async () => {
    const { billing } = await openWithAccount(open)
    expect(await billing.findLastClosedMonth()).toBeUndefined()
    for (const month of ['2026-12', '2026-09', '2027-01', '2027-01']) await billing.closeMonth(month, NOON_MILLIS)
    expect(await billing.findLastClosedMonth()).toBe('2027-01')
  })
}

async function openWithAccount(open: () => Promise<AccountStore>) {
  const store = await open()
  await store.insertAccount({ ...ACCOUNT, createdAtMillis: NOON_MILLIS - DAY_MILLIS })
  const insertOther = () => store.insertAccount({ ...ACCOUNT, id: 'acc_2', email: 'b@example.org' })
  return { store, billing: store.billing, insertOther }
}
