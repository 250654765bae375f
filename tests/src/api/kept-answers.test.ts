// Tests that cached responses equal, byte for byte, those of an API that caches nothing, whatever the clock, the query
// and the earlier queries. Fails if a row stays after its departure, if a row is missing, if an age or time belongs to
// an earlier second, or if a response comes from a replaced snapshot.
import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { BoardRows } from '../../../indexes/live/board-rows.ts'
import { fillLastingBoard, listBoard } from '../../../indexes/live/live-boards.ts'
import type { BoardQuery } from '../../../indexes/timetable/boards.ts'
import type { StopIndex } from '../../../indexes/timetable/timetable.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { KEY, openApi, openNetwork } from './api-under-test.ts'

/** The small feed, in which bus 7 also runs every 7 and every 14 minutes at overlapping times, and past midnight. */
const feed = () =>
  smallFeed({
    'frequencies.txt': `
      trip_id,start_time,end_time,headway_secs,exact_times
      b1,07:00:00,10:00:00,420,1
      b1,07:00:00,11:00:00,840,1
      b2,23:30:00,25:00:00,61,0`,
  })
const networks = () => [
  { id: 'ville', feed: feed() },
  { id: 'other', feed: smallFeed() },
]

const PLACES = ['stop:CA', 'stop:CB', 'stop:G', 'stop:P', 'stop:T', 'stop:none', 'area:S']
const LINES = [undefined, 'ville:line:A', 'ville:line:7', 'other:line:A', 'ville:line:none']
/**
 * Times at which series of queries start: around a departure, around midnight, in nights with clock changes, and at
 * both ends of the year.
 */
const MOMENTS = [
  '2026-06-10T05:58:00Z',
  '2026-06-10T06:05:25Z',
  '2026-06-10T21:50:00Z',
  '2026-03-29T00:55:00Z',
  '2026-10-25T00:20:00Z',
  '2025-12-31T22:30:00Z',
  '2026-12-31T23:00:00Z',
].map((text) => Date.parse(text))

const boards = fc
  .record({
    place: fc.constantFrom(...PLACES),
    limit: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
    horizon: fc.option(fc.integer({ min: 1, max: 240 }), { nil: undefined }),
    direction: fc.constantFrom(undefined, '0', '1'),
    line: fc.constantFrom(...LINES),
    when: fc.constantFrom(undefined, 'now'),
  })
  .map(({ place, ...query }) => {
    const pairs = Object.entries(query).filter(([, value]) => value !== undefined)
    return `/v1/stops/ville:${place}/departures?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`
  })
const details = fc.constantFrom(
  ...PLACES.map((place) => `/v1/stops/ville:${place}`),
  '/v1/lines/ville:line:A',
  '/v1/lines/ville%3Aline%3AA',
  '/v1/lines/ville:line:A?include=geometry',
  '/v1/lines/ville:line:7/stops',
)
/**
 * Milliseconds between two queries: mostly at most 2.5 s, often some minutes, sometimes hours, and sometimes negative.
 */
const steps = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 2500 }) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 400_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: -60_000, max: 8 * 3_600_000 }) },
)

test('a cached response equals a new one', async () => {
  const keeping = await openApi({ networks: networks() })
  const forgetting = await openApi({ networks: networks(), textCacheBytes: 0 })
  const run = fc.record({
    startMillis: fc.constantFrom(...MOMENTS),
    addresses: fc.array(fc.oneof({ weight: 5, arbitrary: boards }, { weight: 1, arbitrary: details }), {
      minLength: 1,
      maxLength: 3,
    }),
    steps: fc.array(steps, { minLength: 5, maxLength: 40 }),
  })
  await fc.assert(
    fc.asyncProperty(run, async ({ startMillis, addresses, steps }) => {
      let nowMillis = startMillis
      for (const stepMillis of steps) {
        nowMillis += stepMillis
        keeping.service.nowMillis = nowMillis
        forgetting.service.nowMillis = nowMillis
        for (const address of addresses) {
          const kept = await keeping.get(address, { 'x-request-id': 'same' })
          const made = await forgetting.get(address, { 'x-request-id': 'same' })
          expect([address, nowMillis, kept.status, kept.text]).toEqual([address, nowMillis, made.status, made.text])
          expect([...kept.headers]).toEqual([...made.headers])
        }
      }
    }),
    { numRuns: 150, seed: 7 },
  )
}, 60_000)

test('a cached board is right at every second until it ends', async () => {
  const { current } = await openNetwork({ id: 'ville', feed: feed() })
  if (current === undefined) throw new Error('there is no snapshot')
  const { timetable } = current
  const stopCount = timetable.stops.id.length
  const question = fc.record({
    stop: fc.integer({ min: 0, max: stopCount - 1 }),
    startMillis: fc.constantFrom(...MOMENTS),
    offsetSeconds: fc.integer({ min: -1800, max: 5400 }),
    horizonSeconds: fc.constantFrom(60, 600, 900, 3600, 86_400),
    limit: fc.integer({ min: 1, max: 12 }),
  })
  let longest = 0
  fc.assert(
    fc.property(question, ({ stop, startMillis, offsetSeconds, horizonSeconds, limit }) => {
      const startSeconds = startMillis / 1000 + offsetSeconds
      const boardAt = (fromSeconds: number): BoardQuery => ({
        stops: [stop as StopIndex],
        fromSeconds,
        toSeconds: fromSeconds + horizonSeconds,
        limit,
      })
      const rows = new BoardRows()
      const untilSeconds = fillLastingBoard(timetable, undefined, { query: boardAt(startSeconds), rows })
      const departures = Array.from({ length: rows.length }, (_, at) => rows.rowAt(at))
      longest = Math.max(longest, untilSeconds - startSeconds)
      expect(untilSeconds).toBeGreaterThan(startSeconds)
      const lastSeconds = Math.min(untilSeconds, startSeconds + 1200) - 1
      for (let second = startSeconds; second <= lastSeconds; second += second < lastSeconds - 10 ? 7 : 1) {
        expect(listBoard(timetable, undefined, boardAt(second))).toEqual(departures)
      }
      expect(listBoard(timetable, undefined, boardAt(untilSeconds - 1))).toEqual(departures)
    }),
    { numRuns: 600, seed: 11 },
  )
  // Some boards must be valid for more than ten minutes; otherwise nothing would have been tested.
  expect(longest).toBeGreaterThan(600)
})

describe('a cached response', () => {
  test('ends with its snapshot', async () => {
    const api = await openApi()
    const addresses = ['/v1/stops/ville:stop:G/departures', '/v1/stops/ville:stop:G', '/v1/lines/ville:line:A']
    for (const address of addresses) expect((await api.get(address)).body.meta.attribution).toHaveLength(1)
    const replaced = await openNetwork({
      id: 'ville',
      feed: smallFeed({
        'attributions.txt': `
          organization_name,is_producer
          Cartographers,1`,
      }),
    })
    const [network] = api.networks.list
    if (network === undefined || replaced.current === undefined) throw new Error('there is no network with a snapshot')
    network.current = { ...replaced.current, id: 'snap-2' }
    for (const address of addresses) {
      const answer = await api.get(address)
      expect(answer.body.meta.attribution).toHaveLength(2)
      expect(answer.headers.get('etag') ?? 'W/"snap-2-').toStartWith('W/"snap-2-')
    }
    network.current = undefined
    for (const address of addresses) expect((await api.get(address)).status).toBe(503)
  })

  test('is checked and charged like any response', async () => {
    const api = await openApi()
    const address = '/v1/stops/ville:stop:G'
    const { headers } = await api.get(address)
    const tag = headers.get('etag') ?? ''
    expect((await api.get(address, { 'if-none-match': tag })).status).toBe(304)
    expect((await api.get(address, { 'if-none-match': '"other"' })).status).toBe(200)
    expect(api.gate.units).toBe(3)
    expect((await api.get(address, { accept: 'text/html' })).status).toBe(406)
    expect((await api.call('GET', address)).status).toBe(401)
    expect(api.gate.units).toBe(3)
    const granted = await api.get(address, { origin: 'http://console.test' })
    expect(granted.headers.get('access-control-allow-origin')).toBe('http://console.test')
    expect((await api.get(address)).headers.has('access-control-allow-origin')).toBe(false)
  })
})

describe('routes outside Elysia', async () => {
  const api = await openApi()
  api.app.listen({ port: 0, hostname: '127.0.0.1' })
  const origin = `http://127.0.0.1:${api.app.server?.port}`
  afterAll(() => api.app.stop())
  const headers = { authorization: KEY, 'x-request-id': 'same' }

  test('respond like those inside it', async () => {
    for (const address of [
      '/v1/stops/ville:stop:G/departures?limit=2',
      '/v1/stops/ville:stop:G',
      '/v1/lines/ville:line:A',
    ]) {
      const direct = await fetch(origin + address, { headers })
      const inside = await api.get(address, headers)
      expect([direct.status, await direct.text()]).toEqual([200, inside.text])
      for (const [name, value] of inside.headers) expect([name, direct.headers.get(name)]).toEqual([name, value])
      const head = await fetch(origin + address, { method: 'HEAD', headers })
      expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', inside.headers.get('etag')])
      const posted = await fetch(origin + address, { method: 'POST', headers })
      expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
      expect((await fetch(origin + address, { method: 'OPTIONS' })).status).toBe(204)
    }
  })

  test('report a bug like those inside it', async () => {
    api.gate.charge = () => {
      throw new Error('the disk is full')
    }
    const answer = await fetch(`${origin}/v1/stops/ville:stop:G`, { headers })
    expect(answer.status).toBe(500)
    expect(await answer.json()).toMatchObject({ reason: 'internal_error', request_id: 'same' })
    expect(api.logged.at(-1)?.fields).toMatchObject({ request_id: 'same', path: '/v1/stops/ville:stop:G' })
  })
})
