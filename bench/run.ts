// `bun run bench`: import, start, boards in process, boards over HTTP beside a bare server that sends the same bytes.
// On the feed of QUAI_BENCH_FEED, else on a generated city. Results are checked, so that a fast wrong answer fails.
import { rmSync } from 'node:fs'
import { cpus } from 'node:os'
import { listDepartures } from '../indexes/timetable/boards.ts'
import type { StopIndex, Timetable } from '../indexes/timetable/timetable.ts'
import { columnArray } from '../loaders/columns.ts'
import { textOf } from '../loaders/strings.ts'
import { below, seededRandom } from '../src/demo/seeded-random.ts'
import { findSnapshot } from '../src/networks/snapshot-store.ts'
import { benchFeed } from './feeds.ts'
import { measureHttp } from './http.ts'
import { digits, timeEach } from './measure.ts'
import { makeConfig, runCommand, startService } from './service.ts'

const feed = await benchFeed()
const { folder, file } = makeConfig(feed.path)
console.log(`feed ${feed.name}, ${cpus()[0]?.model}, ${cpus().length} cores`)
try {
  await measureImport()
  const timetable = openTimetable()
  const busiest = measureBoards(timetable)
  await measureService(timetable, busiest)
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
    if (report.outcome !== 'imported') throw new Error(`the import says ${report.outcome}`)
    stopTimes = report.counts.stopTimes
    best = Math.min(best, run.seconds)
    peak = Math.max(peak, run.peakMegabytes)
  }
  console.log(
    `import: ${stopTimes} stop times, best of 3 ${digits(best)} s, ${digits(stopTimes / best / 1e6)} M/s, peak ${digits(peak)} MB`,
  )
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
  console.log(
    `snapshot: ${found.bytes.byteLength} bytes, opened in ${digits(performance.now() - started)} ms; timetable and boards ` +
      `${digits(bytes / stopTimes)} bytes a stop time; shapes ${sizeOf(timetable.shapes)}, strings ${sizeOf(timetable.strings)} bytes`,
  )
  return timetable
}

/** Departures of random stops and of the busiest one, at random moments of the busiest day. */
function measureBoards(timetable: Timetable): { stop: StopIndex; noonSeconds: number } {
  const { serviceDays, stops } = timetable
  let day = 0
  for (let each = 0; each < serviceDays.tripCount.length; each++) {
    if ((serviceDays.tripCount[each] as number) > (serviceDays.tripCount[day] as number)) day = each
  }
  let stop = 0 as StopIndex
  for (let each = 0 as StopIndex; each < stops.id.length; each++) {
    if (stops.dailyDepartures[each] > stops.dailyDepartures[stop]) stop = each
  }
  const zero = serviceDays.zeroSeconds[day] as number
  const random = seededRandom(1, 'boards')
  const rounds = 20_000
  const moments = Array.from({ length: rounds }, () => zero + 5 * 3600 + below(random, 18 * 3600))
  const anyStops = Array.from({ length: rounds }, () => [below(random, stops.id.length) as StopIndex])
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
    console.log(
      `board of 10, ${name}: p50 ${digits(spread.p50)} µs, p95 ${digits(spread.p95)}, p99 ${digits(spread.p99)}`,
    )
  }
  if (rows === 0) throw new Error('no board had a row')
  return { stop, noonSeconds: zero + 12 * 3600 }
}

async function measureService(timetable: Timetable, busiest: { stop: StopIndex; noonSeconds: number }): Promise<void> {
  const clock = new Date(busiest.noonSeconds * 1000).toISOString().replace('.000', '')
  const starts: number[] = []
  for (let round = 0; round < 5; round++) {
    const service = await startService(file, { clock, workers: 1, port: 18_081 })
    starts.push(service.startMillis)
    await service.stop()
  }
  console.log(
    `start to first answer: best of 5 ${digits(Math.min(...starts))} ms, median ${digits(starts.sort((a, b) => a - b)[2] as number)}`,
  )
  const service = await startService(file, { clock, workers: 1, port: 18_081 })
  try {
    const stopId = encodeURIComponent(`net:stop:${textOf(timetable.strings, timetable.stops.id[busiest.stop])}`)
    const line = timetable.stops.lineAt[timetable.stops.lineOffset[busiest.stop]]
    const lineId = encodeURIComponent(
      `net:line:${line === undefined ? '' : textOf(timetable.strings, timetable.lines.id[line])}`,
    )
    for (const path of [`/v1/stops/${stopId}/departures`, `/v1/stops/${stopId}`, `/v1/lines/${lineId}`])
      await measureHttp(service, path)
  } finally {
    await service.stop()
  }
}
