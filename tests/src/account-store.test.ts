// Under test: the account store, by the contract that every store has to keep. Fails where a value comes back changed,
// a bound is passed, or a file of another version is written to.
import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { PLANS } from '../../src/access/gate.ts'
import { ACTIVE_KEY_LIMITS } from '../../src/access/plans.ts'
import type { Account, StoredKey } from '../../src/accounts/account-store.ts'
import { openSqliteStore } from '../../src/accounts/sqlite-account-store.ts'
import { makeFolder, NOON_MILLIS } from './account-fixture.ts'

const ACCOUNT: Account = {
  id: 'acc_1',
  email: 'Ada@Example.org',
  plan: 'free',
  isVerified: true,
  suspendedAtMillis: null,
  deletedAtMillis: null,
  isOverageEnabled: false,
  spendCapCents: 0,
  createdAtMillis: NOON_MILLIS,
}

function storedKey(id: string, members: Partial<StoredKey> = {}): StoredKey {
  return {
    id,
    accountId: ACCOUNT.id,
    name: 'test',
    scopes: ['transit:read', 'account:read'],
    audience: 'localhost',
    prefix: 'quai_p_abcd',
    lastFour: 'wxyz',
    digest: Bun.SHA256.hash(id, 'hex'),
    pepperId: 'p',
    createdAtMillis: NOON_MILLIS,
    expiresAtMillis: null,
    revokedAtMillis: null,
    ...members,
  }
}

describe('the account store', () => {
  const open = () => openSqliteStore(join(makeFolder(), 'quai.db'))

  test('keeps an account, and finds it without regard to case', async () => {
    const store = open()
    await store.insertAccount(ACCOUNT)
    expect(await store.findAccount(' ADA@example.ORG ')).toEqual(ACCOUNT)
    expect(await store.findAccount('eve@example.org')).toBeUndefined()
    const taken = store.insertAccount({ ...ACCOUNT, id: 'acc_2', email: 'ada@EXAMPLE.org' })
    await expect(taken).rejects.toMatchObject({ reason: 'already_exists' })
    const changed: Account = { ...ACCOUNT, plan: 'pro', suspendedAtMillis: 5, isOverageEnabled: true, spendCapCents: 7 }
    await store.updateAccount(changed)
    expect(await store.listAccounts()).toEqual([changed])
  })

  test('gives a deleted account’s address free', async () => {
    const store = open()
    await store.insertAccount(ACCOUNT)
    await store.updateAccount({ ...ACCOUNT, email: null, deletedAtMillis: 1 })
    await store.insertAccount({ ...ACCOUNT, id: 'acc_2' })
    expect((await store.findAccount('ada@example.org'))?.id).toBe('acc_2')
  })

  test('keeps a key, and counts only those that still work against the bound', async () => {
    const store = open()
    await store.insertAccount(ACCOUNT)
    await store.insertKey(storedKey('key_00000001'), 1)
    expect(await store.findKey('key_00000001')).toEqual(storedKey('key_00000001'))
    await expect(store.insertKey(storedKey('key_00000002'), 1)).rejects.toMatchObject({ reason: 'key_limit_reached' })
    await store.insertKey(storedKey('key_00000003', { expiresAtMillis: NOON_MILLIS }), 1)
    await store.revokeKey('key_00000001', NOON_MILLIS + 1)
    await store.revokeKey('key_00000001', NOON_MILLIS + 2)
    expect((await store.findKey('key_00000001'))?.revokedAtMillis).toBe(NOON_MILLIS + 1)
    await store.insertKey(storedKey('key_00000004', { expiresAtMillis: NOON_MILLIS + 1 }), 1)
    await expect(store.revokeKey('key_0000ffff', 1)).rejects.toMatchObject({ reason: 'not_found' })
    const later = { createdAtMillis: NOON_MILLIS + 1 } // when 00000004 has expired
    await store.insertKey(storedKey('key_00000005', later), 1)
    expect((await store.listKeys(ACCOUNT.id)).map((key) => key.id.at(-1))).toEqual(['1', '3', '4', '5'])
  })

  test('never holds more than the bound, however many ask at once', async () => {
    const store = open()
    for (const plan of PLANS) {
      const limit = ACTIVE_KEY_LIMITS[plan]
      const accountId = `acc_${plan}`
      await store.insertAccount({ ...ACCOUNT, id: accountId, email: `${plan}@example.org` })
      const keys = Array.from({ length: 100 }, (_, ask) => storedKey(`${plan}-${ask}`, { accountId }))
      const asks = keys.map((key) => store.insertKey(key, limit))
      const answers = await Promise.allSettled(asks)
      expect(answers.filter((answer) => answer.status === 'fulfilled')).toHaveLength(limit)
    }
  })

  test('opens again, and refuses the file of a newer version', async () => {
    const path = join(makeFolder(), 'quai.db')
    const store = openSqliteStore(path)
    await store.insertAccount(ACCOUNT)
    await store.close()
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const again = openSqliteStore(path)
    expect(await again.listAccounts()).toEqual([ACCOUNT])
    await again.close()
    const database = new Database(path)
    database.run('UPDATE schema_version SET version = 99')
    database.close()
    expect(() => openSqliteStore(path)).toThrow('version 99')
  })
})
