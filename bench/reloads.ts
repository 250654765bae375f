// `bun bench/reloads.ts` measures latency at a steady rate of requests, while the timetable is replaced ten times and
// the live data changes every second. The result is compared with the latency at the same rate while neither changes.
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { type LiveWorld, openLiveWorld } from './live-world.ts'
import { type PacedResult, readPaced } from './paced-sockets.ts'
import { listQuestions } from './questions.ts'
import { runCommand } from './service.ts'

const PORT = 18_161
const CONNECTIONS = 64
const PER_SECOND = 640
const RELOADS = Number(process.env['QUAI_BENCH_RELOADS'] ?? 10)
const UPDATES = 100_000
const QUIET_SECONDS = 10
const BAR_MILLIS = 10

const feed = await benchFeed()
const world = await openLiveWorld({ feed: feed.path, port: PORT, workers: 1, updates: UPDATES })
try {
  await measure(world)
} finally {
  await world.close()
}

async function measure({ service, timetable, file, commandAgency }: LiveWorld): Promise<void> {
  const paths = listQuestions(timetable)[0]?.paths ?? []
  const order = { port: PORT, key: service.key, paths, connections: CONNECTIONS, perSecond: PER_SECOND }
  await readPaced({ ...order, seconds: 3 })
  const quiet = await readPaced({ ...order, seconds: QUIET_SECONDS })
  const sentBefore = await commandAgency('move')
  const started = performance.now()
  const reloads = (async () => {
    for (let reload = 0; reload < RELOADS; reload++) {
      await runCommand(['import', '--force', '--config', file])
      await Bun.sleep(500)
    }
    return (performance.now() - started) / 1000
  })()
  const rounds: PacedResult[] = []
  let seconds = 0
  void reloads.then((took) => {
    seconds = took
  })
  while (seconds === 0) rounds.push(await readPaced({ ...order, seconds: 2 }))
  await reloads
  const overlays = (await commandAgency('stop')) - sentBefore
  const failures = [quiet, ...rounds].flatMap((round) => round.failures)
  if (failures.length > 0) throw new Error(`${failures.length} failed: ${failures.slice(0, 3).join('; ')}`)
  const name = `${feed.name}: departures at ${PER_SECOND} a second`
  const p99s = rounds.map(({ millis }) => millis.p99).sort((a, b) => a - b)
  showFigure({ name: `${name}, quiet, p99`, value: quiet.millis.p99, unit: 'ms' })
  showFigure({
    name: `${name}, ${RELOADS} reloads and ${overlays} overlays in ${seconds.toFixed(0)} s, p99 (median of 2 s)`,
    value: p99s[p99s.length >> 1],
    unit: 'ms',
    atMost: Math.max(2 * quiet.millis.p99, BAR_MILLIS),
  })
  showFigure({
    name: `${name}, the slowest of all`,
    value: Math.max(...rounds.map((round) => round.slowestMillis)),
    unit: 'ms',
  })
  showFigure({ name: `${name}, failed`, value: failures.length, unit: '', atMost: 0 })
}
