// `bun bench/explanations.ts` measures how much processor time a data thread spends on each request for explanations of
// a departure board. Requests are sent one at a time. Some ask about a line at one of its stops, at some time of a busy
// day; others ask about a trip that is due soon at a stop. The live feed does not change. QUAI_BENCH_FEED names the
// feed; the default is the demo city.
import { linesOfStop } from '../indexes/timetable/stops.ts'
import { textOf } from '../loaders/strings.ts'
import { below, pick, seededRandom } from '../src/demo/seeded-random.ts'
import { busiestDay } from './busiest.ts'
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { openLiveWorld, readTimetable, stopIdOf } from './live-world.ts'
import { digits, spreadOf } from './measure.ts'
import { readEach } from './paced-sockets.ts'
import { usedStops } from './questions.ts'
import { findThread, type ThreadClock } from './thread-clock.ts'

const PORT = 18_221
/** Number of rounds. Only the shortest time of each request counts. */
const ROUNDS = 3
const COUNT = 2_000
const WARM_COUNT = 1_000
const PROBES = 1_500
const CONNECTIONS = 32
const UPDATES = 20_000
const DAY_SECONDS = 86_400
const BAR_MILLIS = 0.3

interface Explained {
  readonly data: readonly { readonly trip_id: string; readonly stop_id: string }[]
}

const feed = await benchFeed()
const timetable = await readTimetable(feed.path)
const world = await openLiveWorld({ feed: feed.path, timetable, port: PORT, workers: 1, updates: UPDATES })
const { base, pid, key } = world.service
try {
  const probes = new Array<string>(PROBES).fill('/v1/networks')
  const thread = await findThread(pid, () => readEach({ port: PORT, key, paths: probes, connections: CONNECTIONS }))
  const ofLines = listLineQuestions()
  const { calls, trips } = await ask(ofLines.slice(0, WARM_COUNT), thread)
  console.log(`${feed.name}: ${digits(calls / WARM_COUNT)} calls per answer`)
  await measure('a line, at any hour', ofLines.slice(WARM_COUNT), thread)
  const ofTrips = [...trips].map(([trip, stop]) => `/v1/stops/${stop}/explanations?trip=${encodeURIComponent(trip)}`)
  await ask(ofTrips, thread)
  await measure('a trip that is due soon', ofTrips, thread)
} finally {
  await world.close()
}

async function measure(name: string, paths: readonly string[], thread: ThreadClock): Promise<void> {
  const quickest = new Float64Array(paths.length).fill(Number.POSITIVE_INFINITY)
  for (let round = 0; round < ROUNDS; round++) {
    const { micros } = await ask(paths, thread)
    for (const [at, each] of micros.entries()) quickest[at] = Math.min(quickest[at], each / 1000)
  }
  const { p50, p99 } = spreadOf(quickest)
  showFigure({ name: `${feed.name}: explanations of ${name}, median`, value: p50, unit: 'ms' })
  showFigure({ name: `${feed.name}: explanations of ${name}, p99`, value: p99, unit: 'ms', atMost: BAR_MILLIS })
}

/**
 * Sends requests one at a time. Returns the processor time of each request, the number of explained calls, and a stop
 * for each explained trip.
 */
async function ask(paths: readonly string[], thread: ThreadClock) {
  const micros: number[] = []
  const trips = new Map<string, string>()
  let calls = 0
  for (const path of paths) {
    const before = thread.nanoseconds()
    const answer = await fetch(base + path, { headers: { authorization: `Bearer ${key}` } })
    const { data } = (await answer.json()) as Explained
    // Yields to the event loop once, so that the data thread becomes idle and the operating system has counted its
    // processor time.
    await Bun.sleep(0)
    micros.push((thread.nanoseconds() - before) / 1000)
    calls += data.length
    for (const { trip_id, stop_id } of data) trips.set(trip_id, encodeURIComponent(stop_id))
  }
  return { micros, calls, trips }
}

/**
 * Requests for explanations of lines at their stops. Half are about the current time, the others about random times of
 * the day.
 */
function listLineQuestions(): readonly string[] {
  const random = seededRandom(1, 'explanations')
  const { strings, lines } = timetable
  const used = usedStops(timetable)
  const dayStart = busiestDay(timetable).zeroSeconds
  return Array.from({ length: WARM_COUNT + COUNT }, (_, at) => {
    const stop = pick(random, used)
    const line = pick(random, linesOfStop(timetable, stop))
    const query = new URLSearchParams({ line: `net:line:${textOf(strings, lines.id[line])}` })
    if (at % 2 === 1) query.set('when', new Date((dayStart + below(random, DAY_SECONDS)) * 1000).toISOString())
    return `/v1/stops/${encodeURIComponent(stopIdOf(timetable, stop))}/explanations?${query}`
  })
}
