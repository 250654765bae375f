// `bun bench/routes.ts` measures processor time per request, for each route and for a mix of routes. The result is
// compared with a bare server that sends the same bytes. For boards, also measures the latency at a third of the full
// speed. Live data is on, keys are checked, and units are charged. QUAI_BENCH_FEED names the feed. With
// QUAI_BENCH_SHORT, only routes with limits are measured.
import { openBareServer } from './bare-servers.ts'
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { type LiveWorld, openLiveWorld } from './live-world.ts'
import { load } from './load.ts'
import { processMemory, processorSeconds } from './measure.ts'
import { readPaced } from './paced-sockets.ts'
import { listQuestions, mixOf } from './questions.ts'
import type { RunningService } from './service.ts'

const PORT = 18_101
const BARE_PORT = 18_109
const CONNECTIONS = 32
const isShort = process.env['QUAI_BENCH_SHORT'] !== undefined
const ROUNDS = isShort ? 2 : 3
/** Number of rounds for routes with a limit. */
const BARRED_ROUNDS = isShort ? 2 : 8
/**
 * Maximum number of rounds for a route that misses its limit. A further round may meet the limit, because other work on
 * the machine can only make a round slower.
 */
const MOST_ROUNDS = 12
const SECONDS = isShort ? 1 : 2
const UPDATES = 20_000
const PACED_RUNS = isShort ? 1 : 5
const PACED_SECONDS = isShort ? 3 : 10
/**
 * Limit for the p99 latency at a third of the full speed. It does not apply to a short run, which has only one sample.
 */
const PACED_BAR_MILLIS = 5
/**
 * A short run requires only this share of a limit. Its machine can be busy, so a route fails only if it has become
 * about twice as slow.
 */
const SHORT_SHARE = 0.55

const feed = await benchFeed()
const world = await openLiveWorld({ feed: feed.path, port: PORT, workers: 1, updates: UPDATES })
try {
  const questions = listQuestions(world.timetable)
  for (const { route, paths, bar } of questions) {
    if (isShort && bar === undefined) continue
    // The first route is the board, whose latency is measured too.
    const isPaced = route === questions[0]?.route
    await measureRoute(world, { name: `${feed.name}: ${route}`, paths, bar, isPaced })
  }
  await measureRoute(world, { name: `${feed.name}: mix of all`, paths: mixOf(questions) })
  showFigure({
    name: `${feed.name}: memory after all routes (Pss)`,
    value: await processMemory(world.service.pid, 'Pss'),
    unit: 'MB',
  })
} finally {
  await world.close()
}

/** What to measure for a route. */
interface RouteOrder {
  readonly name: string
  readonly paths: readonly string[]
  readonly bar?: number | undefined
  /** Whether to measure latency too. */
  readonly isPaced?: boolean
}

async function measureRoute({ service }: LiveWorld, { name, paths, bar, isPaced }: RouteOrder): Promise<void> {
  const bare = await openBareServer(service, { paths, port: BARE_PORT, processes: 1 })
  try {
    const order = { key: service.key, paths, connections: CONNECTIONS, seconds: SECONDS }
    const best = { service: Number.POSITIVE_INFINITY, bare: Number.POSITIVE_INFINITY }
    let most = 0
    const rounds = bar === undefined ? ROUNDS : BARRED_ROUNDS
    const atLeast = bar === undefined ? 0 : isShort ? bar * SHORT_SHARE : bar
    const isMissed = () => best.bare / best.service < atLeast
    for (let round = 0; round < rounds || (isMissed() && round < MOST_ROUNDS); round++) {
      for (const [which, pids, base] of [
        ['service', [service.pid], service.base],
        ['bare', bare.pids, bare.base],
      ] as const) {
        const before = await processorSeconds(...pids)
        const answers = await load({ ...order, base })
        const micros = ((await processorSeconds(...pids)) - before) * (1e6 / answers)
        best[which] = Math.min(best[which], micros)
        if (which === 'service') most = Math.max(most, answers / SECONDS)
      }
    }
    const ratio = { name: `${name}, share of a bare server's speed`, value: best.bare / best.service, unit: '' }
    showFigure(bar === undefined ? ratio : { ...ratio, atLeast })
    showFigure({ name: `${name}, processor time per answer`, value: best.service, unit: 'µs' })
    showFigure({ name: `${name}, answers per second`, value: most, unit: '/s' })
    if (isPaced === true) await measurePaced(service, { name, paths, perSecond: Math.max(100, Math.floor(most / 3)) })
  } finally {
    await bare.close()
  }
}

/**
 * Measures latency without coordinated omission: the duration of a call is measured from the time when the call was
 * due. Measures the service and the bare server alternately.
 */
async function measurePaced(
  { key }: RunningService,
  { name, paths, perSecond }: { name: string; paths: readonly string[]; perSecond: number },
): Promise<void> {
  const order = { key, paths, connections: CONNECTIONS, perSecond }
  const runs: Record<'service' | 'bare', { p50: number; p99: number }[]> = { service: [], bare: [] }
  await readPaced({ ...order, port: PORT, seconds: 2 })
  for (let run = 0; run < PACED_RUNS; run++) {
    for (const [which, port] of [
      ['service', PORT],
      ['bare', BARE_PORT],
    ] as const) {
      const { millis, failures } = await readPaced({ ...order, port, seconds: PACED_SECONDS })
      if (failures.length > 0) throw new Error(`${failures.length} failed: ${failures[0]}`)
      runs[which].push(millis)
    }
  }
  const median = (which: 'service' | 'bare', of: 'p50' | 'p99') =>
    runs[which].map((run) => run[of]).sort((a, b) => a - b)[PACED_RUNS >> 1]
  const at = `${name} at ${perSecond} a second, median of ${PACED_RUNS} runs`
  showFigure({ name: `${at}, p50`, value: median('service', 'p50'), unit: 'ms' })
  const p99 = { name: `${at}, p99`, value: median('service', 'p99'), unit: 'ms' }
  showFigure(isShort ? p99 : { ...p99, atMost: PACED_BAR_MILLIS })
  showFigure({ name: `${at}, p99 of the bare server`, value: median('bare', 'p99'), unit: 'ms' })
}
