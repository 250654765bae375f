// `bun run bench replicas` runs one, two and four replicas, and measures how many boards they send per second of
// processor time. Each replica has one data thread. The rate per core shows how much another replica adds. The load
// generator runs on the same machine, but its time does not count. Needs Debian's PostgreSQL.
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
/** The time of the service's clock: a morning in the generated city. Set QUAI_CLOCK for another feed. */
const CLOCK = process.env['QUAI_CLOCK'] ?? '2026-09-10T06:00:00Z'
/**
 * Number of connections per replica. One wake-up of a thread serves requests of several connections, so with fewer
 * connections, each request would cost more.
 */
const CONNECTIONS = 8
const SECONDS = Number(process.env['QUAI_BENCH_SECONDS'] ?? 5)
const ROUNDS = Number(process.env['QUAI_BENCH_ROUNDS'] ?? 3)
/**
 * Minimum rate per core, as a share of a single replica's rate. It is below 1 because each replica also reads the
 * messages from the other replicas.
 */
const LEAST_SHARE = 0.8
const PLANS = '[plans.max]\nincluded_units = 1000000000000\nrequests_per_second = 0\n'

const feed = await benchFeed()
const postgres = await OwnPostgres.start()
try {
  const perCore = await measureAll()
  for (const count of COUNTS) {
    const values = perCore.map((round) => round.get(count) ?? Number.NaN)
    showFigure({ name: `boards per second and core, ${count} replicas, ${feed.name}`, value: median(values), unit: '' })
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

/**
 * Each round measures first one replica, then two, then four, so that other work on the machine affects all three
 * numbers of replicas.
 */
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

/** Returns the number of boards per second of processor time. */
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
    `${count} replicas: ${Math.round(sum / SECONDS)} boards per second with ${(used / SECONDS).toFixed(2)} cores`,
  )
  return sum / used
}

/** Paths for boards of the network's stops. */
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
