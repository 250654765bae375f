// Tests GET /v1/trips/{trip_id}: the calls of a trip, compared with the text of the feed, on generated feeds and on
// real ones; the effect of live data; ids that name no trip; and the stream of a trip, which ends when the trip is
// over. journey-calls.test.ts checks that the calls of a trip equal those in journeys and on boards.
import { expect, test } from 'bun:test'
import { basename } from 'node:path'
import fc from 'fast-check'
import type GtfsRealtime from 'gtfs-realtime-bindings'
import { Problem } from '../../../src/http/problem.ts'
import { openFeedSource } from '../../../src/sources/feed-source.ts'
import { LastFrame } from '../../../src/streams/frames.ts'
import { FreeReconnects, noReconnects } from '../../../src/streams/free-reconnects.ts'
import { StreamHub } from '../../../src/streams/stream-hub.ts'
import { allocateStreamSlots, StreamSlots } from '../../../src/streams/stream-slots.ts'
import { EventReader } from '../../event-stream.ts'
import { canceledTrip, delayedTrip } from '../../feeds/realtime-feed.ts'
import { smallFeed, textFeed } from '../../feeds/text-feed.ts'
import { randomFeed } from '../../indexes/random-feed.ts'
import { type JourneyFeed, readJourneyFeed } from '../../oracles/journey-feed.ts'
import { callsOfName, namesOf } from '../../oracles/text-trip.ts'
import { listRealFeeds } from '../../real-feeds.ts'
import { bySize, REAL_FEEDS, SEED } from '../../size.ts'
import { KEY, openApi } from './api-under-test.ts'
import { publishedTrips } from './published-trips.ts'

const RUNS = { seed: SEED, numRuns: bySize({ quick: 40, ci: 60, full: 2_000 }) }
const REAL_FEED_COUNT = bySize({ quick: 0, ci: 1, full: Number.POSITIVE_INFINITY })
const TRIPS_PER_FEED = bySize({ quick: 0, ci: 100, full: 1_000 })
const DATE = '20260610'
/** Values of the enum schedule_relationship: SKIPPED is from StopTimeUpdate, the others are from TripDescriptor. */
const [SCHEDULED, ADDED, REPLACEMENT, DELETED, SKIPPED] = [0, 1, 5, 7, 1]
const at = (clock: string) => Date.parse(`2026-06-10T${clock}+02:00`) / 1000

type Api = Awaited<ReturnType<typeof openApi>>

/** Opens the API on the small feed, with live data about its trips. */
async function liveApi(...entities: Parameters<typeof publishedTrips>[1]): Promise<Api> {
  const api = await openApi()
  const [network] = api.networks.list
  if (network !== undefined) network.live = publishedTrips(network, entities, api.service.nowMillis)
  return api
}

const getTrip = (api: Api, name: string, query = '') =>
  api.get(`/v1/trips/ville:trip:${encodeURIComponent(name)}${query}`)

/** A call's stop and its scheduled times in seconds, to compare them with the oracle's. */
// biome-ignore lint/suspicious/noExplicitAny: tests read members of any shape from a call.
const callOf = ({ stop_id, arrival, departure }: any) => ({
  stopId: stop_id.slice('ville:stop:'.length),
  arrival: arrival === null ? null : Date.parse(arrival.scheduled_at) / 1000,
  departure: departure === null ? null : Date.parse(departure.scheduled_at) / 1000,
})

async function compareTrip(api: Api, text: JourneyFeed, name: string): Promise<void> {
  const { status, body } = await getTrip(api, name)
  const expected = callsOfName(text, name)
  expect({ name, status, calls: body.data?.calls.map(callOf) }).toEqual({
    name,
    status: expected === undefined ? 404 : 200,
    calls: expected,
  })
  if (expected !== undefined) expect(body.data.id).toBe(`ville:trip:${name}`)
}

test('a trip has its feed’s calls on its days, and is not found on others', async () => {
  await fc.assert(
    fc.asyncProperty(randomFeed, async ({ files }) => {
      const text = await readJourneyFeed(files)
      const api = await openApi({ networks: [{ id: 'ville', feed: textFeed(files) }] })
      for (const trip of text.trips) {
        for (const date of text.dates.slice(0, 6)) {
          for (const name of [
            ...namesOf(trip, date).slice(0, 3),
            `${date}:${trip.id}`,
            `${date}:${trip.id}@00:00:01`,
          ]) {
            await compareTrip(api, text, name)
          }
        }
      }
    }),
    RUNS,
  )
}, 120_000)

const realFeeds = REAL_FEEDS === undefined ? [] : listRealFeeds(REAL_FEEDS).slice(0, REAL_FEED_COUNT)
if (realFeeds.length === 0) console.log('left out: trips in real feeds (QUAI_FEEDS is not set)')
test.each(realFeeds)(
  'trips in %p',
  async (path) => {
    const text = await readJourneyFeed(path)
    const api = await openApi({ networks: [{ id: 'ville', feed: await openFeedSource(path) }] })
    const step = Math.max(1, Math.floor(text.trips.length / TRIPS_PER_FEED))
    for (let number = SEED % step; number < text.trips.length; number += step) {
      const trip = text.trips[number]
      const date = text.dates[number % text.dates.length] ?? ''
      if (trip !== undefined) for (const name of namesOf(trip, date).slice(0, 2)) await compareTrip(api, text, name)
    }
    console.log(`${basename(path)}: ${text.trips.length} trips`)
  },
  600_000,
)

test('without live data it is scheduled; with it, each call has its time and the next one its delay', async () => {
  const scheduled = await getTrip(await openApi(), `${DATE}:a2`)
  expect(scheduled.body.data).toMatchObject({
    network: 'ville',
    line: { id: 'ville:line:A', code: 'A', text_color: '#FFFFFF' },
    headsign: 'Port',
    service_date: '2026-06-10',
    status: 'scheduled',
    realtime: false,
    delay_seconds: null,
    source: 'gtfs',
    vehicle: null,
  })
  expect(scheduled.body.meta).toMatchObject({ network: 'ville', freshness: 'scheduled', units: 1 })
  expect(Object.keys(scheduled.body.meta)).not.toContain('count')
  const api = await liveApi(delayedTrip('a2', DATE, { G: 120, CA: 300 }))
  const late = (await getTrip(api, `${DATE}:a2`)).body
  expect(late.data).toMatchObject({ status: 'scheduled', realtime: true, delay_seconds: 120, source: 'trips' })
  expect([late.meta.freshness, late.meta.sources.map(({ id }: { id: string }) => id)]).toEqual([
    'realtime',
    ['gtfs', 'trips'],
  ])
  api.service.nowMillis = at('08:13:00') * 1000 // the vehicle left the first stop at 08:12
  expect((await getTrip(api, `${DATE}:a2`)).body.data.delay_seconds).toBe(300)
  api.service.nowMillis = at('09:00:00') * 1000 // the trip has ended
  expect((await getTrip(api, `${DATE}:a2`)).body.data.delay_seconds).toBe(300)
})

test('canceled, with a skipped stop, added, on another path, deleted', async () => {
  const update = (
    tripId: string,
    relationship: number,
    calls: GtfsRealtime.transit_realtime.TripUpdate.IStopTimeUpdate[],
    routeId?: string,
  ) => ({
    id: tripId,
    tripUpdate: {
      trip: {
        tripId,
        startDate: DATE,
        scheduleRelationship: relationship,
        ...(routeId === undefined ? {} : { routeId }),
      },
      stopTimeUpdate: calls,
    },
  })
  const time = (stopId: string, clock: string) => ({ stopId, departure: { time: at(clock) } })
  const api = await liveApi(
    canceledTrip('a1', DATE),
    update('a2', SCHEDULED, [
      { stopId: 'G', departure: { delay: 60 } },
      { stopId: 'CA', scheduleRelationship: SKIPPED },
    ]),
    update('extra', ADDED, [time('G', '08:30:00'), time('P', '08:40:00')], 'A'),
    update('r1', REPLACEMENT, [time('P', '08:00:00'), time('T', '08:10:00'), time('G', '08:20:00')]),
    update('b1', DELETED, []),
  )
  const read = async (name: string) => (await getTrip(api, `${DATE}:${name}`)).body.data
  const [canceled, skipping, added, replaced] = [
    await read('a1'),
    await read('a2'),
    await read('extra'),
    await read('r1'),
  ]
  const words = (trip: { status: string; calls: { stop_id: string; status: string }[] }) => [
    trip.status,
    ...trip.calls.map(({ stop_id, status }) => `${stop_id.slice('ville:stop:'.length)} ${status}`),
  ]
  expect([canceled, skipping, added, replaced].map(words)).toEqual([
    ['canceled', 'G canceled', 'CA canceled', 'P canceled'],
    ['scheduled', 'G delayed', 'CA skipped', 'P delayed'],
    ['added', 'G added', 'P added'],
    ['replaced', 'P on_time', 'T added', 'CB skipped', 'G delayed'].map((word) => word.replace('T added', 'T on_time')),
  ])
  expect(canceled).toMatchObject({ realtime: true, delay_seconds: null })
  expect(added.line.id).toBe('ville:line:A')
  expect((await getTrip(api, `${DATE}:b1`)).status).toBe(404)
})

test('a trip that skips all its stops is canceled, and its stream continues until its scheduled end', async () => {
  const stopTimeUpdate = ['G', 'CA', 'P'].map((stopId) => ({ stopId, scheduleRelationship: SKIPPED }))
  const trip = { tripId: 'a1', startDate: DATE, scheduleRelationship: SCHEDULED }
  const api = await liveApi({ id: 'a1', tripUpdate: { trip, stopTimeUpdate } })
  const { data } = (await getTrip(api, `${DATE}:a1`, '?include=geometry,alerts')).body
  expect(data).toMatchObject({ status: 'canceled', delay_seconds: null, geometry_source: 'stops', alert_ids: [] })
  expect([await firstEvents(api, '08:21:59'), await firstEvents(api, '08:22:00')]).toEqual([['trip'], ['trip', 'end']])
})

test('other ids are not found', async () => {
  const api = await openApi({
    networks: [
      {
        id: 'ville',
        feed: smallFeed({
          'frequencies.txt': `trip_id,start_time,end_time,headway_secs,exact_times\nb1,08:00:00,09:00:00,600,1`,
        }),
      },
    ],
  })
  expect((await getTrip(api, `${DATE}:b1@08:10:00`)).status).toBe(200)
  const ids = [
    `ville:trip:${DATE}:b1`, // a frequency trip without a start time
    `ville:trip:${DATE}:b1@08:05:00`,
    `ville:trip:${DATE}:nothing`,
    'ville:trip:20270610:a1', // outside the calendar
    'ville:trip:a1',
    `ville:stop:${DATE}:a1`,
    `other:trip:${DATE}:a1`,
    'ville:trip:',
    'a1',
  ]
  for (const id of ids) {
    const { status, body } = await api.get(`/v1/trips/${encodeURIComponent(id)}`)
    expect({ id, status, reason: body.reason }).toEqual({ id, status: 404, reason: 'not_found' })
  }
})

test('its geometry goes from its first to its last stop', async () => {
  const { body } = await getTrip(await openApi(), `${DATE}:a1`, '?include=geometry,alerts')
  expect(body.data).toMatchObject({
    geometry: {
      type: 'LineString',
      coordinates: [
        [7.735, 48.585],
        [7.7501, 48.5801],
        [7.77, 48.575],
      ],
    },
    geometry_source: 'stops',
    alert_ids: [],
  })
})

test('its stream sends it, and ends ten minutes after its last call', async () => {
  const api = await openApi()
  const path = `/v1/trips/ville:trip:${DATE}:a1/stream`
  expect(await firstEvents(api, '08:21:59')).toEqual(['trip'])
  expect((await api.get(path)).body.data.id).toBe(`ville:trip:${DATE}:a1`)
  const before = api.gate.units
  api.service.nowMillis = at('08:22:00') * 1000
  const ended = await api.app.handle(new Request(`http://localhost${path}`, { headers: { authorization: KEY } }))
  const received = new EventReader()
  received.add(await ended.bytes()) // the body is complete because the stream has ended
  expect(received.events.map(({ event }) => event)).toEqual(['trip', 'end'])
  expect([received.events[1]?.data, api.gate.units]).toEqual(['{"reason":"trip_ended"}', before + 1])
})

/** The events that a stream of trip a1 sends immediately if the stream is opened at this time of day. */
async function firstEvents(api: Api, clock: string): Promise<string[]> {
  api.service.nowMillis = at(clock) * 1000
  const request = new Request(`http://localhost/v1/trips/ville:trip:${DATE}:a1/stream`, {
    headers: { authorization: KEY },
  })
  const reader = (await api.app.handle(request)).body?.getReader()
  const received = new EventReader()
  received.add((await reader?.read())?.value ?? new Uint8Array())
  await reader?.cancel()
  return received.events.map(({ event }) => event)
}

test('an open stream ends with a last event, and is forgotten', async () => {
  const api = await openApi()
  let steadyMillis = 0
  const hub = new StreamHub({
    gate: api.gate,
    clock: { nowMillis: () => 0 },
    slots: new StreamSlots(allocateStreamSlots()),
    reconnects: new FreeReconnects(noReconnects()),
    steady: () => steadyMillis,
  })
  let body: Uint8Array | LastFrame = new TextEncoder().encode('{"at":1}')
  const opened = hub.open({
    topic: 'a trip',
    event: 'trip',
    render: () => body,
    intervalSeconds: 5,
    caller: { keyId: 'k1', accountId: 'a1', plan: 'free' },
    cost: 1,
    charge: () => undefined,
    connection: undefined,
  })
  if (opened instanceof Problem) throw new Error(opened.reason)
  body = new LastFrame(new TextEncoder().encode('{"at":2}'), 'trip_ended')
  steadyMillis = 5_000
  hub.advance()
  const received = new EventReader()
  received.add(await new Response(opened).bytes())
  expect(received.events.map(({ event, data }) => `${event} ${data}`)).toEqual([
    'trip {"at":1}',
    'trip {"at":2}',
    'end {"reason":"trip_ended"}',
  ])
  expect([hub.openCount, hub.topicCount]).toEqual([0, 0])
})
