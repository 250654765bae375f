// Tests a service under constant requests while its database is down, silent or locked. Fails if a response is not 200,
// if the ledger is not up to date soon after the outage or differs from the units in the responses, or if a password is
// printed. Also fails if the service ends on its own, even when a data thread dies during the outage.
import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { FaultyLink } from '../databases/faulty-link.ts'
import {
  DATABASE_PASSWORD,
  makeDatabase,
  POSTGRES,
  sayWhatIsLeftOut,
  type TestDatabase,
} from '../databases/test-postgres.ts'
import { bySize } from '../size.ts'
import { slowTest } from '../slow-test.ts'
import { MORTAL_COMMAND, type MortalService, serveMortal } from './mortal-threads.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'

sayWhatIsLeftOut()

const PORT = 18_780
/**
 * How long the database is unavailable. At full size, this is longer than the service waits for a silent database
 * session.
 */
const OUTAGE_MILLIS = bySize({ quick: 2_500, ci: 4_000, full: 600_000 })
/**
 * Maximum time from the end of an outage until the ledger is up to date. The service first closes a database session
 * that has been silent for ten seconds, and then flushes.
 */
const RECOVERY_MILLIS = 15_000
const ROUTE = '/v1/networks/ville/stops?limit=1'
/** Time for several attempts to start a new data thread; the service makes one attempt per second. */
const TRIES_MILLIS = 2_500
/** Key of the advisory lock that a service takes to ensure that no other service uses its database. */
const LOCK = `${0x71756169}, 1`
/** Number of callers; each of them has one request in flight. */
const CALLERS = 4

let folder: ServiceFolder
let serving: Serving | undefined

afterEach(async () => {
  if (serving !== undefined) await end(serving, 'SIGKILL')
  serving = undefined
  rmSync(folder.folder, { recursive: true })
})

/** Sends requests to the service until `stop` is called. Adds up the units that responses report. */
class SteadyCaller {
  units = 0
  /** Status and code of each response other than 200. */
  readonly faults: string[] = []
  slowestMillis = 0
  private isOver = false
  private readonly callers: Promise<void>[]

  /** @param isApart whether to open a new connection for each request, so that the kernel chooses a thread */
  constructor(base: string, key: string, isApart = false) {
    const headers = { authorization: `Bearer ${key}`, ...(isApart && { connection: 'close' }) }
    const ask = () => fetch(base + ROUTE, { headers, keepalive: !isApart })
    this.callers = Array.from({ length: CALLERS }, () => this.call(ask))
  }

  async stop(): Promise<void> {
    this.isOver = true
    await Promise.all(this.callers)
  }

  private async call(ask: () => Promise<Response>): Promise<void> {
    while (!this.isOver) {
      const started = performance.now()
      const response = await ask()
      const body = JSON.parse(await response.text())
      if (response.status === 200) this.units += body.meta.units
      else this.faults.push(`${response.status} ${body.code}`)
      this.slowestMillis = Math.max(this.slowestMillis, performance.now() - started)
      await Bun.sleep(5)
    }
  }
}

async function verifyLedger() {
  const { status, stdout, stderr } = await folder.run('ledger', 'verify', '--json')
  if (status !== 0) throw new Error(`ledger verify: ${stderr}${stdout}`)
  return JSON.parse(stdout)
}

/** Starts the service and waits until it is ready, since it handles signals only from then on. */
async function serve(workers: number): Promise<Serving> {
  serving = await folder.serve({ workers, port: PORT })
  await until(isReady, 'the service is ready')
  return serving
}

/**
 * Whether the metrics report that the ledger is more than 2.5 seconds behind. By then, new units are counted only in
 * the slots, not in the database.
 */
async function isNoticed(): Promise<boolean> {
  const text = await (await fetch(`http://127.0.0.1:${PORT + 1}/metrics`)).text()
  return Number(/^quai_ledger_flush_lag_seconds (\S+)$/m.exec(text)?.[1]) > 2.5
}

async function isReady(): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${PORT + 1}/readyz`).catch(() => undefined)
  return answer?.status === 200
}

/**
 * Calls the service during an outage and afterwards, until the ledger is up to date. Every response must be a 200 and
 * must not wait for the database. Returns the units in the responses.
 */
async function outage(key: string, begin: () => void, finish: () => void): Promise<number> {
  if (serving === undefined) throw new Error('nothing is served')
  const caller = new SteadyCaller(serving.base, key)
  await Bun.sleep(500)
  begin()
  await Bun.sleep(OUTAGE_MILLIS)
  const unitsInOutage = caller.units
  finish()
  const healed = performance.now()
  await until(async () => {
    const { ledger_units } = await verifyLedger().catch(() => ({ ledger_units: 0 }))
    return ledger_units > unitsInOutage && (await isReady())
  }, 'the ledger is up to date')
  expect(performance.now() - healed).toBeLessThan(RECOVERY_MILLIS)
  await caller.stop()
  expect(caller.faults).toEqual([])
  expect(caller.slowestMillis).toBeLessThan(2_500) // responses did not wait for the database
  expect(unitsInOutage).toBeGreaterThan(0)
  return caller.units
}

describe.skipIf(POSTGRES === undefined)('with PostgreSQL', () => {
  let database: TestDatabase
  let link: FaultyLink

  async function start(command: readonly string[] = commandOf('source')): Promise<string> {
    database = await makeDatabase()
    const { hostname, port } = new URL(database.url)
    link = new FaultyLink({ hostname, port: Number(port) })
    const template = new ServiceFolder(commandOf('source'))
    const config = await Bun.file(join(template.folder, 'quai.toml')).text()
    const url = `database_url = ${JSON.stringify(link.addressOf(database.url))}\n`
    folder = new ServiceFolder(command, url + config, template.folder)
    return folder.makeKey('tests')
  }

  /** Like `serve`, but data threads can be killed. */
  async function serveMortally(workers: number): Promise<MortalService> {
    const mortal = await serveMortal(folder, { workers, port: PORT })
    serving = mortal.serving
    await until(isReady, 'the service is ready')
    return mortal
  }

  async function ledgerUnits(): Promise<number> {
    const [{ units }] = await database.query<{ units: number }>(
      'SELECT coalesce(sum(units), 0) AS units FROM quai.usage',
    )
    return units
  }

  /** Number of calls in the ledger, by data thread. A new data thread continues the count of the thread that it replaces. */
  async function callsOfWriters(): Promise<number[]> {
    const text = 'SELECT sum(calls)::int AS calls FROM quai.usage GROUP BY writer_id ORDER BY writer_id'
    return (await database.query<{ calls: number }>(text)).map(({ calls }) => calls)
  }

  afterEach(async () => {
    link.stop()
    await database.remove()
  })

  test.each(['refused', 'silent'] as const)(
    '%s: keeps serving, loses nothing, recovers on its own',
    async (state) => {
      const key = await start()
      serving = await serve(2)
      const reported = await outage(
        key,
        () => link.set(state),
        () => link.set('passes'),
      )
      expect(await end(serving)).toBe(0)
      expect(await ledgerUnits()).toBe(reported)
      expect(await serving.talk).not.toContain(DATABASE_PASSWORD)
    },
    OUTAGE_MILLIS + 60_000,
  )

  test('killed during the outage: the next start recovers the reported units', async () => {
    const key = await start()
    serving = await serve(2)
    const caller = new SteadyCaller(serving.base, key)
    await Bun.sleep(300)
    link.set('refused')
    await until(isNoticed, 'the outage is noticed')
    expect(await isReady()).toBe(true) // the outage does not affect readiness
    const revoked = await folder.run('keys', 'list')
    expect(revoked.status).toBe(1)
    expect(revoked.stderr.trim().split('\n')).toHaveLength(1)
    expect(revoked.stderr).not.toContain(DATABASE_PASSWORD)
    await caller.stop()
    await end(serving, 'SIGKILL')
    link.set('passes')
    serving = await serve(2)
    expect(await end(serving)).toBe(0)
    expect(await ledgerUnits()).toBe(caller.units)
  }, 60_000)

  test('stopped during the outage: stops cleanly in time, and the next start recovers the reported units', async () => {
    const key = await start()
    serving = await serve(1)
    const caller = new SteadyCaller(serving.base, key)
    await Bun.sleep(300)
    link.set('refused')
    await until(isNoticed, 'the outage is noticed')
    expect(await isReady()).toBe(true) // the outage does not affect readiness
    await caller.stop()
    const started = performance.now()
    expect(await end(serving)).toBe(1) // exit status 1, since the last flush has failed
    expect(performance.now() - started).toBeLessThan(15_000)
    const [last = ''] = (await serving.talk).trim().split('\n').slice(-1)
    expect(last).toStartWith('quai: the database ')
    expect(await serving.talk).not.toContain(DATABASE_PASSWORD)
    link.set('passes')
    serving = await serve(1)
    expect(await end(serving)).toBe(0)
    expect(await ledgerUnits()).toBe(caller.units)
  }, 60_000)

  test('a data thread that dies during the outage is replaced after it; the other keeps serving', async () => {
    const key = await start(MORTAL_COMMAND)
    const { serving, metric, killOne } = await serveMortally(2)
    const before = new SteadyCaller(serving.base, key, true)
    await until(async () => (await callsOfWriters()).length === 2, 'both threads have answered')
    await before.stop()
    await until(async () => (await metric('quai_ledger_unflushed_units')) === 0, 'all units are in the ledger')
    link.set('refused')
    await killOne() // no requests are pending, so no charge is lost with the thread
    const after = new SteadyCaller(serving.base, key, true)
    await Bun.sleep(TRIES_MILLIS)
    const unitsInOutage = after.units
    // Takes the service's lock, as if the database had not yet noticed that the service's session is lost.
    await database.query(`SELECT pg_advisory_lock(${LOCK})`)
    link.set('passes')
    await Bun.sleep(TRIES_MILLIS)
    const flushed = await callsOfWriters()
    await database.query(`SELECT pg_advisory_unlock(${LOCK})`)
    await until(async () => {
      const calls = await callsOfWriters()
      return calls.every((each, writer) => each > (flushed[writer] ?? 0))
    }, 'both threads answer')
    await after.stop()
    expect([...before.faults, ...after.faults]).toEqual([])
    expect(unitsInOutage).toBeGreaterThan(0)
    expect(await end(serving)).toBe(0)
    expect(await ledgerUnits()).toBe(before.units + after.units)
    const talk = await serving.talk
    expect(talk.match(/ is waiting for accounts and keys: the database /g)).toHaveLength(1)
    expect(talk).not.toContain(DATABASE_PASSWORD)
  }, 60_000)

  test('stopped during the outage after the only data thread died: stops cleanly at once', async () => {
    const key = await start(MORTAL_COMMAND)
    const { serving, killOne } = await serveMortally(1)
    const caller = new SteadyCaller(serving.base, key)
    await Bun.sleep(300)
    link.set('refused')
    await until(isNoticed, 'the outage is noticed')
    expect(await isReady()).toBe(true) // the outage does not affect readiness
    await caller.stop()
    await killOne()
    await Bun.sleep(TRIES_MILLIS)
    const started = performance.now()
    expect(await end(serving)).toBe(1) // exit status 1, since the last flush has failed
    expect(performance.now() - started).toBeLessThan(5_000)
    const talk = await serving.talk
    expect(talk).toContain('data thread 0 is waiting for accounts and keys: the database ')
    expect(talk).not.toContain('thread failed: ')
    expect(talk).not.toContain(DATABASE_PASSWORD)
    link.set('passes')
    expect(await end(await serve(1))).toBe(0)
    expect(await ledgerUnits()).toBe(caller.units)
  }, 60_000)
})

describe('with SQLite', () => {
  slowTest(
    'locked by another program: keeps serving, loses nothing, recovers on its own',
    async () => {
      folder = new ServiceFolder(commandOf('source'))
      const key = await folder.makeKey('tests')
      serving = await serve(2)
      const other = new Database(join(folder.folder, 'data', 'quai.db'))
      const reported = await outage(
        key,
        () => void other.run('BEGIN IMMEDIATE'),
        () => void other.run('COMMIT'),
      )
      expect(await end(serving)).toBe(0)
      const units = other.query<{ units: number }, []>('SELECT sum(units) AS units FROM usage').get()
      expect(units?.units).toBe(reported)
      other.close()
    },
    OUTAGE_MILLIS + 60_000,
  )
})
