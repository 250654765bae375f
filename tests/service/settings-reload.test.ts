// Tests settings that change while a service runs: the file is edited and SIGHUP is sent while clients keep sending
// requests. Fails if a request is refused or fails in the meantime, if a setting does not apply on every thread, if the
// log does not name a setting that needs a restart, if an invalid file changes anything, or if a secret is logged.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { aroundTheClockZip, comingTrip, liveMessage } from '../feeds/around-the-clock-feed.ts'
import { OperatorsMachine, type RunningService } from './operators-machine.ts'
import { PacedClient } from './paced-client.ts'
import { until } from './running.ts'

const PORTS = { port: 18_980, adminPort: 18_981 }
const SECRET = 'hunter2-of-the-operator'
const BOARD = '/v1/stops/ville:stop:north/departures?limit=20'
const trip = comingTrip()

let upstream: ReturnType<typeof Bun.serve>
let machine: OperatorsMachine
let service: RunningService
let readers: PacedClient
let key = ''
/** The key of an account on the plan that the tests edit. */
let starterKey = ''
/** The paths that were requested from the agency. */
const requested: string[] = []

/** The parts of the settings file that the operator edits. */
interface Edits {
  readonly general?: string
  readonly ville?: string
  readonly feeds?: string
  readonly more?: string
  /** Text at the end of the file. */
  readonly end?: string
}

const at = (path: string) => `http://127.0.0.1:${upstream.port}/${path}`
const feed = (path: string) =>
  `[[networks.feeds]]\nid = "trips"\nurl = "${at(path)}"\nheaders = { "x-api-key" = "${SECRET}" }\ninterval_seconds = 1\n`
const network = (id: string) => `[[networks]]\nid = "${id}"\nname = "${id}"\ngtfs = "${at(`${id}.zip`)}"\n`

function writeSettings({
  general = '',
  ville = 'name = "Ville"',
  feeds = feed('early.pb'),
  more = '',
  end = '',
}: Edits) {
  machine.writeSettings(
    { ...PORTS, workers: 2 },
    `${general}
[[networks]]
id = "ville"
gtfs = "${at('ville.zip')}"
${ville}
${feeds}
${more}
${end}
`,
  )
}

/**
 * Edits the file, sends SIGHUP, and waits until the service has read the file. Returns what the service has logged
 * since the edit.
 */
async function reload(edits: Edits): Promise<string> {
  const before = service.log().length
  writeSettings(edits)
  service.child.kill('SIGHUP')
  const output = () => service.log().slice(before)
  await until(
    () => /reload(: (settings applied: \d+|no settings changed)| rejected)/.test(output()),
    'the settings were read again',
  )
  return output()
}

/** Sends requests on separate connections, enough for every data thread to answer some. Returns the responses. */
async function askAll(path: string) {
  const headers = { authorization: `Bearer ${key}`, connection: 'close' }
  const answers = await Promise.all(Array.from({ length: 12 }, () => fetch(service.base + path, { headers })))
  return await Promise.all(
    answers.map(async (answer) => ({ status: answer.status, body: JSON.parse(await answer.text()) })),
  )
}

const lateTrips = async () => {
  const answers = await askAll(BOARD)
  const id = `ville:trip:${trip.date}:${trip.tripId}`
  return answers.map(({ body }) => body.data.find(({ trip_id }: { trip_id: string }) => trip_id === id)?.delay_seconds)
}
const networkIds = async () =>
  (await askAll('/v1/networks')).map(({ body }) => body.data.map(({ id }: { id: string }) => id).join(' '))
const everywhere = <T>(answers: readonly T[], value: T) => answers.every((each) => each === value)

beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      const path = new URL(url).pathname.slice(1)
      requested.push(path)
      if (path.endsWith('.zip')) return new Response(aroundTheClockZip(path.replace('.zip', '')))
      return new Response(liveMessage(trip, path === 'early.pb' ? 120 : 480))
    },
  })
  machine = new OperatorsMachine()
  writeSettings({})
  const makeKey = async (plan: string) => {
    const words = ['--account', `${plan}@b.example`, '--plan', plan, '--name', 'a']
    return (await machine.quai('keys', 'create', ...words)).stdout.trim()
  }
  key = await makeKey('max')
  starterKey = await makeKey('starter')
  service = await machine.serve(PORTS)
  const paths = [BOARD, '/v1/networks/ville/lines', '/v1/stops/ville:stop:south', '/v1/networks/ville/alerts']
  readers = new PacedClient({ base: service.base, key, paths, perSecond: 20, check: () => undefined })
}, 60_000)
afterAll(async () => {
  service.child.kill('SIGKILL')
  await upstream.stop(true)
  machine.remove()
})

test('a live feed’s address: the new one is polled, the old one is not, the key stays out of the log', async () => {
  await until(async () => everywhere(await lateTrips(), 120), 'the first feed shows')
  const output = await reload({ feeds: feed('late.pb').replace(SECRET, `${SECRET}-2`) })
  expect(output).toContain(`reload: networks.ville.feeds.trips.url: "${at('early.pb')}" → "${at('late.pb')}"`)
  expect(output).toContain('reload: networks.ville.feeds.trips.headers.x-api-key was changed; its value is secret')
  await until(async () => everywhere(await lateTrips(), 480), 'the other feed shows on every thread')
  const polledBefore = requested.filter((path) => path === 'early.pb').length
  const later = requested.filter((path) => path === 'late.pb').length
  await until(() => requested.filter((path) => path === 'late.pb').length > later + 1, 'the new one is still polled')
  expect(requested.filter((path) => path === 'early.pb').length).toBe(polledBefore)
  expect(service.log()).not.toContain(SECRET)
}, 60_000)

test('a network’s name and its cached responses: clients with the old one also get the new one', async () => {
  const path = `${service.base}/v1/networks/ville`
  const headers = { authorization: `Bearer ${key}` }
  const etag = (await fetch(path, { headers })).headers.get('etag') ?? ''
  expect((await fetch(path, { headers: { ...headers, 'if-none-match': etag } })).status).toBe(304)
  const output = await reload({
    ville: 'name = "Grande Ville"\nattribution = ["Ville, CC BY"]',
    feeds: feed('late.pb'),
  })
  expect(output).toContain('reload: networks.ville.name: "Ville" → "Grande Ville"')
  expect(output).toContain('reload: networks.ville.attribution: [] → ["Ville, CC BY"]')
  const answers = await askAll('/v1/networks/ville')
  expect(new Set(answers.map(({ body }) => `${body.data.name} ${body.meta.attribution}`))).toEqual(
    new Set(['Grande Ville Ville, CC BY']),
  )
  expect((await fetch(path, { headers: { ...headers, 'if-none-match': etag } })).status).toBe(200)
}, 30_000)

test('networks and feeds are added and removed, and a new network is served like the others', async () => {
  const output = await reload({ more: network('harbor'), feeds: '' })
  expect(output).toContain('reload: networks.harbor was not set and is now {"id":"harbor"')
  await until(async () => everywhere(await networkIds(), 'ville harbor'), 'both are listed on every thread')
  await until(async () => (await service.metric('quai_network_served{network="harbor"}')) === 1, 'it is imported')
  expect((await service.request('/v1/stops/harbor:stop:north', key)).body.data.name).toBe('harbor north')
  // Planners run on threads of their own, and these must get the new settings as well.
  const journeys = '/v1/journeys?from=harbor:stop:north&to=harbor:stop:south&limit=1'
  const grams = async () =>
    new Set((await askAll(journeys)).map(({ status, body }) => (status === 200 ? body.data[0].co2_grams : status)))
  const [usual = 0] = [...(await grams())]
  expect(usual).toBeGreaterThan(0)
  await reload({ feeds: '', more: `${network('harbor')}co2_grams_per_km = { bus = 0 }\n` })
  expect([...(await grams())]).toEqual([0])
  await until(async () => everywhere(await lateTrips(), null), 'the delay of the removed feed is withdrawn')
  const feeds = await service.metric('quai_feed_fetched{network="ville",feed="trips"}')
  expect(feeds).toBeNaN()
  // `quai import` runs in a process of its own and must accept the setting as well.
  expect(await machine.quai('import', 'harbor', '--force')).toMatchObject({ status: 0 })
  const gone = await reload({ feeds: feed('early.pb') })
  expect(gone).toMatch(/reload: networks\.harbor was \{.*\} and is no longer set/)
  expect(everywhere(await networkIds(), 'ville')).toBe(true)
  expect((await service.request('/v1/stops/harbor:stop:north', key)).status).toBe(404)
  expect(await service.metric('quai_network_served{network="harbor"}')).toBeNaN()
  await until(async () => everywhere(await lateTrips(), 120), 'the feed that was added again shows')
}, 60_000)

test('a plan’s limits apply on every thread at once', async () => {
  const policy = async () =>
    new Set(
      await Promise.all(
        Array.from({ length: 12 }, async () => {
          const headers = { authorization: `Bearer ${starterKey}`, connection: 'close' }
          return (await fetch(`${service.base}${BOARD}`, { headers })).headers.get('ratelimit-policy')
        }),
      ),
    )
  expect([...(await policy())]).toEqual([expect.stringContaining('q=250000')])
  const output = await reload({ feeds: feed('early.pb'), end: '[plans.starter]\nincluded_units = 777000' })
  expect(output).toContain('reload: plans.starter.included_units: 250000 → 777000')
  expect([...(await policy())]).toEqual([expect.stringContaining('q=777000')])
  const shown = JSON.parse((await machine.quai('accounts', 'show', 'starter@b.example', '--json')).stdout)
  expect(JSON.stringify(shown)).toContain('777000')
}, 30_000)

test('settings that need a restart are named each time; the others are applied', async () => {
  const edits = {
    general: 'base_url = "http://other.example"',
    ville: 'name = "V"',
    feeds: feed('early.pb'),
    end: '[plans.starter]\nincluded_units = 777000',
  }
  const warning = 'reload: warning: base_url was not set and is now "http://other.example"; restart to apply'
  const output = await reload(edits)
  expect(output).toContain(warning)
  expect(output).toContain('reload: networks.ville.name: "Grande Ville" → "V"'.replace('Grande Ville', 'Ville'))
  expect((await service.request('/v1/networks/ville', key)).body.data.name).toBe('V')
  const again = await reload(edits)
  expect([again.includes(warning), again.includes('settings applied: 0')]).toEqual([true, true])
}, 30_000)

test('a file with a mistake changes nothing, even if the rest of it is valid', async () => {
  const before = await askAll('/v1/networks/ville')
  const output = await reload({
    ville: 'name = "Wrong"',
    feeds: feed('late.pb').replace('interval_seconds', 'interval_second'),
  })
  expect(output).toMatch(/reload: .*interval_second is not a setting; did you mean "interval_seconds"\?/)
  expect(output).toContain('reload rejected; keeping the current configuration')
  expect((await askAll('/v1/networks/ville'))[0]?.body.data).toEqual(before[0]?.body.data)
  const polled = requested.length
  await until(() => requested.slice(polled).filter((path) => path === 'early.pb').length > 1, 'it is polled as before')
  expect(requested.slice(polled)).not.toContain('late.pb')
  // An import must use the settings in force, and not those of the invalid file.
  const imports = 'quai_imports_total{network="ville",outcome="up_to_date"}'
  const count = await service.metric(imports)
  service.child.kill('SIGHUP')
  await until(async () => (await service.metric(imports)) > count, 'the feed was checked')
  expect(await service.metric('quai_import_failing{network="ville"}')).toBe(0)
}, 30_000)

test('readers notice nothing, and the service stops cleanly', async () => {
  const { count, failures } = await readers.stop()
  expect(failures.slice(0, 3)).toEqual([])
  expect(count).toBeGreaterThan(20)
  expect(await service.stop()).toBe(0)
})
