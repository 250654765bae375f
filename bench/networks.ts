// `bun run bench networks` measures how the cost of a service grows with its number of networks. The networks have the
// feeds in the folder QUAI_FEEDS, and copies of these feeds at other places. Without this folder, the networks have
// generated cities and their copies. QUAI_MANY_FOLDER names a folder that keeps the networks and their snapshots
// between runs. QUAI_MANY_COUNTS lists the numbers of networks to measure.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Timetable } from '../indexes/timetable/timetable.ts'
import { textOf } from '../loaders/strings.ts'
import { below, pick, type Random, seededRandom } from '../src/demo/seeded-random.ts'
import { findSnapshot } from '../src/networks/snapshot-store.ts'
import { showFigure } from './figures.ts'
import { makeNetworks, networkSettings } from './many-networks.ts'
import { processMemory, processorSeconds, spreadOf } from './measure.ts'
import { pointNear, usedStops } from './questions.ts'
import { PLAN, type RunningService, runCommand, startService } from './service.ts'
import { findThread, type ThreadClock } from './thread-clock.ts'

const PORT = 18_291
const FEEDS = process.env['QUAI_FEEDS']
const COUNTS = (process.env['QUAI_MANY_COUNTS'] ?? (FEEDS === undefined ? '1,12,48' : '1,60,150'))
  .split(',')
  .map(Number)
const CALLS = 300
const REPEATED = 100
const JOURNEYS = 200
/**
 * Number of concurrent journey requests. A planner's queue accepts many more requests with the same key, so no request
 * may be refused.
 */
const JOURNEYS_AT_ONCE = 2
const SEED = 7
const LONGEST_RECHECK_MILLIS = 600_000
const POLL_MILLIS = 5
/** Pause in which idle threads collect their garbage. */
const REST_MILLIS = 8_000
const BARS = {
  placesMillis: 0.5,
  nearbyMillis: 0.2,
  firstMillis: 50,
  megabytes: 170,
  plannerMegabytes: 300,
  recheckMillis: 1_000,
  series: 2_000,
  listMillis: 2,
  readyMillis: 2_000,
}

const kept = process.env['QUAI_MANY_FOLDER']
const root = kept ?? mkdtempSync(join(tmpdir(), 'quai-networks-'))
try {
  for (const count of COUNTS) await measure(count)
} finally {
  if (kept === undefined) rmSync(root, { recursive: true, force: true })
}

async function measure(count: number): Promise<void> {
  const networks = await makeNetworks(root, count, FEEDS)
  const folder = join(root, `service-${count}`)
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'quai.toml')
  const head = `data_dir = ${JSON.stringify(join(root, 'data'))}\ntrusted_proxies = ["127.0.0.1"]\ndrain_seconds = 0\n`
  writeFileSync(file, `${head}\n${PLAN}\n${networkSettings(networks)}`)
  const name = `${count} networks`
  const imported = await runCommand(['import', '--config', file])
  showFigure({ name: `${name}: import of the new ones`, value: imported.seconds, unit: 's' })
  const queried = networks
    .map(({ id }) => ({ id, timetable: timetableOf(id) }))
    .filter(({ timetable }) => usedStops(timetable).length > 1)
  const service = await startService(file, { clock: '', workers: 1, port: PORT })
  try {
    await untilReady(service)
    const ids = queried.map(({ id }) => id)
    const of: Queried = {
      name,
      service,
      ids,
      timetables: queried.map(({ timetable }) => timetable),
      random: seededRandom(SEED, name),
    }
    await measurePlaces(of)
    await measureNear(of)
    await measureLists(of)
    await measureRecheck(of, join(folder, 'serve.log'))
    await measureJourneys(of)
  } finally {
    await service.stop()
  }
}

/** A service to measure. */
interface Queried {
  /** Prefix for the names of the figures. */
  readonly name: string
  readonly service: RunningService
  readonly ids: readonly string[]
  /** The timetables of the networks that have departures. */
  readonly timetables: readonly Timetable[]
  readonly random: Random
}

function timetableOf(network: string): Timetable {
  const { found } = findSnapshot(join(root, 'data'), network)
  if (found === undefined) throw new Error(`${network} has no snapshot`)
  return found.loaded.snapshot.timetable
}

async function untilReady({ adminBase }: RunningService): Promise<void> {
  while ((await fetch(`${adminBase}/readyz`)).status !== 200) await Bun.sleep(POLL_MILLIS)
}

async function ask({ base, key }: RunningService, path: string): Promise<string> {
  const answer = await fetch(base + path, { headers: { authorization: `Bearer ${key}` } })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}: ${text}`)
  return text
}

/** Finds the data thread by sending expensive requests whose responses are not in the cache. */
async function dataThread({ service, random, timetables }: Queried): Promise<ThreadClock> {
  return await findThread(service.pid, async () => {
    for (let call = 0; call < CALLS; call++) await ask(service, nearPath('/v1/departures/nearby', timetables, random))
  })
}

function nearPath(route: string, timetables: readonly Timetable[], random: Random): string {
  const timetable = pick(random, timetables)
  return `${route}?near=${pointNear(timetable, pick(random, usedStops(timetable)), random).join(',')}`
}

/** Path of a search for the start of a stop's name, as if someone were typing the name. */
function typedPath(timetables: readonly Timetable[], random: Random): string {
  const timetable = pick(random, timetables)
  const name = textOf(timetable.strings, timetable.stops.name[pick(random, usedStops(timetable))])
  return `/v1/places?q=${encodeURIComponent(name.slice(0, 3 + below(random, 9)).trim())}`
}

async function measurePlaces(queried: Queried): Promise<void> {
  const { name, service, timetables, random } = queried
  showFigure({
    name: `${name}: start to first answer`,
    value: service.startMillis,
    unit: 'ms',
    atMost: BARS.readyMillis,
  })
  await ask(service, '/v1/networks')
  const before = await processMemory(service.pid, 'Anonymous')
  showFigure({ name: `${name}: anonymous memory after the start`, value: before, unit: 'MB' })
  const started = performance.now()
  await ask(service, '/v1/places?q=station')
  showFigure({
    name: `${name}: first search for places`,
    value: performance.now() - started,
    unit: 'ms',
    atMost: BARS.firstMillis,
  })
  const clock = await dataThread(queried)
  const typed = () => Array.from({ length: CALLS }, () => typedPath(timetables, random))
  const paths = typed()
  await timeCalls(queried, clock, { what: 'places, typed, first round', paths: typed() })
  await timeCalls(queried, clock, { what: 'places, typed', paths, atMost: BARS.placesMillis })
  await timeCalls(queried, clock, {
    what: 'places, typed, of one network',
    paths: paths.map((path) => `${path}&networks=${pick(random, queried.ids)}`),
  })
  await Bun.sleep(REST_MILLIS)
  const after = await processMemory(service.pid, 'Anonymous')
  showFigure({
    name: `${name}: anonymous memory after these searches and a rest`,
    value: after,
    unit: 'MB',
    atMost: BARS.megabytes,
  })
}

interface Calls {
  readonly what: string
  readonly paths: readonly string[]
  readonly atMost?: number
}

/** Measures the mean processor time and the mean size of the responses. Each path is requested once. */
async function timeCalls(
  { name, service }: Queried,
  clock: ThreadClock,
  { what, paths, atMost }: Calls,
): Promise<void> {
  const before = clock.nanoseconds()
  let bytes = 0
  for (const path of paths) bytes += (await ask(service, path)).length
  const millis = (clock.nanoseconds() - before) / 1e6 / paths.length
  showFigure({
    name: `${name}: ${what}, processor time`,
    value: millis,
    unit: 'ms',
    ...(atMost === undefined ? {} : { atMost }),
  })
  showFigure({ name: `${name}: ${what}, answer`, value: bytes / paths.length / 1000, unit: 'kB' })
}

async function measureNear(queried: Queried): Promise<void> {
  const clock = await dataThread(queried)
  for (const route of ['/v1/stops/nearby', '/v1/departures/nearby', '/v1/places/reverse']) {
    const paths = Array.from({ length: CALLS }, () => nearPath(route, queried.timetables, queried.random))
    await timeCalls(queried, clock, { what: route, paths, atMost: BARS.nearbyMillis })
  }
}

/** Measures /v1/status and /v1/networks, which list all networks. Also counts the series in /metrics. */
async function measureLists(queried: Queried): Promise<void> {
  const { name, service } = queried
  for (const path of ['/v1/status', '/v1/networks']) {
    const millis = Float64Array.from({ length: REPEATED })
    for (let call = 0; call < REPEATED; call++) {
      const started = performance.now()
      await ask(service, path)
      millis[call] = performance.now() - started
    }
    const first = millis[0]
    showFigure({ name: `${name}: ${path}, first`, value: first, unit: 'ms' })
    showFigure({ name: `${name}: ${path}, p50`, value: spreadOf(millis).p50, unit: 'ms', atMost: BARS.listMillis })
  }
  const metrics = await (await fetch(`${service.adminBase}/metrics`)).text()
  const series = metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length
  showFigure({ name: `${name}: series in /metrics`, value: series, unit: '', atMost: BARS.series })
}

/** Measures the time from SIGHUP to the log line `feeds checked` when nothing has changed. */
async function measureRecheck({ name, service }: Queried, log: string): Promise<void> {
  const checks = async () => (await Bun.file(log).text()).split('feeds checked').length
  const before = await checks()
  const [started, seconds] = [performance.now(), await processorSeconds(service.pid)]
  process.kill(service.pid, 'SIGHUP')
  while ((await checks()) === before) {
    if (performance.now() - started > LONGEST_RECHECK_MILLIS) throw new Error('the feeds were not checked in time')
    await Bun.sleep(POLL_MILLIS)
  }
  const millis = performance.now() - started
  showFigure({ name: `${name}: SIGHUP with nothing changed`, value: millis, unit: 'ms', atMost: BARS.recheckMillis })
  const used = (await processorSeconds(service.pid)) - seconds
  showFigure({ name: `${name}: SIGHUP with nothing changed, processor time`, value: used * 1000, unit: 'ms' })
}

/** Measures journeys between random stops of one network. The networks take turns. */
async function measureJourneys({ name, service, timetables, ids, random }: Queried): Promise<void> {
  const before = await processMemory(service.pid, 'Anonymous')
  const millis: number[] = []
  let refused = 0
  const paths = Array.from({ length: JOURNEYS }, (_, at) => {
    const network = at % ids.length
    const stop = () => stopIn(ids[network] ?? '', timetables[network], random)
    return `/v1/journeys?from=${stop()}&to=${stop()}`
  })
  let next = 0
  const reader = async () => {
    for (let path = paths[next++]; path !== undefined; path = paths[next++]) {
      const started = performance.now()
      const answer = await fetch(service.base + path, { headers: { authorization: `Bearer ${service.key}` } })
      const text = await answer.text()
      millis.push(performance.now() - started)
      if (answer.status === 503) refused++
      else if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}: ${text}`)
    }
  }
  await Promise.all(Array.from({ length: JOURNEYS_AT_ONCE }, reader))
  const { p50, p99 } = spreadOf(Float64Array.from(millis))
  showFigure({ name: `${name}: journeys in each network in turn, p50`, value: p50, unit: 'ms' })
  showFigure({ name: `${name}: journeys in each network in turn, p99`, value: p99, unit: 'ms' })
  showFigure({ name: `${name}: journeys refused with 503, of ${JOURNEYS}`, value: refused, unit: '', atMost: 0 })
  const busy = await processMemory(service.pid, 'Anonymous')
  showFigure({ name: `${name}: additional anonymous memory after the journeys`, value: busy - before, unit: 'MB' })
  await Bun.sleep(REST_MILLIS)
  const after = await processMemory(service.pid, 'Anonymous')
  const grown = `${name}: additional anonymous memory after the journeys and a rest`
  showFigure({ name: grown, value: after - before, unit: 'MB', atMost: BARS.plannerMegabytes })
}

function stopIn(id: string, timetable: Timetable | undefined, random: Random): string {
  if (timetable === undefined) throw new Error(`${id} has no timetable`)
  const stop = pick(random, usedStops(timetable))
  return encodeURIComponent(`${id}:stop:${textOf(timetable.strings, timetable.stops.id[stop])}`)
}
