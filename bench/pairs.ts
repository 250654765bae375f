// `bun bench/pairs.ts OLD NEW` measures whether one build of the service is slower than another. Each build is a
// binary, or a checkout with installed packages. The builds run in ten pairs. In each pair, both builds are restarted
// and get the same requests, one build after the other. The requests are grouped into rows. For each row, each pair
// gives a ratio: the data thread's time per response in the old build, divided by its time in the new build. The result
// is the median of the ten ratios. For start time and memory, the ratio is new divided by old.
import { existsSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { busiestDay } from './busiest.ts'
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { type FreshRow, listFreshRows } from './fresh-questions.ts'
import { readTimetable } from './live-world.ts'
import { processMemory } from './measure.ts'
import { listQuestions } from './questions.ts'
import { makeConfig, runCommand, startService } from './service.ts'
import { openTimedService, type TimedService } from './timed-service.ts'

const PORT = 18_221
const PAIRS = Number(process.env['QUAI_BENCH_PAIRS'] ?? 10)
const ROUNDS = Number(process.env['QUAI_BENCH_ROUNDS'] ?? 5)
const URLS = Number(process.env['QUAI_BENCH_URLS'] ?? 6_000)
/** Pattern for the names of the rows to run. By default, all rows run. */
const CHOSEN = new RegExp(process.env['QUAI_BENCH_ROWS'] ?? '')
const UPDATES = 20_000
const STARTS = 5
const MEMORY_SAMPLES = 5
const MEMORY_SAMPLE_MILLIS = 1_000
const BARS = { row: 0.95, mean: 0.98, start: 1.03 }

/** A group of requests that are measured together. */
type Row = Pick<FreshRow, 'name' | 'paths' | 'needsReload' | 'isPlanned'>

/** `micros`: microseconds per response, by row name. `others`: milliseconds or megabytes, by measurement name. */
interface Measured {
  readonly micros: Map<string, number>
  readonly others: Map<string, number>
}

/** A build of the service. */
interface Build {
  readonly command: readonly string[]
  readonly port: number
  /** A configuration file whose feed is already imported. Used to measure starts of the service. */
  readonly config: string
}

/** A build's running service, and the build's measurements in the current pair. */
interface Side {
  readonly service: TimedService
  readonly seen: Measured
}

const [oldCommand, newCommand] = process.argv.slice(2).map(commandOf)
if (oldCommand === undefined || newCommand === undefined || process.argv.length !== 4) {
  console.error('usage: bun bench/pairs.ts OLD NEW; each is a binary or a checkout whose source is run')
  process.exit(2)
}
const feed = await benchFeed()
const timetable = await readTimetable(feed.path)
const dayStartSeconds = busiestDay(timetable).zeroSeconds
const rows = listRows()
const builds = [await openBuild(oldCommand, PORT), await openBuild(newCommand, PORT + 10)] as const
const micros = new Map<string, number[]>()
const others = new Map<string, number[]>()
for (let pair = 0; pair < PAIRS; pair++) {
  const [before, after] = await measurePair(pair)
  note(micros, before.micros, after.micros)
  note(others, after.others, before.others)
  const ratios = [...micros.values()].map((each) => each[pair] ?? Number.NaN)
  console.log(`pair ${pair + 1} of ${PAIRS}, geometric mean of the rows: ${geometricMean(ratios).toFixed(4)}`)
}
const medians = [...micros].map(([name, ratios]) => ({ name, ratio: median(ratios) }))
for (const { name, ratio } of medians) {
  showFigure({ name: `${name}: old time / new time`, value: ratio, unit: '', atLeast: BARS.row })
}
const mean = geometricMean(medians.map(({ ratio }) => ratio))
showFigure({ name: 'geometric mean of the rows', value: mean, unit: '', atLeast: BARS.mean })
for (const [name, ratios] of others) {
  showFigure({ name: `${name}: new / old`, value: median(ratios), unit: '', atMost: BARS.start })
}
const isSlower = medians.some(({ ratio }) => ratio < BARS.row) || mean < BARS.mean
if (isSlower || [...others.values()].some((ratios) => median(ratios) > BARS.start)) process.exitCode = 1

/** The command that starts a build. */
function commandOf(path: string): readonly string[] {
  const whole = resolve(path)
  if (!existsSync(whole)) throw new Error(`${path} does not exist`)
  return statSync(whole).isDirectory() ? [process.execPath, join(whole, 'src', 'main.ts')] : [whole]
}

/**
 * The rows to measure: the routes of `bench routes`, whose responses come from the cache, and the rows of `bench
 * fresh`.
 */
function listRows(): Row[] {
  const kept = listQuestions(timetable)
    .filter(({ route }) => route !== '/v1/journeys')
    .map(({ route, paths }): Row => {
      const repeated = Array.from({ length: URLS }, (_, at) => paths[at % paths.length] ?? '')
      return { name: `kept: ${route}`, paths: () => repeated }
    })
  const fresh = listFreshRows({ timetable, dayStartSeconds, count: URLS })
  const all = [...kept, ...fresh.map((row) => ({ ...row, name: `fresh: ${row.name}` }))]
  return all.filter(({ name }) => CHOSEN.test(name))
}

function isBoard({ name }: Row): boolean {
  return /^kept: .*\/departures$|^fresh: board/.test(name)
}

/**
 * Starts both builds, one after the other, and measures them in turn. The order of the two builds changes from pair to
 * pair.
 */
async function measurePair(pair: number): Promise<readonly [Measured, Measured]> {
  const [before, after] = [makeMeasured(), makeMeasured()]
  const sides = [
    { build: builds[0], seen: before },
    { build: builds[1], seen: after },
  ]
  const inTurn = pair % 2 === 0 ? sides : sides.toReversed()
  for (let start = 0; start < STARTS; start++) {
    for (const { build, seen } of inTurn) await measureStart(build, seen)
  }
  const running: Side[] = []
  try {
    for (const { build, seen } of inTurn) {
      const { port, command } = build
      running.push({
        service: await openTimedService({ feed: feed.path, timetable, port, command, updates: UPDATES }),
        seen,
      })
    }
    await commandAgencies(running, 'move')
    for (const row of rows.filter(isBoard)) await measureRow(row, running)
    await commandAgencies(running, 'stop')
    await measureMemory(running)
    await commandAgencies(running, 'move')
    for (const row of rows) if (!isBoard(row)) await measureRow(row, running)
  } finally {
    for (const { service } of running) await service.close()
  }
  return [before, after]
}

async function commandAgencies(running: readonly Side[], word: 'move' | 'stop'): Promise<void> {
  for (const { service } of running) await service.world.commandAgency(word)
}

async function openBuild(command: readonly string[], port: number): Promise<Build> {
  const { folder, file } = makeConfig(feed.path)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  await runCommand(['import', '--config', file], command)
  return { command, port, config: file }
}

/**
 * Measures the time from the start of the process to its first response, and its memory soon after, without live data.
 */
async function measureStart({ command, port, config }: Build, seen: Measured): Promise<void> {
  const clock = new Date(dayStartSeconds * 1000).toISOString().replace('.000', '')
  const service = await startService(config, { clock, workers: 1, port, command })
  keepLeast(seen.others, 'start to the first answer', service.startMillis)
  await Bun.sleep(MEMORY_SAMPLE_MILLIS)
  keepLeast(seen.others, 'memory after the start', await processMemory(service.pid, 'Pss'))
  await service.stop()
}

function makeMeasured(): Measured {
  return { micros: new Map(), others: new Map() }
}

/** Measures a row in both services, in several rounds. The first round only warms up. */
async function measureRow(row: Row, running: readonly Side[]): Promise<void> {
  for (let round = 0; round <= ROUNDS; round++) {
    const paths = row.paths(round)
    for (const { service, seen } of round % 2 === 0 ? running : running.toReversed()) {
      if (row.needsReload) await service.reload()
      const { micros, withPlannerMicros } = await service.time(paths)
      if (round === 0) continue
      keepLeast(seen.micros, row.name, micros)
      if (row.isPlanned) keepLeast(seen.micros, `${row.name}, planner included`, withPlannerMicros)
    }
  }
}

/**
 * Measures memory as the minimum of several samples, so that garbage that is not yet collected counts as little as
 * possible.
 */
async function measureMemory(running: readonly Side[]): Promise<void> {
  for (let sample = 0; sample < MEMORY_SAMPLES; sample++) {
    await Bun.sleep(MEMORY_SAMPLE_MILLIS)
    for (const { service, seen } of running) {
      keepLeast(seen.others, 'memory after boards', await processMemory(service.world.service.pid, 'Pss'))
    }
  }
}

function keepLeast(all: Map<string, number>, name: string, value: number): void {
  all.set(name, Math.min(all.get(name) ?? Number.POSITIVE_INFINITY, value))
}

/** Divides each value in `above` by the value with the same name in `below`, and adds the ratio to `ratios`. */
function note(
  ratios: Map<string, number[]>,
  above: ReadonlyMap<string, number>,
  below: ReadonlyMap<string, number>,
): void {
  for (const [name, value] of above) {
    ratios.getOrInsertComputed(name, () => []).push(value / (below.get(name) ?? Number.NaN))
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? Number.NaN)) / 2
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}
