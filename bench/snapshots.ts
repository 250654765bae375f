// `bun bench/snapshots.ts` measures the time of an import and of a start, the time of a board in this process, and the
// size of a snapshot. Uses the feed in QUAI_BENCH_FEED or a generated city. Results are checked, so a fast but wrong
// result fails.
import { rmSync } from 'node:fs'
import { cpus } from 'node:os'
import { listDepartures } from '../indexes/timetable/boards.ts'
import type { StopIndex, Timetable } from '../indexes/timetable/timetable.ts'
import { columnArray } from '../loaders/columns.ts'
import { below, seededRandom } from '../src/demo/seeded-random.ts'
import { findSnapshot } from '../src/networks/snapshot-store.ts'
import { busiestDay, busiestStop } from './busiest.ts'
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { timeEach } from './measure.ts'
import { makeConfig, runCommand, startService } from './service.ts'

const PORT = 18_081
const STARTS = 5
const BARS = { importMillions: 0.6, importMegabytes: 600, bytes: 24, bytesFrom: 500_000, startMillis: 150 }

const feed = await benchFeed()
const { folder, file } = makeConfig(feed.path)
console.log(`feed ${feed.name}, ${cpus()[0]?.model}, ${cpus().length} cores`)
try {
  await measureImport()
  const timetable = openTimetable()
  await measureStarts(measureBoards(timetable))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measureImport(): Promise<void> {
  let best = Number.POSITIVE_INFINITY
  let peak = 0
  let stopTimes = 0
  for (let round = 0; round < 3; round++) {
    const run = await runCommand(['import', '--force', '--json', '--config', file])
    const report = JSON.parse(run.output) as { outcome: string; counts: { stopTimes: number } }
    if (report.outcome !== 'imported') throw new Error(`the import's outcome was ${report.outcome}`)
    stopTimes = report.counts.stopTimes
    best = Math.min(best, run.seconds)
    peak = Math.max(peak, run.peakMegabytes)
  }
  showFigure({ name: `${feed.name}: import of ${stopTimes} stop times, best of 3`, value: best, unit: 's' })
  showFigure({
    name: `${feed.name}: import, stop times`,
    value: stopTimes / best / 1e6,
    unit: 'M/s',
    atLeast: BARS.importMillions,
  })
  showFigure({ name: `${feed.name}: import, peak memory`, value: peak, unit: 'MB', atMost: BARS.importMegabytes })
}

function openTimetable(): Timetable {
  const started = performance.now()
  const { found } = findSnapshot(`${folder}/data`, 'net')
  if (found === undefined) throw new Error('the import left no snapshot')
  const { timetable } = found.loaded.snapshot
  const stopTimes = timetable.stopTimes.departureSeconds.length
  const sizeOf = (group: object) =>
    Object.values(group).reduce((sum, column) => sum + columnArray(column).byteLength, 0)
  const core = ['stopTimes', 'boards', 'patterns', 'trips', 'callProfiles', 'frequencies'] as const
  const bytes = core.reduce((sum, name) => sum + sizeOf(timetable[name]), 0)
  showFigure({ name: `${feed.name}: snapshot`, value: found.bytes.byteLength / 1e6, unit: 'MB' })
  showFigure({ name: `${feed.name}: opening the snapshot`, value: performance.now() - started, unit: 'ms' })
  const each = { name: `${feed.name}: timetable and boards, per stop time`, value: bytes / stopTimes, unit: 'bytes' }
  showFigure(stopTimes >= BARS.bytesFrom ? { ...each, atMost: BARS.bytes } : each)
  const ofStops = [
    'stops',
    'areas',
    'stationParts',
    'transfers',
    'stationWays',
    'stopWords',
    'placeOrders',
    'pointTrees',
  ] as const
  const stopBytes = ofStops.reduce((sum, name) => sum + sizeOf(timetable[name]), 0) / timetable.stops.id.length
  showFigure({
    name: `${feed.name}: stops, areas, their search index and the walks between them, per stop`,
    value: stopBytes,
    unit: 'bytes',
  })
  showFigure({ name: `${feed.name}: shapes`, value: sizeOf(timetable.shapes) / 1e6, unit: 'MB' })
  showFigure({ name: `${feed.name}: strings`, value: sizeOf(timetable.strings) / 1e6, unit: 'MB' })
  return timetable
}

/**
 * Measures boards of random stops and of the stop with the most departures, at random times on the busiest day. Returns
 * noon on that day, in seconds after 1970.
 */
function measureBoards(timetable: Timetable): number {
  const { stops } = timetable
  const { zeroSeconds: zero } = busiestDay(timetable)
  const stop = busiestStop(timetable)
  const random = seededRandom(1, 'boards')
  const rounds = 20_000
  const moments = Array.from({ length: rounds }, () => zero + 5 * 3600 + below(random, 18 * 3600))
  const anyStops = Array.from({ length: rounds }, () => [below(random, stops.id.length)])
  let rows = 0
  const ask = (of: readonly StopIndex[], moment: number) => {
    const board = listDepartures(timetable, { stops: of, fromSeconds: moment, toSeconds: moment + 3600, limit: 10 })
    rows += board.length
    for (let i = 1; i < board.length; i++) {
      if ((board[i]?.departureSeconds ?? 0) < (board[i - 1]?.departureSeconds ?? 0))
        throw new Error('a board is out of order')
    }
  }
  for (const [name, of] of [
    ['any stop', (round: number) => anyStops[round] as StopIndex[]],
    ['busiest stop', () => [stop]],
  ] as const) {
    const spread = timeEach(rounds, (round) => ask(of(round), moments[round] as number))
    showFigure({ name: `${feed.name}: board of 10, ${name}, p50`, value: spread.p50, unit: 'µs' })
    showFigure({ name: `${feed.name}: board of 10, ${name}, p99`, value: spread.p99, unit: 'µs' })
  }
  if (rows === 0) throw new Error('no board had a row')
  return zero + 12 * 3600
}

async function measureStarts(noonSeconds: number): Promise<void> {
  const clock = new Date(noonSeconds * 1000).toISOString().replace('.000', '')
  const starts: number[] = []
  for (let round = 0; round < STARTS; round++) {
    const service = await startService(file, { clock, workers: 1, port: PORT })
    starts.push(service.startMillis)
    await service.stop()
  }
  starts.sort((a, b) => a - b)
  const name = `${feed.name}: start to the first answer`
  showFigure({ name: `${name}, best of ${STARTS}`, value: starts[0], unit: 'ms', atMost: BARS.startMillis })
  showFigure({ name: `${name}, median`, value: starts[STARTS >> 1], unit: 'ms' })
}
