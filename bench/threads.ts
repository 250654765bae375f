// `bun bench/threads.ts`: one data thread beside two, in turns, on the same feed: processor time a board at the same pace,
// boards and journeys a second at full speed, memory once both have settled. Needs more than one core.
import { benchFeed } from './feeds.ts'
import { tell } from './figures.ts'
import { type LiveWorld, openLiveWorld } from './live-world.ts'
import { load } from './load.ts'
import { processMemory, processorSeconds } from './measure.ts'
import { readPaced } from './paced-sockets.ts'
import { listQuestions } from './questions.ts'

const PORT = 18_121
const ROUNDS = 4
const SECONDS = 3
const CONNECTIONS = 32
const UPDATES = 20_000
/** Boards a second at which their processor time is taken: far from full, where threads would wait for each other. */
const PACE = 6_000
const SETTLING_MILLIS = 20_000
const BARS = { boardTime: 1.15, journeys: 1.5, megabytes: 40 }

/** What was seen of a service at its best. */
interface Seen {
  boardMicros: number
  boardsPerSecond: number
  journeysPerSecond: number
  megabytes: number
}

const feed = await benchFeed()
const worlds: LiveWorld[] = []
try {
  for (const workers of [1, 2]) {
    worlds.push(await openLiveWorld({ feed: feed.path, port: PORT + workers * 10, workers, updates: UPDATES }))
  }
  const [one, two] = await measureInTurns(worlds)
  if (one !== undefined && two !== undefined) report(one, two)
} finally {
  for (const world of worlds) await world.close()
}

async function measureInTurns(worlds: readonly LiveWorld[]): Promise<Seen[]> {
  const all = worlds.map(() => ({
    boardMicros: Infinity,
    boardsPerSecond: 0,
    journeysPerSecond: 0,
    megabytes: Infinity,
  }))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [at, world] of worlds.entries()) {
      const now = await measureOnce(world)
      const seen = all[at]
      // The first round warms up.
      if (seen === undefined || round === 0) continue
      seen.boardMicros = Math.min(seen.boardMicros, now.boardMicros)
      seen.boardsPerSecond = Math.max(seen.boardsPerSecond, now.boardsPerSecond)
      seen.journeysPerSecond = Math.max(seen.journeysPerSecond, now.journeysPerSecond)
    }
  }
  // What a collector has not come to yet is no cost of a thread: 20 s after the last answer it has.
  await Bun.sleep(SETTLING_MILLIS)
  for (const [at, { service }] of worlds.entries()) {
    const seen = all[at]
    if (seen !== undefined) seen.megabytes = await processMemory(service.pid, 'Pss')
  }
  return all
}

async function measureOnce({ service, timetable }: LiveWorld): Promise<Omit<Seen, 'megabytes'>> {
  const questions = listQuestions(timetable)
  const pathsOf = (route: string) => questions.find((each) => each.route === route)?.paths ?? []
  const order = { base: service.base, key: service.key, connections: CONNECTIONS, seconds: SECONDS }
  const paths = pathsOf('/v1/stops/{stop_id}/departures')
  const boards = await load({ ...order, paths })
  const before = await processorSeconds(service.pid)
  const port = Number(new URL(service.base).port)
  const { count, failures } = await readPaced({ ...order, port, paths, perSecond: PACE })
  if (failures.length > 0) throw new Error(`${failures.length} failed: ${failures[0]}`)
  const boardMicros = ((await processorSeconds(service.pid)) - before) * (1e6 / count)
  const journeys = await load({ ...order, paths: pathsOf('/v1/journeys') })
  return {
    boardMicros,
    boardsPerSecond: boards / SECONDS,
    journeysPerSecond: journeys / SECONDS,
  }
}

function report(one: Seen, two: Seen): void {
  const name = (what: string) => `${feed.name}, two data threads beside one: ${what}`
  tell({
    name: name('processor time a board'),
    value: two.boardMicros / one.boardMicros,
    unit: '',
    atMost: BARS.boardTime,
  })
  tell({ name: name('boards a second'), value: two.boardsPerSecond / one.boardsPerSecond, unit: '' })
  tell({
    name: name('journeys a second'),
    value: two.journeysPerSecond / one.journeysPerSecond,
    unit: '',
    atLeast: BARS.journeys,
  })
  tell({ name: name('more memory (Pss)'), value: two.megabytes - one.megabytes, unit: 'MB', atMost: BARS.megabytes })
  tell({ name: `${feed.name}, one data thread: processor time a board`, value: one.boardMicros, unit: 'µs' })
  tell({ name: `${feed.name}, one data thread: journeys a second`, value: one.journeysPerSecond, unit: '/s' })
}
