// The contract of every account store, as tests that every kind of store must pass. A store fails if it changes a
// value, exceeds a limit, decreases a count, or stores only part of a change.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Account, AccountStore } from '../../../src/accounts/account-store.ts'
import type { UsageRow } from '../../../src/metering/usage-store.ts'
import { ACTIVE_KEY_LIMITS, PLANS } from '../../../src/plans/plans.ts'
import { bySize, SEED } from '../../size.ts'
import { NOON_MILLIS } from '../account-fixture.ts'
import { testBillingContract } from './billing-contract.ts'
import { testFactorContract } from './factor-contract.ts'
import { testIdentityContract } from './identity-contract.ts'
import { testRouteContract } from './route-contract.ts'
import { ACCOUNT, HOSTILE_TEXTS, storedKey, UNSTORABLE_TEXTS, usageRow } from './stored-records.ts'

const ROUNDS = bySize({ quick: 2, ci: 20, full: 1_000 })
const RACERS = 100
const HISTORIES = bySize({ quick: 25, ci: 200, full: 2_000 })

/**
 * Declares the tests for a kind of store.
 * @param open returns an empty store, which is removed at the end of the test
 */
export function testStoreContract(open: () => Promise<AccountStore>): void {
  testAccounts(open)
  testKeys(open)
  testKeyRace(open)
  testTexts(open)
  testUsage(open)
  testBillingContract(open)
  testIdentityContract(open)
  testFactorContract(open)
  testRouteContract(open)
}

function testAccounts(open: () => Promise<AccountStore>): void {
  test('keeps an account, and finds it in any case', async () => {
    const store = await open()
    await store.insertAccount(ACCOUNT)
    expect(await store.findAccount(' ADA@example.ORG ')).toEqual(ACCOUNT)
    expect(await store.findAccount('eve@example.org')).toBeUndefined()
    const taken = store.insertAccount({ ...ACCOUNT, id: 'acc_2', email: 'ada@EXAMPLE.org' })
    await expect(taken).rejects.toMatchObject({ reason: 'already_exists' })
    const changed: Account = {
      ...ACCOUNT,
      plan: 'pro',
      isVerified: false,
      suspendedAtMillis: 5,
      isOverageEnabled: true,
      spendCapCents: Number.MAX_SAFE_INTEGER,
    }
    await store.updateAccount(changed, { events: [], terms: { atMillis: NOON_MILLIS, fromUnits: 0 } })
    expect(await store.listAccounts()).toEqual([changed])
    await expect(store.updateAccount({ ...ACCOUNT, id: 'acc_0' })).rejects.toMatchObject({ reason: 'not_found' })
  })

  test('frees a deleted account’s address, and gives no address twice', async () => {
    const store = await open()
    await store.insertAccount(ACCOUNT)
    await store.updateAccount({ ...ACCOUNT, email: null, deletedAtMillis: 1 })
    await store.insertAccount({ ...ACCOUNT, id: 'acc_2' })
    expect((await store.findAccount('ada@example.org'))?.id).toBe('acc_2')
    await expect(store.updateAccount(ACCOUNT)).rejects.toMatchObject({ reason: 'already_exists' })
    const other = { ...ACCOUNT, id: 'acc_3', email: null }
    await store.insertAccount(other) // any number of accounts may have no address
    expect((await store.listAccounts()).map((account) => account.email)).toEqual([null, ACCOUNT.email, null])
  })

  test('lists the oldest first, and those created at the same time by the bytes of their ids', async () => {
    const store = await open()
    const ids = ['acc_b', 'acc_B', 'acc_a', 'acc_é', 'acc_1']
    for (const id of ids) await store.insertAccount({ ...ACCOUNT, id, email: null })
    await store.insertAccount({ ...ACCOUNT, id: 'acc_z', email: null, createdAtMillis: NOON_MILLIS - 1 })
    const expected = ['acc_z', 'acc_1', 'acc_B', 'acc_a', 'acc_b', 'acc_é']
    expect((await store.listAccounts()).map((account) => account.id)).toEqual(expected)
  })
}

function testKeys(open: () => Promise<AccountStore>): void {
  test('keeps a key, and counts only working keys toward the limit', async () => {
    const store = await open()
    await store.insertAccount(ACCOUNT)
    await store.insertKey(storedKey('key_00000001'), 1)
    expect(await store.findKey('key_00000001')).toEqual(storedKey('key_00000001'))
    expect(await store.findKey('key_0000ffff')).toBeUndefined()
    await expect(store.insertKey(storedKey('key_00000002'), 1)).rejects.toMatchObject({ reason: 'key_limit_reached' })
    await store.insertKey(storedKey('key_00000003', { expiresAtMillis: NOON_MILLIS }), 1)
    await store.revokeKey('key_00000001', NOON_MILLIS + 1)
    await store.revokeKey('key_00000001', NOON_MILLIS + 2)
    expect((await store.findKey('key_00000001'))?.revokedAtMillis).toBe(NOON_MILLIS + 1)
    await store.insertKey(storedKey('key_00000004', { expiresAtMillis: NOON_MILLIS + 1 }), 1)
    await expect(store.revokeKey('key_0000ffff', 1)).rejects.toMatchObject({ reason: 'not_found' })
    const later = { createdAtMillis: NOON_MILLIS + 1 } // by then, key 00000004 has expired
    await store.insertKey(storedKey('key_00000005', later), 1)
    expect((await store.listKeys(ACCOUNT.id)).map((key) => key.id.at(-1))).toEqual(['1', '3', '4', '5'])
    expect(await store.listKeys('acc_2')).toEqual([])
  })

  test('rejects duplicate keys and keys without an account, and continues', async () => {
    const store = await open()
    await store.insertAccount(ACCOUNT)
    const key = storedKey('key_00000001')
    await store.insertKey(key, 9)
    await expect(store.insertKey(key, 9)).rejects.toThrow()
    await expect(store.insertKey({ ...key, id: 'key_00000002' }, 9)).rejects.toThrow()
    await expect(store.insertKey(storedKey('key_00000003', { accountId: 'acc_0' }), 9)).rejects.toThrow()
    expect(await store.listKeys()).toEqual([key])
    await store.insertKey(storedKey('key_00000004'), 9)
  })
}

function testKeyRace(open: () => Promise<AccountStore>): void {
  test(`never has more keys than the limit: ${RACERS} at once on ${PLANS.length} plans, ${ROUNDS} rounds`, async () => {
    const store = await open()
    for (let round = 0; round < ROUNDS; round++) {
      const asks = PLANS.flatMap((plan) => {
        const accountId = `acc_${plan}_${round}`
        const made = store.insertAccount({ ...ACCOUNT, id: accountId, email: `${plan}${round}@example.org`, plan })
        const keys = Array.from({ length: RACERS }, (_, ask) => storedKey(`${plan}-${round}-${ask}`, { accountId }))
        return keys.map(async (key) => {
          await made
          return store.insertKey(key, ACTIVE_KEY_LIMITS[plan]).then(
            () => ({ plan, answer: 'made' }),
            (error) => ({ plan, answer: error.reason }),
          )
        })
      })
      const answers = await Promise.all(asks)
      for (const plan of PLANS) {
        const ofPlan = answers.filter((one) => one.plan === plan).map((one) => one.answer)
        const limit = ACTIVE_KEY_LIMITS[plan]
        const expected = Array.from({ length: RACERS }, (_, at) => (at < limit ? 'made' : 'key_limit_reached'))
        expect(ofPlan.toSorted().reverse()).toEqual(expected)
        expect(await store.listKeys(`acc_${plan}_${round}`)).toHaveLength(limit)
      }
    }
  }, 1_200_000)
}

function testTexts(open: () => Promise<AccountStore>): void {
  test('returns every string unchanged', async () => {
    const store = await open()
    const texts = fc.string({ unit: 'binary', maxLength: 60 }).filter((text) => !text.includes('\0'))
    const random = fc.sample(texts, { numRuns: bySize({ quick: 100, ci: 1_000, full: 10_000 }), seed: SEED })
    for (const [at, text] of [...HOSTILE_TEXTS, ...random].entries()) {
      const account = { ...ACCOUNT, id: `acc_${at}`, email: `${at}${text}` }
      const key = storedKey(`key_${at}`, { accountId: account.id, name: text, audience: text, prefix: text })
      await store.insertAccount(account)
      await store.insertKey(key, 1)
      expect(await store.findAccount(account.email)).toEqual(account)
      expect(await store.listKeys(account.id)).toEqual([key])
    }
    expect(await store.findAccount(`' OR 1=1 --`)).toBeUndefined()
    expect(await store.listKeys(`' OR 1=1 --`)).toEqual([])
  })

  test('rejects a string that no database returns unchanged, and finds nothing for it', async () => {
    const store = await open()
    await store.insertAccount(ACCOUNT)
    for (const text of UNSTORABLE_TEXTS) {
      const invalid = { reason: 'invalid' }
      await expect(store.insertAccount({ ...ACCOUNT, id: 'acc_2', email: text })).rejects.toMatchObject(invalid)
      await expect(store.updateAccount({ ...ACCOUNT, email: text })).rejects.toMatchObject(invalid)
      await expect(store.insertKey(storedKey('key_1', { name: text }), 1)).rejects.toMatchObject(invalid)
      await expect(store.insertKey(storedKey('key_1', { scopes: [text] }), 1)).rejects.toMatchObject(invalid)
      await expect(store.revokeKey(text, 1)).rejects.toMatchObject({ reason: 'not_found' })
      expect(await store.findAccount(text)).toBeUndefined()
      expect(await store.findKey(text)).toBeUndefined()
      expect(await store.listKeys(text)).toEqual([])
    }
    expect([await store.listAccounts(), await store.listKeys()]).toEqual([[ACCOUNT], []])
  })
}

function testUsage(open: () => Promise<AccountStore>): void {
  test(`merges any history by maximum: repeated, late and twice in one merge (${HISTORIES} histories)`, async () => {
    const store = await open()
    const best = new Map<string, UsageRow>()
    const units = fc.oneof(fc.nat(9), fc.constantFrom(0.1, 1e15 + 1, Number.MAX_SAFE_INTEGER))
    const row = fc.record({
      writerId: fc.constantFrom('w1', 'w2', 'W1'),
      keyId: fc.constantFrom('key_00000001', 'key_00000002', `key'"`),
      utcDay: fc.constantFrom(0, 20_000, 20_001),
      units,
      calls: units,
      lastUsedMillis: fc.constantFrom(0, NOON_MILLIS, NOON_MILLIS + 0.5),
    })
    const history = fc.array(fc.array(row, { maxLength: 8 }), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(history, async (merges) => {
        for (const rows of merges) {
          await store.mergeUsage(rows)
          for (const one of rows) best.set(keyOf(one), maximum(best.get(keyOf(one)) ?? one, one))
        }
        const sorted = [...best].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
        expect(await store.listUsage()).toEqual(sorted)
        expect(await store.listUsage('w2')).toEqual(sorted.filter((one) => one.writerId === 'w2'))
      }),
      { numRuns: HISTORIES, seed: SEED },
    )
  })

  test('merges more rows than fit in a statement', async () => {
    const store = await open()
    const rows = Array.from({ length: 25_000 }, (_, at) => usageRow(at + 1, { keyId: `key_${at}` }))
    await store.mergeUsage(rows)
    await store.mergeUsage(rows)
    const listed = await store.listUsage()
    expect(listed).toHaveLength(rows.length)
    expect(listed.reduce((sum, row) => sum + row.units, 0)).toBe((25_000 * 25_001) / 2)
  })

  test('merges all or nothing', async () => {
    const store = await open()
    await store.mergeUsage([usageRow(1)])
    const rows = Array.from({ length: 11_000 }, (_, at) => usageRow(7, { utcDay: at }))
    await expect(store.mergeUsage([usageRow(2), ...rows, usageRow(Number.NaN, { writerId: 'w9' })])).rejects.toThrow()
    expect(await store.listUsage()).toEqual([usageRow(1)])
  })
}

function keyOf(row: UsageRow): string {
  return `${row.writerId} ${row.keyId} ${String(row.utcDay).padStart(6, '0')}`
}

function maximum(a: UsageRow, b: UsageRow): UsageRow {
  return {
    ...a,
    units: Math.max(a.units, b.units),
    calls: Math.max(a.calls, b.calls),
    lastUsedMillis: Math.max(a.lastUsedMillis, b.lastUsedMillis),
  }
}
