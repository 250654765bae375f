// `bun run bench replicas`: boards per second of one, two and four replicas, each with one data thread, divided by the
// processor time of the replicas: a figure per core that shows what another replica adds. The load runs on the same
// machine and is not counted. Needs Debian's PostgreSQL.
import { OwnPostgres } from '../tests/databases/own-postgres.ts'
import { Fleet } from '../tests/service/fleet/fleet.ts'
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { load } from './load.ts'
import { processorSeconds } from './measure.ts'
import { serviceCommand } from './service.ts'

const COUNTS = [1, 2, 4] as const
const PORT = 21_400
const STOPS = 100
/** A morning of the generated city; set QUAI_CLOCK for your own feed. */
const CLOCK = process.env['QUAI_CLOCK'] ?? '2026-09-10T06:00:00Z'
/** Per replica. Requests of several connections share a wake-up, so fewer connections would cost more per request. */
const CONNECTIONS = 8
const SECONDS = Number(process.env['QUAI_BENCH_SECONDS'] ?? 5)
const ROUNDS = Number(process.env['QUAI_BENCH_ROUNDS'] ?? 3)
/** The minimum share of a single replica's rate per core: each replica also follows the others. */
const LEAST_SHARE = 0.8
const PLANS = '[plans.max]\nincluded_units = 1000000000000\nrequests_per_second = 0\n'

const feed = await benchFeed()
const postgres = await OwnPostgres.start()
try {
  const perCore = await measureAll()
  for (const count of COUNTS) {
    const values = perCore.map((round) => round.get(count) ?? Number.NaN)
    showFigure({ name: `boards a second and core, ${count} replicas, ${feed.name}`, value: median(values), unit: '' })
  }
  for (const count of COUNTS.slice(1)) {
    const shares = perCore.map((round) => (round.get(count) ?? Number.NaN) / (round.get(1) ?? Number.NaN))
    showFigure({
      name: `… as a share of one replica's, ${count} replicas`,
      value: median(shares),
      unit: '',
      atLeast: LEAST_SHARE,
    })
  }
} finally {
  await postgres.remove()
}

/** Each round measures all counts one after the other, so that busy moments of the machine affect all alike. */
async function measureAll(): Promise<ReadonlyMap<number, number>[]> {
  const fleet = new Fleet({
    databaseUrl: postgres.url(),
    count: Math.max(...COUNTS),
    port: PORT,
    feed: feed.path,
    tables: PLANS,
    env: { QUAI_CLOCK: CLOCK },
  })
  fleet.command = serviceCommand()
  try {
    await fleet.start()
    const key = await fleet.makeKey('bench@ville.example', 'max')
    const paths = await boardsOf(fleet.replicas[0].base, key)
    const rounds: ReadonlyMap<number, number>[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const each = new Map<number, number>()
      for (const count of COUNTS) each.set(count, await measure(fleet, { count, key, paths }))
      rounds.push(each)
    }
    return rounds
  } finally {
    await fleet.remove()
  }
}

/** Boards per second of processor time. */
async function measure(
  fleet: Fleet,
  { count, key, paths }: { readonly count: number; readonly key: string; readonly paths: readonly string[] },
): Promise<number> {
  const queried = fleet.replicas.slice(0, count)
  const pids = queried.map(({ child }) => child?.pid ?? 0)
  const before = await processorSeconds(...pids)
  const answers = await Promise.all(
    queried.map(({ base }) => load({ base, key, paths, connections: CONNECTIONS, seconds: SECONDS })),
  )
  const used = (await processorSeconds(...pids)) - before
  const sum = answers.reduce((all, each) => all + each, 0)
  console.log(
    `${count} replicas: ${Math.round(sum / SECONDS)} boards a second with ${(used / SECONDS).toFixed(2)} cores`,
  )
  return sum / used
}

/** Boards of stops of the network. */
async function boardsOf(base: string, key: string): Promise<string[]> {
  const answer = await fetch(`${base}/v1/networks/ville/stops?limit=${STOPS}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { data } = JSON.parse(await answer.text())
  return data.map(({ id }: { id: string }) => `/v1/stops/${encodeURIComponent(id)}/departures`)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
