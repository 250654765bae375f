// Tests a single service that becomes a cluster of three replicas after half a month of use, and then a single service
// again. At every step and on every replica, each key's usage must equal the units that its clients have read in
// responses, and a cap that was reached must stay reached.
import { afterEach, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasOwnPostgres, OwnPostgres } from '../../databases/own-postgres.ts'
import { canShiftTime, ShiftedTime } from '../../databases/shifted-time.ts'
import { SIZE } from '../../size.ts'
import { until } from '../running.ts'
import { Fleet, type FleetReplica } from './fleet.ts'
import { type AccountCount, FleetCallers } from './fleet-callers.ts'

const PORT = 19_960
const DATABASE = 'single_and_back'
const CAP = 300
const TABLES = `[plans.max]
included_units = 100000000
requests_per_second = 0
[plans.starter]
included_units = ${CAP}
requests_per_second = 0
`
const TRAFFIC_MILLIS = 10_000
const STORES = ['SQLite', 'PostgreSQL'] as const
/**
 * Numbers of days after the first of the month. The single service runs on the days `single`, then the cluster on the
 * day `cluster`, and then the single service again on the day `back`.
 */
const DAYS = { single: [2, 9, 15], cluster: 16, back: 17 }
const DAY_MILLIS = 86_400_000
/** How long a database still belongs to a cluster after the last replica has ended. */
const PASSED_MILLIS = 10_500

const isRun = SIZE === 'full' && hasOwnPostgres()
if (SIZE === 'full' && !isRun)
  console.log('left out: a single service that becomes a cluster (no PostgreSQL is installed)')

let time: ShiftedTime | undefined
let postgres: OwnPostgres
let fleet: Fleet

afterEach(async () => {
  await fleet.remove()
  await postgres.remove()
  time?.remove()
})

describe.skipIf(!isRun)('a single service', () => {
  for (const store of STORES) {
    test(`on ${store} becomes a cluster of three and a single service again`, () => goThere(store), 300_000)
  }
})

async function goThere(store: (typeof STORES)[number]): Promise<void> {
  time = canShiftTime() ? new ShiftedTime() : undefined
  const setDay = (day: number) => time?.set(firstOfMonth() + day * DAY_MILLIS)
  setDay(DAYS.single[0])
  postgres = await OwnPostgres.start([], time?.env)
  await postgres.query(`CREATE DATABASE ${DATABASE}`)
  fleet = new Fleet({ databaseUrl: postgres.url(DATABASE), count: 3, port: PORT, tables: TABLES, env: time?.env ?? {} })
  const { replicas } = fleet
  const [first] = replicas
  const [free, capped, second]: AccountCount[] = ['max', 'starter', 'max'].map(() => ({
    key: '',
    reported: 0,
    unanswered: 0,
  }))
  const all = [free, capped, second]

  const useCluster = makeSingle(first, store)
  for (const day of DAYS.single) {
    setDay(day)
    fleet.spawn(first)
    await fleet.untilReady(first)
    if (free.key === '') {
      Object.assign(free, { key: await fleet.makeKey('a@ville.example', 'max', first) })
      Object.assign(second, { key: await fleet.makeKey('a@ville.example', 'max', first) })
      Object.assign(capped, { key: await fleet.makeKey('c@ville.example', 'starter', first) })
    }
    await callFor([first], [free, second])
    await callUntil(first, capped, (CAP / 2 / DAYS.single.length) * (DAYS.single.indexOf(day) + 1))
    await expectUse([first], all)
    expect(await fleet.end(first)).toBe(0)
  }

  const backup = join(fleet.folder, 'accounts.backup')
  if (store === 'SQLite') await run(first, 'backup', backup)
  useCluster()
  if (store === 'SQLite') await run(first, 'restore', backup)
  setDay(DAYS.cluster)
  for (const replica of replicas) fleet.spawn(replica)
  await fleet.untilAllReady()
  await expectUse(replicas, all)
  await callFor(replicas, all)
  await expectUse(replicas, all)
  expect(capped.reported).toBe(CAP)
  for (const replica of replicas) expect(await fleet.end(replica)).toBe(0)

  makeSingle(first, 'PostgreSQL')
  setDay(DAYS.back)
  await Bun.sleep(PASSED_MILLIS)
  fleet.spawn(first)
  await fleet.untilReady(first)
  await expectUse([first], all)
  await callFor([first], all)
  await expectUse([first], all)
  expect(capped.reported).toBe(CAP)
  console.log(
    `units for three keys: alone, as one of three, alone again (from ${store}): ${all.map(({ reported }) => reported).join(', ')}`,
  )
}

/**
 * Removes `[cluster]` from a replica's settings, and `database_url` if the store is SQLite. Returns a function that
 * restores the settings.
 */
function makeSingle(replica: FleetReplica, store: (typeof STORES)[number]): () => void {
  const path = join(fleet.folderOf(replica), 'quai.toml')
  const before = readFileSync(path, 'utf8')
  const single = before.replace(/\[cluster\]\nname = "r0"\n/, '')
  const after = store === 'SQLite' ? single.replace(/database_url = .*\n/, '') : single
  expect(after).not.toBe(before)
  writeFileSync(path, after)
  return () => writeFileSync(path, before)
}

/** Runs a command in the folder of a stopped replica. */
async function run(replica: FleetReplica, ...words: readonly string[]): Promise<void> {
  const cwd = fleet.folderOf(replica)
  // The command is spawned asynchronously, since this process must meanwhile pass bytes between the command and the
  // database.
  const child = Bun.spawn([...fleet.command, ...words], { cwd, env: { ...process.env, ...time?.env }, stderr: 'pipe' })
  const output = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`${words.join(' ')}: ${output}`)
}

/** Calls all given replicas with all given keys for a while. */
async function callFor(replicas: readonly FleetReplica[], accounts: readonly AccountCount[]): Promise<void> {
  const callers = new FleetCallers(replicas, accounts, { each: 2, pauseMillis: 5 })
  await Bun.sleep(TRAFFIC_MILLIS)
  await callers.stop()
  expect(accounts.map(({ unanswered }) => unanswered)).toEqual(accounts.map(() => 0))
  // The last units before a cap may be too few for an expensive call. So a few more calls, most of them cheap, use
  // these units up.
  const rest = new FleetCallers(replicas, accounts, { each: 1, pauseMillis: 50 })
  await Bun.sleep(500)
  await rest.stop()
}

/** Calls the API until a key has used the given number of units. */
async function callUntil({ base }: FleetReplica, account: AccountCount, units: number): Promise<void> {
  while (account.reported < units) {
    const answer = await fetch(`${base}/v1/networks`, { headers: { authorization: `Bearer ${account.key}` } })
    expect(answer.status).toBe(200)
    await answer.body?.cancel()
    account.reported++
  }
}

/** Checks for each key that every given replica reports the usage that the key's clients have counted. */
async function expectUse(replicas: readonly FleetReplica[], accounts: readonly AccountCount[]): Promise<void> {
  for (const account of accounts) {
    for (const { base, index } of replicas) {
      let shown: unknown
      await until(async () => {
        const answer = await fetch(`${base}/v1/usage`, { headers: { authorization: `Bearer ${account.key}` } })
        const { data } = JSON.parse(await answer.text())
        const units = new Map<string, number>(data.keys.map((key: KeyUse) => [key.last_four, key.units_period]))
        const sum = [...units.values()].reduce((all, each) => all + each, 0)
        shown = units.get(account.key.slice(-4))
        return shown === account.reported && data.units === sum
      }, `replica ${index} reports ${account.reported} units, not ${shown}`)
    }
  }
}

interface KeyUse {
  readonly last_four: string
  readonly units_period: number
}

function firstOfMonth(): number {
  const now = new Date()
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
}
