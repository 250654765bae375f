// Creates and migrates the tables in PostgreSQL. All steps run in one transaction. If replicas start together, they
// migrate one after the other.
import { DataDirUnusable } from '../system/data-dir-lock.ts'
import { POSTGRES_SCHEMA } from './postgres-migrations.ts'
import type { RunStatement } from './postgres-session.ts'
import { missingSteps, newerSchema, type Schema, type SchemaState, type SchemaStep } from './schema-steps.ts'

/** The SQL statements of a step, which run one by one. */
type Statements = readonly string[]

/** The tables of a program, and which older programs can use them, too. */
export interface PostgresSchema extends Schema<Statements> {
  /** Programs of this version or later can use a database of the current version, together with newer replicas. */
  readonly usableFrom: number
}

/** Options for a migration. */
export interface PostgresMigrationOptions {
  /** The name of the database in messages. */
  readonly label: string
  /** If given, a database without tables is refused with this message and left unchanged. */
  readonly refusal?: string | undefined
  /** Default: the tables of this program. */
  readonly schema?: PostgresSchema
}

/** The two keys of the advisory lock that a running migration holds: "quai" in ASCII, and 3 for migrations. */
const MIGRATION_LOCK = [0x71756169, 3]

/**
 * Runs the steps that a database lacks. Throws DataDirUnusable, before any change, if this program cannot use the
 * database.
 */
export async function migratePostgres(run: RunStatement, options: PostgresMigrationOptions): Promise<void> {
  const { schema = POSTGRES_SCHEMA } = options
  if (missingSteps(schema, await findUsable(run, options)).length === 0) return
  await run('BEGIN') // a failure ends the session, and with it the transaction
  await run('SELECT pg_advisory_xact_lock($1::int, $2::int)', MIGRATION_LOCK)
  const found = await findUsable(run, options)
  if (found.version === 0) await makeSchema(run)
  for (const step of missingSteps(schema, found)) await makeStep(run, step, schema)
  await run('COMMIT')
}

async function makeSchema(run: RunStatement): Promise<void> {
  const schema = await run<{ exists: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = 'quai') AS exists`,
  )
  if (!schema.rows[0].exists) await run('CREATE SCHEMA quai')
  await run('CREATE TABLE IF NOT EXISTS quai.schema_version (version integer NOT NULL)')
}

async function makeStep(run: RunStatement, step: SchemaStep<Statements>, schema: PostgresSchema): Promise<void> {
  for (const statement of step.sql) await run(statement)
  if (step.kind === 'addition') {
    await run('CREATE TABLE IF NOT EXISTS quai.additions (name text COLLATE "C" PRIMARY KEY)')
    await run('INSERT INTO quai.additions (name) VALUES ($1)', [step.name])
  } else if (step.version === schema.migrations.length) {
    await run('DELETE FROM quai.schema_version')
    await run('INSERT INTO quai.schema_version (version, usable_from) VALUES ($1, $2)', [
      step.version,
      schema.usableFrom,
    ])
  }
}

/** The version and additions of a database. Refuses a database that this program cannot use. */
async function findUsable(run: RunStatement, options: PostgresMigrationOptions): Promise<SchemaState> {
  const { label, refusal, schema = POSTGRES_SCHEMA } = options
  // Do not use `to_regclass`: it can still report a table as missing after another session has created it.
  const tables = await run<{ name: string }>(
    `SELECT c.relname::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'quai' AND c.relname IN ('schema_version', 'additions')`,
  )
  const names = tables.rows.map(({ name }) => name)
  if (!names.includes('schema_version')) {
    if (refusal !== undefined) throw new DataDirUnusable(refusal)
    return { version: 0, additions: [] }
  }
  const found = await run<{ version: number; usable_from: number | null }>(
    `SELECT version, (to_jsonb(schema_version) ->> 'usable_from')::int AS usable_from FROM quai.schema_version`,
  )
  const { version = 0, usable_from: usableFrom = null } = found.rows[0] ?? {}
  const known = schema.migrations.length
  if (version > known && (usableFrom === null || usableFrom > known)) {
    throw new DataDirUnusable(newerSchema(`the database ${label}`, version, known))
  }
  const additions = names.includes('additions')
    ? (await run<{ name: string }>('SELECT name FROM quai.additions ORDER BY name')).rows
    : []
  return { version, additions: additions.map(({ name }) => name) }
}
