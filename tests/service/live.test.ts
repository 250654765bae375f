// Tests a running service and its network's live feeds, which it reads over HTTP from an upstream with typical faults.
// Fails if a delay is not shown, if old data is shown as live, or if a fault of the upstream affects a client.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { canceledTrip, delayedTrip, realtimeFeed } from '../feeds/realtime-feed.ts'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import { bySize } from '../size.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'

const PORT = 18_660
const NOW_SECONDS = Date.parse('2026-06-10T06:00:00Z') / 1000
const DATE = '20260610'

let upstream: ReturnType<typeof Bun.serve>
/** Creates the upstream's next response. */
let answer: () => Response
let requests = 0
let conditional = 0
let service: ServiceFolder
let serving: Serving
let key = ''

const board = async (stop: string) => {
  const response = await fetch(`${serving.base}/v1/stops/ville:stop:${stop}/departures?limit=3`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(response.status).toBe(200)
  return JSON.parse(await response.text())
}
const first = async (stop: string) => (await board(stop)).data[0]

beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      requests++
      if (request.headers.has('if-none-match')) conditional++
      return answer()
    },
  })
  answer = () =>
    new Response(realtimeFeed(NOW_SECONDS, [delayedTrip('a2', DATE, { G: 120 })]), { headers: { etag: '"1"' } })
  service = new ServiceFolder(
    commandOf('source'),
    `data_dir = "data"
[[networks]]
id = "ville"
gtfs = "ville"
[[networks.feeds]]
id = "trips"
url = "http://127.0.0.1:${upstream.port}/trips.pb?key=SECRET"
interval_seconds = 1
budget = { limit = 5000, window = "day" }
`,
  )
  mkdirSync(join(service.folder, 'ville'))
  for (const [name, text] of Object.entries(SMALL_FEED))
    writeFileSync(join(service.folder, 'ville', name), dedent(text))
  key = await service.makeKey('tests')
  serving = await service.serve({ workers: 2, port: PORT })
}, 60_000)
afterAll(async () => {
  await end(serving)
  await upstream.stop(true)
  rmSync(service.folder, { recursive: true })
})

test('a delay is on the board and carries over', async () => {
  await until(async () => (await board('G')).data[1]?.realtime === true, 'the delay shows')
  const { data, meta } = await board('G')
  expect(data[1]).toMatchObject({
    scheduled_at: '2026-06-10T08:10:00+02:00',
    expected_at: '2026-06-10T08:12:00+02:00',
    delay_seconds: 120,
    status: 'delayed',
    trip_id: 'ville:trip:20260610:a2',
    source: 'trips',
  })
  expect(data[0]).toMatchObject({ realtime: false, status: 'unknown', expected_at: null, source: 'gtfs' })
  expect(meta.freshness).toBe('realtime')
  expect(meta.sources).toMatchObject([{ id: 'gtfs' }, { id: 'trips', age_seconds: 0, freshness: 'realtime' }])
  expect((await board('CA')).data[1]).toMatchObject({ delay_seconds: 120, expected_at: '2026-06-10T08:17:30+02:00' })
})

test('the network lists its capabilities', async () => {
  const response = await fetch(`${serving.base}/v1/networks/ville`, { headers: { authorization: `Bearer ${key}` } })
  expect(JSON.parse(await response.text()).data.capabilities).toMatchObject({
    realtime_departures: true,
    alerts: true,
  })
})

test('a canceled trip stays on the board as canceled', async () => {
  answer = () => new Response(realtimeFeed(NOW_SECONDS + 1, [canceledTrip('a2', DATE)]), { headers: { etag: '"2"' } })
  await until(async () => (await board('G')).data[1]?.status === 'canceled', 'the trip is canceled')
  expect((await board('G')).data[1]).toMatchObject({ expected_at: null, delay_seconds: null, realtime: true })
})

test('an older message changes nothing; a later one without the trip withdraws its update', async () => {
  answer = () => new Response(realtimeFeed(NOW_SECONDS - 5, [delayedTrip('a2', DATE, { G: 300 })]))
  const seen = requests
  await until(() => requests > seen + 1, 'the older message was fetched')
  expect((await board('G')).data[1]).toMatchObject({ status: 'canceled' })
  answer = () => new Response(realtimeFeed(NOW_SECONDS + 2, []), { headers: { etag: '"3"' } })
  await until(async () => (await board('G')).data[1]?.status === 'unknown', 'the trip runs by its timetable')
})

test('unchanged feeds are requested conditionally', async () => {
  answer = () => new Response(null, { status: 304 })
  const before = conditional
  await until(() => conditional > before, 'a conditional request')
})

test('whatever the upstream does, boards continue with what is known', async () => {
  answer = () => new Response(realtimeFeed(NOW_SECONDS + 3, [delayedTrip('a1', DATE, { G: 600 })]))
  await until(async () => (await first('G'))?.delay_seconds === 600, 'the delay shows')
  const faults: (() => Response)[] = [
    () => new Response('oops', { status: 500 }),
    () => new Response('<html>maintenance</html>', { headers: { 'content-type': 'text/html' } }),
    () => new Response(realtimeFeed(NOW_SECONDS + 4, [delayedTrip('a1', DATE, { G: 0 })]).subarray(0, 20)),
    () => Response.redirect('ftp://127.0.0.1/', 302),
  ]
  for (const fault of faults.slice(0, bySize({ quick: 1, ci: 3, full: 4 }))) {
    answer = fault
    const seen = requests
    await until(() => requests > seen, 'the fault was fetched')
    expect(await first('G')).toMatchObject({ delay_seconds: 600 })
  }
  answer = () => new Response(realtimeFeed(NOW_SECONDS + 5, [delayedTrip('a1', DATE, { G: 60 })]))
  await until(async () => (await first('G'))?.delay_seconds === 60, 'it has recovered')
}, 60_000)

test('status shows budget and error and hides the secret', async () => {
  const text = await (await fetch(`${serving.base}/v1/status`)).text()
  const [entry] = JSON.parse(text).data
  expect(entry.budgets.trips).toMatchObject({ limit: 5000 })
  expect(entry.budgets.trips.used).toBeGreaterThan(0)
  expect(text).not.toContain('SECRET')
})

test('a new snapshot is served with the current live data', async () => {
  writeFileSync(
    join(service.folder, 'ville', 'stops.txt'),
    dedent(SMALL_FEED['stops.txt'] ?? '').replace('Gare', 'Nouvelle Gare'),
  )
  expect((await service.run('import')).status).toBe(0)
  const response = await fetch(`${serving.base}/v1/stops/ville:stop:G`, { headers: { authorization: `Bearer ${key}` } })
  expect(JSON.parse(await response.text()).data.name).toBe('Nouvelle Gare')
  expect(await first('G')).toMatchObject({ delay_seconds: 60, realtime: true })
})
