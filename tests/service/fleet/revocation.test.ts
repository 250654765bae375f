// Tests keys that are revoked, and accounts that are suspended or downgraded, under load on several replicas, while a
// database client hangs in a transaction. Fails if a replica still uses the old state after a change is confirmed. At
// full size, also fails if a change takes too long.
import { afterEach, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import type { Unconfirmed } from '../../../src/accounts/account-operations.ts'
import { hasPooler, type Pooler, startPooler } from '../../databases/pooler.ts'
import { makeDatabase, POSTGRES, sayWhatIsLeftOut, type TestDatabase } from '../../databases/test-postgres.ts'
import { bySize, roundsBySize, SIZE } from '../../size.ts'
import { StreamClient } from '../stream-client.ts'
import { Fleet, type FleetReplica, insist } from './fleet.ts'
import { FleetCallers } from './fleet-callers.ts'

sayWhatIsLeftOut()

const PORT = 19_760
const REPLICAS = bySize({ quick: 2, ci: 2, full: 5 })
const ROUNDS = roundsBySize({ quick: 3, ci: 3, full: 500 })
const KINDS = ['revoke', 'suspend', 'downgrade'] as const
const TEST_MILLIS = 60_000 + 3_000 * ROUNDS
/** Time limits, which only apply at full size. */
const P99_MILLIS = 500
const P999_MILLIS = 1_000
const STREAM_END_MILLIS = 1_500
/** In one out of this number of rounds, streams are open. */
const STREAM_ROUNDS = bySize({ quick: 3, ci: 3, full: 10 })

/**
 * Number of 503 responses. They are allowed, since on a busy machine, an account's units may arrive late after a change
 * of plan.
 */
let lateCount = 0
let database: TestDatabase
let fleet: Fleet
let pooler: Pooler | undefined

afterEach(async () => {
  await fleet.remove()
  await pooler?.stop()
  await database.remove()
})

describe.skipIf(POSTGRES === undefined)('a change to an account or key', () => {
  test('applies on all replicas once confirmed', () => changes(false), TEST_MILLIS)

  const isPooled = SIZE === 'full' && hasPooler()
  if (SIZE === 'full' && !isPooled)
    console.log('left out: changes through pgbouncer (/usr/sbin/pgbouncer is not installed)')
  test.skipIf(!isPooled)('also applies through pgbouncer', () => changes(true), TEST_MILLIS)
})

async function changes(isPooled: boolean): Promise<void> {
  database = await makeDatabase()
  pooler = isPooled ? await startPooler(database.url) : undefined
  fleet = new Fleet({
    databaseUrl: pooler?.url ?? database.url,
    count: REPLICAS,
    port: PORT,
    cluster: `prepared_statements = ${!isPooled}`,
    tables: '[plans.max]\nincluded_units = 1000000\nrequests_per_second = 0\n',
  })
  await fleet.start()
  const load = { key: await fleet.makeKey('load@ville.example', 'max'), reported: 0, unanswered: 0 }
  await fleet.makeKey('frozen@ville.example', 'max')
  const frozen = await freeze()
  const callers = new FleetCallers(fleet.replicas, [load], { each: 4, pauseMillis: 20 })
  const confirmed: number[] = []
  const applied: number[] = []
  const ended: number[] = []
  let pending = 0
  lateCount = 0
  for (let round = 0; round < ROUNDS; round++) {
    const kind = KINDS[round % KINDS.length]
    const outcome = await changeOnce(kind, round)
    confirmed.push(outcome.confirmedMillis)
    applied.push(outcome.appliedMillis)
    ended.push(...outcome.endedMillis)
    if (outcome.isPending) pending++
  }
  await callers.stop()
  await frozen.close()
  const reported = [confirmed, applied, ended].map((millis) =>
    [0.5, 0.99, 0.999].map((share) => quantile(millis, share)),
  )
  console.log(
    `changes${isPooled ? ' through pgbouncer' : ''}: ${ROUNDS} on ${REPLICAS} replicas, ${pending} pending; p50, p99, p99.9 in ms: confirmed ${reported[0]}, applied everywhere ${reported[1]}, streams ended ${reported[2]}; ${lateCount} × 503; ${load.reported} units of load`,
  )
  if (SIZE !== 'full') return
  expect(quantile(applied, 0.99)).toBeLessThanOrEqual(P99_MILLIS)
  expect(quantile(applied, 0.999)).toBeLessThanOrEqual(P999_MILLIS)
  expect(Math.max(...ended)).toBeLessThanOrEqual(STREAM_END_MILLIS)
}

/**
 * Changes a key or an account on one replica. Returns the milliseconds until the change is confirmed, until the last
 * replica applies it, and until each stream ends. Also returns whether the change was left unconfirmed.
 */
async function changeOnce(kind: (typeof KINDS)[number], round: number) {
  const email = `round-${round}@ville.example`
  const key = await fleet.makeKey(email, 'max')
  const isChanged = { revoke: isRefused, suspend: isRefused, downgrade: isFree }[kind]
  for (const replica of fleet.replicas) expect(await isChanged(replica, key)).toBe(false)
  const streams =
    round % STREAM_ROUNDS === 0 && kind !== 'downgrade' ? fleet.replicas.map(({ base }) => openStream(base, key)) : []
  for (const stream of streams) expect((await stream.opened()).status).toBe(200)
  const operations = await fleet.operations(fleet.replicas[round % REPLICAS])
  const keys = await insist(() => operations.listKeys({}))
  const id = keys.find(({ account, prefix }) => account === email && key.startsWith(prefix))?.id ?? ''
  const make = {
    revoke: () => operations.revokeKey({ id }),
    suspend: () => operations.setSuspended({ email, isSuspended: true }),
    downgrade: () => operations.setPlan({ email, plan: 'free' }),
  }[kind]
  const startMillis = performance.now()
  const lasts = fleet.replicas.map(async (replica) => {
    for (;;) {
      const sentMillis = performance.now()
      if (await isChanged(replica, key)) return sentMillis - startMillis
      await Bun.sleep(5)
    }
  })
  const { unconfirmed } = await insist<Unconfirmed>(make)
  const confirmedMillis = performance.now() - startMillis
  if (unconfirmed === undefined) {
    const seen = await Promise.all(fleet.replicas.map((replica) => isChanged(replica, key)))
    expect(seen).toEqual(fleet.replicas.map(() => true))
  }
  const appliedMillis = Math.max(...(await Promise.all(lasts)))
  const endedMillis = await Promise.all(
    streams.map(async (stream) => {
      while (!stream.isEnded) await Bun.sleep(5)
      return performance.now() - startMillis
    }),
  )
  return { confirmedMillis, appliedMillis, endedMillis, isPending: unconfirmed !== undefined }
}

async function isRefused(replica: FleetReplica, key: string): Promise<boolean> {
  return (await ask(replica, key)).status === 401
}

/**
 * Whether a replica applies the plan `free`, which is recognized by its rate limit. The included units would not show
 * the change of plan, since they do not decrease within the month.
 */
async function isFree(replica: FleetReplica, key: string): Promise<boolean> {
  return (await ask(replica, key)).headers.get('RateLimit-Policy')?.includes('"burst"') === true
}

async function ask({ base }: FleetReplica, key: string): Promise<Response> {
  const answer = await fetch(`${base}/v1/networks`, { headers: { Authorization: `Bearer ${key}` } })
  await answer.body?.cancel()
  if (answer.status === 503) lateCount++
  return answer
}

function openStream(base: string, key: string): StreamClient {
  return new StreamClient(`${base}/v1/stops/ville:stop:G/departures/stream`, key)
}

/** Opens a database session that changes an account but never commits, so it keeps the account's row locked. */
async function freeze(): Promise<{ close(): Promise<void> }> {
  const client = new SQL(database.url, { max: 1 })
  const session = await client.reserve()
  await session.unsafe('BEGIN')
  await session.unsafe(`UPDATE quai.accounts SET plan = 'pro' WHERE email = 'frozen@ville.example'`)
  const [{ count }] = await session.unsafe('SELECT count(*)::int AS count FROM quai.changes WHERE version IS NULL')
  expect(count).toBe(1)
  return {
    async close() {
      await session.unsafe('ROLLBACK')
      session.release()
      await client.close()
    },
  }
}

function quantile(millis: readonly number[], share: number): number {
  const sorted = millis.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
}
