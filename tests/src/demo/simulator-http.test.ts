// Tests the simulator and the tests' faulty upstream, with requests over a plain socket. Fails if a response differs
// from a real agency's, or if a fault does something other than what its name says.
import { afterAll, beforeEach, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { createGunzip, gunzipSync } from 'node:zlib'
import { transit_realtime } from 'gtfs-realtime-bindings'
import { makeCity } from '../../../src/demo/city.ts'
import { FEEDS, type FeedName, type Simulator, startSimulator } from '../../../src/demo/simulator.ts'
import { FAULTS } from '../../faulty-upstream/faults.ts'
import { startFaultySimulator } from '../../faulty-upstream/faulty-simulator.ts'
import { bySize } from '../../size.ts'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** How the connection ended: closed by the other side, reset, refused, or still open when the test stopped reading. */
  readonly end: 'closed' | 'reset' | 'refused' | 'open'
}

const START_SECONDS = Date.parse('2026-11-24T08:00:03+01:00') / 1000
let nowSeconds = START_SECONDS
const city = makeCity({ seed: 1, scale: 0.2, firstDate: 20261123, days: 7 })
const order = { city, seed: 5, clock: { nowMillis: () => nowSeconds * 1000 } }
const plain = startSimulator(order)
const simulator = startFaultySimulator(order)

beforeEach(() => {
  nowSeconds = START_SECONDS
  simulator.setFault(undefined)
})
afterAll(() => {
  plain.stop()
  simulator.stop()
})

/** Sends a request as bytes and reads until the connection ends, enough has arrived, or time is up. */
function ask(
  feed: FeedName,
  options: {
    headers?: string
    method?: string
    stopAfterBytes?: number
    stopAfterMillis?: number
    of?: Simulator
  } = {},
): Promise<Answer> {
  const { port, pathname } = new URL((options.of ?? simulator).url(feed))
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const pieces: Buffer[] = []
  let size = 0
  const socket = connect(Number(port), '127.0.0.1')
  const finish = (end: Answer['end']): void => {
    clearTimeout(timer)
    socket.destroy()
    resolve({ ...parse(Buffer.concat(pieces)), end })
  }
  const timer = setTimeout(() => finish('open'), options.stopAfterMillis ?? 4000)
  socket.on('data', (piece: Buffer) => {
    pieces.push(piece)
    size += piece.length
    if (options.stopAfterBytes !== undefined && size > options.stopAfterBytes) finish('open')
  })
  socket.on('end', () => finish('closed'))
  socket.on('error', (error: NodeJS.ErrnoException) => finish(error.code === 'ECONNREFUSED' ? 'refused' : 'reset'))
  socket.write(
    `${options.method ?? 'GET'} ${pathname} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${options.headers ?? ''}\r\n`,
  )
  return promise
}

function parse(bytes: Buffer): Pick<Answer, 'status' | 'headers' | 'body'> {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return { status: 0, headers: {}, body: bytes }
  const [first, ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => line.split(/: (.*)/, 2)).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return { status: Number(first.split(' ')[1]), headers, body: bytes.subarray(end + 4) }
}

function decode(body: Uint8Array): transit_realtime.FeedMessage {
  return transit_realtime.FeedMessage.decode(body)
}

function headerTime(body: Uint8Array): number {
  return Number(decode(body).header.timestamp)
}

const PUBLISHED = START_SECONDS - 3

for (const [name, of] of [
  ['demo', plain],
  ['with faults', simulator],
] as const) {
  test(`${name}: each feed returns its type, its validators, and its state at the last full ten seconds`, async () => {
    for (const feed of FEEDS) {
      const { status, headers, body, end } = await ask(feed, { of })
      expect({ status, type: headers['content-type'], length: Number(headers['content-length']), end }).toEqual({
        status: 200,
        type: 'application/x-protobuf',
        length: body.length,
        end: 'closed',
      })
      expect(headerTime(body)).toBe(PUBLISHED)
      expect(headers['last-modified']).toBe(new Date(PUBLISHED * 1000).toUTCString())
      const kinds = { 'trip-updates': 'tripUpdate', 'vehicle-positions': 'vehicle', alerts: 'alert' } as const
      for (const entity of decode(body).entity) expect(entity[kinds[feed]]).toBeTruthy()
      expect((await ask(feed, { of, method: 'HEAD' })).body.length).toBe(0)
      expect((await ask(feed, { of, method: 'POST' })).status).toBe(405)
    }
  })

  test(`${name}: an unmodified feed is not sent again until the next update`, async () => {
    const { etag, 'last-modified': date } = (await ask('trip-updates', { of })).headers
    for (const headers of [
      `if-none-match: ${etag}\r\n`,
      `If-None-Match: W/${etag}, "x"\r\n`,
      `if-modified-since: ${date}\r\n`,
    ]) {
      const again = await ask('trip-updates', { of, headers })
      expect([again.status, again.body.length, again.headers['etag']]).toEqual([304, 0, etag])
    }
    expect((await ask('trip-updates', { of, headers: 'if-none-match: "other"\r\n' })).status).toBe(200)
    nowSeconds += 10
    const next = await ask('trip-updates', { of, headers: `if-none-match: ${etag}\r\nif-modified-since: ${date}\r\n` })
    expect(next.status).toBe(200)
    expect(headerTime(next.body)).toBe(PUBLISHED + 10)
  })
}

test('requests are counted by feed, whatever their outcome', async () => {
  const before = FEEDS.map((feed) => simulator.requestCount(feed))
  await ask('alerts')
  simulator.setFault('status_500', 'alerts')
  await ask('alerts')
  await ask('trip-updates')
  expect(FEEDS.map((feed, index) => simulator.requestCount(feed) - before[index])).toEqual([1, 0, 2])
})

test('a fault in one feed does not affect the others, and ends', async () => {
  for (const fault of ['refused', 'status_503', 'garbage'] as const) {
    simulator.setFault(fault, 'vehicle-positions')
    expect((await ask('trip-updates')).status).toBe(200)
    expect((await ask('alerts')).status).toBe(200)
    const faulty = await ask('vehicle-positions')
    expect(faulty.end === 'refused' || faulty.status === 503 || faulty.body[0] !== 0x0a).toBe(true)
    simulator.setFault(undefined, 'vehicle-positions')
    expect(headerTime((await ask('vehicle-positions')).body)).toBe(PUBLISHED)
  }
})

/** Fault → a check that a client sees its effect. If a fault has no entry, this file does not compile. */
const SYMPTOMS: Readonly<Record<(typeof FAULTS)[number], (good: Answer) => Promise<boolean>>> = {
  refused: async () => (await ask('trip-updates')).end === 'refused',
  closed_without_answer: async () => {
    const { end, status } = await ask('trip-updates')
    return end === 'closed' && status === 0
  },
  reset_mid_body: async (good) => {
    const { end, status, body } = await ask('trip-updates')
    return end === 'reset' && status === 200 && body.length > 0 && body.length < good.body.length
  },
  status_404: async () => (await ask('trip-updates')).status === 404,
  status_429: async () => {
    const { status, headers } = await ask('trip-updates')
    return status === 429 && Number(headers['retry-after']) > 0
  },
  status_500: async () => (await ask('trip-updates')).status === 500,
  status_503: async () => {
    const { status, headers } = await ask('trip-updates')
    return status === 503 && Number(headers['retry-after']) > 0
  },
  no_answer: async () => {
    const { status, body, end } = await ask('trip-updates', { stopAfterMillis: 300 })
    return status === 0 && body.length === 0 && end === 'open'
  },
  slow_drip: async (good) => {
    const { status, body, end } = await ask('trip-updates', { stopAfterMillis: 900 })
    return status === 200 && body.length >= 1 && body.length <= 5 && end === 'open' && good.body.length > 1000
  },
  truncated: async (good) => {
    const { headers, body } = await ask('trip-updates')
    return Number(headers['content-length']) === body.length && body.length < good.body.length && breaks(body)
  },
  short_body: async () => {
    const { headers, body, end } = await ask('trip-updates')
    return end === 'closed' && body.length < Number(headers['content-length'])
  },
  long_body: async (good) => {
    const { headers, body } = await ask('trip-updates')
    return body.equals(good.body) && body.length > Number(headers['content-length'])
  },
  empty_body: async () => {
    const { status, body } = await ask('trip-updates')
    return status === 200 && body.length === 0
  },
  garbage: async (good) => {
    const { status, body } = await ask('trip-updates')
    return status === 200 && body.length === good.body.length && breaks(body)
  },
  html: async () => {
    const { status, headers, body } = await ask('trip-updates')
    return status === 200 && headers['content-type'].startsWith('text/html') && body.toString().startsWith('<!doctype')
  },
  gzip_bomb: async () => {
    const { headers, body, end } = await ask('trip-updates')
    // Unpacking the whole body takes a second, so quick runs only check that its unpacked size exceeds the limit given
    // here.
    const isBomb = bySize({ quick: false, ci: true, full: true })
      ? (await unpackedSize(body)) === 536_870_912
      : breaks(() => gunzipSync(body, { maxOutputLength: 20_000_000 }))
    return headers['content-encoding'] === 'gzip' && end === 'closed' && body.length < 1_000_000 && isBomb
  },
  huge_body: async () => {
    const { headers, body } = await ask('trip-updates', { stopAfterBytes: 30_000_000 })
    return headers['content-length'] === undefined && body.length > 29_000_000
  },
  deep_nesting: async () => {
    const { status, body } = await ask('trip-updates')
    // After the header, field 1000 starts 200 000 nested groups, in two bytes each; the ends of the groups follow.
    return status === 200 && body.length > 800_000 && body.subarray(7, 9).equals(body.subarray(399_999, 400_001))
  },
  unasked_304: async () => (await ask('trip-updates')).status === 304,
  redirect_loop: async () => {
    const { status, headers } = await ask('trip-updates')
    return status === 302 && headers['location'] === '/trip-updates.pb'
  },
  redirect_to_link_local: async () => (await ask('trip-updates')).headers['location'].startsWith('http://169.254.'),
  redirect_to_file: async () => (await ask('trip-updates')).headers['location'].startsWith('file:'),
  redirect_to_dead_https: async () => (await ask('trip-updates')).headers['location'].startsWith('https:'),
  header_back: async () => {
    const { body } = await ask('trip-updates')
    return headerTime(body) < PUBLISHED - 600 && decode(body).entity.length > 0
  },
  header_frozen: async (good) => {
    nowSeconds += 400
    const { status, body, headers } = await ask('trip-updates')
    const again = await ask('trip-updates', { headers: `if-none-match: ${headers['etag']}\r\n` })
    return status === 200 && body.equals(good.body) && again.status === 304
  },
  header_future: async () => headerTime((await ask('trip-updates')).body) > nowSeconds + 60,
  header_missing: async () => {
    const { header } = decode((await ask('trip-updates')).body)
    return !Object.hasOwn(header, 'timestamp')
  },
  duplicate_ids: async () => {
    const ids = decode((await ask('trip-updates')).body).entity.map((entity) => entity.id)
    return new Set(ids).size < ids.length
  },
  unknown_ids: async (good) => {
    const known = decode(good.body).entity
    const trips = new Set(known.map(({ tripUpdate }) => tripUpdate?.trip.tripId))
    const { entity } = decode((await ask('trip-updates')).body)
    return entity.length === known.length && entity.every(({ tripUpdate }) => !trips.has(tripUpdate?.trip.tripId))
  },
}

/** The unpacked size of a body. It is unpacked in pieces, so it is never in memory as a whole. */
async function unpackedSize(body: Buffer): Promise<number> {
  let size = 0
  for await (const piece of Readable.from([body]).pipe(createGunzip())) size += piece.length
  return size
}

function breaks(body: Uint8Array | (() => unknown)): boolean {
  try {
    if (body instanceof Uint8Array) decode(body)
    else body()
    return false
  } catch {
    return true
  }
}

for (const fault of FAULTS) {
  test(`the fault ${fault} has its effect, and ends`, async () => {
    const good = await ask('trip-updates')
    simulator.setFault(fault)
    expect(await SYMPTOMS[fault](good)).toBe(true)
    nowSeconds = START_SECONDS
    simulator.setFault(undefined)
    expect((await ask('trip-updates')).body.equals(good.body)).toBe(true)
  })
}

test('once stopped, it refuses connections and keeps none open', async () => {
  const other = startFaultySimulator({ ...order, fault: 'no_answer' })
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = connect(Number(new URL(other.url('alerts')).port), '127.0.0.1')
  socket.on('close', () => resolve())
  socket.on('error', () => resolve())
  socket.on('connect', () => {
    socket.write('GET /alerts.pb HTTP/1.1\r\n\r\n', () => other.stop())
  })
  await promise
  await expect(fetch(other.url('alerts'))).rejects.toThrow()
})

test('the demo’s simulator refuses connections once stopped', async () => {
  const other = startSimulator(order)
  expect((await fetch(other.url('alerts'))).status).toBe(200)
  other.stop()
  await expect(fetch(other.url('alerts'))).rejects.toThrow()
})
