// The account API on each kind of store, for tests of what owners can do.
import { afterAll, afterEach, beforeEach, describe } from 'bun:test'
import { makeDatabase, POSTGRES, sayWhatIsLeftOut, type TestDatabase } from '../../databases/test-postgres.ts'
import { makeFolder } from '../account-fixture.ts'
import { AccountWorld, type Browser, GOOD_PASSWORD } from './account-world.ts'

/** The owner's email address. */
export const ADA = 'ada@example.org'
/** Somebody else's email address. */
export const EVE = 'eve@example.org'

/** Gives access to the running test's world. */
export interface OpenedWorld {
  readonly world: AccountWorld
}

/** Runs tests on SQLite, and also on PostgreSQL if a server is available. */
export function describeWorlds(name: string, tests: (opened: OpenedWorld) => void): void {
  sayWhatIsLeftOut()
  describe(`${name}, SQLite`, () => tests(openEach(async () => ({}))))
  describe.skipIf(POSTGRES === undefined)(`${name}, PostgreSQL`, () => {
    const databases: TestDatabase[] = []
    tests(
      openEach(async () => {
        const database = await makeDatabase()
        databases.push(database)
        return { database_url: database.url }
      }),
    )
    afterAll(async () => {
      for (const database of databases) await database.remove()
    })
  })
}

function openEach(makeFlags: () => Promise<Record<string, unknown>>): OpenedWorld {
  let world: AccountWorld | undefined
  beforeEach(async () => {
    world = await AccountWorld.open(makeFolder(), { flags: await makeFlags() })
  })
  afterEach(() => world?.close())
  return {
    get world() {
      if (world === undefined) throw new Error('no test has opened a world')
      return world
    },
  }
}

/** Logs in; returns a browser with a session. */
export async function logIn(world: AccountWorld, more: Record<string, unknown> = {}): Promise<Browser> {
  const browser = world.browser()
  const answer = await browser.post('/v1/sessions', { email: ADA, password: GOOD_PASSWORD, ...more })
  if (answer.status !== 200) throw new Error(`the login was rejected: ${answer.text}`)
  return browser
}
