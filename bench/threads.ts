// `bun bench/threads.ts` compares a service that has one data thread with a service that has two. The services take
// turns on the same feed. Measures the processor time per board, the number of boards and journeys per second at full
// speed, and the memory after a pause. Needs more than one core. If there are only a few cores, the servers and the
// load generator compete for them, so one and two bare servers are compared in the same way.
import { type BareServer, openBareServer } from './bare-servers.ts'
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { type LiveWorld, openLiveWorld } from './live-world.ts'
import { type LoadOrder, load } from './load.ts'
import { processMemory, processorSeconds } from './measure.ts'
import { listQuestions } from './questions.ts'

const PORT = 18_121
const ROUNDS = 4
const SECONDS = 3
const CONNECTIONS = 32
const UPDATES = 20_000
const SAMPLES = 20
const SAMPLE_MILLIS = 2_000
const BARS = { boardTime: 1.15, journeys: 1.5, megabytes: 40 }

/** The best results of a service. */
interface Measured {
  boardMicros: number
  /** Microseconds per response of bare servers. There are as many bare servers as data threads. */
  bareMicros: number
  boardsPerSecond: number
  journeysPerSecond: number
  megabytes: number
}

/** A service with one or two data threads, and as many bare servers. */
interface Side {
  readonly world: LiveWorld
  readonly bare: BareServer
}

const feed = await benchFeed()
const sides: Side[] = []
try {
  for (const workers of [1, 2]) {
    const port = PORT + workers * 10
    const world = await openLiveWorld({ feed: feed.path, port, workers, updates: UPDATES })
    const paths = pathsOf(world, '/v1/stops/{stop_id}/departures')
    sides.push({ world, bare: await openBareServer(world.service, { paths, port: port + 8, processes: workers }) })
  }
  const [one, two] = await measureInTurns(sides)
  if (one !== undefined && two !== undefined) report(one, two)
} finally {
  for (const { world, bare } of sides) {
    await bare.close()
    await world.close()
  }
}

function pathsOf({ timetable }: LiveWorld, route: string): readonly string[] {
  return listQuestions(timetable).find((each) => each.route === route)?.paths ?? []
}

async function measureInTurns(sides: readonly Side[]): Promise<Measured[]> {
  const all = sides.map(() => ({
    boardMicros: Infinity,
    bareMicros: Infinity,
    boardsPerSecond: 0,
    journeysPerSecond: 0,
    megabytes: Infinity,
  }))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [at, side] of sides.entries()) {
      const now = await measureOnce(side)
      const seen = all[at]
      // The first round only warms up.
      if (seen === undefined || round === 0) continue
      seen.boardMicros = Math.min(seen.boardMicros, now.boardMicros)
      seen.bareMicros = Math.min(seen.bareMicros, now.bareMicros)
      seen.boardsPerSecond = Math.max(seen.boardsPerSecond, now.boardsPerSecond)
      seen.journeysPerSecond = Math.max(seen.journeysPerSecond, now.journeysPerSecond)
    }
  }
  // Uses the minimum of several samples after the last response, so that garbage counts as little as possible. Garbage
  // is not a cost of a data thread, and the live thread produces some each second.
  for (let sample = 0; sample < SAMPLES; sample++) {
    await Bun.sleep(SAMPLE_MILLIS)
    for (const [at, { world }] of sides.entries()) {
      const seen = all[at]
      if (seen !== undefined) seen.megabytes = Math.min(seen.megabytes, await processMemory(world.service.pid, 'Pss'))
    }
  }
  return all
}

async function measureOnce({ world, bare }: Side): Promise<Omit<Measured, 'megabytes'>> {
  const { service } = world
  const order = { base: service.base, key: service.key, connections: CONNECTIONS, seconds: SECONDS }
  const paths = pathsOf(world, '/v1/stops/{stop_id}/departures')
  const [boards, boardMicros] = await loadTimed([service.pid], { ...order, paths })
  const [, bareMicros] = await loadTimed(bare.pids, { ...order, paths, base: bare.base })
  const journeys = await load({ ...order, paths: pathsOf(world, '/v1/journeys') })
  return {
    boardMicros,
    bareMicros,
    boardsPerSecond: boards / SECONDS,
    journeysPerSecond: journeys / SECONDS,
  }
}

/** Generates the load. Returns the number of responses, and the processor time per response in microseconds. */
async function loadTimed(pids: readonly number[], order: LoadOrder): Promise<[answers: number, micros: number]> {
  const before = await processorSeconds(...pids)
  const answers = await load(order)
  return [answers, ((await processorSeconds(...pids)) - before) * (1e6 / answers)]
}

function report(one: Measured, two: Measured): void {
  const name = (what: string) => `${feed.name}, two data threads compared with one: ${what}`
  const [ours, bare] = [two.boardMicros / one.boardMicros, two.bareMicros / one.bareMicros]
  showFigure({ name: name('processor time per board'), value: ours, unit: '' })
  showFigure({
    name: `${feed.name}, two bare servers compared with one: processor time per answer`,
    value: bare,
    unit: '',
  })
  showFigure({
    name: name('processor time per board, relative to the bare servers'),
    value: ours / bare,
    unit: '',
    atMost: BARS.boardTime,
  })
  showFigure({ name: name('boards per second'), value: two.boardsPerSecond / one.boardsPerSecond, unit: '' })
  showFigure({
    name: name('journeys per second'),
    value: two.journeysPerSecond / one.journeysPerSecond,
    unit: '',
    atLeast: BARS.journeys,
  })
  showFigure({
    name: name('additional memory (Pss)'),
    value: two.megabytes - one.megabytes,
    unit: 'MB',
    atMost: BARS.megabytes,
  })
  showFigure({ name: `${feed.name}, one data thread: processor time per board`, value: one.boardMicros, unit: 'µs' })
  showFigure({ name: `${feed.name}, one data thread: journeys per second`, value: one.journeysPerSecond, unit: '/s' })
}
