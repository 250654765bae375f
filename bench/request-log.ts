// `bun bench/request-log.ts` measures the cost of the request log, which writes at most a thousand lines per second.
// One service answers requests for the boards of 200 stops, while SIGHUP repeatedly turns the log off and on. The
// processor time per response is compared.
import { readFileSync, writeFileSync } from 'node:fs'
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { openLiveWorld } from './live-world.ts'
import { load } from './load.ts'
import { processorSeconds } from './measure.ts'
import { listQuestions } from './questions.ts'

const PORT = 18_141
const ROUNDS = 10
const SECONDS = 3
/**
 * Pause after SIGHUP. SIGHUP also starts a child process that checks the feed. By the end of the pause, that process
 * has ended.
 */
const SETTLE_MILLIS = 1_500
const STATES = ['off', 'all'] as const
const BAR_PERCENT = 5

const feed = await benchFeed()
const world = await openLiveWorld({ feed: feed.path, port: PORT, workers: 1, updates: 1_000 })
try {
  const { service, timetable, file } = world
  const plain = readFileSync(file, 'utf8')
  const paths = listQuestions(timetable)[0]?.paths ?? []
  const order = { base: service.base, key: service.key, paths, connections: 32, seconds: SECONDS }
  await load(order)
  const micros = { off: [] as number[], all: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    for (const state of round % 2 === 0 ? STATES : STATES.toReversed()) {
      writeFileSync(file, `${plain}\n[log]\nrequests = "${state}"\n`)
      process.kill(service.pid, 'SIGHUP')
      await Bun.sleep(SETTLE_MILLIS)
      const before = await processorSeconds(service.pid)
      const answers = await load(order)
      micros[state].push(((await processorSeconds(service.pid)) - before) * (1e6 / answers))
    }
  }
  // Each ratio compares neighboring rounds, which have similar conditions, so that the effect of other work on the
  // machine cancels out.
  const ratios = micros.all.map((value, round) => value / (micros.off[round] ?? Number.NaN)).sort((a, b) => a - b)
  const percent = (ratio: number) => (ratio - 1) * 100
  const name = `${feed.name}: a log line for each request, additional processor time`
  showFigure({ name: `${name}, median of ${ROUNDS} pairs`, value: percent(ratios[ROUNDS >> 1]), unit: '%' })
  const ofBest = Math.min(...micros.all) / Math.min(...micros.off)
  showFigure({ name: `${name}, best rounds`, value: percent(ofBest), unit: '%', atMost: BAR_PERCENT })
} finally {
  await world.close()
}
