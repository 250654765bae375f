// Tests a running service while its slot files or its lock file are removed or truncated from outside. Fails if a
// reported unit is lost, if the service takes too long to notice, or if a second process can use the data directory.
import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { existsSync, readdirSync, renameSync, rmSync, truncateSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { commandOf, end, ServiceFolder, type Serving, until } from '../service/running.ts'
import { type Question, UnitCallers } from '../service/unit-callers.ts'
import { bySize } from '../size.ts'
import { slowTest } from '../slow-test.ts'

const PORT = 18_830
const CONNECTIONS = 8
const REMOVALS = bySize({ quick: 2, ci: 4, full: 20 })
/** Maximum time until the service notices that a file was removed: a second, and some extra time for a busy machine. */
const NOTICED_MILLIS = 1_500
const QUESTIONS: readonly Question[] = [
  { path: '/v1/networks', units: 1 },
  { path: '/v1/stops/ville:stop:CA/departures', units: 1 },
]

let folder: ServiceFolder
let key = ''
const started: Serving[] = []

beforeAll(async () => {
  folder = new ServiceFolder(commandOf('source'))
  key = await folder.makeKey('callers')
  const imported = await folder.run('import', 'ville')
  if (imported.status !== 0) throw new Error(imported.stderr)
}, 60_000)

afterEach(async () => {
  for (const serving of started.splice(0)) await end(serving, 'SIGKILL')
})

afterAll(() => rmSync(folder.folder, { recursive: true }))

function slotPath(ordinal: number): string {
  return join(folder.folder, 'data', 'meter', `${ordinal}.slots`)
}

/** The sum of the units in all rows of the ledger, read directly from the database. */
function ledgerUnits(): number {
  const database = new Database(join(folder.folder, 'data', 'quai.db'), { readonly: true })
  try {
    return database.query<{ sum: number | null }, []>('SELECT sum(units) AS sum FROM usage').get()?.sum ?? 0
  } finally {
    database.close()
  }
}

async function noticed(path: string): Promise<void> {
  const removedAt = performance.now()
  await until(() => existsSync(path), `${path} is there again`)
  expect(performance.now() - removedAt).toBeLessThan(NOTICED_MILLIS)
}

/** Starts the service. If the test does not stop the service, it is killed after the test. */
async function serve(workers: number): Promise<Serving> {
  const serving = await folder.serve({ workers, port: PORT })
  started.push(serving)
  return serving
}

async function reportedUnits({ base }: Serving): Promise<unknown> {
  const answer = await fetch(`${base}/v1/usage`, { headers: { authorization: `Bearer ${key}` } })
  const body: { data?: { units?: unknown } } = JSON.parse(await answer.text())
  return body.data?.units
}

slowTest(
  'slot files removed under load, then kill -9: units reported ≤ ledger ≤ reported + in flight',
  async () => {
    const before = ledgerUnits()
    let serving = await serve(2)
    const callers = new UnitCallers({ base: serving.base, key }, QUESTIONS, CONNECTIONS)
    await until(() => callers.calls >= CONNECTIONS, 'calls are under way')
    for (let removal = 0; removal < REMOVALS; removal++) {
      unlinkSync(slotPath(removal % 2))
      await noticed(slotPath(removal % 2))
      const calls = callers.calls
      await until(() => callers.calls > calls + 20, 'calls continue')
    }
    await end(serving, 'SIGKILL')
    await callers.stop()
    expect(callers.faults).toEqual([])
    expect(await serving.talk).toContain('slot file was removed')
    serving = await serve(2)
    await until(async () => (await reportedUnits(serving)) === ledgerUnits(), 'the report agrees with the ledger')
    await end(serving)
    const units = ledgerUnits() - before
    expect(units).toBeGreaterThanOrEqual(callers.reported)
    expect(units).toBeLessThanOrEqual(callers.reported + callers.unanswered)
    expect(await folder.run('ledger', 'verify')).toMatchObject({ status: 0 })
  },
  60_000,
)

slowTest(
  'the slot folder moved away, then an orderly stop: the ledger has every acknowledged unit',
  async () => {
    const before = ledgerUnits()
    const serving = await serve(2)
    const callers = new UnitCallers({ base: serving.base, key }, QUESTIONS, CONNECTIONS)
    await until(() => callers.calls >= CONNECTIONS, 'calls are under way')
    renameSync(join(folder.folder, 'data', 'meter'), join(folder.folder, 'data', 'meter-moved'))
    await callers.stop()
    const status = await end(serving)
    expect(status).toBe(0)
    expect(callers.faults).toEqual([])
    expect(ledgerUnits() - before).toBe(callers.reported)
  },
  60_000,
)

test('a truncated slot file ends the process; the next start sets it aside and continues from the ledger', async () => {
  const ask = (base: string) => fetch(`${base}/v1/networks`, { headers: { authorization: `Bearer ${key}` } })
  let serving = await serve(1)
  expect((await ask(serving.base)).status).toBe(200)
  await until(async () => (await reportedUnits(serving)) === ledgerUnits(), 'the call is in the ledger')
  const units = ledgerUnits()
  truncateSync(slotPath(0), 0)
  await ask(serving.base).catch(() => undefined) // the process ends: it writes to a page that the file no longer has
  await until(() => serving.child.exitCode !== null || serving.child.signalCode !== null, 'it has ended')
  serving = await serve(1)
  expect(await reportedUnits(serving)).toBe(units)
  await end(serving)
  const talk = await serving.talk
  expect(talk).toContain('it was moved to')
  expect(talk).toContain('at most the units from the last second before the process ended are missing')
  expect(readdirSync(join(folder.folder, 'data', 'meter')).some((name) => name.includes('damaged'))).toBe(true)
}, 60_000)

slowTest(
  'the lock file removed while the server runs: no second process starts, and it is created again',
  async () => {
    const serving = await serve(1)
    try {
      for (let removal = 0; removal < 3; removal++) {
        unlinkSync(join(folder.folder, 'data', 'lock'))
        const second = await folder.run('serve', '--port', `${PORT + 10}`, '--account-port', '0', '--admin-port', '0')
        expect(second).toMatchObject({ status: 1, stderr: expect.stringContaining('is using the data directory') })
        expect(existsSync(join(folder.folder, 'data', 'lock'))).toBe(true)
      }
      for (const name of ['lock', 'lock.pid', 'lock-journal'])
        rmSync(join(folder.folder, 'data', name), { force: true })
      const second = await folder.run('serve', '--port', `${PORT + 10}`, '--account-port', '0', '--admin-port', '0')
      expect(second).toMatchObject({ status: 1, stderr: expect.stringContaining('is using the data directory') })
      unlinkSync(join(folder.folder, 'data', 'lock'))
      await noticed(join(folder.folder, 'data', 'lock'))
      expect((await fetch(`${serving.base}/v1/health`)).status).toBe(200)
    } finally {
      await end(serving)
    }
    expect(await serving.talk).toContain('the lock file of the data directory was removed')
  },
  60_000,
)
