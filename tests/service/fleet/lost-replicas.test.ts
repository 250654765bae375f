// Tests replicas that are killed, frozen or copied, or whose disk is lost, round after round. A fault may lose a
// limited number of units, or exceed the cap by a limited number; the limits depend on the kind of fault. Fails if a
// fault exceeds these limits, if units are counted twice, or if a process keeps starting and ending.
import { afterEach, describe, expect, test } from 'bun:test'
import { cpSync, rmSync } from 'node:fs'
import { seededRandom } from '../../../src/demo/seeded-random.ts'
import { makeDatabase, POSTGRES, sayWhatIsLeftOut, type TestDatabase } from '../../databases/test-postgres.ts'
import { roundsBySize, SEED, SIZE } from '../../size.ts'
import { until } from '../running.ts'
import { Fleet, type FleetReplica, isReady } from './fleet.ts'
import { type AccountCount, callOnce, FleetCallers } from './fleet-callers.ts'

sayWhatIsLeftOut()

const PORT = 19_860
const REPLICAS = 3
const ROUNDS = roundsBySize({ quick: 0, ci: 0, full: 100 })
const LOST_SECONDS = 10
const FLUSH_SECONDS = 1
const CAP = 400
/** After this time, a unit is in the ledger, even if the unit was counted while a flush was under way. */
const UNFLUSHED_MILLIS = 2_500
const KINDS = ['killed', 'frozen', 'frozen for long', 'disk gone', 'copied', 'copied while cut off'] as const

const random = seededRandom(SEED, 'lost replicas')
let database: TestDatabase
let fleet: Fleet

afterEach(async () => {
  await fleet.remove()
  await database.remove()
})

/** How many units a fault may cost. */
interface Allowed {
  /** Number of units that responses have reported but that never reach the ledger. */
  readonly lost: number
  /** Units that are used beyond the cap. */
  readonly above: number
}

describe.skipIf(POSTGRES === undefined || SIZE !== 'full')('replicas are lost', () => {
  test(
    'and counts and caps stay correct',
    async () => {
      database = await makeDatabase()
      fleet = new Fleet({
        databaseUrl: database.url,
        count: REPLICAS + 1,
        port: PORT,
        cluster: `lease_seconds = 10\noutage_share = 0\nlost_after_seconds = ${LOST_SECONDS}\nflush_seconds = ${FLUSH_SECONDS}`,
        tables: `[plans.free]\nincluded_units = ${CAP}\nrequests_per_second = 0\n`,
      })
      for (const replica of serving()) fleet.spawn(replica)
      await Promise.all(serving().map((replica) => fleet.untilReady(replica)))
      const sums = new Map<string, Allowed & { readonly rounds: number; readonly allowed: Allowed }>()
      for (let round = 0; round < ROUNDS; round++) {
        const kind = KINDS[round % KINDS.length]
        const { lost, above, allowed } = await playRound(kind, round)
        const none = { rounds: 0, lost: 0, above: 0, allowed: { lost: 0, above: 0 } }
        const sum = sums.get(kind) ?? none
        sums.set(kind, {
          rounds: sum.rounds + 1,
          lost: sum.lost + lost,
          above: sum.above + above,
          allowed: { lost: sum.allowed.lost + allowed.lost, above: sum.allowed.above + allowed.above },
        })
      }
      console.log(`lost replicas: ${ROUNDS} rounds, ${JSON.stringify(Object.fromEntries(sums))} (seed ${SEED})`)
    },
    120_000 + ROUNDS * 60_000,
  )
})

function serving(): readonly FleetReplica[] {
  return fleet.replicas.slice(0, REPLICAS)
}

async function playRound(kind: (typeof KINDS)[number], round: number) {
  const email = `round-${round}@ville.example`
  const account: AccountCount = { key: await fleet.makeKey(email, 'free'), reported: 0, unanswered: 0, answers: [] }
  const callers = new FleetCallers(serving(), [account], { each: 1, pauseMillis: 100 })
  await Bun.sleep(1_500 + random() * 1_500)
  const victim = serving()[Math.floor(random() * REPLICAS)]
  const allowed = await strike(kind, victim, account)
  await callers.stop()
  await Promise.all(serving().map((replica) => fleet.untilReady(replica)))
  await spendAll(account, email)
  const units = await ledgerUnits(email)
  const seen = { round, kind, units, reported: account.reported, unanswered: account.unanswered, allowed }
  const lost = Math.max(0, account.reported - units)
  const above = Math.max(0, Math.max(units, account.reported) - CAP)
  if (
    lost > allowed.lost ||
    above > allowed.above ||
    units > account.reported + account.unanswered ||
    units < CAP - allowed.lost
  )
    throw new Error(JSON.stringify(seen))
  // All processes must be ready, and none may keep starting and ending.
  expect(await Promise.all(serving().map(isReady))).toEqual(serving().map(() => true))
  const running = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM quai.replicas WHERE state = 'serving'`,
  )
  expect(running).toEqual([{ count: REPLICAS }])
  return { lost, above, allowed }
}

/** Causes a fault, and starts the replica again if the fault ended it. Returns how many units the fault may cost. */
async function strike(kind: (typeof KINDS)[number], victim: FleetReplica, account: AccountCount): Promise<Allowed> {
  switch (kind) {
    case 'killed':
      await fleet.end(victim, 'SIGKILL')
      await Bun.sleep(random() * 3_000)
      fleet.spawn(victim)
      return { lost: 0, above: 0 }
    case 'frozen':
      victim.child?.kill('SIGSTOP')
      await Bun.sleep(1_000 + random() * 5_000)
      victim.child?.kill('SIGCONT')
      await Bun.sleep(1_000)
      expect(victim.child?.exitCode).toBeNull()
      return { lost: 0, above: 0 }
    case 'frozen for long': {
      victim.child?.kill('SIGSTOP')
      const unflushed = unflushedAt(victim, account)
      await untilEnded(victim)
      victim.child?.kill('SIGCONT')
      await restart(victim)
      return { lost: 0, above: unflushed + 1 } // the data thread answers one more request when it continues
    }
    case 'disk gone': {
      await fleet.end(victim, 'SIGKILL')
      const unflushed = unflushedAt(victim, account)
      rmSync(victim.dataDir, { recursive: true })
      fleet.spawn(victim)
      await untilFreed()
      return { lost: unflushed, above: unflushed }
    }
    case 'copied':
      return await copy(victim)
    default:
      return await copyWhileCut(victim)
  }
}

/** Starts another replica with a copy of a running replica's data directory, and checks that its start is refused. */
async function copy(victim: FleetReplica): Promise<Allowed> {
  const other = fleet.replicas[REPLICAS]
  copyFolder(victim, other)
  fleet.spawn(other)
  expect(await other.child?.exited).toBe(1)
  expect(fleet.output(other)).toContain('is a copy of one that a running replica uses')
  return { lost: 0, above: 0 }
}

/**
 * While a replica is cut off, starts another replica with a copy of its data directory. Checks that the first replica
 * ends when it is connected again.
 */
async function copyWhileCut(victim: FleetReplica): Promise<Allowed> {
  const other = fleet.replicas[REPLICAS]
  victim.link.set('silent')
  copyFolder(victim, other)
  const [{ held }] = await database.query<{ held: number }>(
    `SELECT coalesce(sum(greatest(g.granted - g.returned - g.used, 0)), 0)::float8 AS held FROM quai.grants g
     JOIN quai.replicas r ON r.id = g.replica WHERE r.name = 'r${victim.index}' AND r.state = 'serving'`,
  )
  fleet.spawn(other)
  await fleet.untilReady(other)
  victim.link.set('passes')
  await restart(victim)
  expect(await fleet.end(other)).toBe(0)
  rmSync(other.dataDir, { recursive: true })
  return { lost: 0, above: held }
}

function copyFolder(from: FleetReplica, to: FleetReplica): void {
  rmSync(to.dataDir, { recursive: true, force: true })
  cpSync(from.dataDir, to.dataDir, {
    recursive: true,
    filter: (path) => !path.includes('/lock') && !path.endsWith('.sock'),
  })
}

/** Waits until a replica has ended on its own, and starts it again. */
async function restart(victim: FleetReplica): Promise<void> {
  await until(() => victim.child?.exitCode != null, `replica ${victim.index} has ended itself`)
  expect(victim.child?.exitCode).toBe(1)
  fleet.spawn(victim)
}

async function untilEnded({ index }: FleetReplica): Promise<void> {
  await until(async () => {
    const running = await database.query(`SELECT 1 FROM quai.replicas WHERE name = 'r${index}' AND state <> 'ended'`)
    return running.length === 0
  }, `replica ${index} is ended`)
}

/** Waits until the database has taken back the unused units of lost replicas. */
async function untilFreed(): Promise<void> {
  await until(async () => {
    const held = await database.query(
      `SELECT 1 FROM quai.replicas r LEFT JOIN quai.grants g ON g.replica = r.id AND g.granted - g.returned > g.used
       LEFT JOIN quai.looks l ON l.replica = r.id
       WHERE (r.state = 'ended' AND g.replica IS NOT NULL) OR (r.state <> 'ended' AND l.seen_at < clock_timestamp() - interval '3 s')`,
    )
    return held.length === 0
  }, 'units of lost replicas are free')
}

/** Units that a replica's responses have reported but that may not be in the ledger yet. */
function unflushedAt({ index }: FleetReplica, { answers = [] }: AccountCount): number {
  const since = performance.now() - UNFLUSHED_MILLIS
  return answers
    .filter(({ replica, atMillis }) => replica === index && atMillis >= since)
    .reduce((sum, { units }) => sum + units, 0)
}

/**
 * Calls the API until all units up to the cap are in the ledger, or until all calls have been refused for so long that
 * a lost replica's units must have been returned.
 */
async function spendAll(account: AccountCount, email: string): Promise<void> {
  let spentMillis = performance.now()
  while (performance.now() < spentMillis + (LOST_SECONDS + 10) * 1_000) {
    const outcomes = await Promise.all(serving().map((replica) => callOnce(replica, account, false)))
    if (outcomes.includes('200')) {
      spentMillis = performance.now()
      continue
    }
    if ((await ledgerUnits(email)) >= CAP) break
    await Bun.sleep(100)
  }
  await Bun.sleep((FLUSH_SECONDS + 1) * 1_000)
}

async function ledgerUnits(email: string): Promise<number> {
  const [row] = await database.query<{ units: number }>(
    `SELECT coalesce(sum(u.units), 0)::float8 AS units FROM quai.accounts a JOIN quai.keys k ON k.account_id = a.id
     JOIN quai.usage u ON u.key_id = k.id WHERE a.email = $1`,
    [email],
  )
  return row.units
}
