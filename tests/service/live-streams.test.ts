// Tests streams from a network with live feeds. Fails if an event lags behind the feed, or if its departures or
// vehicles differ from those in the response of the polled route.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { delayedTrip, realtimeFeed } from '../feeds/realtime-feed.ts'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import { SIZE } from '../size.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'
import { StreamClient } from './stream-client.ts'

const PORT = 18_724
const NOW_SECONDS = Date.parse('2026-06-10T06:00:00Z') / 1000

/**
 * Content of the feed: the delay of trip a2 in seconds, the latitude of the vehicle on trip a1, and the time of the
 * message.
 */
const state = { delay: 120, lat: 48.585, seconds: NOW_SECONDS }
let upstream: ReturnType<typeof Bun.serve>
let service: ServiceFolder
let serving: Serving
let key = ''

function message(): Uint8Array<ArrayBuffer> {
  const trip = { tripId: 'a1', startDate: '20260610' }
  const position = { latitude: state.lat, longitude: 7.735 }
  return realtimeFeed(state.seconds, [
    delayedTrip('a2', '20260610', { G: state.delay }),
    { id: 'v', vehicle: { trip, vehicle: { id: 'tram-7' }, position, timestamp: state.seconds } },
  ])
}

const open = (path: string) => new StreamClient(`${serving.base}${path}`, key)
const polled = async (path: string) =>
  JSON.parse(await (await fetch(serving.base + path, { headers: { authorization: `Bearer ${key}` } })).text())

beforeAll(async () => {
  upstream = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(message()) })
  service = new ServiceFolder(
    commandOf('source'),
    `data_dir = "data"
[[networks]]
id = "ville"
gtfs = "ville"
[[networks.feeds]]
id = "all"
url = "http://127.0.0.1:${upstream.port}/all.pb"
interval_seconds = 1
`,
  )
  mkdirSync(join(service.folder, 'ville'))
  for (const [name, text] of Object.entries(SMALL_FEED))
    writeFileSync(join(service.folder, 'ville', name), dedent(text))
  key = await service.makeKey('tests')
  serving = await service.serve({ workers: 1, port: PORT })
  const vehicles = '/v1/lines/ville:line:A/vehicles'
  await until(async () => (await polled(vehicles)).data?.length === 1, 'the vehicle shows')
}, 60_000)
afterAll(async () => {
  await end(serving)
  await upstream.stop(true)
  rmSync(service.folder, { recursive: true })
})

test('the first frames equal the responses of the polled routes', async () => {
  for (const [path, event] of [
    ['/v1/lines/ville:line:A/vehicles', 'vehicles'],
    ['/v1/stops/ville:stop:G/departures', 'departures'],
  ] as const) {
    const client = open(`${path}/stream`)
    const [first] = await client.waitFor(event)
    const { data, meta } = JSON.parse(first?.data ?? '')
    const answer = await polled(path)
    expect(data).toEqual(answer.data)
    expect({ ...meta, sources: [] }).toEqual({ ...answer.meta, sources: [] })
    expect(meta.freshness).toBe('realtime')
    await client.leave()
  }
  const network = await polled('/v1/networks/ville')
  expect(network.data.capabilities).toMatchObject({ streams: true, vehicles: 'gps' })
})

test('a vehicle has the same id on boards, in lists, nearby and in streams', async () => {
  const frame = async (path: string, event: 'departures' | 'vehicles') => {
    const client = open(path)
    const [first] = await client.waitFor(event)
    await client.leave()
    return JSON.parse(first?.data ?? '').data
  }
  const [vehicle] = (await polled('/v1/lines/ville:line:A/vehicles')).data
  const { data: line } = await polled('/v1/lines/ville:line:A')
  const [stop] = line.directions.flatMap(({ stops }: { stops: string[] }) => stops)
  const board = `/v1/stops/${vehicle.next_stop_id ?? vehicle.current_stop_id ?? stop}/departures`
  const idsOn = (rows: readonly { trip_id: string; vehicle_id: string | null }[]) =>
    rows.filter(({ trip_id }) => trip_id === vehicle.trip_id).map(({ vehicle_id }) => vehicle_id)
  const near = (await polled(`/v1/vehicles/nearby?near=${vehicle.lat},${vehicle.lon}`)).data
  expect({
    list: vehicle.id,
    nearby: near.map(({ id }: { id: string }) => id),
    stream: (await frame('/v1/lines/ville:line:A/vehicles/stream', 'vehicles')).map(({ id }: { id: string }) => id),
    board: idsOn((await polled(board)).data),
    boards: idsOn(await frame(`${board}/stream`, 'departures')),
  }).toEqual({
    list: 'ville:vehicle:tram-7',
    nearby: ['ville:vehicle:tram-7'],
    stream: ['ville:vehicle:tram-7'],
    board: ['ville:vehicle:tram-7'],
    boards: ['ville:vehicle:tram-7'],
  })
})

test('a vehicle near a place has its distance', async () => {
  const [vehicle] = (await polled('/v1/lines/ville:line:A/vehicles')).data
  const { data, meta } = await polled(`/v1/vehicles/nearby?near=${vehicle.lat + 0.002},${vehicle.lon}&networks=ville`)
  expect(meta.network).toBe('ville')
  expect(data).toMatchObject([{ id: vehicle.id, distance_meters: 222, off_route_meters: vehicle.off_route_meters }])
})

test('later frames have the current state of the feed', async () => {
  if (SIZE === 'quick') return console.log('left out: waiting for intervals (QUAI_SIZE=ci)')
  const vehicles = await open('/v1/lines/ville:line:A/vehicles/stream?interval=5').opened()
  const board = await open('/v1/stops/ville:stop:G/departures/stream?interval=5').opened()
  Object.assign(state, { delay: 300, lat: 48.584, seconds: NOW_SECONDS + 1 })
  const [, moved] = await vehicles.waitFor('vehicles', 2)
  expect(JSON.parse(moved?.data ?? '').data).toMatchObject([{ id: 'ville:vehicle:tram-7', lat: 48.584 }])
  const [, later] = await board.waitFor('departures', 2)
  expect(JSON.parse(later?.data ?? '').data).toContainEqual(
    expect.objectContaining({ delay_seconds: 300, status: 'delayed' }),
  )
  await vehicles.leave()
  await board.leave()
}, 30_000)
