// Tests alerts on a running service with two threads, from an upstream's bytes to the responses. Alerts are published,
// changed and withdrawn; meanwhile, trips change, a new snapshot is imported, and the service restarts. Fails if an
// alert gets lost, if it is shown too long, or if an old alert looks new.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import GtfsRealtime from 'gtfs-realtime-bindings'
import { delayedTrip, realtimeFeed } from '../feeds/realtime-feed.ts'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import { slowTest } from '../slow-test.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'

const PORT = 18_730
const WORKERS = 2
const START_SECONDS = Date.parse('2026-06-10T06:00:00Z') / 1000
const DATE = '20260610'
const { Cause, Effect, SeverityLevel } = GtfsRealtime.transit_realtime.Alert

type Entity = GtfsRealtime.transit_realtime.IFeedEntity
type Alert = NonNullable<Entity['alert']>

/** The upstream's current messages, by feed. */
const messages = new Map<string, Uint8Array<ArrayBuffer>>()
/** The header time of the next message: each is newer than the previous one. */
let headerSeconds = START_SECONDS
let upstream: ReturnType<typeof Bun.serve>
let service: ServiceFolder
let serving: Serving
let key = ''

function publish(feed: string, entities: readonly Entity[], atSeconds = headerSeconds++): void {
  messages.set(feed, realtimeFeed(atSeconds, entities))
}

function works(text: string, more: Partial<Alert> = {}): Entity {
  const alert: Alert = {
    headerText: {
      translation: [
        { text: 'Works', language: 'en' },
        { text, language: 'fr' },
      ],
    },
    informedEntity: [{ routeId: 'A', stopId: 'CA' }],
    cause: Cause.CONSTRUCTION,
    effect: Effect.DETOUR,
    severityLevel: SeverityLevel.SEVERE,
    ...more,
  }
  return { id: 'works', alert }
}

beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) =>
      new Response(messages.get(new URL(request.url).pathname.slice(1)) ?? realtimeFeed(START_SECONDS - 3600, [])),
  })
  const feed = (network: string, id: string) => `[[networks.feeds]]
id = "${id}"
url = "http://127.0.0.1:${upstream.port}/${network}-${id}"
interval_seconds = 1
`
  service = new ServiceFolder(
    commandOf('source'),
    `data_dir = "data"
[[networks]]
id = "ville"
gtfs = "ville"
${feed('ville', 'trips')}${feed('ville', 'alerts')}
[[networks]]
id = "old"
gtfs = "ville"
${feed('old', 'alerts')}
[[networks]]
id = "mute"
gtfs = "ville"
`,
  )
  mkdirSync(join(service.folder, 'ville'))
  for (const [name, text] of Object.entries(SMALL_FEED))
    writeFileSync(join(service.folder, 'ville', name), dedent(text))
  key = await service.makeKey('tests')
  serving = await service.serve({ workers: WORKERS, port: PORT, clock: '2026-06-10T06:00:00Z' })
}, 60_000)
afterAll(async () => {
  await end(serving)
  await upstream.stop(true)
  rmSync(service.folder, { recursive: true })
})

/** Requests a path over a new connection, so that any thread may answer. */
async function get(path: string) {
  const headers = { authorization: `Bearer ${key}`, connection: 'close' }
  const response = await fetch(serving.base + path, { headers })
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return JSON.parse(await response.text())
}

/**
 * Waits until many responses in a row are as expected. There are so many of them that each thread has almost certainly
 * sent at least one.
 */
async function untilAll(path: string, holds: (body: Awaited<ReturnType<typeof get>>) => boolean): Promise<void> {
  await until(async () => {
    for (let times = 0; times < 12; times++) if (!holds(await get(path))) return false
    return true
  }, `${path} is as expected`)
}

const LIST = '/v1/networks/ville/alerts'
const titleIs = (title: string) => (body: Awaited<ReturnType<typeof get>>) => body.data[0]?.title === title

test('before the first message there are no alerts, although the network can have some', async () => {
  expect(await get(LIST)).toMatchObject({ data: [], meta: { count: 0, reason: 'no_alerts', sources: [] } })
  expect((await get('/v1/networks/ville')).data.capabilities.alerts).toBe(true)
})

test('an alert is listed for its network, line, stop and area', async () => {
  publish('ville-alerts', [works('Travaux')])
  await untilAll(LIST, titleIs('Travaux'))
  const [alert] = (await get(LIST)).data
  expect(alert).toMatchObject({
    id: 'ville:alert:works',
    severity: 'critical',
    cause: 'construction',
    effect: 'detour',
    line_ids: ['ville:line:A'],
    stop_ids: ['ville:stop:CA'],
    starts_at: null,
    ends_at: null,
    url: null,
    source: 'alerts',
  })
  for (const of of ['lines/ville:line:A', 'stops/ville:stop:CA', 'stops/ville:area:S']) {
    expect((await get(`/v1/${of}/alerts`)).data).toEqual([alert])
  }
  for (const of of ['lines/ville:line:7', 'stops/ville:stop:CB', 'stops/ville:stop:G']) {
    expect(await get(`/v1/${of}/alerts`)).toMatchObject({ data: [], meta: { reason: 'no_alerts' } })
  }
  expect((await get('/v1/alerts?networks=ville,mute')).data).toEqual([alert])
  const { capabilities } = (await get('/v1/networks/ville')).data
  expect(capabilities).toMatchObject({ alerts: true, realtime_departures: true })
}, 20_000)

slowTest(
  'it stays, with its age, while trips change and the feed repeats it',
  async () => {
    const [before] = (await get(LIST)).data
    for (const delay of [120, 240]) {
      publish('ville-trips', [delayedTrip('a2', DATE, { G: delay })])
      publish('ville-alerts', [works('Travaux')])
      const isLate = (body: Awaited<ReturnType<typeof get>>) =>
        body.data.some((row: { delay_seconds: number | null }) => row.delay_seconds === delay)
      await untilAll('/v1/stops/ville:stop:G/departures', isLate)
      expect((await get(LIST)).data).toEqual([before])
    }
  },
  20_000,
)

test('a new snapshot has it too', async () => {
  const [before] = (await get(LIST)).data
  const stops = dedent(SMALL_FEED['stops.txt'] ?? '').replace('Gare', 'Nouvelle Gare')
  // Adds a line that is sorted before the others, so that the new snapshot numbers its lines differently.
  const routes = `${dedent(SMALL_FEED['routes.txt'] ?? '')}0,V,0,Gare - Port,3,,,0\n`
  const trips = `${dedent(SMALL_FEED['trips.txt'] ?? '')}0,daily,z1,Port,0\n`
  const times = `${dedent(SMALL_FEED['stop_times.txt'] ?? '')}z1,09:00:00,09:00:00,G,1\nz1,09:20:00,09:20:00,P,2\n`
  const files = { 'stops.txt': stops, 'routes.txt': routes, 'trips.txt': trips, 'stop_times.txt': times }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(service.folder, 'ville', name), text)
  expect((await service.run('import')).status).toBe(0)
  await untilAll('/v1/stops/ville:stop:G', (body) => body.data.name === 'Nouvelle Gare')
  for (let times = 0; times < 12; times++) expect((await get(LIST)).data).toEqual([before])
  expect((await get('/v1/lines/ville:line:A/alerts')).data).toEqual([before])
  expect((await get('/v1/lines/ville:line:0/alerts')).data).toEqual([])
}, 30_000)

test('a change is shown as an update; a withdrawn alert disappears', async () => {
  const [before] = (await get(LIST)).data
  publish('ville-alerts', [works('Fin des travaux', { severityLevel: SeverityLevel.INFO })])
  await untilAll(LIST, titleIs('Fin des travaux'))
  const [after] = (await get(LIST)).data
  expect(after).toMatchObject({ id: before.id, severity: 'info' })
  expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at))
  publish('ville-alerts', [])
  await untilAll(LIST, (body) => body.data.length === 0)
  // The network supports alerts, but has none now. The response still gives the age of the feed's data.
  expect((await get(LIST)).meta).toMatchObject({
    reason: 'no_alerts',
    sources: [{ id: 'alerts', freshness: 'realtime' }],
  })
  expect((await get('/v1/networks/ville')).data.capabilities.alerts).toBe(true)
}, 20_000)

slowTest(
  'an alert disappears ten minutes after the last message of its feed',
  async () => {
    const LIST_OF_OLD = '/v1/networks/old/alerts'
    const generated: string = (await get(LIST_OF_OLD)).meta.generated_at
    const sentSeconds = Date.parse(generated) / 1000 - 594
    publish('old-alerts', [works('Travaux')], sentSeconds)
    await untilAll(LIST_OF_OLD, titleIs('Travaux'))
    expect((await get(LIST_OF_OLD)).meta.sources).toMatchObject([{ id: 'alerts', freshness: 'stale' }])
    await untilAll(LIST_OF_OLD, (body) => body.data.length === 0)
    const { generated_at, sources } = (await get(LIST_OF_OLD)).meta
    expect(Date.parse(generated_at) / 1000 - sentSeconds).toBeGreaterThanOrEqual(600)
    expect(sources[0].age_seconds).toBeGreaterThanOrEqual(600)
  },
  30_000,
)

slowTest(
  'a restart does not change the age of an alert',
  async () => {
    publish('ville-alerts', [works('Déviation')])
    await untilAll(LIST, titleIs('Déviation'))
    const [before] = (await get(LIST)).data
    await end(serving)
    const hourSeconds = 3600
    publish('ville-alerts', [works('Déviation')], START_SECONDS + hourSeconds)
    serving = await service.serve({ workers: WORKERS, port: PORT, clock: '2026-06-10T07:00:00Z' })
    await untilAll(LIST, titleIs('Déviation'))
    expect((await get(LIST)).data).toEqual([before])
    publish('ville-alerts', [works('Autre déviation')], START_SECONDS + hourSeconds + 1)
    await untilAll(LIST, titleIs('Autre déviation'))
    const [after] = (await get(LIST)).data
    expect(Date.parse(after.updated_at) - Date.parse(before.updated_at)).toBeGreaterThan(1000 * (hourSeconds / 2))
  },
  60_000,
)
