// `bun bench/fresh.ts` measures how much processor time a data thread spends on each response that is not in its cache.
// The result is compared with a bare server that sends bodies of the same sizes. The two are measured alternately, and
// the best of five rounds counts. The service's clock keeps running. Everything is measured twice: while the live feed
// changes 20 000 calls every 15 seconds, and while it does not change. Each URL is requested once. QUAI_BENCH_FEED
// names the feed; the default is the demo city.
import { openBareServer } from './bare-servers.ts'
import { busiestDay } from './busiest.ts'
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { type FreshRow, listFreshRows } from './fresh-questions.ts'
import { readTimetable } from './live-world.ts'
import { readEach } from './paced-sockets.ts'
import { findThread } from './thread-clock.ts'
import { type AnswerTime, openTimedService, type TimedService } from './timed-service.ts'

const PORT = 18_201
const BARE_PORT = 18_209
const isShort = process.env['QUAI_BENCH_SHORT'] !== undefined
const ROUNDS = Number(process.env['QUAI_BENCH_ROUNDS'] ?? (isShort ? 3 : 5))
/**
 * Maximum number of rounds in a short run that misses its limit. A further round may meet the limit, because other work
 * on the machine can only make a round slower.
 */
const MOST_ROUNDS = 9
const URLS = Number(process.env['QUAI_BENCH_URLS'] ?? (isShort ? 2_000 : 20_000))
/** Pattern for the names of the rows to run. By default, all rows run. */
const CHOSEN = new RegExp(process.env['QUAI_BENCH_ROWS'] ?? '')
const UPDATES = 20_000
const CONNECTIONS = 32
/**
 * Maximum number of reloads in a round. A row with one URL per stop can have fewer URLs than `URLS`. After a reload,
 * each of its URLs can be requested once more.
 */
const MOST_RELOADS = isShort ? 1 : 4
/**
 * Number of responses to check per row. At least the share `FULL_SHARE` of these responses must not be empty, because
 * an empty board costs little time.
 */
const SAMPLES = 20
const FULL_SHARE = 0.25

const feed = await benchFeed()
const timetable = await readTimetable(feed.path)
const dayStartSeconds = busiestDay(timetable).zeroSeconds
const rows = listFreshRows({ timetable, dayStartSeconds, count: URLS }).filter(({ name }) => CHOSEN.test(name))
const hasJourneys = rows.some(({ isPlanned }) => isPlanned === true)
const service = await openTimedService({ feed: feed.path, timetable, port: PORT, updates: UPDATES, hasJourneys })
try {
  for (const mode of ['pace', 'stop'] as const) {
    await service.world.commandAgency(mode)
    const live = mode === 'pace' ? 'live data changing' : 'live data not changing'
    for (const row of rows) await measureRow(row, `${feed.name}, ${live}: ${row.name}`)
  }
} finally {
  await service.close()
}

async function measureRow(row: FreshRow, name: string): Promise<void> {
  const warm = row.paths(0)
  await checkAnswers(service, row)
  const { lengths } = await service.time(warm)
  const lengthOf = Object.fromEntries(warm.map((path, at) => [path, lengths[at] ?? 0]))
  const order = { paths: warm, lengths: lengthOf, port: BARE_PORT, processes: 1 }
  const bare = await openBareServer(service.world.service, order)
  try {
    const askBare = () => readEach({ port: BARE_PORT, key: 'none', paths: warm, connections: CONNECTIONS })
    const bareThread = await findThread(bare.pids[0] ?? 0, askBare)
    const best = { micros: Infinity, withPlannerMicros: Infinity, bareMicros: Infinity, shareOfRound: 0 }
    const liveMicros: number[] = []
    // Other work on the machine changes from round to round, so a short run compares the times of the service and the
    // bare server in the same round.
    const share = () => (isShort ? best.shareOfRound : best.bareMicros / best.micros)
    const isMissed = () => isShort && share() < row.shortBar
    for (let round = 1; round <= ROUNDS || (isMissed() && round <= MOST_ROUNDS); round++) {
      const seen = await timeRound(row, round)
      const before = bareThread.nanoseconds()
      await askBare()
      const bareMicros = (bareThread.nanoseconds() - before) / 1000 / warm.length
      best.bareMicros = Math.min(best.bareMicros, bareMicros)
      best.shareOfRound = Math.max(best.shareOfRound, bareMicros / seen.micros)
      best.micros = Math.min(best.micros, seen.micros)
      best.withPlannerMicros = Math.min(best.withPlannerMicros, seen.withPlannerMicros)
      liveMicros.push(seen.liveMicros)
    }
    showFigure({ name: `${name}, data thread's time per answer`, value: best.micros, unit: 'µs' })
    const meanLive = liveMicros.reduce((sum, each) => sum + each, 0) / liveMicros.length
    showFigure({ name: `${name}, live thread's time per answer, mean`, value: meanLive, unit: 'µs' })
    if (row.isPlanned) showFigure({ name: `${name}, planner included`, value: best.withPlannerMicros, unit: 'µs' })
    const figure = { name: `${name}, share of a bare server's speed`, value: share(), unit: '' }
    showFigure(isShort ? { ...figure, atLeast: row.shortBar } : figure)
  } finally {
    await bare.close()
  }
}

/** Measures one round: a single pass over the paths, or the mean of several passes with a reload before each. */
async function timeRound(row: FreshRow, round: number): Promise<Omit<AnswerTime, 'lengths'>> {
  const paths = row.paths(round)
  if (!row.needsReload) return await service.time(paths)
  const reloads = Math.min(MOST_RELOADS, Math.ceil(URLS / paths.length))
  const sum = { micros: 0, withPlannerMicros: 0, liveMicros: 0 }
  for (let reload = 0; reload < reloads; reload++) {
    await service.reload()
    const { micros, withPlannerMicros, liveMicros } = await service.time(paths)
    sum.micros += micros / reloads
    sum.withPlannerMicros += withPlannerMicros / reloads
    sum.liveMicros += liveMicros / reloads
  }
  return sum
}

/**
 * Throws if too many responses of a row are empty, because empty responses are fast and would make the result look
 * better.
 */
async function checkAnswers({ world }: TimedService, row: FreshRow): Promise<void> {
  const paths = row.paths(-1).slice(0, SAMPLES)
  let full = 0
  for (const path of paths) {
    const answer = await fetch(world.service.base + path, { headers: { authorization: `Bearer ${world.service.key}` } })
    const { data } = (await answer.json()) as { data: unknown }
    if (Array.isArray(data) ? data.length > 0 : data !== null) full++
  }
  if (full < paths.length * FULL_SHARE) {
    throw new Error(`${row.name}: only ${full} of ${paths.length} answers are not empty`)
  }
}
