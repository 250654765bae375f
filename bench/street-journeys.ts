// `QUAI_FEEDS=folder bun bench/street-journeys.ts` requests the same journeys over HTTP from two services in turn.
// Walks follow streets in only one of the services. There are two comparisons: one with the streets of a real extract,
// and one with a generated grid, as dense as a city with all sidewalks mapped. Measures wall-clock time and processor
// time; other work on the machine hardly affects the processor time. Also measures the start and the memory of both
// services.
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { below, seededRandom } from '../src/demo/seeded-random.ts'
import { REAL_EXTRACTS, REAL_FEEDS } from '../tests/size.ts'
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { type JourneyFeed, loadJourneyFeed } from './journey-feeds.ts'
import { processMemory, spreadOf } from './measure.ts'
import { makeConfig, type RunningService, runCommand, startService } from './service.ts'
import { gridOver, writeGrid } from './street-grid.ts'
import { processNanoseconds } from './thread-clock.ts'

const QUESTIONS = Number(process.env['QUAI_QUERIES'] ?? 300)
/** Number of passes. Each pass requests journeys at other times, so that no response comes from the cache. */
const PASSES = 4
const STARTS = 5
const PORT = 18_491
const WALKS = [1_000, 2_500]
/** Maximum offset of a place from a stop, in degrees. */
const BESIDE = 2e-3
/** How far the grid extends beyond the outermost stops, in degrees. */
const MARGIN = 0.035
const MEMORY_SAMPLES = 20
const MEMORY_SAMPLE_MILLIS = 1_000
/**
 * Limits for the service with streets. Its median journey may take `times` times as long as without streets, or
 * `moreMillis` longer, whichever is more. Its start may take `start` milliseconds, and it may need `memory` megabytes
 * more than without streets.
 */
const BARS = { times: 1.2, moreMillis: 0.4, start: 150, memory: 40 }

if (REAL_EXTRACTS === undefined || REAL_FEEDS === undefined) throw new Error('QUAI_FEEDS must name a folder of feeds')
const folder = mkdtempSync(join(tmpdir(), 'quai-bench-streets-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
await compare(
  await loadJourneyFeed(join(REAL_FEEDS, 'porto-alegre-eptc-2019.zip'), QUESTIONS),
  join(REAL_EXTRACTS, 'porto-alegre.osm.pbf'),
)
process.env['QUAI_BENCH_SCALE'] ??= '1'
const city = await loadJourneyFeed((await benchFeed()).path, QUESTIONS)
await compare({ ...city, name: 'city on a dense grid' }, writeGridUnder(city))

/** Writes a grid that covers all stops in the feed's queries. Returns the path of the file. */
function writeGridUnder({ questions }: JourneyFeed): string {
  const ends = questions.flatMap(({ from, to }) => [from.end, to.end])
  const [lats, lons] = [ends.map(({ lat }) => lat), ends.map(({ lon }) => lon)]
  const grid = gridOver({
    south: Math.min(...lats) - MARGIN,
    north: Math.max(...lats) + MARGIN,
    west: Math.min(...lons) - MARGIN,
    east: Math.max(...lons) + MARGIN,
  })
  const path = join(folder, 'grid.osm.pbf')
  const file = openSync(path, 'w')
  for (const piece of writeGrid(grid)) writeSync(file, piece)
  closeSync(file)
  return path
}

/** A running service, and the folder of its configuration. */
interface Side {
  readonly service: RunningService
  readonly folder: string
}

/**
 * Starts a service several times. Returns the service that was started last, which keeps running. Its `startMillis` is
 * the shortest of all starts.
 */
async function open({ path, seconds }: JourneyFeed, extracts: readonly string[], port: number): Promise<Side> {
  const { folder: own, file } = makeConfig(path, extracts)
  await runCommand(['import', '--config', file])
  const clock = new Date(seconds * 1000).toISOString().replace('.000', '')
  let startMillis = Number.POSITIVE_INFINITY
  for (let start = 1; ; start++) {
    const service = await startService(file, { clock, workers: 1, port })
    startMillis = Math.min(startMillis, service.startMillis)
    if (start === STARTS) return { service: { ...service, startMillis }, folder: own }
    await service.stop()
  }
}

async function compare(feed: JourneyFeed, extract: string): Promise<void> {
  const sides = [await open(feed, [], PORT), await open(feed, [extract], PORT + 10)] as const
  try {
    const [straight, streets] = sides
    const start = streets.service.startMillis
    showFigure({ name: `${feed.name}: start with streets`, value: start, unit: 'ms', atMost: BARS.start })
    showFigure({ name: `${feed.name}: start without streets`, value: straight.service.startMillis, unit: 'ms' })
    for (const maxWalk of WALKS) await compareCalls(feed, [straight.service, streets.service], maxWalk)
    const [less, more] = [await dirtyMegabytes(straight), await dirtyMegabytes(streets)]
    showFigure({
      name: `${feed.name}: additional private memory with streets`,
      value: more - less,
      unit: 'MB',
      atMost: BARS.memory,
    })
  } finally {
    for (const { service, folder: own } of sides) {
      await service.stop()
      rmSync(own, { recursive: true, force: true })
    }
  }
}

/**
 * Minimum memory in several samples while no requests are sent. Meanwhile, the garbage from the last requests is
 * collected.
 */
async function dirtyMegabytes({ service }: Side): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let sample = 0; sample < MEMORY_SAMPLES; sample++) {
    await Bun.sleep(MEMORY_SAMPLE_MILLIS)
    least = Math.min(least, await processMemory(service.pid, 'Private_Dirty'))
  }
  return least
}

/**
 * The cost of a journey in milliseconds: `clock` is the wall-clock time until the response, and `processor` is the
 * processor time.
 */
interface Cost {
  readonly clock: number
  readonly processor: number
}

/**
 * Sends each query to both services in several passes. Only the minimum cost of each query counts. Reports the median
 * and the p95 over all queries.
 */
async function compareCalls(
  feed: JourneyFeed,
  services: readonly [RunningService, RunningService],
  maxWalk: number,
): Promise<void> {
  const random = seededRandom(maxWalk, 'beside')
  const beside = () => ((below(random, 2_001) - 1_000) / 1_000) * BESIDE
  const pairs = feed.questions.map(({ from, to }) =>
    [from.end, to.end].map(({ lat, lon }) => `${(lat + beside()).toFixed(6)},${(lon + beside()).toFixed(6)}`),
  )
  const least = services.map(() => ({
    clock: new Float64Array(pairs.length).fill(Number.POSITIVE_INFINITY),
    processor: new Float64Array(pairs.length).fill(Number.POSITIVE_INFINITY),
  }))
  for (let pass = 0; pass < PASSES; pass++) {
    const when = new Date((feed.seconds + 60 * pass) * 1000).toISOString().replace('.000', '')
    for (const [at, [from, to]] of pairs.entries()) {
      const path = `/v1/journeys?from=${from}&to=${to}&max_walk=${maxWalk}&when=${when}`
      for (const [side, { clock, processor }] of least.entries()) {
        const cost = await ask(services[side === 0 ? 0 : 1], path)
        clock[at] = Math.min(clock[at] ?? cost.clock, cost.clock)
        processor[at] = Math.min(processor[at] ?? cost.processor, cost.processor)
      }
    }
  }
  const [without, on] = least
  if (without === undefined || on === undefined) throw new Error('two services are needed')
  for (const kind of ['processor', 'clock'] as const) {
    const [before, after] = [spreadOf(without[kind]), spreadOf(on[kind])]
    const name = `${feed.name}: /v1/journeys, max_walk ${maxWalk}, ${kind === 'clock' ? 'wall-clock time' : 'processor time'}`
    const atMost = Math.max(BARS.times * before.p50, before.p50 + BARS.moreMillis)
    showFigure({ name: `${name}, without streets, p50`, value: before.p50, unit: 'ms' })
    showFigure({ name: `${name}, p50`, value: after.p50, unit: 'ms', ...(maxWalk === WALKS[0] && { atMost }) })
    showFigure({ name: `${name}, without streets, p95`, value: before.p95, unit: 'ms' })
    showFigure({ name: `${name}, p95`, value: after.p95, unit: 'ms' })
  }
}

async function ask({ base, key, pid }: RunningService, path: string): Promise<Cost> {
  const before = processNanoseconds(pid)
  const started = performance.now()
  const answer = await fetch(base + path, { headers: { authorization: `Bearer ${key}` } })
  const text = await answer.text()
  const clock = performance.now() - started
  // On a busy machine, a journey may exceed the time limit. This request then does not count; other passes request the
  // journey again.
  if (answer.status === 503 && text.includes('planner_timeout')) {
    return { clock: Number.POSITIVE_INFINITY, processor: Number.POSITIVE_INFINITY }
  }
  if (answer.status !== 200) throw new Error(`/v1/journeys returned ${answer.status}: ${text}`)
  return { clock, processor: (processNanoseconds(pid) - before) / 1e6 }
}
