// Tests the account store in SQLite, with the tests for every store (store-contract.ts). Also tests what only this
// store must do: handle its file and the file's versions, and wait while another process uses the file. Fails if a file
// of another version is written to, or if a thread is blocked.
import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { AccountStore } from '../../../src/accounts/account-store.ts'
import { MIGRATIONS } from '../../../src/accounts/migrations.ts'
import { openSqliteStore } from '../../../src/accounts/sqlite-account-store.ts'
import { SQLITE_TO_ERASE } from '../../../src/accounts/sqlite-identity-store.ts'
import { makeFolder } from '../account-fixture.ts'
import { testStoreContract } from './store-contract.ts'
import { ACCOUNT, usageRow } from './stored-records.ts'

const stores: AccountStore[] = []

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
})

function open(path = join(makeFolder(), 'quai.db')): AccountStore {
  const store = openSqliteStore(path)
  stores.push(store)
  return store
}

describe('SQLite', () => testStoreContract(async () => open()))

describe('the file', () => {
  test('has an index that finds the accounts to erase, however many there are', async () => {
    const path = join(makeFolder(), 'quai.db')
    open(path)
    const database = new Database(path)
    const plan = database.query<{ detail: string }, [number, number]>(`EXPLAIN QUERY PLAN ${SQLITE_TO_ERASE}`)
    expect(plan.all(1, 1).map(({ detail }) => detail)).toEqual([
      'SEARCH accounts USING INDEX accounts_to_erase (deleted_at<?)',
    ])
    database.close()
  })

  test('opens again, and is rejected if it is of a newer version', async () => {
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

  test('of the first version is migrated with its content', async () => {
    const path = join(makeFolder(), 'quai.db')
    const first = new Database(path)
    first.run(MIGRATIONS[0])
    first.run('CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT')
    first.run('INSERT INTO schema_version VALUES (1)')
    first.run(
      `INSERT INTO accounts VALUES ('acc_1', 'Ada@Example.org', 'ada@example.org', 'free', 1, NULL, NULL, 0, 0, ?)`,
      [ACCOUNT.createdAtMillis],
    )
    first.close()
    const store = open(path)
    expect(await store.listAccounts()).toEqual([ACCOUNT])
    expect(await store.billing.listTermChanges()).toEqual([])
    await store.updateAccount({ ...ACCOUNT, plan: 'pro' }, { events: [], terms: { atMillis: 5, fromUnits: 3 } })
    expect(await store.billing.listTermChanges()).toMatchObject([{ fromUnits: 3, before: { plan: 'free' } }])
  })

  test('locked by another process is waited for, while the thread continues', async () => {
    const path = join(makeFolder(), 'quai.db')
    const store = open(path)
    const other = new Database(path)
    other.run('BEGIN IMMEDIATE')
    const merged = store.mergeUsage([usageRow(3)])
    const started = performance.now()
    await Bun.sleep(50)
    expect(performance.now() - started).toBeLessThan(1_000)
    expect(await store.listUsage()).toEqual([]) // readers don't wait in WAL mode
    other.run('COMMIT')
    await merged
    expect(await store.listUsage()).toEqual([usageRow(3)])
    other.close()
  })

  test('locked for long by another process is abandoned after some seconds, with a clear message', async () => {
    const path = join(makeFolder(), 'quai.db')
    const store = open(path)
    const other = new Database(path)
    other.run('BEGIN IMMEDIATE')
    await expect(store.mergeUsage([usageRow(3)])).rejects.toMatchObject({ name: 'StoreUnavailable' })
    other.run('COMMIT')
    other.close()
    await store.mergeUsage([usageRow(3)])
    expect(await store.listUsage()).toEqual([usageRow(3)])
  }, 20_000)
})
