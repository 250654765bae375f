// Tests live data in a cluster, in which one replica polls the feeds for all replicas. Fails if two replicas poll an
// upstream at the same time, if an upstream gets more requests than its budget allows, if replicas (including newly
// started ones) show different boards, or if no replica takes over from a poller that is killed, frozen or cut off.
import { afterAll, beforeAll, describe, expect } from 'bun:test'
import { hasOwnPostgres, OwnPostgres } from '../../databases/own-postgres.ts'
import { bySize, roundsBySize } from '../../size.ts'
import { slowTest } from '../../slow-test.ts'
import { until } from '../running.ts'
import { Fleet, type FleetReplica } from './fleet.ts'
import { boardOf, delayOn, LiveUpstream, OTHER_FEED } from './live-upstream.ts'

const PORT = 19_650
const FEEDS = ['trips', OTHER_FEED]
const WATCH_MILLIS = 5_000
const ROUNDS = roundsBySize({ quick: 0, ci: 3, full: 50 })
const CRASHES = bySize({ quick: 0, ci: 1, full: 5 })
/** Each round measures the lag of this many messages: the time until all replicas show a message. */
const SAMPLES = 4
/**
 * Maximum time without a poll after the poller is lost: the sum of the poller's lease duration, the interval at which
 * other replicas check the lease, and the polling interval of the feeds.
 */
const GAP_MILLIS = 7_500
const LAG_MILLIS = bySize({ quick: 500, ci: 2_000, full: 500 })
/**
 * Minimum time between two polls of a feed. The interval of one second is varied by up to 5%, and timers are slightly
 * inexact.
 */
const PAUSE_MILLIS = 800
/** After a poller is lost, its last request may still reach the upstream within this time. */
const IN_FLIGHT_MILLIS = 50
const AWAY_MILLIS = 5_000
/**
 * Maximum time from the publication of a delay until all replicas have read the messages of both feeds, which are
 * polled at different times.
 */
const EQUAL_MILLIS = 3_000
const EQUAL_LOOKS = 30

/** Ways to lose a poller, and to bring it back. */
const FAULTS: readonly {
  begin(fleet: Fleet, one: FleetReplica): unknown
  end(fleet: Fleet, one: FleetReplica): unknown
}[] = [
  { begin: (fleet, one) => fleet.end(one, 'SIGKILL'), end: (fleet, one) => fleet.spawn(one) },
  { begin: (_, one) => one.child?.kill('SIGSTOP'), end: (_, one) => one.child?.kill('SIGCONT') },
  { begin: (_, one) => one.link.set('silent'), end: (_, one) => one.link.set('passes') },
]

if (!hasOwnPostgres()) console.error('left out: live data on several replicas (no PostgreSQL server is installed)')

describe.skipIf(!hasOwnPostgres())('live data on three replicas', () => {
  let postgres: OwnPostgres
  let upstream: LiveUpstream
  let fleet: Fleet
  let key = ''

  beforeAll(async () => {
    postgres = await OwnPostgres.start()
    upstream = new LiveUpstream()
    fleet = new Fleet({ databaseUrl: postgres.url(), count: 3, port: PORT, tables: upstream.tables(FEEDS) })
    await fleet.start()
    key = await fleet.makeKey('live@ville.example', 'max')
  }, 180_000)

  afterAll(async () => {
    await fleet.remove()
    await upstream.stop()
    await postgres.remove()
  })

  /** Waits until all given replicas show a delay. */
  async function untilShown(delaySeconds: number, replicas: readonly FleetReplica[] = fleet.replicas): Promise<void> {
    await until(async () => {
      const boards = await Promise.all(replicas.map((each) => boardOf(each, key)))
      return boards.every((board) => delayOn(board) === delaySeconds)
    }, `all show ${delaySeconds} s`)
  }

  /** Waits until all replicas show a delay, on boards that are the same byte for byte. */
  async function untilEqual(delaySeconds: number): Promise<void> {
    await untilShown(delaySeconds)
    let boards: readonly string[] = []
    for (let look = 0; look < EQUAL_LOOKS && new Set(boards).size !== 1; look++) {
      if (look > 0) await Bun.sleep(EQUAL_MILLIS / EQUAL_LOOKS)
      boards = await Promise.all(fleet.replicas.map((each) => boardOf(each, key)))
    }
    expect(boards.slice(1)).toEqual(boards.slice(1).map(() => boards[0]))
  }

  /** Waits until a replica is the poller; returns the replica. */
  async function findPoller(): Promise<FleetReplica> {
    let found: FleetReplica | undefined
    await until(async () => {
      const [role] = await postgres.query<{ name: string }>(
        `SELECT p.name FROM quai.roles r JOIN quai.replicas p ON p.id = r.holder
         WHERE r.name = 'live' AND r.until > clock_timestamp()`,
      )
      found = fleet.replicas.find(({ index }) => role?.name === `r${index}`)
      return found !== undefined
    }, 'a replica polls')
    if (found === undefined) throw new Error('no replica polls')
    return found
  }

  /**
   * Publishes a delay. Returns the milliseconds from the moment when the message with the delay is in the database
   * until all given replicas show the delay.
   */
  async function lagOf(delaySeconds: number, replicas: readonly FleetReplica[]): Promise<number> {
    const [{ seq }] = await postgres.query<{ seq: string }>(
      'SELECT coalesce(max(seq), 0)::text AS seq FROM quai.live_head',
    )
    upstream.delaySeconds = delaySeconds
    await untilShown(delaySeconds, replicas)
    const shownMillis = Date.now()
    const [{ at }] = await postgres.query<{ at: number }>(
      `SELECT (extract(epoch FROM min(at)) * 1000)::float8 AS at FROM quai.live_messages
       WHERE body IS NOT NULL AND seq > ${seq} AND feed = 'trips'`,
    )
    return shownMillis - at
  }

  slowTest(
    'is polled by one replica, which operators see on each',
    async () => {
      const poller = await findPoller()
      const seen = await Promise.all(
        fleet.replicas.map(async ({ admin }) => {
          const { replicas, roles } = JSON.parse(await (await fetch(`${admin}/cluster.json`)).text())
          const [{ name, holder, is_held }] = roles
          const found = replicas.find((each: { id: string }) => each.id === holder)
          const metrics = await (await fetch(`${admin}/metrics`)).text()
          return {
            name,
            is_held,
            holder: found?.name,
            role: /quai_cluster_role\{role="live"\} (\d)/.exec(metrics)?.[1],
          }
        }),
      )
      const expected = { name: 'live', is_held: true, holder: `r${poller.index}` }
      expect(seen).toEqual(fleet.replicas.map((each) => ({ ...expected, role: each === poller ? '1' : '0' })))
    },
    60_000,
  )

  slowTest(
    'survives a poller that is killed, frozen or cut off; an upstream never sees two',
    async () => {
      const [gaps, lags]: [number[], number[]] = [[], []]
      const slow: string[] = []
      const note = (millis: number, what: string) => {
        lags.push(millis)
        if (millis > LAG_MILLIS) slow.push(`${what}: ${Math.round(millis)} ms`)
      }
      let delaySeconds = 200
      for (let round = 0; round < ROUNDS; round++) {
        const poller = await findPoller()
        const others = fleet.replicas.filter((each) => each !== poller)
        const calls = upstream.callsOf('trips').length
        const fault = FAULTS[round % FAULTS.length]
        const failedMillis = performance.now()
        await fault.begin(fleet, poller)
        await until(
          () => upstream.callsOf('trips').some((at, number) => number >= calls && at > failedMillis + IN_FLIGHT_MILLIS),
          'another replica polls',
        )
        gaps.push(performance.now() - failedMillis)
        delaySeconds = otherDelay(delaySeconds)
        note(await lagOf(delaySeconds, others), `the first of round ${round}`)
        await fault.end(fleet, poller)
        await fleet.untilReady(poller)
        delaySeconds = otherDelay(delaySeconds)
        upstream.delaySeconds = delaySeconds
        await untilEqual(delaySeconds)
        for (let sample = 0; sample < SAMPLES; sample++) {
          delaySeconds = otherDelay(delaySeconds)
          note(await lagOf(delaySeconds, fleet.replicas), `sample ${sample} of round ${round}`)
        }
      }
      const sorted = lags.toSorted((a, b) => a - b)
      const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))])
      console.log(
        `${ROUNDS} pollers lost: gap at most ${Math.round(Math.max(...gaps))} ms; lag of ${lags.length} messages: p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} ms (${slow.join(', ')}); shortest pause between polls of the upstream ${FEEDS.map((feed) => Math.round(shortestPauseOf(upstream.callsOf(feed))))} ms`,
      )
      expect(Math.max(...gaps)).toBeLessThan(GAP_MILLIS)
      expect(at(0.99)).toBeLessThan(LAG_MILLIS)
      for (const feed of FEEDS) expect(shortestPauseOf(upstream.callsOf(feed))).toBeGreaterThan(PAUSE_MILLIS)
    },
    120_000 + ROUNDS * 60_000,
  )

  /** How many times replicas have logged that no replica polls. */
  const countOutages = () =>
    fleet.replicas.reduce((sum, each) => sum + fleet.output(each).split('feeds are not polled').length - 1, 0)

  /**
   * Crashes the database and starts it again. Meanwhile, replicas must keep the data that they show; afterwards, they
   * must follow the upstream again.
   */
  async function crashOnce(delaySeconds: number): Promise<void> {
    upstream.delaySeconds = delaySeconds
    await untilShown(delaySeconds)
    const outages = countOutages()
    await postgres.kill()
    await Bun.sleep(AWAY_MILLIS)
    for (const replica of fleet.replicas) expect(delayOn(await boardOf(replica, key))).toBe(delaySeconds)
    await until(() => countOutages() > outages, 'a replica logs that nobody polls')
    const calls = upstream.callsOf('trips').length
    await Bun.sleep(AWAY_MILLIS)
    expect(upstream.callsOf('trips')).toHaveLength(calls)
    await postgres.launchAgain()
    upstream.delaySeconds = delaySeconds + 10
    await untilEqual(delaySeconds + 10)
  }

  slowTest(
    'survives a database crash, and continues with the database',
    async () => {
      for (let crash = 0; crash < CRASHES; crash++) await crashOnce(30 + 20 * crash)
    },
    CRASHES * 120_000,
  )

  slowTest(
    'is polled once and shown identically by all',
    async () => {
      for (const delaySeconds of [60, 120, 180]) {
        upstream.delaySeconds = delaySeconds
        await untilEqual(delaySeconds)
      }
      const before = FEEDS.map((feed) => upstream.callsOf(feed).length)
      await Bun.sleep(WATCH_MILLIS)
      const calls = FEEDS.map((feed, at) => upstream.callsOf(feed).length - before[at])
      for (const count of calls) {
        expect(count).toBeGreaterThan(2)
        expect(count).toBeLessThanOrEqual(WATCH_MILLIS / 1_000 / 0.9 + 1)
      }
    },
    120_000,
  )
})

function shortestPauseOf(calls: readonly number[]): number {
  return Math.min(...calls.slice(1).map((at, before) => at - calls[before]))
}

/** A delay that differs from the given one, but is so short that the departure stays first on its board. */
function otherDelay(delaySeconds: number): number {
  return delaySeconds < 900 ? delaySeconds + 10 : 200
}
