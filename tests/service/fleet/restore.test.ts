// Tests a database that is lost under load and replaced by a backup. Fails if a replica takes longer than five seconds
// to send all its counts to the restored database, if a reported unit is missing there, or if a cap is exceeded by more
// units than replicas have received from the lost database since the backup.
import { afterEach, describe, expect, test } from 'bun:test'
import { hasOwnPostgres, OwnPostgres } from '../../databases/own-postgres.ts'
import { roundsBySize, SIZE } from '../../size.ts'
import { until } from '../running.ts'
import { Fleet, type FleetReplica } from './fleet.ts'
import { type AccountCount, callOnce, FleetCallers } from './fleet-callers.ts'

const PORT = 19_880
const DATABASE = 'restore'
const ROUNDS = roundsBySize({ quick: 0, ci: 0, full: 20 })
const RESYNC_MILLIS = 5_000
const CAPS = [300, 900, 100_000_000] as const
const PLANS = ['free', 'starter', 'max'] as const
/** Minimum time between the backup and the loss of the database. */
const LOST_MILLIS = 4_000

let postgres: OwnPostgres
let fleet: Fleet

afterEach(async () => {
  await fleet.remove()
  await postgres.remove()
})

describe.skipIf(!hasOwnPostgres() || SIZE !== 'full')('a backup is restored under load', () => {
  test(
    'and the replicas report again what it lacks',
    async () => {
      postgres = await OwnPostgres.start()
      await postgres.query(`CREATE DATABASE ${DATABASE}`)
      fleet = new Fleet({
        databaseUrl: postgres.url(DATABASE),
        count: 3,
        port: PORT,
        cluster: 'lease_seconds = 10\noutage_share = 0',
        tables: PLANS.map(
          (plan, at) => `[plans.${plan}]\nincluded_units = ${CAPS[at]}\nrequests_per_second = 0\n`,
        ).join(''),
      })
      await fleet.start()
      const resyncs: number[] = []
      const above = { seen: 0, allowed: 0 }
      let outcomes = {}
      for (let round = 0; round < ROUNDS; round++) {
        const reported = await playRound(round, above)
        resyncs.push(reported.resyncMillis)
        outcomes = reported.outcomes
      }
      console.log(
        `restores: ${ROUNDS}, all replicas reported everything after ${resyncs.map(Math.round).toSorted((a, b) => a - b)} ms; above the caps ${JSON.stringify(above)}; last round ${JSON.stringify(outcomes)}`,
      )
      expect(Math.max(...resyncs)).toBeLessThanOrEqual(RESYNC_MILLIS)
    },
    120_000 + ROUNDS * 60_000,
  )
})

async function playRound(round: number, above: { seen: number; allowed: number }) {
  const emails = PLANS.map((plan) => `${plan}-${round}@ville.example`)
  const accounts: AccountCount[] = []
  for (const [at, email] of emails.entries())
    accounts.push({ key: await fleet.makeKey(email, PLANS[at]), reported: 0, unanswered: 0 })
  const revoked = await fleet.makeKey(`revoked-${round}@ville.example`, 'max')
  const callers = new FleetCallers(fleet.replicas, accounts, { each: 1, pauseMillis: 60 })
  await Bun.sleep(2_000)
  const backup = await postgres.backUp()
  await revoke(round)
  for (const replica of fleet.replicas) expect(await callOnce(replica, countOf(revoked), false)).toStartWith('401')
  const [, restarted] = fleet.replicas
  await fleet.end(restarted, 'SIGKILL') // an ended process leaves its counts in slot files
  fleet.spawn(restarted)
  await fleet.untilReady(restarted)
  await Bun.sleep(LOST_MILLIS)
  const before = await heldUnits(emails)
  const resyncsBefore = await Promise.all(fleet.replicas.map(resyncsOf))
  await postgres.restore(backup)
  const restoredMillis = performance.now()
  const after = await heldUnits(emails)
  await until(async () => {
    const resyncsNow = await Promise.all(fleet.replicas.map(resyncsOf))
    return resyncsNow.every((count, at) => count > resyncsBefore[at])
  }, 'all replicas have seen what was lost')
  await until(isWhole, 'all replicas have reported everything')
  const resyncMillis = performance.now() - restoredMillis
  // The restored database lacks the revocation. After the operator has revoked the key again, all replicas must reject
  // it.
  for (const replica of fleet.replicas) {
    await until(async () => (await callOnce(replica, countOf(revoked), false)) === '200', 'the revocation is lost')
  }
  await revoke(round)
  for (const replica of fleet.replicas) expect(await callOnce(replica, countOf(revoked), false)).toStartWith('401')
  await Bun.sleep(1_000)
  await callers.stop()
  await until(
    async () => (await ledgerUnits(emails)).every((units, at) => units >= accounts[at].reported),
    'the ledger has all that was acknowledged',
  )
  const ledger = await ledgerUnits(emails)
  for (const [at, units] of ledger.entries()) {
    expect(units).toBeLessThanOrEqual(accounts[at].reported + accounts[at].unanswered)
    const allowed = Math.max(0, before[at] - after[at])
    expect(units).toBeLessThanOrEqual(CAPS[at] + allowed)
    if (PLANS[at] === 'max') continue
    above.seen += Math.max(0, units - CAPS[at])
    above.allowed += allowed
  }
  return { resyncMillis, outcomes: callers.outcomes }
}

function countOf(key: string): AccountCount {
  return { key, reported: 0, unanswered: 0 }
}

async function revoke(round: number): Promise<void> {
  const operations = await fleet.operations()
  const id =
    (await operations.listKeys({})).find(({ account }) => account === `revoked-${round}@ville.example`)?.id ?? ''
  expect((await operations.revokeKey({ id })).unconfirmed).toBeUndefined()
}

async function resyncsOf({ admin }: FleetReplica): Promise<number> {
  const metrics = await (await fetch(`${admin}/metrics`)).text()
  return Number(/\nquai_cluster_resyncs_total (\d+)/.exec(metrics)?.[1])
}

/** Whether the database lists all running processes, and each process has the database's version of the accounts. */
async function isWhole(): Promise<boolean> {
  const [{ count }] = await postgres.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM quai.replicas r JOIN quai.looks l ON l.replica = r.id
     JOIN quai.changes c ON c.version = l.version_seen AND c.mark = l.mark_seen
     WHERE r.state = 'serving' AND r.told_life = quai.store_life() AND l.seen_at > clock_timestamp() - interval '1 s'
       AND c.version = (SELECT value FROM quai.counters WHERE name = 'version')`,
    DATABASE,
  )
  return count === fleet.replicas.length
}

async function heldUnits(emails: readonly string[]): Promise<number[]> {
  return await byEmail(emails, 'quai.grants g ON g.account_id = a.id', 'greatest(g.granted - g.returned, g.used)')
}

async function ledgerUnits(emails: readonly string[]): Promise<number[]> {
  return await byEmail(
    emails,
    'quai.keys k ON k.account_id = a.id LEFT JOIN quai.usage u ON u.key_id = k.id',
    'u.units',
  )
}

async function byEmail(emails: readonly string[], join: string, units: string): Promise<number[]> {
  const rows = await postgres.query<{ email: string; units: number }>(
    `SELECT a.email, coalesce(sum(${units}), 0)::float8 AS units FROM quai.accounts a LEFT JOIN ${join} GROUP BY a.email`,
    DATABASE,
  )
  return emails.map((email) => rows.find((row) => row.email === email)?.units ?? 0)
}
