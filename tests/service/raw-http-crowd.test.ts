// Tests crowds of connections that only obstruct other clients: they send a byte now and then, nothing at all, or
// requests whose responses they do not read. Fails if such a connection is not closed, if other clients have to wait,
// or if the server uses much memory for the crowd. The tests take long, so quick runs skip them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { bySize, SIZE } from '../size.ts'
import { PacedClient, type PacedReading } from './paced-client.ts'
import { RawConnection } from './raw-http-client.ts'
import { credentials, request, STOP_PATH } from './raw-http-corpus.ts'
import { ANSWER_MILLIS, makeProbe, probeFresh } from './raw-http-exchange.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'

/** The tests use the binary if there is one. Testing the sources too would take twice as long. */
const KIND = process.env['QUAI_BINARY'] === undefined ? 'source' : 'binary'
const PORT = 18_770
/**
 * Maximum time until the server closes a connection without a complete request: the server's limit plus the precision
 * of its timer.
 */
const PATIENCE_MILLIS = 14_000
/** Pause between two bytes. */
const DRIP_MILLIS = 2_000
const CROWD = bySize({ quick: 0, ci: 300, full: 9_000 })
/** Connections that are opened at the same time. More would exceed the kernel's queue for the server. */
const OPENED_AT_ONCE = 300
/** Number of measurements; all of them end before the server closes the first idle connection. */
const WINDOWS = 3
const WINDOW_MILLIS = 1_000
const PER_SECOND = 250
/**
 * A p99 up to this value is accepted, even if it is much higher than without the crowd. At size `ci`, other tests run
 * at the same time, so only a stall is a fault.
 */
const P99_FLOOR_MILLIS = bySize({ quick: 0, ci: 250, full: 10 })
const DEAF_CONNECTIONS = bySize({ quick: 0, ci: 80, full: 200 })
const DEAF_REQUESTS = 2_000
const SAMPLE_MILLIS = 250
/**
 * Maximum growth of the server's memory. Any flood of requests leaves about 100 MB of garbage. Responses that are not
 * read would come on top of that.
 */
const GROWTH_LIMIT_MEGABYTES = 250

/** For each slow client: the bytes that it sends at once, and those that it then sends one by one. */
const SLOW_CLIENTS: Readonly<Record<string, (key: string) => readonly [at_once: string, dripped: string]>> = {
  'nothing at all': () => ['', ''],
  'a first line': () => ['', 'GET /v1/health HTTP/1.1\r\n'],
  'a header line': () => ['GET /v1/health HTTP/1.1\r\nHost: localhost\r\n', 'X-A: bbbbbbbbbbbbbbbbb'],
  'header lines': () => ['GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX-A', ':\r\nB:\r\nC:\r\nD:\r\nE:\r\n'],
  'all but the last byte': () => ['GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r', ''],
  'a request, then half of one': (key) => [`${makeProbe(key).sent}GET /v1/he`, 'alth HTTP/1.1\r\nHost: localhost'],
  'a request, then nothing': (key) => [makeProbe(key).sent, ''],
}

/**
 * At full size, tests run one after the other: with thousands of connections, this process is too busy to measure the
 * clients of other tests.
 */
const besides = SIZE === 'full' ? test : test.concurrent
const timed = SIZE === 'quick' ? describe.skip : describe
if (SIZE === 'quick') console.log('left out: crowds of slow connections (ci and full)')

timed('a crowd', () => {
  let service: ServiceFolder
  let serving: Serving
  let key = ''

  beforeAll(async () => {
    service = new ServiceFolder(commandOf(KIND))
    key = await service.makeKey('raw')
    serving = await service.serve({ workers: 1, port: PORT })
  }, 60_000)
  afterAll(async () => {
    expect(await end(serving)).toBe(0)
    rmSync(service.folder, { recursive: true })
  })

  /** Sends requests as well-behaved clients do, until a promise settles. Returns the measurements. */
  const readDuring = async (event: Promise<unknown>): Promise<PacedReading> => {
    const paths = [STOP_PATH, `${STOP_PATH}/departures`, '/v1/networks/ville/stops?limit=5']
    const client = new PacedClient({ base: serving.base, key, paths, perSecond: PER_SECOND, check: () => undefined })
    await event.finally(() => client.stop())
    return await client.stop()
  }

  /**
   * Returns the best p99 of several measurements: other work on the machine may slow down one of them, but the crowd is
   * connected during all of them.
   */
  const bestOfWindows = async (): Promise<Pick<PacedReading, 'p99Millis' | 'failures'>> => {
    const windows: PacedReading[] = []
    while (windows.length < WINDOWS) windows.push(await readDuring(Bun.sleep(WINDOW_MILLIS)))
    return {
      p99Millis: Math.min(...windows.map(({ p99Millis }) => p99Millis)),
      failures: windows.flatMap(({ failures }) => failures),
    }
  }

  besides(
    'that sends a byte now and then is disconnected',
    async () => {
      const kept = await Promise.all(
        Object.entries(SLOW_CLIENTS).map(async ([name, piecesOf]) => {
          const [atOnce, dripped] = piecesOf(key)
          const connection = await RawConnection.open(PORT)
          await connection.send(atOnce)
          return (await drip(connection, dripped)) <= PATIENCE_MILLIS ? undefined : name
        }),
      )
      expect(kept.filter((name) => name !== undefined)).toEqual([])
    },
    60_000,
  )

  besides(
    'that sends a body byte by byte is answered at its first byte, then disconnected',
    async () => {
      const connection = await RawConnection.open(PORT)
      await connection.send(request({ key }, 'POST /v1/usage HTTP/1.1', 'Content-Length: 60000\r\n', 'x'))
      expect(await connection.read({ millis: ANSWER_MILLIS })).toMatchObject({ status: 405 })
      expect(await drip(connection, 'x'.repeat(16))).toBeLessThanOrEqual(PATIENCE_MILLIS)
    },
    60_000,
  )

  /**
   * Resolves when the test with the idle crowd has finished measuring, or has failed. The test with clients that do not
   * read waits for this, so that these clients do not affect the measurement.
   */
  const isMeasured = Promise.withResolvers<void>()

  test.concurrent(`of ${CROWD} idle connections does not make others wait`, async () => {
    try {
      await readDuring(Bun.sleep(WINDOW_MILLIS)) // warms up the service
      const quiet = await bestOfWindows()
      const before = memoryOf(serving)
      const crowd = await openIdleCrowd(key)
      const crowded = await bestOfWindows()
      const growth = memoryOf(serving) - before
      const stillThere = crowd.filter((connection) => !connection.isClosed).length
      isMeasured.resolve()
      console.log(
        `${CROWD} idle connections: p99 ${crowded.p99Millis.toFixed(1)} ms (quiet ${quiet.p99Millis.toFixed(1)} ms), memory +${growth.toFixed(0)} MB`,
      )
      expect([...quiet.failures, ...crowded.failures].slice(0, 3)).toEqual([])
      expect(stillThere).toBe(CROWD) // the crowd was connected during the measurement
      expect(crowded.p99Millis).toBeLessThanOrEqual(Math.max(2 * quiet.p99Millis, P99_FLOOR_MILLIS))
      expect(growth).toBeLessThan(GROWTH_LIMIT_MEGABYTES)
      await until(() => crowd.every((connection) => connection.isClosed), 'the idle connections are closed')
    } finally {
      isMeasured.resolve()
    }
  }, 120_000)

  /**
   * Responses that are not read must not use up memory. Connections share the bytes of large responses. After many
   * small unread responses on a connection, the server reads no more requests from it.
   */
  test.concurrent(`of ${DEAF_CONNECTIONS} that send requests without reading is disconnected`, async () => {
    await isMeasured.promise
    const before = memoryOf(serving)
    const large = request({ key }, 'GET /docs/scalar.js HTTP/1.1')
    const small = request({ key }, 'GET /v1/networks/ville/stops HTTP/1.1').repeat(DEAF_REQUESTS)
    const deaf = await openCrowd(DEAF_CONNECTIONS)
    for (const [number, connection] of deaf.entries()) {
      connection.pause()
      await connection.send(number % 4 === 0 ? small : large)
    }
    const ports = new Set(deaf.map(({ localPort }) => localPort))
    let growth = 0
    const areGone = until(async () => {
      await Bun.sleep(SAMPLE_MILLIS)
      growth = Math.max(growth, memoryOf(serving) - before)
      return listHeldPorts().every((port) => !ports.has(port))
    }, 'those that do not read are gone')
    const crowded = await readDuring(areGone)
    for (const connection of deaf) connection.drop()
    console.log(
      `${DEAF_CONNECTIONS} that do not read: p99 ${crowded.p99Millis.toFixed(1)} ms, memory +${growth.toFixed(0)} MB`,
    )
    expect(crowded.failures.slice(0, 3)).toEqual([])
    expect(growth).toBeLessThan(GROWTH_LIMIT_MEGABYTES)
    expect(await probeFresh(PORT, key)).toBeUndefined()
  }, 120_000)
})

/**
 * Maximum number of connections that a crowd opens from one address. It is below the limit beyond which the server
 * refuses requests.
 */
const MOST_OF_ADDRESS = 900

/** Opens connections from local addresses that the measured clients do not use. */
async function openCrowd(size: number): Promise<RawConnection[]> {
  const crowd: RawConnection[] = []
  const addressOf = (number: number) => `127.0.0.${2 + Math.floor(number / MOST_OF_ADDRESS)}`
  while (crowd.length < size) {
    const count = Math.min(OPENED_AT_ONCE, size - crowd.length)
    const opened = Array.from({ length: count }, (_, at) => RawConnection.open(PORT, addressOf(crowd.length + at)))
    crowd.push(...(await Promise.all(opened)))
  }
  return crowd
}

/**
 * Opens idle connections: one third has sent nothing, one third has sent half a request, and one third has received a
 * response.
 */
async function openIdleCrowd(key: string): Promise<RawConnection[]> {
  const crowd = await openCrowd(CROWD)
  const half = `GET /v1/health HTTP/1.1\r\n${credentials({ key })}`
  for (const [number, connection] of crowd.entries()) {
    if (number % 3 === 1) await connection.send(half)
    if (number % 3 !== 2) continue
    const probe = makeProbe(key)
    await connection.send(probe.sent)
    expect(probe.check(await connection.read({ millis: ANSWER_MILLIS }))).toBeUndefined()
  }
  return crowd
}

/**
 * Sends a string byte by byte, and then waits until the connection is closed, or gives up after a while. Returns how
 * long this took, in milliseconds.
 */
async function drip(connection: RawConnection, text: string): Promise<number> {
  const started = performance.now()
  for (const byte of text) {
    await connection.send(byte)
    if (await connection.closes(DRIP_MILLIS)) break
  }
  await connection.closes(Math.max(0, PATIENCE_MILLIS + 1_000 - (performance.now() - started)))
  connection.drop()
  return performance.now() - started
}

/** Resident memory of the service, in megabytes. */
function memoryOf(serving: Serving): number {
  const text = readFileSync(`/proc/${serving.child.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1]) / 1024
}

/**
 * The client ports of the connections that the service has open. They are read from the kernel's tables, since a client
 * that does not read cannot notice that its connection has ended.
 */
function listHeldPorts(): number[] {
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].filter((path) => existsSync(path))
  const rows = tables.flatMap((path) => readFileSync(path, 'utf8').split('\n'))
  return rows.flatMap((row) => {
    const established = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) 01 /.exec(row)
    return Number.parseInt(established?.[1] ?? '', 16) === PORT ? [Number.parseInt(established?.[2] ?? '', 16)] : []
  })
}
