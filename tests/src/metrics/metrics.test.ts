// Tests the counts of data threads, and the metrics page that Prometheus reads. Fails if a response is counted under
// the wrong route or class, if the threads' counts are not added up, if Prometheus would reject the page, if there are
// too many series, or if an alerting rule or a dashboard panel in the kit uses a metric that does not exist.
import { expect, test } from 'bun:test'
import type { FleetFigures } from '../../../src/accounts/fleet.ts'
import { ROUTE_LIST } from '../../../src/contract/routes.ts'
import type { NetworkState } from '../../../src/imports/network-states.ts'
import { KIT_FILES } from '../../../src/kit/kit.ts'
import { allocateCounts } from '../../../src/metrics/count-memory.ts'
import { ServiceMetrics } from '../../../src/metrics/service-metrics.ts'
import {
  COUNTED_ROUTES,
  DURATION_BOUNDS_SECONDS,
  SharedCounts,
  ThreadCounts,
} from '../../../src/metrics/thread-counts.ts'
import type { FeedStatus } from '../../../src/networks/network.ts'

const NOW = Date.UTC(2026, 5, 10, 6)

const feed = (id: string): FeedStatus => ({
  id,
  fetchedAtMillis: NOW - 4_000,
  timestampMillis: NOW - 9_000,
  freshMillis: 90_000,
  maxAgeMillis: 300_000,
  carries: { trips: true, vehicles: true, alerts: true },
  matchRate: 0.75,
  lastError: undefined,
  backOffMillis: 8_000,
  budget: { used: 3, limit: 10, resetsAtMillis: NOW },
})

const network = (id: string): NetworkState => ({
  id,
  snapshot: { madeAtMillis: NOW - 1_000, serviceEndSeconds: NOW / 1000 + 86_400 },
  isFailing: false,
  importSeconds: 2.5,
  imports: { imported: 1, up_to_date: 2, failed: 3 },
})

const FLEET: FleetFigures = {
  tickAgeSeconds: 0.2,
  replicas: { serving: 3 },
  versionLag: 1,
  resyncs: 2,
  heldUnits: 400,
  outageUnits: 100,
  waits: { boundsSeconds: [0.1, 1], buckets: [5, 2, 1], seconds: 3.5 },
  live: { isPoller: true, lagSeconds: 0.15 },
  snapshots: { isImporter: false, adoptSeconds: 0.4 },
}

/** Metrics for ten networks with four feeds each, and the counts of some data threads. */
function tenNetworks(threadCount: number) {
  const memory = allocateCounts(threadCount)
  const threads = Array.from({ length: threadCount }, (_, ordinal) => new ThreadCounts(memory, ordinal))
  const ids = Array.from({ length: 10 }, (_, at) => `network-${at}`)
  const counts = new SharedCounts(memory)
  const metrics = new ServiceMetrics({
    counts: memory,
    isReady: () => true,
    replacedThreads: () => 3,
    openStreams: () => 7,
    ledgerLag: () => ({ seconds: 0.5, units: 12 }),
    fleet: () => FLEET,
    listNetworks: () => ids.map(network),
    listFeeds: () => ids.flatMap((id) => ['a', 'b', 'c', 'd'].map((name) => ({ network: id, status: feed(name) }))),
    nowMillis: () => NOW,
    shownNetworks: () => ({ networkLimit: 50, networks: [] }),
  })
  return { threads, counts, metrics }
}

/** A line with a sample: name, labels, value. */
const SAMPLE = /^([a-z_:][a-z0-9_:]*)(\{(?:[a-z_]+="(?:[^"\\]|\\.)*",?)*\})? (NaN|[+-]?Inf|[-+0-9.e]+)$/i

function samplesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [undefined, `not a sample: ${line}`]
      return [name + labels, Number(value)]
    }),
  )
}

test('responses are counted by route, class and time, and threads are added up', async () => {
  const { threads, counts, metrics } = tenNetworks(3)
  const statuses = [200, 200, 304, 404, 429, 500]
  for (const thread of threads) {
    const respond = thread.measured('/v1/stops/:stop_id', (status: number) => new Response(null, { status }))
    for (const status of statuses) expect(respond(status).status).toBe(status)
    thread.charged(2)
    thread.refused('quota_exhausted')
    thread.droppedStream()
    thread.cutPlaceSearch()
  }
  const route = counts.listRoutes().find((each) => each.route === '/v1/stops/{stop_id}')
  expect(route?.answers).toEqual([6, 3, 6, 3])
  expect(route?.buckets.reduce((sum, count) => sum + count)).toBe(18)
  const samples = samplesOf(await metrics.text())
  expect(samples.get('quai_requests_total{route="/v1/stops/{stop_id}",status="4xx"}')).toBe(6)
  expect(samples.get('quai_request_duration_seconds_count{route="/v1/stops/{stop_id}"}')).toBe(18)
  expect(samples.get('quai_request_duration_seconds_bucket{le="+Inf",route="/v1/stops/{stop_id}"}')).toBe(18)
  expect(samples.get('quai_units_total')).toBe(6)
  expect(samples.get('quai_refusals_total{reason="quota_exhausted"}')).toBe(3)
  expect(samples.get('quai_streams_dropped_total')).toBe(3)
  expect(samples.get('quai_places_cut_total')).toBe(3)
  expect(samples.get('quai_ledger_unflushed_units')).toBe(12)
  expect(samples.get('quai_feed_age_seconds{network="network-3",feed="c"}')).toBe(9)
  expect(samples.get('quai_feed_back_off_seconds{network="network-3",feed="c"}')).toBe(8)
  expect(samples.get('quai_imports_total{network="network-9",outcome="failed"}')).toBe(3)
  // A second reading returns the same counts. It does not add the counts of the first reading to them.
  expect(samplesOf(await metrics.text()).get('quai_units_total')).toBe(6)
})

test('a response falls into the first bucket whose bound it does not exceed, whatever its outcome', async () => {
  const { threads, counts } = tenNetworks(1)
  const [thread] = threads
  if (thread === undefined) throw new Error('there is no thread')
  const later = thread.measured('/v1/journeys', async (status: number) => {
    await Bun.sleep(15) // between the bounds 10 and 25 ms, or later on a busy machine
    if (status === 0) throw new Error('a bug')
    return new Response(null, { status })
  })
  expect((await later(200)).status).toBe(200)
  await expect(later(0)).rejects.toThrow('a bug')
  const bug = thread.measured(undefined, (): Response => {
    throw new Error('another')
  })
  expect(() => bug(0)).toThrow('another')
  const routes = counts.listRoutes()
  const journeys = routes.find(({ route }) => route === '/v1/journeys')
  expect(journeys?.answers).toEqual([1, 0, 0, 1])
  const soon = DURATION_BOUNDS_SECONDS.filter((bound) => bound <= 0.01).length
  expect(journeys?.buckets.slice(0, soon).every((count) => count === 0)).toBe(true)
  expect(journeys?.seconds).toBeGreaterThanOrEqual(0.028)
  expect(routes.at(-1)).toMatchObject({ route: 'other', answers: [0, 0, 0, 1] })
  // Each route in the route table is counted separately.
  expect(new Set(COUNTED_ROUTES).size).toBe(ROUTE_LIST.length + 1)
})

test('the text is valid for Prometheus, within 2 000 series, without a key or an account', async () => {
  const { metrics } = tenNetworks(8)
  const text = await metrics.text()
  const samples = samplesOf(text)
  expect([...samples.keys()].filter((name) => name.startsWith('not a sample'))).toEqual([])
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  expect(samples.size).toBe(lines.length) // no series occurs twice
  expect(samples.size).toBeLessThanOrEqual(2_000)
  expect(text).not.toMatch(/[{,](key|key_id|account|account_id|email|address)="/)
  // Each family is described once. Counters have names that end with `_total`, and no other metrics do.
  const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', kind = '']) => ({ name, kind }))
  expect(new Set(families.map(({ name }) => name)).size).toBe(families.length)
  const own = families.filter(({ name }) => name.startsWith('quai_'))
  expect(own.filter(({ name, kind }) => (kind === 'counter') !== name.endsWith('_total'))).toEqual([])
  expect(metrics.contentType).toStartWith('text/plain; version=0.0.4')
})

test('of four hundred networks, requested ones and those with problems have series, within 2 000', async () => {
  const ids = Array.from({ length: 400 }, (_, at) => `network-${at}`)
  const soon = new Set(['network-300', 'network-301'])
  const wellFeed = { ...feed('a'), backOffMillis: 0, matchRate: 0.9 }
  const wellNetwork = (id: string): NetworkState => ({
    ...network(id),
    snapshot:
      id === 'network-399'
        ? undefined
        : { madeAtMillis: NOW, serviceEndSeconds: NOW / 1000 + 86_400 * (soon.has(id) ? 3 : 90) },
    isFailing: id === 'network-200',
  })
  const shownBy = async (networkLimit: number, named: readonly string[] = []) => {
    const metrics = new ServiceMetrics({
      counts: allocateCounts(1),
      isReady: () => true,
      replacedThreads: () => 0,
      openStreams: () => 0,
      ledgerLag: () => ({ seconds: 0, units: 0 }),
      listNetworks: () => ids.map(wellNetwork),
      listFeeds: () =>
        ids.flatMap((id) =>
          ['a', 'b', 'c', 'd'].map((name) => ({
            network: id,
            status:
              id === 'network-100'
                ? { ...wellFeed, id: name, timestampMillis: NOW - 999_000 }
                : { ...wellFeed, id: name },
          })),
        ),
      nowMillis: () => NOW,
      shownNetworks: () => ({ networkLimit, networks: named }),
    })
    const samples = samplesOf(await metrics.text())
    const shown = ids.filter((id) => samples.has(`quai_network_served{network="${id}"}`))
    return { samples, shown, fed: ids.filter((id) => samples.has(`quai_feed_age_seconds{network="${id}",feed="a"}`)) }
  }
  const { samples, shown, fed } = await shownBy(30, ['network-77', 'nowhere'])
  expect(samples.size).toBeLessThanOrEqual(2_000)
  expect(shown.length).toBe(30)
  for (const id of [77, 100, 200, 300, 301, 399]) expect(shown).toContain(`network-${id}`)
  expect(fed).toEqual(shown)
  expect(samples.get('quai_networks{state="configured"}')).toBe(400)
  expect(samples.get('quai_networks{state="served"}')).toBe(399)
  expect(samples.get('quai_networks{state="failing"}')).toBe(1)
  expect((await shownBy(0, ['network-77'])).shown).toEqual(['network-77'])
  expect((await shownBy(400)).shown.length).toBe(400)
})

test('a histogram’s buckets never decrease as their bounds grow', async () => {
  const { threads, metrics } = tenNetworks(2)
  for (const thread of threads) {
    const respond = thread.measured('/v1/status', (busy: number) => {
      const until = performance.now() + busy
      while (performance.now() < until);
      return new Response()
    })
    for (const busy of [0, 0.06, 0.3, 1.2, 6]) respond(busy)
  }
  const samples = samplesOf(await metrics.text())
  const cumulated = [...DURATION_BOUNDS_SECONDS.map(String), '+Inf'].map(
    (le) => samples.get(`quai_request_duration_seconds_bucket{le="${le}",route="/v1/status"}`) ?? Number.NaN,
  )
  expect(cumulated.every((count, at) => at === 0 || count >= (cumulated[at - 1] ?? 0))).toBe(true)
  expect(cumulated.at(-1)).toBe(10)
})

test('a replica also reports its cluster', async () => {
  const samples = samplesOf(await tenNetworks(1).metrics.text())
  const read = (name: string) => samples.get(name)
  expect(read('quai_cluster_replicas{state="serving"}')).toBe(3)
  expect(read('quai_cluster_replicas{state="joining"}')).toBe(0)
  expect(read('quai_cluster_tick_age_seconds')).toBe(0.2)
  expect(read('quai_cluster_version_lag')).toBe(1)
  expect(read('quai_cluster_resyncs_total')).toBe(2)
  expect(read('quai_grants_held_units')).toBe(400)
  expect(read('quai_outage_units_total')).toBe(100)
  expect(['0.1', '1', '+Inf'].map((le) => read(`quai_grant_wait_seconds_bucket{le="${le}"}`))).toEqual([5, 7, 8])
  expect(read('quai_grant_wait_seconds_sum')).toBe(3.5)
})

test('every metric used by the kit’s rules and dashboard exists', async () => {
  const { metrics } = tenNetworks(1)
  const reported = new Set([...samplesOf(await metrics.text()).keys()].map((sample) => sample.replace(/\{.*/, '')))
  for (const name of ['alerts.yaml', 'grafana-dashboard.json', 'README.md']) {
    const requested = [...(KIT_FILES[name] ?? '').matchAll(/\b(?:quai|process|nodejs)_[a-z0-9_]+[a-z0-9]/g)].map(
      ([each]) => each,
    )
    expect(requested.length).toBeGreaterThan(10)
    const absent = requested.filter((each) => !reported.has(each) && !reported.has(`${each}_bucket`))
    expect(absent).toEqual([])
  }
})
