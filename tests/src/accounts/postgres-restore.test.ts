// Tests restoring a SQLite backup into PostgreSQL. Fails if a row of any table is missing or different, if a database
// that has accounts is changed, or if a failure leaves some of the rows behind.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgresStore } from '../../../src/accounts/postgres-account-store.ts'
import { restoreIntoPostgres } from '../../../src/accounts/postgres-restore.ts'
import { openSqliteStore } from '../../../src/accounts/sqlite-account-store.ts'
import { makeDatabase, POSTGRES, sayWhatIsLeftOut, type TestDatabase } from '../../databases/test-postgres.ts'

sayWhatIsLeftOut()

const ACCOUNTS = 40
const DAYS = 30
const folder = mkdtempSync(join(tmpdir(), 'quai-restore-test-'))
const backup = join(folder, 'backup.db')

beforeAll(async () => {
  await (await openSqliteStore(backup)).close()
  fill(backup)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe.skipIf(POSTGRES === undefined)('a backup', () => {
  let database: TestDatabase

  test('is restored row by row, once', async () => {
    database = await makeDatabase()
    expect(await restoreIntoPostgres(backup, database.url)).toBe(ACCOUNTS)
    const source = new Database(backup, { readonly: true })
    const tables = source.query<{ name: string }, []>(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
    const names = tables.map(({ name }) => name).filter((name) => name !== 'schema_version' && name !== 'additions')
    expect(names).toHaveLength(16)
    for (const name of names) {
      const rows = source.query<Record<string, unknown>, []>(`SELECT * FROM ${name}`).all()
      expect(rows.length).toBeGreaterThan(0)
      const copied = await database.query<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM quai.${name} t`)
      const columns = Object.keys(rows[0])
      const theirs = copied.map(({ row }) => textOf(JSON.parse(row), columns))
      expect(theirs.sort()).toEqual(rows.map((row) => textOf(row, columns)).sort())
    }
    source.close()
    await expect(restoreIntoPostgres(backup, database.url)).rejects.toThrow('already has accounts')
    const store = await openPostgresStore(database.url)
    expect(await store.listKeys()).toHaveLength(ACCOUNTS)
    await store.close()
    // The ids of new rows continue after the ids of the copied rows.
    await database.query(`INSERT INTO quai.plan_tables (at, plans) VALUES (1, '{}')`)
    await database.remove()
  })

  test('that is unreadable or truncated changes nothing', async () => {
    database = await makeDatabase()
    const bad = join(folder, 'bad.db')
    writeFileSync(bad, 'no database')
    await expect(restoreIntoPostgres(bad, database.url)).rejects.toThrow('nothing was restored')
    await expect(restoreIntoPostgres(join(folder, 'none.db'), database.url)).rejects.toThrow('none.db does not exist')
    const newer = join(folder, 'newer.db')
    await (await openSqliteStore(newer)).close()
    const added = new Database(newer)
    added.run('CREATE TABLE IF NOT EXISTS additions (name TEXT PRIMARY KEY) STRICT')
    added.run(`INSERT INTO additions VALUES ('remarks of accounts')`)
    added.close()
    await expect(restoreIntoPostgres(newer, database.url)).rejects.toThrow(
      'contains data that this version does not know (remarks of accounts); restore it with the newer version',
    )
    // PostgreSQL does not allow a zero byte in a string, so the restore fails after some tables have been copied.
    const odd = join(folder, 'odd.db')
    await (await openSqliteStore(odd)).close()
    fill(odd)
    const written = new Database(odd)
    written.run(`UPDATE events SET detail = 'a' || char(0) || 'b' WHERE id = 'e7'`)
    written.close()
    await expect(restoreIntoPostgres(odd, database.url)).rejects.toThrow('nothing was restored')
    const [{ count }] = await database.query<{ count: number }>('SELECT count(*)::int AS count FROM quai.accounts')
    expect(count).toBe(0)
    await database.remove()
  })
})

/** A row as JSON, with booleans as 0 and 1, as SQLite stores them. */
function textOf(row: Readonly<Record<string, unknown>>, columns: readonly string[]): string {
  return JSON.stringify(columns.map((name) => (typeof row[name] === 'boolean' ? Number(row[name]) : row[name])))
}

/** Writes rows into all tables. */
function fill(path: string): void {
  const database = new Database(path)
  const insert = (table: string, rows: readonly (readonly (string | number | null)[])[]) => {
    for (const row of rows) database.run(`INSERT INTO ${table} VALUES (${row.map(() => '?').join()})`, [...row])
  }
  const numbers = Array.from({ length: ACCOUNTS }, (_, at) => at)
  const each = (of: (at: number) => readonly (string | number | null)[]) => numbers.map(of)
  insert(
    'accounts',
    each((at) => [
      `a${at}`,
      at === 3 ? null : `É${at}@ville.example`,
      at === 3 ? null : `é${at}@ville.example`,
      'max',
      at % 2,
      at % 5 === 0 ? 1_700_000_000_000 + at : null,
      null,
      at % 3 === 0 ? 1 : 0,
      at * 100,
      1_690_000_000_000 + at,
      at === 3 ? 1_710_000_000_000 : null,
    ]),
  )
  insert(
    'keys',
    each((at) => [
      `k${at}`,
      `a${at}`,
      'a "name"',
      'transit:read',
      'api',
      'quai_p_abcd',
      'wxyz',
      `digest${at}`,
      'p1',
      1_690_000_000_000,
      null,
      at % 7 === 0 ? 1_700_000_000_000 : null,
    ]),
  )
  const days = Array.from({ length: DAYS }, (_, day) => 20_000 + day)
  insert(
    'usage',
    numbers.flatMap((at) =>
      days.map((day) => [`w${day % 3}`, `k${at}`, day, at * 1_000_003 + day, at + day, 1_700_000_000_123 + at]),
    ),
  )
  insert(
    'route_usage',
    each((at) => [`a${at}`, 20_000 + at, `k${at}`, '/v1/stops/{stop_id}', at, 1, 2, 3]),
  )
  insert('route_batches', [['w1', 7, 20_000]])
  insert(
    'passwords',
    each((at) => [`a${at}`, '$argon2id$v=19$…']),
  )
  insert(
    'sessions',
    each((at) => [`s${at}`, `a${at}`, 1, 2, 3, at % 2 === 0 ? null : 4, 'Firefox on Linux']),
  )
  insert(
    'factors',
    each((at) => [`a${at}`, `sealed ${at}`, at % 2 === 0 ? null : 5, at]),
  )
  insert(
    'recovery_codes',
    each((at) => [`a${at}`, `c${at}`]),
  )
  insert(
    'passkeys',
    each((at) => [`p${at}`, `a${at}`, 'key', at, 'laptop', 5, at % 2 === 0 ? null : 6]),
  )
  insert(
    'links',
    each((at) => [`l${at}`, 'email', at % 2 === 0 ? null : `a${at}`, null, 9, 'new@example.org']),
  )
  insert(
    'events',
    each((at) => [`e${at}`, `a${at}`, at, 'key_created', `k${at}`, 'owner', '{"a":"\\\\"}']),
  )
  insert(
    'term_changes',
    each((at) => [`a${at}`, 1, at, 12.5, 'free', 0, 'max', 1]),
  )
  insert(
    'plan_tables',
    each((at) => [at + 1, at, '{"max":{}}']),
  )
  insert('closed_months', [
    ['2026-09', 1],
    ['2026-10', 2],
  ])
  insert(
    'statements',
    each((at) => [`a${at}`, '2026-10', 2, 'max', 1_000.5, 100, 900.5, 12, '{}']),
  )
  database.close()
}
