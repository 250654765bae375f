// `bun bench/growth.ts` measures the cost of import, start, memory and boards, for timetables with about 17 000 to 20
// million stop times. `QUAI_BENCH_GROWTH=short` stops at a million stop times.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listDepartures } from '../indexes/timetable/boards.ts'
import type { StopIndex } from '../indexes/timetable/timetable.ts'
import { below, seededRandom } from '../src/demo/seeded-random.ts'
import { findSnapshot } from '../src/networks/snapshot-store.ts'
import { busiestDay } from './busiest.ts'
import { type Figure, showFigure } from './figures.ts'
import { processMemory, timeEach } from './measure.ts'
import { writeRegion } from './region.ts'
import { makeConfig, runCommand, startService } from './service.ts'

const STEPS = [
  { scale: 0.05, copies: 1 },
  { scale: 0.5, copies: 1 },
  { scale: 5, copies: 1 },
  { scale: 5, copies: 5 },
  { scale: 5, copies: 21 },
]
const STARTS = 5
const BOARDS = 20_000
const PORT = 18_091
/**
 * Limits for the largest timetable, which repeats a single city. `boardShare`: the maximum time of a board, relative to
 * the time of a board in the single city.
 */
const BARS = { importSeconds: 180, importMegabytes: 8_000, startMillis: 300, boardShare: 2 }

const steps = process.env['QUAI_BENCH_GROWTH'] === 'short' ? STEPS.slice(0, 3) : STEPS
let cityBoard = Number.NaN
for (const [at, step] of steps.entries()) {
  const work = mkdtempSync(join(tmpdir(), 'quai-growth-'))
  try {
    const stopTimes = await writeRegion(join(work, 'feed'), step)
    await measure(join(work, 'feed'), stopTimes, { isCity: step.copies === 1, isLargest: at === STEPS.length - 1 })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function measure(
  feed: string,
  stopTimes: number,
  { isCity, isLargest }: { isCity: boolean; isLargest: boolean },
): Promise<void> {
  const { folder, file } = makeConfig(feed)
  const say = (name: string, value: number, unit: string, bar?: number) => {
    const curve = { name, at: stopTimes, atUnit: 'stop times' }
    const figure: Figure = { name: `${name}, ${stopTimes} stop times`, value, unit, curve }
    showFigure(bar === undefined || !isLargest ? figure : { ...figure, atMost: bar })
  }
  try {
    const imported = await runCommand(['import', '--config', file])
    say('import', imported.seconds, 's', BARS.importSeconds)
    say('import, peak memory', imported.peakMegabytes, 'MB', BARS.importMegabytes)
    const { found } = findSnapshot(`${folder}/data`, 'net')
    if (found === undefined) throw new Error('the import left no snapshot')
    say('snapshot', statSync(found.path).size / 1e6, 'MB')
    const { timetable } = found.loaded.snapshot
    const { zeroSeconds } = busiestDay(timetable)
    const random = seededRandom(1, 'boards')
    const queried = Array.from({ length: BOARDS }, () => ({
      stops: [below(random, timetable.stops.id.length) as StopIndex],
      fromSeconds: zeroSeconds + 5 * 3600 + below(random, 15 * 3600),
    }))
    const spread = timeEach(BOARDS, (round) => {
      const order = queried[round]
      if (order !== undefined) listDepartures(timetable, { ...order, toSeconds: order.fromSeconds + 3600, limit: 10 })
    })
    if (isCity) cityBoard = spread.p50
    say('board of 10 of any stop, p50', spread.p50, 'µs', cityBoard * BARS.boardShare)
    say('board of 10 of any stop, p99', spread.p99, 'µs')
    await measureStart(file, new Date((zeroSeconds + 8 * 3600) * 1000), say)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureStart(
  file: string,
  moment: Date,
  say: (name: string, value: number, unit: string, bar?: number) => void,
): Promise<void> {
  const starts: number[] = []
  for (let round = 0; round < STARTS; round++) {
    const service = await startService(file, {
      clock: moment.toISOString().replace('.000', ''),
      workers: 1,
      port: PORT,
    })
    starts.push(service.startMillis)
    if (round === 0) say('memory of the process after its start (Pss)', await processMemory(service.pid, 'Pss'), 'MB')
    await service.stop()
  }
  starts.sort((a, b) => a - b)
  say('start to first answer, median of 5', starts[Math.floor(STARTS / 2)] as number, 'ms', BARS.startMillis)
}
