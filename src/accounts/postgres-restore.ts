// Copies a backup of the SQLite database into PostgreSQL. This moves a single service to a database that replicas can
// share. The caller holds the data directory's lock.
import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StoreUnavailable } from './account-store.ts'
import { ADDITIONS } from './migrations.ts'
import { openMigratedSession } from './postgres-account-store.ts'
import type { RunStatement } from './postgres-session.ts'
import { openSqliteStore } from './sqlite-account-store.ts'
import { checkBackup } from './sqlite-restore.ts'
import { findSqliteSchema } from './sqlite-schema.ts'

/** All tables, each after the tables that it references. */
const TABLES = [
  'accounts',
  'keys',
  'usage',
  'passwords',
  'sessions',
  'links',
  'factors',
  'recovery_codes',
  'passkeys',
  'events',
  'term_changes',
  'plan_tables',
  'closed_months',
  'statements',
  'route_usage',
  'route_batches',
] as const
/** Maximum number of rows in one INSERT. */
const ROWS_AT_ONCE = 500

/**
 * Copies all rows of a backup in one transaction; returns the number of accounts. Refuses a database with accounts or
 * usage.
 */
export async function restoreIntoPostgres(backup: string, databaseUrl: string): Promise<number> {
  if (!existsSync(backup)) throw new StoreUnavailable(`the backup ${backup} does not exist`)
  const folder = mkdtempSync(join(tmpdir(), 'quai-restore-'))
  const copy = join(folder, 'quai.db')
  try {
    copyFileSync(backup, copy)
    checkBackup(copy, backup)
    await (await openSqliteStore(copy)).close() // migrates an older backup to this version's tables
    const source = new Database(copy, { readonly: true })
    try {
      refuseUnknownAdditions(source, backup)
      return await copyRows(source, databaseUrl)
    } finally {
      source.close()
    }
  } catch (error) {
    throw new StoreUnavailable(`nothing was restored: ${error instanceof Error ? error.message : error}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Refuses a backup with additions from a newer program, because this program's tables cannot store their data. */
function refuseUnknownAdditions(source: Database, backup: string): void {
  const known = ADDITIONS.map(({ name }) => name)
  const unknown = findSqliteSchema(source).additions.filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  throw new Error(
    `${backup} was made by a newer version of Quai and contains data that this version does not know (${unknown.join(', ')}); restore it with the newer version`,
  )
}

async function copyRows(source: Database, databaseUrl: string): Promise<number> {
  const session = await openMigratedSession(databaseUrl)
  try {
    return await session.transaction(async (run) => {
      const { rows } = await run<{ is_empty: boolean }>(
        'SELECT NOT EXISTS (SELECT FROM quai.accounts) AND NOT EXISTS (SELECT FROM quai.usage) AS is_empty',
      )
      if (rows[0]?.is_empty !== true)
        throw new Error('the database already has accounts or usage; use an empty database')
      for (const table of TABLES) await copyTable(source, table, run)
      await run(`SELECT setval(pg_get_serial_sequence('quai.plan_tables', 'sequence'),
        greatest((SELECT max(sequence) FROM quai.plan_tables), 1))`)
      return source.query<{ count: number }, []>('SELECT count(*) AS count FROM accounts').get()?.count ?? 0
    })
  } finally {
    await session.close()
  }
}

async function copyTable(source: Database, table: (typeof TABLES)[number], run: RunStatement): Promise<void> {
  const columns = source.query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}')`).all()
  const names = columns.map(({ name }) => name).join(', ')
  const insert = `INSERT INTO quai.${table} (${names}) OVERRIDING SYSTEM VALUE
    SELECT ${names} FROM jsonb_populate_recordset(NULL::quai.${table}, $1::text::jsonb)`
  let rows: unknown[] = []
  const flush = async () => {
    if (rows.length > 0) await run(insert, [JSON.stringify(rows)])
    rows = []
  }
  for (const row of source.query(`SELECT * FROM ${table}`).iterate()) {
    rows.push(row)
    if (rows.length === ROWS_AT_ONCE) await flush()
  }
  await flush()
}
