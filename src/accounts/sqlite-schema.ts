// Creates and migrates the tables in a SQLite file. Each step is a transaction. It takes the lock first, and then
// checks which steps are still missing. So no step is left half done if a program is killed, and no step is made twice
// if two programs start together.
import type { Database } from 'bun:sqlite'
import { DataDirUnusable } from '../system/data-dir-lock.ts'
import { SQLITE_SCHEMA } from './migrations.ts'
import { missingSteps, newerSchema, type Schema, type SchemaState } from './schema-steps.ts'

/** Options for a migration. */
export interface MigrationOptions {
  /** If given, a database without tables is refused with this message and left unchanged. */
  readonly refusal?: string | undefined
  /** Default: the tables of this program. */
  readonly schema?: Schema<string>
}

/**
 * Runs the steps that an open database lacks. Throws DataDirUnusable, before any change, if the database's version is
 * newer than this program supports.
 */
export function migrateSqlite(database: Database, path: string, options: MigrationOptions = {}): void {
  const { refusal, schema = SQLITE_SCHEMA } = options
  if (refusal !== undefined && !hasTable(database, 'schema_version')) throw new DataDirUnusable(refusal)
  const findMissing = () => {
    const found = findSqliteSchema(database)
    const known = schema.migrations.length
    if (found.version > known) throw new DataDirUnusable(newerSchema(path, found.version, known))
    return missingSteps(schema, found)
  }
  const makeStep = database.transaction(() => {
    const [step] = findMissing()
    if (step === undefined) return // another process has made the last step
    database.run(step.sql)
    if (step.kind === 'migration') recordVersion(database, step.version)
    else recordAddition(database, step.name)
  })
  while (findMissing().length > 0) makeStep.immediate()
}

/** The version and additions of a database. */
export function findSqliteSchema(database: Database): SchemaState {
  if (!hasTable(database, 'schema_version')) return { version: 0, additions: [] }
  const found = database.query<{ version: number }, []>('SELECT version FROM schema_version').get()
  const additions = hasTable(database, 'additions')
    ? database.query<{ name: string }, []>('SELECT name FROM additions ORDER BY name').all()
    : []
  return { version: found?.version ?? 0, additions: additions.map(({ name }) => name) }
}

function hasTable(database: Database, name: string): boolean {
  return database.query(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(name) !== null
}

function recordVersion(database: Database, version: number): void {
  database.run('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL) STRICT')
  database.run('DELETE FROM schema_version')
  database.run('INSERT INTO schema_version (version) VALUES (?)', [version])
}

function recordAddition(database: Database, name: string): void {
  database.run('CREATE TABLE IF NOT EXISTS additions (name TEXT PRIMARY KEY) STRICT')
  database.run('INSERT INTO additions (name) VALUES (?)', [name])
}
