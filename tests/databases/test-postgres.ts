// Creates databases for tests on a PostgreSQL server. QUAI_TEST_POSTGRES contains the server's URL, with a user who may
// create databases.
import { SQL } from 'bun'

/** The server's URL; undefined if QUAI_TEST_POSTGRES is not set. */
export const POSTGRES = process.env['QUAI_TEST_POSTGRES']

/** If QUAI_TEST_POSTGRES is not set, prints that the tests with PostgreSQL are skipped. */
export function sayWhatIsLeftOut(): void {
  if (POSTGRES === undefined) console.error('left out: PostgreSQL (QUAI_TEST_POSTGRES names none)')
}

/** A database that was created for a test and is empty at first. */
export interface TestDatabase {
  /** The database's URL, with a password that must not appear in any output. */
  readonly url: string
  /** Runs statements directly in the database, without a store. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** Closes all connections and drops the database. */
  remove(): Promise<void>
}

/** Part of each test database's password, if the URL in QUAI_TEST_POSTGRES contains no password. */
export const DATABASE_PASSWORD = 'sesame-db'

/** Creates a database on the server. */
export async function makeDatabase(): Promise<TestDatabase> {
  if (POSTGRES === undefined) throw new Error('QUAI_TEST_POSTGRES names no server')
  const name = `quai_test_${crypto.randomUUID().replaceAll('-', '')}`
  const server = new SQL(POSTGRES, { max: 1 })
  await server.unsafe(`CREATE DATABASE ${name}`)
  const url = new URL(POSTGRES)
  url.pathname = name
  if (url.password === '') url.password = `${DATABASE_PASSWORD}%25` // with `trust`, any password is accepted
  const own = new SQL(url.href, { max: 1 })
  return {
    url: url.href,
    query: async (text, values = []) => [...(await own.unsafe(text, [...values]))],
    async remove() {
      await own.close()
      await server.unsafe(`DROP DATABASE ${name} WITH (FORCE)`)
      await server.close()
    },
  }
}
