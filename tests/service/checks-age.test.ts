// Tests messages that grow old or arrive late, on a service whose clock runs. Fails if old predictions are shown as
// live, if `/v1/status` does not report that a feed is too old, or if a vehicle jumps back to an older position.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { delayedTrip } from '../feeds/realtime-feed.ts'
import { CheckedService, type CheckedTimetable, type Entity, NOW_SECONDS, TODAY } from './checked-service.ts'
import { until } from './running.ts'

const PORT = 18_754
/** Predictions are dropped at this age. */
const MAX_AGE_SECONDS = 300

const TIMETABLE: CheckedTimetable = {
  trips: [
    { id: 'x', calls: ['A 07:50', 'B 07:55', 'C 08:20', 'D 08:30'] },
    { id: 'y', line: 'x', calls: ['A 07:52', 'B 07:57', 'C 08:22', 'D 08:32'] },
  ],
}
const LATE: readonly Entity[] = [delayedTrip('x', TODAY, { C: 240 })]
const NETWORKS = { fresh: ['live'], slow: ['live'], halted: ['live'], half: ['live', 'halted'], fading: ['live'] }

const checked = new CheckedService({
  ...Object.fromEntries(Object.entries(NETWORKS).map(([id, feeds]) => [id, { timetable: TIMETABLE, feeds }])),
  v: { timetable: TIMETABLE, feeds: ['cars', 'others'] },
})

beforeAll(async () => {
  checked.publish('fresh/live', LATE)
  checked.publish('slow/live', LATE, NOW_SECONDS - 120)
  checked.publish('halted/live', LATE, NOW_SECONDS - 600)
  checked.publish('half/live', LATE)
  checked.publish('half/halted', LATE, NOW_SECONDS - 600)
  await checked.start(PORT, '2026-06-10T06:00:00Z')
}, 60_000)
afterAll(() => checked.stop())

interface BoardMeta {
  readonly generated_at: string
  readonly freshness: string
  readonly sources: readonly { readonly id: string; readonly age_seconds: number; readonly freshness: string }[]
}

/** The board of a network's stop C, with its metadata. The sources do not include the timetable. */
async function boardOf(network: string) {
  const { body } = await checked.get(`/v1/stops/${network}:stop:C/departures`)
  const { freshness, sources, generated_at }: BoardMeta = body.meta
  return {
    rows: await checked.board(`${network}:stop:C`),
    freshness,
    sources: sources.filter(({ id }) => id !== 'gtfs'),
    nowSeconds: Date.parse(generated_at) / 1000,
  }
}

const BY_FEED = ['y 08:22 - unknown', 'x 08:20 08:24 delayed']
const BY_TIMETABLE = ['x 08:20 - unknown', 'y 08:22 - unknown']

test('check 19: feed stops updating for 10 min: falls back to scheduled', async () => {
  for (const network of ['fresh', 'slow', 'half']) {
    await checked.untilLive(`${network}:stop:C`)
    expect((await boardOf(network)).rows).toEqual(BY_FEED)
    expect((await boardOf(network)).freshness).toBe('realtime')
  }
  // The upstream of this feed only ever serves a message that was ten minutes old at the start.
  await until(async () => (await boardOf('halted')).sources.length === 1, 'its message has arrived')
  const { rows, freshness, sources } = await boardOf('halted')
  expect({ rows, freshness }).toEqual({ rows: BY_TIMETABLE, freshness: 'scheduled' })
  expect(sources).toMatchObject([{ id: 'live', freshness: 'stale' }])
  expect(sources[0]?.age_seconds).toBeGreaterThanOrEqual(600)
})

test('check 19: feed stops updating: live data becomes too old on its own, without a message or restart', async () => {
  const { nowSeconds } = await boardOf('fading')
  const header = nowSeconds - MAX_AGE_SECONDS + 3
  checked.publish('fading/live', LATE, header)
  await checked.untilLive('fading:stop:C')
  expect((await boardOf('fading')).rows).toEqual(BY_FEED)
  await until(async () => (await boardOf('fading')).freshness === 'scheduled', 'it is scheduled again')
  const { rows, sources, nowSeconds: then } = await boardOf('fading')
  expect(rows).toEqual(BY_TIMETABLE)
  expect(sources).toMatchObject([{ id: 'live', freshness: 'stale' }])
  expect(then - header).toBeGreaterThanOrEqual(MAX_AGE_SECONDS)
})

test('check 19: feed stops updating: status degraded/down', async () => {
  const { body } = await checked.get('/v1/status')
  const entries: readonly { readonly network: string; readonly realtime: string }[] = body.data
  const health = Object.fromEntries(entries.map(({ network, realtime }) => [network, realtime]))
  expect(health).toMatchObject({ fresh: 'ok', slow: 'degraded', half: 'degraded', halted: 'down', fading: 'down' })
})

/** Vehicles at the given latitudes. `seconds` is the time of the vehicle's report, relative to the service's start. */
function cars(reports: Readonly<Record<string, { readonly lat: number; readonly seconds: number }>>): Entity[] {
  return Object.entries(reports).map(([id, { lat, seconds }]) => ({
    id,
    vehicle: {
      vehicle: { id },
      trip: { tripId: id, startDate: TODAY },
      position: { latitude: lat, longitude: 7.75 },
      timestamp: NOW_SECONDS + seconds,
    },
  }))
}

/** The latitude of each vehicle, according to the API. */
async function places(): Promise<Readonly<Record<string, number>>> {
  const { status, body } = await checked.get('/v1/lines/v:line:x/vehicles')
  if (status === 404) return {}
  const vehicles: readonly { readonly id: string; readonly lat: number }[] = body.data
  return Object.fromEntries(vehicles.map(({ id, lat }) => [id.split(':').at(-1), Number(lat.toFixed(4))]))
}

async function untilAt(id: string, lat: number): Promise<Readonly<Record<string, number>>> {
  await until(async () => (await places())[id] === lat, `${id} is at ${lat}`)
  return await places()
}

test('check 20: older vehicle message after a newer one: rejected', async () => {
  checked.publish(
    'v/cars',
    cars({ x: { lat: 48.504, seconds: -10 }, y: { lat: 48.501, seconds: -10 } }),
    NOW_SECONDS - 5,
  )
  expect(await untilAt('y', 48.501)).toEqual({ x: 48.504, y: 48.501 })

  // A newer message in which the report about x is old, and the report about y is new.
  checked.publish('v/cars', cars({ x: { lat: 48.503, seconds: -40 }, y: { lat: 48.502, seconds: 0 } }), NOW_SECONDS)
  expect(await untilAt('y', 48.502)).toEqual({ x: 48.504, y: 48.502 })

  // The next message has an older header, so it is ignored although its reports are new. Then the other feed publishes
  // a message with a newer header: its new report about y counts, but its old report about x does not.
  checked.publish('v/cars', cars({ x: { lat: 48.503, seconds: 2 }, y: { lat: 48.501, seconds: 2 } }), NOW_SECONDS - 3)
  await checked.untilFetched('v/cars')
  checked.publish(
    'v/others',
    cars({ x: { lat: 48.503, seconds: -30 }, y: { lat: 48.5025, seconds: 1 } }),
    NOW_SECONDS + 1,
  )
  expect(await untilAt('y', 48.5025)).toEqual({ x: 48.504, y: 48.5025 })

  checked.publish('v/cars', cars({ x: { lat: 48.505, seconds: 3 }, y: { lat: 48.503, seconds: 3 } }), NOW_SECONDS + 2)
  expect(await untilAt('y', 48.503)).toEqual({ x: 48.505, y: 48.503 })
}, 30_000)
