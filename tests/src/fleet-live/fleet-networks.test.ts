// Tests the live threads of several replicas with a real database and a real upstream. Fails if two replicas poll at
// the same time, if replicas show different live data, if a new replica's live data differs from the rest, if a poller
// that lost its role still writes, if an upstream's request budget is exceeded, or if live data stops after a database
// crash.
import { afterAll, afterEach, beforeAll, describe, expect } from 'bun:test'
import { RoleLost } from '../../../src/accounts/fleet-role.ts'
import { LiveStore } from '../../../src/fleet-live/live-store.ts'
import type { Snapshot } from '../../../src/networks/network.ts'
import type { LiveFeedOrder } from '../../../src/realtime/live-messages.ts'
import { hasOwnPostgres, OwnPostgres } from '../../databases/own-postgres.ts'
import { LiveUpstream } from '../../service/fleet/live-upstream.ts'
import { slowTest } from '../../slow-test.ts'
import { LiveReplica, NETWORK, prepareDatabase, smallSnapshot } from './live-replicas.ts'

const NOW_SECONDS = Date.parse('2026-06-10T06:00:00Z') / 1000
const IDS = ['r1', 'r2', 'r3', 'r4', 'r5', 'r6']
const WAIT_MILLIS = 20_000
const LEASE_MILLIS = 5_000

if (!hasOwnPostgres()) console.error('left out: live threads of several replicas (no PostgreSQL server is installed)')

describe.skipIf(!hasOwnPostgres())('live threads of several replicas', () => {
  let postgres: OwnPostgres
  let upstream: LiveUpstream
  let snapshot: Snapshot
  let replicas: LiveReplica[] = []

  beforeAll(async () => {
    postgres = await OwnPostgres.start()
    await prepareDatabase(postgres, IDS)
    snapshot = await smallSnapshot()
    upstream = new LiveUpstream()
  }, 60_000)

  afterEach(async () => {
    await Promise.all(replicas.map((each) => each.remove()))
    replicas = []
    await postgres.query(`DELETE FROM quai.roles`)
    await postgres.query(`DELETE FROM quai.upstream_budgets`)
    upstream.calls.clear()
  })

  afterAll(async () => {
    await upstream.stop()
    await postgres.remove()
  })

  async function open(id: string, more: Partial<LiveFeedOrder> = {}, memoryMillis?: number): Promise<LiveReplica> {
    const replica = new LiveReplica(id, postgres, { order: orderOf(upstream, ['trips'], more), memoryMillis })
    replicas.push(replica)
    await replica.serve(snapshot)
    return replica
  }

  /** Makes the upstream report a delay, and waits until these replicas show it. */
  async function publish(delaySeconds: number, shown: readonly LiveReplica[] = replicas): Promise<void> {
    upstream.delaySeconds = delaySeconds
    await holds(
      () => shown.every((each) => delayOf(each) === delaySeconds),
      () =>
        `all show ${delaySeconds}: ${shown.map(delayOf)}; ${replicas.map(({ problems, failure }) => failure ?? problems)}`,
    )
  }

  slowTest(
    'one polls, all show the same, and a new one too',
    async () => {
      for (const id of ['r1', 'r2']) await open(id)
      for (const delay of [60, 120, 180]) await publish(delay)
      const digests = () => replicas.map(({ digest }) => digest)
      await holds(
        () => new Set(digests()).size === 1,
        () => `equal: ${digests()}`,
      )
      expect(replicas.filter(({ isPoller }) => isPoller)).toHaveLength(1)
      await open('r3')
      expect(delayOf(replicas[2])).toBe(180)
      await holds(
        () => new Set(digests()).size === 1,
        () => `equal with the newcomer: ${digests()}`,
      )
    },
    60_000,
  )

  slowTest(
    'another takes over from a disconnected poller, and late writes of the old one are rejected',
    async () => {
      for (const id of ['r1', 'r2']) await open(id)
      await publish(60)
      const old = replicas.find(({ isPoller }) => isPoller)
      const other = replicas.find((each) => each !== old)
      if (old === undefined || other === undefined) throw new Error('no replica polls')
      const [{ token, term }] = await postgres.query<{ token: string; term: string }>(
        `SELECT token::text, term::text FROM quai.roles, quai.live_head WHERE name = 'live'`,
      )
      old.link.set('silent')
      const cutMillis = performance.now()
      await publish(120, [other])
      expect(performance.now() - cutMillis).toBeLessThan(WAIT_MILLIS)
      expect(delayOf(old)).toBe(60)
      const late = new LiveStore({
        replica: IDS[replicas.indexOf(old)],
        databaseUrl: postgres.url(),
        hasPreparedStatements: true,
      })
      const status = {
        kind: 'same',
        atMillis: 0,
        fetchedAtMillis: 0,
        lastError: undefined,
        isWell: true,
        backOffMillis: 0,
        budget: undefined,
      } as const
      const message = { network: NETWORK, feed: 'trips', status, body: undefined }
      const fence = { token: Number(token), term: Number(term) }
      await expect(late.publish(fence, message)).rejects.toThrow(RoleLost)
      const call = { feed: `${NETWORK}/trips`, atMillis: 0, windowStartMillis: 0, limit: undefined }
      await expect(late.permit(fence.token, call)).rejects.toThrow(RoleLost)
      await late.close()
      old.link.set('passes')
      await publish(180)
      expect(new Set(replicas.map(({ digest }) => digest)).size).toBe(1)
    },
    60_000,
  )

  slowTest(
    'an upstream’s request budget is shared by all replicas',
    async () => {
      const budget = { limit: 3, window: 'day' } as const
      for (const id of ['r1', 'r2', 'r3']) await open(id, { budget })
      await holds(
        () => upstream.callsOf('trips').length >= 2,
        () => 'it is called',
      )
      // The poller leaves. Its successor may only use what is left of the budget.
      const poller = replicas.find(({ isPoller }) => isPoller)
      await poller?.networks.leave()
      await Bun.sleep(LEASE_MILLIS)
      expect(upstream.callsOf('trips').length).toBeLessThanOrEqual(budget.limit)
      const [{ used }] = await postgres.query<{ used: string }>('SELECT used::text FROM quai.upstream_budgets')
      expect(Number(used)).toBe(upstream.callsOf('trips').length)
    },
    60_000,
  )

  slowTest(
    'a database crash empties its messages; live data stays and continues',
    async () => {
      for (const id of ['r1', 'r2']) await open(id)
      await publish(60)
      await postgres.restart()
      await holds(
        () => replicas.some(({ isPoller }) => isPoller),
        () => 'somebody polls again',
      )
      expect(replicas.map(delayOf)).toEqual([60, 60])
      await publish(120)
      await open('r3')
      expect(replicas.map(delayOf)).toEqual([120, 120, 120])
      await holds(
        () => new Set(replicas.map(({ digest }) => digest)).size === 1,
        () => 'all are equal',
      )
    },
    60_000,
  )

  slowTest(
    'the poller saves the networks’ memory and drops earlier messages; a new replica starts from there',
    async () => {
      for (const id of ['r1', 'r2']) await open(id, {}, 300)
      for (const delay of [60, 120, 180, 240]) await publish(delay)
      const kept = async () =>
        (
          await postgres.query<{ seq: string; rows: string; first: string }>(
            `SELECT k.seq::text, (SELECT count(*) FROM quai.live_messages)::text AS rows,
             (SELECT min(seq) FROM quai.live_messages)::text AS first FROM quai.live_memory k`,
          )
        )[0]
      for (let looks = 0; looks < 100 && Number((await kept()).first) < 3; looks++) await Bun.sleep(100)
      const { seq, rows, first } = await kept()
      expect(Number(first)).toBeGreaterThanOrEqual(3)
      expect(Number(rows)).toBeLessThan(Number(seq))
      await open('r3', {}, 300)
      expect(delayOf(replicas[2])).toBe(240)
      await publish(300)
      await holds(
        () => new Set(replicas.map(({ digest }) => digest)).size === 1,
        () => 'all are equal',
      )
      expect(replicas.flatMap(({ problems }) => problems)).toEqual([])
    },
    60_000,
  )

  slowTest(
    'new settings apply on all replicas, and the poller uses them',
    async () => {
      for (const id of ['r1', 'r2']) await open(id)
      await publish(60)
      for (const replica of replicas) {
        replica.networks.reload({
          kind: 'reload',
          networks: [orderOf(upstream, ['trips', 'more'])],
          logLevel: 'silent',
        })
        await replica.serve(snapshot)
      }
      await publish(120)
      await holds(
        () => upstream.callsOf('more').length > 0,
        () => 'the new feed is polled',
      )
      await holds(
        () =>
          replicas.every(({ live }) => live?.feeds.length === 2 && live.feeds.every((feed) => feed.fetchedAtMillis)),
        () => 'both feeds are shown',
      )
      for (const replica of replicas) {
        replica.networks.reload({ kind: 'reload', networks: [orderOf(upstream, [])], logLevel: 'silent' })
        await replica.serve(snapshot)
      }
      const calls = upstream.callsOf('trips').length
      await Bun.sleep(2_000)
      expect(upstream.callsOf('trips').length).toBeLessThanOrEqual(calls + 1)
    },
    60_000,
  )
})

function orderOf(upstream: LiveUpstream, feeds: readonly string[], more: Partial<LiveFeedOrder> = {}) {
  const feedOf = (id: string): LiveFeedOrder => ({
    id,
    url: upstream.urlOf(id),
    intervalSeconds: 1,
    headers: {},
    budget: undefined,
    maxAgeSeconds: undefined,
    provides: undefined,
    ...more,
  })
  return { id: NETWORK, feeds: feeds.map(feedOf), scheduledVehicles: true }
}

/** The delay in seconds that a replica shows for the only trip that the upstream reports. */
function delayOf({ live }: LiveReplica): number | undefined {
  const calls = live?.overlay?.calls
  const meta = live?.overlay?.meta
  if (calls === undefined || meta === undefined || calls.departure.length === 0) return undefined
  // Trip a2 is scheduled to leave G at 08:10, ten minutes after NOW_SECONDS.
  const [departure] = Array.from(
    { length: calls.departure.length },
    (_, at) => meta.baseSeconds + Object(calls.departure)[at],
  )
  return departure - (NOW_SECONDS + 600)
}

async function holds(is: () => boolean, what: () => string): Promise<void> {
  const giveUp = performance.now() + WAIT_MILLIS
  while (!is()) {
    if (performance.now() > giveUp) throw new Error(`timed out waiting until ${what()}`)
    await Bun.sleep(10)
  }
}
