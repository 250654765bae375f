// Tests an account database that is missing, empty or damaged while the pepper and the slot files of its keys still
// exist. Fails if the service silently starts without the keys, prints a stack trace, or can't be restored from a
// backup.

import { Database } from 'bun:sqlite'
import { afterEach, expect, test } from 'bun:test'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openGate } from '../../src/access/open-gate.ts'
import { openAccounts } from '../../src/accounts/open-accounts.ts'
import { makeDatabase, POSTGRES, sayWhatIsLeftOut } from '../databases/test-postgres.ts'
import { commandOf, end, ServiceFolder, until } from '../service/running.ts'
import { slowTest } from '../slow-test.ts'
import { makeConfig } from '../src/account-config.ts'
import { admitted, makeFolder, spend } from '../src/account-fixture.ts'

const PORT = 18_850
const REFUSAL = /quai restore FILE.*quai serve --new-store/
const folders: ServiceFolder[] = []
const children: Bun.Subprocess[] = []

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL')
    await child.exited
  }
  for (const { folder } of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** Makes a service folder in which a key has used units. The service has ended, and there is a backup. */
async function usedFolder() {
  const used = new ServiceFolder(commandOf('source'))
  folders.push(used)
  const key = await used.makeKey('k')
  expect(await used.run('import', 'ville')).toMatchObject({ status: 0 })
  const serving = await used.serve({ workers: 1, port: PORT })
  children.push(serving.child)
  expect(await ask(serving.base, key)).toBe(200)
  expect(await used.run('backup', 'copy.db')).toMatchObject({ status: 0 })
  expect(await used.run('restore', 'copy.db')).toMatchObject({ status: 1, stderr: expect.stringMatching(/is using/) })
  await end(serving)
  const data = join(used.folder, 'data')
  return { used, key, data, database: join(data, 'quai.db') }
}

async function ask(base: string, key: string): Promise<number> {
  return (await fetch(`${base}/v1/networks`, { headers: { authorization: `Bearer ${key}` } })).status
}

/**
 * The byte at an offset in a database file that is damaged: all pages except the first three are overwritten. The
 * database can be opened, but its tables cannot be read.
 */
function damagedInside(byte: number, at: number): number {
  return at < 3 * 4_096 ? byte : (at * 31 + 7) % 251
}

slowTest(
  'a missing, empty or damaged database is reported by name, and a backup brings the keys back',
  async () => {
    const { used, key, data, database } = await usedFolder()
    const good = readFileSync(database)
    const harms: Readonly<Record<string, () => void>> = {
      missing: () => rmSync(database),
      empty: () => truncateSync(database, 0),
      'not a database': () => writeFileSync(database, 'this is no database at all, '.repeat(400)),
      'cut short': () => writeFileSync(database, good.subarray(0, 6_000)),
      'damaged inside': () => writeFileSync(database, good.map(damagedInside)),
      'without tables': () => {
        rmSync(database)
        new Database(database, { create: true }).run('CREATE TABLE other (a)')
      },
    }
    for (const [kind, harm] of Object.entries(harms)) {
      harm()
      for (const words of [
        ['serve', '--port', `${PORT}`, '--admin-port', `${PORT + 1}`],
        ['keys', 'list'],
      ]) {
        const { status, stderr } = await used.run(...words)
        expect({ kind, words, status }).toEqual({ kind, words, status: 1 })
        expect(stderr).toContain(database)
        expect(stderr).toMatch(REFUSAL)
        expect(stderr).not.toMatch(/\n\s+at /)
      }
      expect(await used.run('restore', 'copy.db')).toMatchObject({ status: 0 })
    }
    const serving = await used.serve({ workers: 1, port: PORT })
    children.push(serving.child)
    expect(await ask(serving.base, key)).toBe(200)
    await end(serving)
    expect(await used.run('ledger', 'verify')).toMatchObject({ status: 0 })
    expect(readdirSync(data).filter((name) => name.includes('.part'))).toEqual([])
  },
  60_000,
)

slowTest(
  'restore accepts only a complete Quai database, and keeps the one it replaces',
  async () => {
    const { used, data, database } = await usedFolder()
    writeFileSync(join(used.folder, 'text.db'), 'no database')
    expect(await used.run('restore', 'text.db')).toMatchObject({ status: 1 })
    expect(await used.run('restore', 'nowhere.db')).toMatchObject({ status: 1 })
    expect(existsSync(database)).toBe(true)
    expect(await used.run('restore', 'copy.db')).toMatchObject({ status: 0 })
    expect(readdirSync(data).some((name) => name.startsWith('quai.db.before-'))).toBe(true)
  },
  60_000,
)

for (const kind of ['no database', 'damaged inside']) {
  slowTest(
    `serve --new-store over ${kind} starts fresh and sets the old slots aside`,
    async () => {
      const { used, key, data, database } = await usedFolder()
      const isInside = kind === 'damaged inside'
      writeFileSync(
        database,
        isInside ? readFileSync(database).map(damagedInside) : 'this is no database at all, '.repeat(400),
      )
      const child = used.spawn(
        'serve',
        '--new-store',
        '--port',
        `${PORT}`,
        '--admin-port',
        `${PORT + 1}`,
        '--account-port',
        '0',
      )
      children.push(child)
      const base = `http://127.0.0.1:${PORT}`
      const answers = () =>
        fetch(`${base}/v1/health`).then(
          ({ ok }) => ok,
          () => false,
        )
      await until(answers, 'it answers')
      expect(await ask(base, key)).toBe(401)
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
      expect(readdirSync(data).some((name) => name.startsWith('meter.before-'))).toBe(true)
      expect(await used.run('ledger', 'verify')).toMatchObject({ status: 0 })
    },
    60_000,
  )
}

test('a first start, and one after a start without keys, are accepted', async () => {
  const config = makeConfig(makeFolder())
  for (let start = 0; start < 2; start++) await (await openAccounts(config, { onProblem: () => {} })).close()
})

sayWhatIsLeftOut()
test.skipIf(POSTGRES === undefined)('an empty PostgreSQL schema next to used slots is rejected', async () => {
  const [database, folder] = [await makeDatabase(), makeFolder()]
  try {
    const config = makeConfig(folder, { database_url: database.url })
    const service = await openAccounts(config, { onProblem: () => {} })
    const made = await service.operations.createKey({
      email: 'ada@example.org',
      plan: 'max',
      name: 'k',
      scopes: ['transit:read'],
      expiresAtMillis: null,
    })
    const { gate } = openGate(await service.start(), 0)
    spend(gate, admitted(gate, made.key), 1)
    await service.close()
    await database.query('TRUNCATE quai.accounts CASCADE')
    await expect(openAccounts(config, { onProblem: () => {} })).rejects.toThrow('--new-store')
    await database.query('DROP SCHEMA quai CASCADE')
    cpSync(join(folder, 'meter'), join(folder, 'meter-copy'), { recursive: true })
    await expect(openAccounts(config, { onProblem: () => {} })).rejects.toThrow('--new-store')
    expect(await database.query(`SELECT 1 FROM pg_namespace WHERE nspname = 'quai'`)).toEqual([])
    await (await openAccounts(config, { onProblem: () => {}, isNewStore: true })).close()
  } finally {
    await database.remove()
  }
})
