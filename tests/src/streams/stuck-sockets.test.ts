// Tests clients that stop reading, over real sockets. The test controls the hub's time. Fails if memory grows with
// unread frames, if a connection stays open after its stream has ended, or if another client misses a frame.
import { afterAll, expect } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { Networks } from '../../../src/networks/network.ts'
import { createServer } from '../../../src/server/server.ts'
import { FreeReconnects, noReconnects } from '../../../src/streams/free-reconnects.ts'
import { StreamHub } from '../../../src/streams/stream-hub.ts'
import { allocateStreamSlots, StreamSlots } from '../../../src/streams/stream-slots.ts'
import { SMALL_FEED, smallFeed } from '../../feeds/text-feed.ts'
import { bySize } from '../../size.ts'
import { slowTest } from '../../slow-test.ts'
import { CountingGate, KEY, openNetwork } from '../api/api-under-test.ts'

/** A name so long that a few frames fill the system's buffers for one socket. */
const LONG_NAME = 'Port '.repeat(13_000)
const FRAMES = 26
const STUCK = bySize({ quick: 3, ci: 5, full: 9 })
const BOARD = '/v1/stops/ville:area:S/departures/stream?interval=5'
/** Time limit for closing a connection. The server checks for idle connections every four seconds. */
const CLOSED_MILLIS = 10_000

const time = { millis: 0 }
const gate = new CountingGate()
const hub = new StreamHub({
  gate,
  clock: { nowMillis: () => 1_780_000_000_000 + time.millis },
  slots: new StreamSlots(allocateStreamSlots()),
  reconnects: new FreeReconnects(noReconnects()),
  steady: () => time.millis,
})
const trips = (SMALL_FEED['trips.txt'] ?? '').replaceAll(/,(?:Port|Gare),/g, `,${LONG_NAME},`)
const routes = (SMALL_FEED['routes.txt'] ?? '').replace('Gare - Port', LONG_NAME)
const app = createServer({
  networks: new Networks([
    await openNetwork({ id: 'ville', feed: smallFeed({ 'trips.txt': trips, 'routes.txt': routes }) }),
  ]),
  gate,
  streams: hub,
  clock: { nowMillis: () => Date.parse('2026-06-10T06:00:00Z') },
  baseUrl: 'http://api.test',
  corsOrigins: [],
  version: '1.0.0',
  logger: { error: (fields) => expect(fields).toBeUndefined() },
})
app.listen({ port: 0, hostname: '127.0.0.1', idleTimeout: 10 })
const port = app.server?.port ?? 0
afterAll(() => app.server?.stop(true))

/**
 * Opens a connection and requests the board. Returns the socket, a function that returns what was read so far, and a
 * function that returns whether the connection is closed.
 */
function ask(): { socket: Socket; read: () => string; isClosed: () => boolean } {
  let text = ''
  let isClosed = false
  const socket = connect(port, '127.0.0.1')
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
  })
  socket.on('error', () => undefined) // a reset counts as an end
  socket.on('close', () => {
    isClosed = true
  })
  socket.write(`GET ${BOARD} HTTP/1.1\r\nHost: a\r\nAuthorization: ${KEY}\r\n\r\n`)
  return { socket, read: () => text, isClosed: () => isClosed }
}

async function until(holds: () => boolean, what: string): Promise<void> {
  const started = performance.now()
  while (!holds()) {
    if (performance.now() - started > CLOSED_MILLIS) throw new Error(`timed out waiting until ${what}`)
    await Bun.sleep(5)
  }
}

const framesIn = (text: string) => text.split('event: departures').length - 1

slowTest(
  'a client that does not read is dropped, takes no memory, and harms nobody',
  async () => {
    const reader = ask()
    const stuck = Array.from({ length: STUCK }, ask)
    for (const { socket } of stuck) socket.pause()
    await until(() => hub.openCount === STUCK + 1, 'all are open')
    await until(() => framesIn(reader.read()) === 1, 'the first frame has arrived')
    Bun.gc(true)
    const before = process.memoryUsage().rss
    for (let frame = 2; frame <= FRAMES; frame++) {
      time.millis += 5_000
      hub.advance()
      await until(() => framesIn(reader.read()) === frame, `frame ${frame} has arrived`)
    }
    expect(hub.openCount).toBe(1)
    Bun.gc(true)
    const grown = process.memoryUsage().rss - before - reader.read().length * 2
    expect(grown / STUCK).toBeLessThan(16e6)
    expect(reader.isClosed()).toBe(false)
    hub.close()
    hub.endAnnounced()
    await until(() => reader.read().includes('event: end'), 'the end has arrived')
    await until(() => reader.isClosed(), 'the connection is closed once idle after its stream')
    await until(() => app.server?.pendingRequests === 0, 'the stuck connections are closed while nobody reads')
    for (const { socket } of stuck) socket.resume()
    await until(
      () => stuck.every(({ isClosed }) => isClosed()),
      'a client that reads again finds its connection closed',
    )
    for (const { read } of stuck) expect(framesIn(read())).toBeLessThan(FRAMES)
  },
  60_000,
)
