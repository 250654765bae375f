// A program with a generated schema. It opens its database, migrates it and ends. Usage: `migrating-program.ts PLACE
// STEPS`; PLACE is a file for SQLite or a URL for PostgreSQL.
import { Database } from 'bun:sqlite'
import { migratePostgres, type PostgresSchema } from '../../../src/accounts/postgres-schema.ts'
import { PostgresSession, SESSION_LIMITS, toPostgresAddress } from '../../../src/accounts/postgres-session.ts'
import { migrateSqlite } from '../../../src/accounts/sqlite-schema.ts'
import { type HistoryStep, postgresSchema, sqliteSchema } from './schema-history.ts'

/** Opens a file as the store does, migrates it and closes it. */
export function openAndMigrate(path: string, schema: ReturnType<typeof sqliteSchema>): void {
  const database = new Database(path, { create: true, strict: true })
  try {
    database.run('PRAGMA busy_timeout = 5000')
    database.run('PRAGMA journal_mode = WAL')
    database.run('PRAGMA synchronous = FULL')
    migrateSqlite(database, path, { schema })
  } finally {
    database.close()
  }
}

/** Opens a session as replicas do, migrates the database and ends the session. */
export async function connectAndMigrate(url: string, schema: PostgresSchema): Promise<void> {
  const session = new PostgresSession(toPostgresAddress(url), {
    prepare: (ask) => migratePostgres(ask, { label: 'test', schema }),
    limits: SESSION_LIMITS,
    use: { isShared: true, isPooled: false },
  })
  try {
    await session.query('SELECT 1')
  } finally {
    await session.close()
  }
}

/** The command line that starts this program. */
export function programArguments(place: string, history: readonly HistoryStep[]): string[] {
  return ['bun', import.meta.path, place, ...history]
}

function isStep(word: string): word is HistoryStep {
  return ['rename', 'table', 'column', 'index'].includes(word)
}

if (import.meta.main) {
  const [place, ...words] = process.argv.slice(2)
  const history = words.filter(isStep)
  if (place.startsWith('postgres')) await connectAndMigrate(place, postgresSchema(history))
  else openAndMigrate(place, sqliteSchema(history))
}
