// Tests twenty feeds of about 90 kB each on five replicas. All replicas read every message that the poller commits to
// the database, and must show it soon after the commit. Fails if a replica shows messages too late.
import { afterAll, beforeAll, describe, expect } from 'bun:test'
import { hasOwnPostgres, OwnPostgres } from '../../databases/own-postgres.ts'
import { roundsBySize } from '../../size.ts'
import { slowTest } from '../../slow-test.ts'
import { until } from '../running.ts'
import { Fleet } from './fleet.ts'
import { boardOf, delayOn, LiveUpstream, OTHER_FEED } from './live-upstream.ts'

const PORT = 19_836
const FEEDS = ['trips', ...Array.from({ length: 19 }, (_, at) => `${OTHER_FEED}${at}`)]
const FILLING = 1_500
const INTERVAL_SECONDS = 5
const MESSAGES = roundsBySize({ quick: 0, ci: 0, full: 60 })
/**
 * Number of messages at the start that are not measured: they arrive while five replicas compile their code at the same
 * time.
 */
const FIRST_MESSAGES = 6
const LAG_MILLIS = { p99: 500, p999: 1_000 }

if (!hasOwnPostgres()) console.error('left out: twenty feeds on five replicas (no PostgreSQL server is installed)')

describe.skipIf(!hasOwnPostgres() || MESSAGES === 0)('twenty feeds on five replicas', () => {
  let postgres: OwnPostgres
  let upstream: LiveUpstream
  let fleet: Fleet
  let key = ''

  beforeAll(async () => {
    postgres = await OwnPostgres.start()
    upstream = new LiveUpstream(FILLING)
    const tables = upstream.tables(FEEDS, `interval_seconds = ${INTERVAL_SECONDS}`)
    fleet = new Fleet({ databaseUrl: postgres.url(), count: 5, port: PORT, tables })
    await fleet.start()
    key = await fleet.makeKey('live@ville.example', 'max')
  }, 180_000)

  afterAll(async () => {
    await fleet.remove()
    await upstream.stop()
    await postgres.remove()
  })

  slowTest(
    'are shown by all of them soon after the commit',
    async () => {
      const size = (await (await fetch(upstream.urlOf('trips'))).bytes()).byteLength
      const lags: number[] = []
      for (let message = 0; message < FIRST_MESSAGES + MESSAGES; message++) {
        const delaySeconds = 200 + 10 * (message % 60)
        const seqs = await postgres.query<{ seq: string }>(
          'SELECT coalesce(max(seq), 0)::text AS seq FROM quai.live_head',
        )
        upstream.delaySeconds = delaySeconds
        const shows = fleet.replicas.map((replica) =>
          until(async () => delayOn(await boardOf(replica, key)) === delaySeconds, `${replica.index} shows it`),
        )
        await Promise.all(shows)
        const shownMillis = Date.now()
        const [{ at }] = await postgres.query<{ at: number }>(
          `SELECT (extract(epoch FROM min(at)) * 1000)::float8 AS at FROM quai.live_messages
           WHERE body IS NOT NULL AND seq > ${seqs[0].seq} AND feed = 'trips'`,
        )
        if (message >= FIRST_MESSAGES) lags.push(shownMillis - at)
      }
      const sorted = lags.toSorted((a, b) => a - b)
      const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))])
      console.log(
        `${FEEDS.length} feeds of ${Math.round(size / 1_000)} kB every ${INTERVAL_SECONDS} s, ${fleet.replicas.length} replicas: lag of ${lags.length} messages p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} ms; all in order: ${lags.map(Math.round).join(' ')}`,
      )
      expect(at(0.99)).toBeLessThan(LAG_MILLIS.p99)
      expect(at(0.999)).toBeLessThan(LAG_MILLIS.p999)
    },
    120_000 + MESSAGES * 20_000,
  )
})
