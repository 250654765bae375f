// `bun bench/second-planner.ts` measures the memory of a second planner, after each planner has answered the same
// queries. The figure is the memory of a process with two planners, minus the memory of a process with one planner. The
// two processes run only planners, and are measured alternately. QUAI_BENCH_FEED names the feed.
import { readdirSync, rmSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { join } from 'node:path'
import { Problem } from '../src/http/problem.ts'
import { PlannerDesk } from '../src/journeys/planner-desk.ts'
import type { FromPlanner, JourneyQuestion, ToPlanner } from '../src/journeys/planner-messages.ts'
import { findSnapshot, layoutSnapshot, snapshotBytes } from '../src/networks/snapshot-store.ts'
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { loadJourneyFeed, NETWORK, questionOf } from './journey-feeds.ts'
import { digits, processMemory } from './measure.ts'
import { makeConfig, runCommand } from './service.ts'

const ROUNDS = Number(process.env['QUAI_BENCH_ROUNDS'] ?? 5)
const QUERIES = Number(process.env['QUAI_QUERIES'] ?? 1000)
/**
 * Number of memory samples, one per second. The sampling takes longer than five seconds, because a planner collects
 * garbage after five idle seconds.
 */
const SAMPLES = 10
const SAMPLE_MILLIS = 1_000
/** Maximum time of a query. It is long because only memory matters here and the machine may be busy. */
const DEADLINE_MILLIS = 60_000
const BAR_MEGABYTES = 25
const MAIN = join(import.meta.dir, '..', 'src', 'main.ts')

/** The command-line arguments of a measured process. */
interface Order {
  readonly planners: number
  readonly snapshotPath: string
  /** A JSON file with the queries. */
  readonly questionPath: string
  readonly clock: string
}

const [order] = process.argv.slice(2)
if (order === undefined) await compare()
else {
  console.log(String(await memoryOf(JSON.parse(order))))
  process.exit(0)
}

async function compare(): Promise<void> {
  const { name, path } = await benchFeed()
  const { seconds, questions } = await loadJourneyFeed(path, QUERIES)
  const { folder, file } = makeConfig(path)
  try {
    await runCommand(['import', '--config', file])
    const { found } = findSnapshot(join(folder, 'data'), NETWORK)
    if (found === undefined) throw new Error('the import left no snapshot')
    const questionPath = join(folder, 'questions.json')
    await Bun.write(questionPath, JSON.stringify(questions.map((pair) => questionOf(pair, seconds))))
    const clock = new Date(seconds * 1000).toISOString().replace('.000', '')
    const measure = async (planners: number): Promise<number> => {
      const words = [import.meta.path, JSON.stringify({ planners, snapshotPath: found.path, questionPath, clock })]
      return Number((await runCommand(words, [process.execPath])).output)
    }
    const more = new Float64Array(ROUNDS)
    for (let round = 0; round < ROUNDS; round++) {
      const [one, two] = [await measure(1), await measure(2)]
      more[round] = two - one
      console.log(`  one planner ${digits(one)} MB, two ${digits(two)} MB: ${digits(more[round])} MB more`)
    }
    const value = more.sort()[ROUNDS >> 1]
    showFigure({ name: `${name}: a second planner, median (Pss)`, value, unit: 'MB', atMost: BAR_MEGABYTES })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Sends the queries to the planners in this process. After all answers, samples the memory of the process, and returns
 * the smallest sample.
 */
async function memoryOf({ planners, snapshotPath, questionPath, clock }: Order): Promise<number> {
  const questions: readonly JourneyQuestion[] = await Bun.file(questionPath).json()
  const settings = { id: NETWORK, name: 'Net', city: 'Town', attribution: [] }
  const { id } = layoutSnapshot(snapshotBytes(snapshotPath)).snapshot
  const network = { settings, snapshot: { id, path: snapshotPath }, lastError: undefined }
  const started = { setting: clock, readAtMillis: Date.now() }
  const desks = Array.from({ length: planners }, () => {
    return new PlannerDesk([network], (onMessage) => startPlanner(started, onMessage), DEADLINE_MILLIS)
  })
  for (const question of questions) {
    for (const desk of desks) {
      const outcome = await desk.plan('key', question, new AbortController().signal)
      const result = outcome instanceof Problem ? outcome.reason : outcome.kind
      if (result !== 'journeys') throw new Error(`a journey was not planned: ${result}`)
    }
  }
  let least = Infinity
  for (let sample = 0; sample < SAMPLES; sample++) {
    await Bun.sleep(SAMPLE_MILLIS)
    least = Math.min(least, await processMemory(process.pid, 'Pss'))
  }
  return least
}

function startPlanner(
  clock: Extract<ToPlanner, { kind: 'clock' }>['clock'],
  onMessage: (message: FromPlanner) => void,
): ReturnType<ConstructorParameters<typeof PlannerDesk>[1]> {
  const worker = new Worker(MAIN, { argv: ['planner'] })
  worker.onmessage = (event: MessageEvent<FromPlanner>) => {
    if (event.data.kind === 'awake') {
      keepPriority()
      worker.postMessage({ kind: 'clock', clock, isAlone: false } satisfies ToPlanner)
    }
    onMessage(event.data)
  }
  return { post: (message) => worker.postMessage(message), end: () => worker.terminate() }
}

/**
 * Gives the planner threads normal priority. Usually, planners yield to all other work, so on a busy machine they would
 * take minutes.
 */
function keepPriority(): void {
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), getPriority())
}
