// Kills the service at random times while it handles requests on 32 connections: with one data thread and with two,
// repeatedly with the same ledger, and after slot files were removed while it ran. Fails if a reported unit is not in
// the ledger, or if the ledger has a unit that no client requested. Between kills, the service is also stopped normally
// under load. After that, the ledger must have exactly the reported units.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, rmSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { below, seededRandom } from '../../src/demo/seeded-random.ts'
import { bySize, SEED } from '../size.ts'
import { commandOf, end, ServiceFolder, until } from './running.ts'
import { type Question, UnitCallers } from './unit-callers.ts'

const PORT = 18_800
const CONNECTIONS = 32
const ROUNDS = bySize({ quick: 1, ci: 3, full: 50 })
/** Number of rounds in which a slot file is removed before the kill. */
const REMOVALS = bySize({ quick: 1, ci: 2, full: 20 })
/** Number of kills between two normal stops of the service. The first normal stop comes after the first kill. */
const KILLS_BETWEEN_ENDS = 5
/**
 * Maximum time under load before a kill. Except in quick runs, it exceeds the flush interval, so that kills occur
 * before, during and after flushes.
 */
const LONGEST_MILLIS = bySize({ quick: 400, ci: 1_500, full: 1_500 })
const QUESTIONS: readonly Question[] = [
  { path: '/v1/stops/ville:stop:CA/departures', units: 1 },
  { path: '/v1/networks', units: 1 },
  { path: '/v1/journeys?from=ville:stop:G&to=48.5895,7.7605', units: 5 },
  { path: '/v1/usage', units: 0 },
]

const random = seededRandom(SEED, 'kill')
let folder: ServiceFolder
let key = ''
/** The units in the ledger after the last round. */
let counted = 0
/** Sums over all rounds that end with a kill. */
const seen = { kills: 0, removals: 0, reported: 0, unanswered: 0, counted: 0 }

beforeAll(async () => {
  folder = new ServiceFolder(commandOf('source'))
  key = await folder.makeKey('callers')
  const imported = await folder.run('import', 'ville')
  if (imported.status !== 0) throw new Error(imported.stderr)
}, 60_000)

afterAll(() => {
  const { kills, removals, reported, unanswered } = seen
  console.log(
    `${kills} kills, ${removals} slot files removed: ${reported} units acknowledged ≤ ${seen.counted} in the ledger ≤ ${reported + unanswered} with those in flight (seed ${SEED})`,
  )
  rmSync(folder.folder, { recursive: true })
})

/** Units in all rows of the ledger, read directly from the database. */
function ledgerUnits(): number {
  const database = new Database(join(folder.folder, 'data', 'quai.db'), { readonly: true })
  try {
    return database.query<{ sum: number | null }, []>('SELECT sum(units) AS sum FROM usage').get()?.sum ?? 0
  } finally {
    database.close()
  }
}

/**
 * Whether the admin port reports that the service is ready. The process opens this port as soon as it can handle
 * signals.
 */
function isReady(): Promise<boolean> {
  return fetch(`http://127.0.0.1:${PORT + 1}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  )
}

/**
 * Starts the service, sends requests for some time, and ends the service with a signal. Returns the callers with their
 * counts.
 */
async function serveUnderLoad(workers: number, signal: 'SIGTERM' | 'SIGKILL', removes = false): Promise<UnitCallers> {
  const serving = await folder.serve({ workers, port: PORT })
  try {
    await until(isReady, 'it handles signals')
    expect(ledgerUnits()).toBe(counted) // a start adds no units
    const callers = new UnitCallers({ base: serving.base, key }, QUESTIONS, CONNECTIONS)
    await until(() => callers.calls >= CONNECTIONS, 'calls are under way')
    await Bun.sleep(below(random, LONGEST_MILLIS))
    if (removes) await removeSlots(below(random, workers))
    const status = await end(serving, signal)
    if (signal === 'SIGTERM') expect(status).toBe(0)
    await callers.stop()
    expect(callers.faults).toEqual([])
    return callers
  } finally {
    if (serving.child.exitCode === null) await end(serving, 'SIGKILL')
  }
}

/** Removes the slot file of a running thread, and waits until the thread has written a new one. */
async function removeSlots(ordinal: number): Promise<void> {
  const path = join(folder.folder, 'data', 'meter', `${ordinal}.slots`)
  unlinkSync(path)
  await until(() => existsSync(path), 'the slot file is written again')
  await Bun.sleep(below(random, LONGEST_MILLIS))
  seen.removals++
}

/** Starts the service again; returns the units that it reports. */
async function recovered(workers: number): Promise<number> {
  const serving = await folder.serve({ workers, port: PORT })
  try {
    const answer = await fetch(`${serving.base}/v1/usage`, { headers: { authorization: `Bearer ${key}` } })
    const units = ledgerUnits()
    expect(await answer.json()).toMatchObject({ data: { units } }) // the report and the ledger agree
    return units
  } finally {
    await end(serving, 'SIGKILL')
  }
}

for (let round = 0; round < ROUNDS; round++) {
  const workers = 2 - (round % 2)
  const removes = Math.floor(((round + 1) * REMOVALS) / ROUNDS) > Math.floor((round * REMOVALS) / ROUNDS)
  const what = removes ? 'a slot file removed, then killed' : 'killed'
  test(`round ${round + 1}: ${what} with ${workers} data threads, reported ≤ ledger ≤ reported + in flight`, async () => {
    const { reported, unanswered } = await serveUnderLoad(workers, 'SIGKILL', removes)
    const units = await recovered(3 - workers) // a round with two data threads is recovered with one, and vice versa
    expect(units - counted).toBeGreaterThanOrEqual(reported)
    expect(units - counted).toBeLessThanOrEqual(reported + unanswered)
    seen.kills++
    seen.reported += reported
    seen.unanswered += unanswered
    seen.counted += units - counted
    counted = units
  }, 60_000)

  if (round % KILLS_BETWEEN_ENDS === 0) {
    test(`after round ${round + 1}: after a clean stop under load, the ledger equals the reported units`, async () => {
      const { reported } = await serveUnderLoad(1 + below(random, 2), 'SIGTERM')
      expect(ledgerUnits() - counted).toBe(reported)
      expect(await recovered(2)).toBe(counted + reported)
      counted += reported
      expect(await folder.run('ledger', 'verify')).toMatchObject({ status: 0 })
    }, 60_000)
  }
}
