// Tests the account store in PostgreSQL: the contract of every store, the limit of one service per database, and a
// database that is down, silent or slow. Fails if two services can write, or if a call never ends.
import { afterEach, describe, expect, test } from 'bun:test'
import type { AccountStore } from '../../../src/accounts/account-store.ts'
import { openPostgresStore } from '../../../src/accounts/postgres-account-store.ts'
import { POSTGRES_TO_ERASE } from '../../../src/accounts/postgres-identity-store.ts'
import { POSTGRES_MIGRATIONS } from '../../../src/accounts/postgres-migrations.ts'
import type { SessionLimits } from '../../../src/accounts/postgres-session.ts'
import { FaultyLink } from '../../databases/faulty-link.ts'
import {
  DATABASE_PASSWORD,
  makeDatabase,
  POSTGRES,
  sayWhatIsLeftOut,
  type TestDatabase,
} from '../../databases/test-postgres.ts'
import { testStoreContract } from './store-contract.ts'
import { ACCOUNT, storedKey, usageRow } from './stored-records.ts'

sayWhatIsLeftOut()

/** Short time limits, so that tests of a silent database do not take long. */
const LIMITS: SessionLimits = { openingMillis: 300, connectMillis: 400, statementMillis: 400, answerMillis: 800 }
/** Maximum time that a call may take if a session has become silent or cannot be opened. */
const PATIENCE_MILLIS = 3_000

const databases: TestDatabase[] = []
const stores: AccountStore[] = []
const links: FaultyLink[] = []

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
  for (const link of links.splice(0)) link.stop()
  for (const database of databases.splice(0)) await database.remove()
})

async function newDatabase(): Promise<TestDatabase> {
  const database = await makeDatabase()
  databases.push(database)
  return database
}

async function open(url: string, limits?: SessionLimits): Promise<AccountStore> {
  const store = await openPostgresStore(url, { limits })
  stores.push(store)
  return store
}

/**
 * Opens a store with short time limits. Its tables are created beforehand with the usual limits, since this takes
 * longer than the short limits allow.
 */
async function openImpatient(database: TestDatabase, url = database.url): Promise<AccountStore> {
  const patient = await openPostgresStore(database.url)
  await patient.close()
  return await open(url, LIMITS)
}

/** Opens a store whose connection to its database can be broken. */
async function openOverLink() {
  const database = await newDatabase()
  const { hostname, port } = new URL(database.url)
  const link = new FaultyLink({ hostname, port: Number(port) })
  links.push(link)
  return { database, link, store: await openImpatient(database, link.addressOf(database.url)) }
}

/** The error with which a promise is rejected, and the time until then. */
async function failureOf(promise: Promise<unknown>) {
  const started = performance.now()
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { error, millis: performance.now() - started }
}

/** Ends all of Quai's sessions on a database, but not the session that runs this statement. */
const END_SESSIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'quai %'`

describe.skipIf(POSTGRES === undefined)('PostgreSQL', () => {
  testStoreContract(async () => open((await newDatabase()).url))

  test('has an index that finds the accounts to erase, however many there are', async () => {
    const database = await newDatabase()
    await open(database.url)
    // With so few rows, PostgreSQL would scan the whole table. `enable_seqscan = off` makes it use the index.
    const text = POSTGRES_TO_ERASE.replace('$1', '1').replace('$2', '1')
    await database.query('SET enable_seqscan = off')
    const plan = await database.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`)
    const lines = plan.map((row) => row['QUERY PLAN'])
    expect(lines.filter((line) => /accounts/.test(line))).toEqual([expect.stringContaining('accounts_to_erase')])
    expect(lines.filter((line) => /Filter/.test(line))).toEqual([])
  })

  test('belongs to one service: another is rejected with the owner’s name, until the first has closed', async () => {
    const { url } = await newDatabase()
    const first = await openPostgresStore(url)
    const refused = openPostgresStore(url, { limits: LIMITS })
    await expect(refused).rejects.toMatchObject({
      name: 'DataDirBusy',
      message: expect.stringContaining(`:${process.pid})`),
    })
    await first.insertAccount(ACCOUNT)
    await first.close()
    expect(await (await open(url)).listAccounts()).toEqual([ACCOUNT])
  })

  test('waits while another service has the database, and continues when it is free', async () => {
    const { database, link, store: first } = await openOverLink()
    await first.mergeUsage([usageRow(1)])
    link.set('refused')
    const second = await openPostgresStore(database.url)
    link.set('passes')
    const { error } = await failureOf(first.mergeUsage([usageRow(5)]))
    expect(error).toMatchObject({ name: 'DataDirBusy' })
    expect(await second.listUsage()).toEqual([usageRow(1)])
    await second.close()
    await until(() => first.mergeUsage([usageRow(7)]))
    expect(await first.listUsage()).toEqual([usageRow(7)])
  })

  test('is rejected if its tables are of a newer version; other content is kept', async () => {
    const database = await newDatabase()
    await database.query('CREATE TABLE accounts (mine text)')
    await (await openPostgresStore(database.url)).close()
    await (await openPostgresStore(database.url)).close()
    expect(await database.query('SELECT version FROM quai.schema_version')).toEqual([
      { version: POSTGRES_MIGRATIONS.length },
    ])
    // The database gets a newer schema version. This program can use the database until `usable_from` is raised.
    await database.query('UPDATE quai.schema_version SET version = 99')
    await (await openPostgresStore(database.url)).close()
    await database.query('UPDATE quai.schema_version SET usable_from = 99')
    await expect(openPostgresStore(database.url)).rejects.toThrow('version 99')
    expect(await database.query('SELECT * FROM accounts')).toEqual([])
  })

  test('that ends a session is used again in a new one', async () => {
    const database = await newDatabase()
    const store = await open(database.url)
    await store.insertAccount(ACCOUNT)
    await database.query(END_SESSIONS)
    await until(() => store.listAccounts())
    expect(await store.listAccounts()).toEqual([ACCOUNT])
    const merging = store.mergeUsage(Array.from({ length: 30_000 }, (_, at) => usageRow(1, { utcDay: at })))
    await Bun.sleep(20)
    await database.query(END_SESSIONS) // when a session ends, its statement has been applied completely or not at all
    await merging.catch(() => undefined)
    await until(() => store.listUsage())
    expect([0, 30_000]).toContain((await store.listUsage()).length)
  })

  test.each(['silent', 'refused'] as const)('whose link is %s is abandoned in time and reused later', async (state) => {
    const { link, store } = await openOverLink()
    await store.mergeUsage([usageRow(1)])
    link.set(state)
    const asks = [store.mergeUsage([usageRow(2)]), store.insertAccount(ACCOUNT), store.listUsage(), store.findKey('k')]
    for (const { error, millis } of await Promise.all(asks.map(failureOf))) {
      expect(error).toMatchObject({ name: 'StoreUnavailable' })
      expect(String(error)).not.toContain(DATABASE_PASSWORD)
      expect(millis).toBeLessThan(PATIENCE_MILLIS)
    }
    link.set('passes')
    await until(() => store.mergeUsage([usageRow(3)]))
    expect(await store.listUsage()).toEqual([usageRow(3)])
    expect(await store.listAccounts()).toEqual([])
  })

  test('with rows locked by another program is abandoned in time, and the session stays', async () => {
    const database = await newDatabase()
    const store = await openImpatient(database)
    await store.mergeUsage([usageRow(1)])
    await database.query('BEGIN')
    await database.query('SELECT * FROM quai.usage FOR UPDATE')
    const { error, millis } = await failureOf(store.mergeUsage([usageRow(2)]))
    expect(error).toMatchObject({ name: 'StoreUnavailable', message: expect.stringContaining('57014') })
    expect(millis).toBeLessThan(LIMITS.answerMillis)
    await database.query('ROLLBACK')
    await store.mergeUsage([usageRow(2)])
    expect(await store.listUsage()).toEqual([usageRow(2)])
  })

  test('that is read-only is reported, and accepts writes again later', async () => {
    const database = await newDatabase()
    const store = await open(database.url)
    await store.insertAccount(ACCOUNT)
    const [{ name }] = await database.query<{ name: string }>('SELECT current_database() AS name')
    await database.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await database.query(END_SESSIONS)
    const { error } = await failureOf(until(() => store.insertKey(storedKey('key_1'), 1), 600))
    expect(error).toMatchObject({ name: 'StoreUnavailable', message: expect.stringContaining('25006') })
    await database.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
    await database.query(END_SESSIONS)
    await until(() => store.insertKey(storedKey('key_1'), 1))
    expect(await store.listKeys()).toEqual([storedKey('key_1')])
  })

  test('that is unreachable gives a clear error without the password', async () => {
    const { url } = await newDatabase()
    const elsewhere = new URL(url)
    elsewhere.port = '1'
    const missing = new URL(url)
    missing.pathname = 'quai_test_missing'
    for (const { href } of [elsewhere, missing]) {
      const { error } = await failureOf(openPostgresStore(href, { limits: LIMITS }))
      expect(error).toMatchObject({ name: 'StoreUnavailable' })
      expect(Bun.inspect(error)).not.toContain(DATABASE_PASSWORD)
    }
  })
})

/** Repeats a call until it succeeds. */
async function until<Result>(ask: () => Promise<Result>, giveUpMillis = 10_000): Promise<Result> {
  const started = performance.now()
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (performance.now() - started > giveUpMillis) throw error
    }
    await Bun.sleep(20)
  }
}
