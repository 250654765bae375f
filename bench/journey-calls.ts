// `bun bench/journey-calls.ts` measures the cost of a whole call to /v1/journeys, compared with the same query to a
// planner in this process. Queries run one at a time: each is sent over HTTP, and then to the planner in this process.
// The service's processor time per call is also measured. QUAI_BENCH_FEED names the feed, and QUAI_QUERIES the number
// of queries.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { JourneyPlanning } from '../src/journeys/journey-planning.ts'
import type { JourneyQuestion } from '../src/journeys/planner-messages.ts'
import { Networks } from '../src/networks/network.ts'
import { findSnapshot } from '../src/networks/snapshot-store.ts'
import { SnapshotViews } from '../src/rendering/snapshot-view.ts'
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { loadJourneyFeed, NETWORK, questionOf } from './journey-feeds.ts'
import { digits, processorSeconds, spreadOf } from './measure.ts'
import { makeConfig, type RunningService, runCommand, startService } from './service.ts'

const PORT = 18_491
const QUERIES = Number(process.env['QUAI_QUERIES'] ?? 1000)
/**
 * Number of passes over the queries. The first pass only warms up. Of the later passes, the shortest time of each query
 * counts, because other work on the machine can only make it longer.
 */
const PASSES = 4
const TEXT_CACHE_BYTES = 1024 * 1024
/**
 * Maximum time of a query. It is long, because preparing the trips of the first days may take long on a busy machine.
 */
const DEADLINE_MILLIS = 60_000
const BARS = { p50: 1.4, p95: 1.6, processorMillis: 2 }

const { name, path } = await benchFeed()
const { seconds, questions } = await loadJourneyFeed(path, QUERIES)
const { folder, file } = makeConfig(path)
try {
  await runCommand(['import', '--config', file])
  const planning = openPlanning(join(folder, 'data'))
  const service = await startService(file, { clock: clockOf(seconds), workers: 1, port: PORT })
  try {
    await compare(service, planning)
  } finally {
    await service.stop()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function compare(service: RunningService, planning: JourneyPlanning): Promise<void> {
  const called = new Float64Array(QUERIES).fill(Infinity)
  const planned = new Float64Array(QUERIES).fill(Infinity)
  let processorMillis = Infinity
  for (let pass = 0; pass < PASSES; pass++) {
    const before = await processorSeconds(service.pid)
    for (const [at, pair] of questions.entries()) {
      // Each pass requests a departure one second later than the pass before, so that no response comes from the cache.
      const question = questionOf(pair, seconds + pass)
      const [call, plan] = [await timeCall(service, question, pass === 0), timePlan(planning, question)]
      if (pass === 0) continue
      called[at] = Math.min(called[at], call)
      planned[at] = Math.min(planned[at], plan)
    }
    const spent = (1000 * ((await processorSeconds(service.pid)) - before)) / QUERIES
    if (pass > 0) processorMillis = Math.min(processorMillis, spent)
  }
  report(called, planned, processorMillis)
}

function report(called: Float64Array, planned: Float64Array, processorMillis: number): void {
  const mean = planned.reduce((sum, millis) => sum + millis, 0) / QUERIES
  const [call, plan] = [spreadOf(called), spreadOf(planned)]
  console.log(`  whole call: p50 ${digits(call.p50)}, p95 ${digits(call.p95)} ms`)
  console.log(`  in process: p50 ${digits(plan.p50)}, p95 ${digits(plan.p95)}, mean ${digits(mean)} ms`)
  const beside = `${name}: a journey, whole call compared with in process`
  showFigure({ name: `${beside}, p50`, value: call.p50 / plan.p50, unit: '×', atMost: BARS.p50 })
  showFigure({ name: `${beside}, p95`, value: call.p95 / plan.p95, unit: '×', atMost: BARS.p95 })
  showFigure({
    name: `${name}: a journey, mean processor time per call`,
    value: processorMillis,
    unit: 'ms',
    // The limit applies only to Strasbourg.
    ...(name.startsWith('strasbourg') ? { atMost: BARS.processorMillis } : {}),
  })
}

async function timeCall(
  { base, key }: RunningService,
  { from, to, seconds: when }: JourneyQuestion,
  isWarmUp: boolean,
): Promise<number> {
  const [origin, destination] = [from, to].map(({ place }) => encodeURIComponent(`${NETWORK}:stop:${place?.id}`))
  const url = `${base}/v1/journeys?from=${origin}&to=${destination}&when=${clockOf(when)}`
  const headers = { authorization: `Bearer ${key}` }
  const started = performance.now()
  const answer = await fetch(url, { headers })
  const body = await answer.arrayBuffer()
  const millis = performance.now() - started
  // On a busy machine, the first calls may be refused while the planner starts. That does not matter, because the first
  // pass only warms up.
  if (answer.status !== 200 && !isWarmUp) throw new Error(`${url}: ${answer.status} ${new TextDecoder().decode(body)}`)
  return millis
}

function timePlan(planning: JourneyPlanning, question: JourneyQuestion): number {
  const started = performance.now()
  const outcome = planning.answer(question, DEADLINE_MILLIS)
  const millis = performance.now() - started
  if (outcome.kind !== 'journeys') throw new Error(`a journey was not planned: ${outcome.kind}`)
  return millis
}

/** Opens a planner in this process, with the service's snapshot. */
function openPlanning(dataDir: string): JourneyPlanning {
  const { found } = findSnapshot(dataDir, NETWORK)
  if (found === undefined) throw new Error('the import left no snapshot')
  const settings = { id: NETWORK, name: 'Net', city: 'Town', attribution: [] }
  const network = { settings, current: found.loaded.snapshot, lastError: undefined }
  return new JourneyPlanning(new SnapshotViews(new Networks([network]), TEXT_CACHE_BYTES))
}

function clockOf(moment: number): string {
  return new Date(moment * 1000).toISOString().replace('.000', '')
}
