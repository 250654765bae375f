// Tests that the capabilities of a network do not change while its feeds are empty, late or failing, or after a
// restart. Fails if a capability disappears, or if a request for vehicles gets a 404 only because no vehicle has been
// reported yet.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { realtimeFeed } from '../feeds/realtime-feed.ts'
import { dedent } from '../feeds/text-feed.ts'
import { LINE } from '../indexes/live/live-line.ts'
import { NOW_SECONDS, TODAY } from './checked-service.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'

const PORT = 18_796
const NETWORKS = {
  empty: '',
  late: '',
  failing: '',
  alerting: 'provides = ["alerts"]\n',
  bare: undefined,
} as const

/**
 * Age of each network's first message in seconds. Each later message is a second newer than the previous one, and none
 * may be in the future.
 */
const OLDEST_SECONDS = 80
let requested = 0
/** Network → number of requests for its feed. */
const polls: Record<string, number> = {}
let reports: 'nothing' | 'a vehicle' = 'nothing'
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    const [, network = ''] = new URL(request.url).pathname.split('/')
    requested++
    polls[network] = (polls[network] ?? 0) + 1
    if (network === 'failing') return new Response('', { status: 500 })
    if (network === 'late') await Bun.sleep(5_000)
    const vehicle = {
      trip: { tripId: 't', startDate: TODAY },
      vehicle: { id: '10' },
      position: { latitude: 48.5, longitude: 7.75 },
    }
    const entities = reports === 'a vehicle' && network === 'empty' ? [{ id: '1', vehicle }] : []
    return new Response(realtimeFeed(NOW_SECONDS - OLDEST_SECONDS + polls[network], entities))
  },
})
const settings = Object.entries(NETWORKS).map(([id, more]) => {
  const feed = `[[networks.feeds]]\nid = "live"\ninterval_seconds = 1\nurl = "http://127.0.0.1:${upstream.port}/${id}"\n`
  return `[[networks]]\nid = "${id}"\ngtfs = "line"\n${more === undefined ? '' : feed + more}`
})
const service = new ServiceFolder(commandOf('source'), `data_dir = "data"\n${settings.join('')}`)
let serving: Serving
let key = ''

beforeAll(async () => {
  mkdirSync(join(service.folder, 'line'))
  for (const [name, text] of Object.entries(LINE)) writeFileSync(join(service.folder, 'line', name), dedent(text))
  key = await service.makeKey('tests')
  serving = await service.serve({ workers: 1, port: PORT })
}, 60_000)
afterAll(async () => {
  await end(serving)
  await upstream.stop(true)
  rmSync(service.folder, { recursive: true })
})

async function get(path: string) {
  const response = await fetch(serving.base + path, { headers: { authorization: `Bearer ${key}` } })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

/**
 * The state of a network as a string: its capabilities `realtime_departures`, `alerts` and `vehicles`, then the status
 * of two responses, for the vehicles of a line and for the vehicles near a place.
 */
async function stateOf(network: string) {
  const { realtime_departures, alerts, vehicles } = (await get(`/v1/networks/${network}`)).body.data.capabilities
  const ofLine = await get(`/v1/lines/${network}:line:L/vehicles`)
  const near = await get(`/v1/vehicles/nearby?near=48.5,7.75&networks=${network}`)
  return `${realtime_departures} ${alerts} ${vehicles} ${ofLine.status} ${near.status}`
}

test('a feed that is empty, late or failing does not remove capabilities of its network', async () => {
  for (const network of ['empty', 'late', 'failing']) {
    expect(`${network}: ${await stateOf(network)}`).toBe(`${network}: true true estimated 200 200`)
  }
  expect(await stateOf('alerting')).toBe('false true none 404 404')
  expect(await stateOf('bare')).toBe('false false none 404 404')
  const before = requested
  await until(() => requested > before + 4, 'the feeds are requested again')
  for (const network of ['empty', 'late', 'failing']) {
    expect(`${network}: ${await stateOf(network)}`).toBe(`${network}: true true estimated 200 200`)
  }
})

test('nearby vehicles are an empty list, not an error, unless the only named network has none', async () => {
  for (const networks of ['', '&networks=bare,alerting', '&networks=bare,empty']) {
    const { status, body } = await get(`/v1/vehicles/nearby?near=48.5,7.75${networks}`)
    expect([status, body.data, body.meta.reason]).toEqual([200, [], 'no_vehicles_in_range'])
  }
  const alone = await get('/v1/vehicles/nearby?near=48.5,7.75&networks=bare')
  expect([alone.status, alone.body.reason]).toEqual([404, 'capability_unsupported'])
})

test('a response names its network if only one was requested', async () => {
  const place = 'near=48.5,7.75'
  for (const path of [
    `vehicles/nearby?${place}`,
    `stops/nearby?${place}`,
    `departures/nearby?${place}`,
    'alerts?',
    'places?q=Stop',
  ]) {
    const named = async (networks: string) => {
      const { status, body } = await get(`/v1/${path}&networks=${networks}`)
      return [path, status, body.meta.network]
    }
    expect(await named('empty')).toEqual([path, 200, 'empty'])
    expect(await named('empty,late')).toEqual([path, 200, undefined])
  }
})

test('capabilities seen once survive a restart, whatever the feed contains then', async () => {
  reports = 'a vehicle'
  await until(async () => (await stateOf('empty')) === 'true true gps 200 200', 'a vehicle is seen')
  await end(serving)
  reports = 'nothing'
  serving = await service.serve({ workers: 1, port: PORT })
  expect(await stateOf('empty')).toBe('true true gps 200 200')
}, 60_000)
