// Databases for tests in the PostgreSQL that QUAI_TEST_POSTGRES names: an address of a user who may make databases.
import { SQL } from 'bun'

/** The server's address; undefined if the run was given none. */
export const POSTGRES = process.env['QUAI_TEST_POSTGRES']

/** Says that the tests of PostgreSQL don't run, if they don't. */
export function sayWhatIsLeftOut(): void {
  if (POSTGRES === undefined) console.error('left out: PostgreSQL (QUAI_TEST_POSTGRES names none)')
}

/** A new, empty database. */
export interface TestDatabase {
  /** Its address, with a password that no output may hold. */
  readonly url: string
  /** Runs statements in it, past every store. */
  ask<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** Ends all that is connected, and takes the database away. */
  remove(): Promise<void>
}

/** Part of every test database's password. */
export const DATABASE_PASSWORD = 'sesame-db'

/** Makes a database in the server. */
export async function makeDatabase(): Promise<TestDatabase> {
  if (POSTGRES === undefined) throw new Error('QUAI_TEST_POSTGRES names no server')
  const name = `quai_test_${crypto.randomUUID().replaceAll('-', '')}`
  const server = new SQL(POSTGRES, { max: 1 })
  await server.unsafe(`CREATE DATABASE ${name}`)
  const url = new URL(POSTGRES)
  url.pathname = name
  if (url.password === '') url.password = `${DATABASE_PASSWORD}%25` // trusted whatever it is
  const own = new SQL(url.href, { max: 1 })
  return {
    url: url.href,
    ask: async (text, values = []) => [...(await own.unsafe(text, [...values]))],
    async remove() {
      await own.close()
      await server.unsafe(`DROP DATABASE ${name} WITH (FORCE)`)
      await server.close()
    },
  }
}
