// `bun run bench [SCENARIO …]` runs each scenario in a separate process. Then it prints a table of all figures with
// their limits, and writes the figures as JSON and as a plot to data/bench or QUAI_BENCH_OUT. CI runs `bun run bench
// short`, which measures a small city and a small country. That run fails if a figure misses its limit. Its limits are
// loose, because its machine can be busy.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Figure, isMet } from './figures.ts'
import { describeMachine, plotOf, tableOf } from './report.ts'

/** A scenario: its file or files, and the environment of each of its runs. */
interface Scenario {
  readonly file: string | readonly string[]
  readonly settings?: readonly Readonly<Record<string, string>>[]
  /** Whether the scenario runs only if it is named, because it takes long or needs a folder of feeds. */
  readonly isOptional?: boolean
}

/**
 * The environments for runs at several sizes. If QUAI_BENCH_FEED names no feed, they select the demo city at three
 * sizes.
 */
const SIZES =
  process.env['QUAI_BENCH_FEED'] === undefined
    ? [{ QUAI_BENCH_SCALE: '0.5' }, { QUAI_BENCH_SCALE: '1' }, { QUAI_BENCH_SCALE: '5' }]
    : [{}]

/**
 * The environment that selects the demo city at scale 1, as in the demo. If QUAI_BENCH_FEED is set, no environment is
 * needed.
 */
const CITY = process.env['QUAI_BENCH_FEED'] === undefined ? [{ QUAI_BENCH_SCALE: '1' }] : [{}]

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  snapshots: { file: 'snapshots.ts', settings: SIZES },
  routes: { file: 'routes.ts', settings: SIZES },
  fresh: { file: 'fresh.ts', settings: CITY },
  allocated: { file: 'allocated.ts', settings: CITY },
  pipelined: { file: 'pipelined.ts', settings: CITY },
  starts: { file: 'starts.ts', settings: CITY },
  explanations: { file: 'explanations.ts', settings: CITY },
  threads: { file: 'threads.ts' },
  'journey-calls': { file: 'journey-calls.ts', settings: CITY },
  'second-planner': { file: 'second-planner.ts', settings: CITY },
  overlays: { file: 'overlays.ts' },
  reloads: { file: 'reloads.ts' },
  streams: { file: 'streams.ts' },
  metering: { file: 'metering.ts' },
  replicas: { file: 'replicas.ts', settings: CITY, isOptional: true },
  places: { file: 'places.ts' },
  country: { file: 'country.ts', isOptional: true },
  streets: { file: 'streets.ts', isOptional: true },
  ground: { file: 'ground.ts', isOptional: true },
  'street-journeys': { file: 'street-journeys.ts', isOptional: true },
  'street-country': { file: 'street-country.ts', isOptional: true },
  'country-exact': { file: 'country-exact.ts', isOptional: true },
  'place-reloads': { file: 'place-reloads.ts', isOptional: true },
  realtime: { file: 'realtime-decode.ts' },
  'request-log': { file: 'request-log.ts' },
  growth: { file: 'growth.ts' },
  networks: { file: 'networks.ts', isOptional: true },
  mixed: { file: 'mixed.ts', isOptional: true },
  boards: { file: 'boards.ts' },
  journeys: { file: 'journeys.ts', isOptional: process.env['QUAI_FEEDS'] === undefined },
  soak: { file: 'soak.ts', isOptional: true },
  short: {
    file: ['routes.ts', 'fresh.ts', 'country.ts'],
    settings: [{ QUAI_BENCH_SHORT: '1', QUAI_BENCH_SCALE: '0.3' }],
    isOptional: true,
  },
}

const requested = process.argv.slice(2)
const unknown = requested.filter((name) => SCENARIOS[name] === undefined)
if (unknown.length > 0) {
  console.error(`no scenario is called ${unknown.join(', ')}: there are ${Object.keys(SCENARIOS).join(', ')}`)
  process.exit(2)
}
const chosen = Object.entries(SCENARIOS).filter(([name, { isOptional }]) =>
  requested.length > 0 ? requested.includes(name) : isOptional !== true,
)
const work = mkdtempSync(join(tmpdir(), 'quai-bench-figures-'))
const file = join(work, 'figures.jsonl')
writeFileSync(file, '')
const failed: string[] = []
try {
  for (const [name, { file: script, settings = [{}] }] of chosen) {
    const runs = [script].flat().flatMap((each) => settings.map((setting) => ({ each, setting })))
    for (const { each, setting } of runs) {
      console.log(`\n== ${name} ${Object.values(setting).join(' ')}`)
      const run = Bun.spawn([process.execPath, join(import.meta.dir, each)], {
        env: { ...process.env, ...setting, QUAI_BENCH_FIGURES: file },
        stdio: ['ignore', 'inherit', 'inherit'],
      })
      if ((await run.exited) !== 0) failed.push(name)
    }
  }
  const figures = readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Figure]))
  report(figures)
} finally {
  rmSync(work, { recursive: true })
}

function report(figures: readonly Figure[]): void {
  const folder = process.env['QUAI_BENCH_OUT'] ?? join(import.meta.dir, '..', 'data', 'bench')
  mkdirSync(folder, { recursive: true })
  const machine = describeMachine()
  const missed = figures.filter((figure) => !isMet(figure))
  writeFileSync(join(folder, 'figures.json'), `${JSON.stringify({ ...machine, figures }, undefined, 2)}\n`)
  writeFileSync(join(folder, 'figures.svg'), plotOf(machine, figures))
  console.log(`\n${Object.values(machine).join(', ')}\n\n${tableOf(figures)}`)
  console.log(`${figures.length} figures, ${missed.length} missed their target; written to ${folder}`)
  for (const name of failed) console.log(`the scenario ${name} failed`)
  if (failed.length > 0 || (requested.includes('short') && missed.length > 0)) process.exitCode = 1
}
