// `bun run bench place-reloads` sends a hundred place searches per second, while the running service replaces one of
// its two networks ten times. Each reload is compared with a quiet period just before it, because other work on the
// machine changes from minute to minute. Every name in the replaced network contains the mark of its feed, so a
// response that mixes two feeds has two marks. The addresses are those of a generated country with 100 000 addresses.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seededRandom } from '../src/demo/seeded-random.ts'
import { addressSnapshotPath, openAddresses } from '../src/places/address-store.ts'
import { type MarkedSize, markedFeed, stopIdOf } from '../tests/feeds/marked-feed.ts'
import { dedent } from '../tests/feeds/text-feed.ts'
import { writeZip } from '../tests/feeds/zip-writer.ts'
import { PacedClient, type PacedReading } from '../tests/service/paced-client.ts'
import { beginnings, drawAddresses } from './country-questions.ts'
import { importCountry, makeCountry } from './country-stages.ts'
import { showFigure } from './figures.ts'
import { spreadOf } from './measure.ts'
import { PLAN, type RunningService, runCommand, startService } from './service.ts'

const PORT = 18_170
const PER_SECOND = 100
const RELOADS = Number(process.env['QUAI_BENCH_RELOADS'] ?? 10)
const ADDRESSES = 100_000
const FEED: MarkedSize = { lines: 200, stops: 30, trips: 60 }
const MARKS = ['Alpha', 'Bravissimo'] as const
const QUIET_SECONDS = 8
const WARM_SECONDS = 5
const REST_MILLIS = 500
/** Maximum time of a reload. It is long because imports run at low priority: on a busy machine they take minutes. */
const LONGEST_RELOAD_MILLIS = 600_000
const LOG_LINES = 20
const SEED = 5

/**
 * `marked`: number of responses that contain a feed's mark. `mixed`: number of responses that contain the marks of both
 * feeds.
 */
const seen = { marked: 0, mixed: 0 }
const folder = mkdtempSync(join(tmpdir(), 'quai-place-reloads-'))
try {
  await measure()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measure(): Promise<void> {
  const country = await makeCountry(folder, ADDRESSES, { postcodes: undefined, streets: undefined })
  await importCountry(country)
  const zips = MARKS.map((mark) => zipOf(mark, FEED))
  placeFeed(zips[0])
  writeFileSync(join(folder, 'beside.zip'), zipOf('Beside', { lines: 40, stops: 20, trips: 20 }))
  const file = join(folder, 'quai.toml')
  writeFileSync(file, configText(join(country.folder, 'addresses.csv')))
  await runCommand(['import', '--config', file])
  const service = await startService(file, { clock: '2026-06-10T06:00:00Z', workers: 1, port: PORT })
  try {
    const paths = listPaths(country.dataDir)
    await readFor(service, paths, WARM_SECONDS)
    const rounds: Round[] = []
    for (let reload = 1; reload <= RELOADS; reload++) {
      const at = reload % MARKS.length
      const quiet = await readFor(service, paths, QUIET_SECONDS)
      const readers = read(service, paths)
      placeFeed(zips[at])
      await untilServed(service, MARKS[at])
      await Bun.sleep(REST_MILLIS)
      const round = { quiet, busy: await readers.stop() }
      console.log(`  quiet / reload, p99: ${round.quiet.p99Millis.toFixed(1)} / ${round.busy.p99Millis.toFixed(1)} ms`)
      rounds.push(round)
    }
    report(rounds)
  } finally {
    await service.stop()
  }
}

/** The latencies just before a reload and during the reload. */
interface Round {
  readonly quiet: PacedReading
  readonly busy: PacedReading
}

function report(rounds: readonly Round[]): void {
  const failures = rounds.flatMap(({ quiet, busy }) => [...quiet.failures, ...busy.failures])
  for (const failure of failures.slice(0, 3)) console.log(`  ${failure}`)
  if (seen.marked === 0) throw new Error('no answer contained a stop of the replaced network')
  const ofAll = (of: (round: Round) => PacedReading) =>
    spreadOf(Float64Array.from(rounds.flatMap((round) => of(round).millis)))
  const [quiet, busy] = [ofAll((round) => round.quiet), ofAll((round) => round.busy)]
  const ratios = Float64Array.from(rounds, (round) => round.busy.p99Millis / round.quiet.p99Millis)
  const count = rounds.reduce((sum, round) => sum + round.busy.count, 0)
  const name = `places at ${PER_SECOND} a second`
  const during = `${name}, ${RELOADS} reloads`
  showFigure({ name: `${name}, quiet, p50`, value: quiet.p50, unit: 'ms' })
  showFigure({ name: `${during}, p50`, value: busy.p50, unit: 'ms' })
  showFigure({ name: `${name}, quiet, p99`, value: quiet.p99, unit: 'ms' })
  showFigure({ name: `${during}, p99`, value: busy.p99, unit: 'ms' })
  showFigure({ name: `${during}, p99 compared with quiet`, value: busy.p99 / quiet.p99, unit: '', atMost: 2 })
  showFigure({
    name: `${during}, p99 compared with quiet, median of the pairs`,
    value: spreadOf(ratios).p50,
    unit: '',
    atMost: 2,
  })
  showFigure({ name: `${during}, answers`, value: count, unit: '' })
  showFigure({ name: `${during}, failed`, value: failures.length, unit: '', atMost: 0 })
  showFigure({ name: `${during}, answers that mix two feeds`, value: seen.mixed, unit: '', atMost: 0 })
}

function zipOf(mark: string, size: MarkedSize): Uint8Array {
  return writeZip(Object.entries(markedFeed(mark, size)).map(([name, text]) => ({ name, content: dedent(text) })))
}

function placeFeed(zip: Uint8Array): void {
  writeFileSync(join(folder, 'ville.zip.new'), zip)
  renameSync(join(folder, 'ville.zip.new'), join(folder, 'ville.zip'))
}

function configText(addresses: string): string {
  return `data_dir = "data"
trusted_proxies = ["127.0.0.1"]
addresses = [{ source = ${JSON.stringify(addresses)}, attribution = "made" }]

${PLAN}
[[networks]]
id = "ville"
name = "Ville"
city = "Ville"
gtfs = "ville.zip"
refresh_seconds = 1

[[networks]]
id = "beside"
name = "Beside"
city = "Beside"
gtfs = "beside.zip"
`
}

/** Request paths whose queries are, alternately, prefixes of addresses and of stop names. */
function listPaths(dataDir: string): string[] {
  const opened = openAddresses(addressSnapshotPath(dataDir))
  if (opened === undefined) throw new Error('the country has not been imported')
  const queried = drawAddresses(opened.index.addresses, 30, seededRandom(SEED, 'asked')).flatMap(beginnings)
  return queried.flatMap((address, at) => {
    const stop = `stop ${stopIdOf(at % FEED.lines, at % FEED.stops)}`.slice(0, 2 + (at % 9))
    return [address, stop].map((text) => `/v1/places?q=${encodeURIComponent(text)}`)
  })
}

function read({ base, key }: RunningService, paths: readonly string[]): PacedClient {
  return new PacedClient({ base, key, paths, perSecond: PER_SECOND, check: countMarks })
}

async function readFor(service: RunningService, paths: readonly string[], seconds: number): Promise<PacedReading> {
  const readers = read(service, paths)
  await Bun.sleep(seconds * 1000)
  return await readers.stop()
}

function countMarks(text: string): undefined {
  const found = MARKS.filter((mark) => text.includes(mark))
  if (found.length > 0) seen.marked++
  if (found.length > 1) seen.mixed++
}

async function endOfLog(): Promise<string> {
  return (await Bun.file(join(folder, 'serve.log')).text()).split('\n').slice(-LOG_LINES).join('\n')
}

async function untilServed({ base, key }: RunningService, mark: string): Promise<void> {
  const started = performance.now()
  while (performance.now() - started < LONGEST_RELOAD_MILLIS) {
    const answer = await fetch(`${base}/v1/lines/ville:line:l0`, { headers: { authorization: `Bearer ${key}` } })
    if ((await answer.text()).includes(mark)) return
    await Bun.sleep(100)
  }
  throw new Error(`the feed ${mark} was not served; the service's log ends with:\n${await endOfLog()}`)
}
