// `bun bench/soak.ts [MINUTES]` requests a mix of all routes at a steady rate, for half an hour by default. The live
// data changes every second, the timetable is reloaded every minute, and the live feed fails at times. Memory must not
// grow after the first third of the time, and no request may be refused.
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { type LiveWorld, openLiveWorld } from './live-world.ts'
import { processMemory, slopeOf } from './measure.ts'
import { readPaced } from './paced-sockets.ts'
import { listQuestions, mixOf } from './questions.ts'
import { runCommand } from './service.ts'

const PORT = 18_181
const MINUTES = Number(process.argv[2] ?? 30)
const CONNECTIONS = 32
const PER_SECOND = 60
/** Duration of a round of requests. Memory is sampled once per round. */
const ROUND_SECONDS = 20
const ROUNDS = Math.max(6, Math.round((MINUTES * 60) / ROUND_SECONDS))
const UPDATES = 20_000
const SLOPE_BAR = 1

const feed = await benchFeed()
const world = await openLiveWorld({ feed: feed.path, port: PORT, workers: 2, updates: UPDATES })
try {
  await measure(world)
} finally {
  await world.close()
}

async function measure({ service, timetable, file, commandAgency }: LiveWorld): Promise<void> {
  const paths = mixOf(listQuestions(timetable))
  const order = { port: PORT, key: service.key, paths, connections: CONNECTIONS, perSecond: PER_SECOND }
  const samples: { minute: number; megabytes: number }[] = []
  const started = performance.now()
  let answers = 0
  let slowest = 0
  for (let round = 0; round < ROUNDS; round++) {
    // The live feed fails in every fifth round. The timetable is reloaded in every third.
    await commandAgency(round % 5 === 4 ? 'fail' : 'move')
    const reload = round % 3 === 2 ? runCommand(['import', '--force', '--config', file]) : undefined
    const { failures, count, slowestMillis } = await readPaced({ ...order, seconds: ROUND_SECONDS })
    await reload
    if (failures.length > 0)
      throw new Error(`${failures.length} failed in round ${round}: ${failures.slice(0, 3).join('; ')}`)
    answers += count
    slowest = Math.max(slowest, slowestMillis)
    const megabytes = await processMemory(service.pid, 'Pss')
    const minute = (performance.now() - started) / 60_000
    samples.push({ minute, megabytes })
    const figure = {
      name: `memory of the process after ${minute.toFixed(1)} minutes (Pss)`,
      value: megabytes,
      unit: 'MB',
    }
    showFigure({ ...figure, curve: { name: 'memory under a mixed load', at: minute, atUnit: 'minutes' } })
  }
  const name = `${feed.name}: ${MINUTES} minutes of mixed load, ${answers} answers`
  showFigure({
    name: `${name}: memory growth after the first third`,
    value: slopeOf(samples.slice(ROUNDS / 3)),
    unit: 'MB/min',
    atMost: SLOPE_BAR,
  })
  showFigure({ name: `${name}: failed`, value: 0, unit: '', atMost: 0 })
  showFigure({ name: `${name}: slowest answer`, value: slowest, unit: 'ms' })
}
