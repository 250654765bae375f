// Tests three replicas behind HAProxy that are restarted one after the other under load, while live data and the
// timetable change. Fails if a request gets no response or an error, if a stream stays closed or is charged again, if a
// replica takes too long to end, or if too much time passes between two polls of the upstream.
import { afterAll, beforeAll, describe, expect } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ObjectBucket } from '../../databases/object-bucket.ts'
import { hasOwnPostgres, OwnPostgres } from '../../databases/own-postgres.ts'
import { dedent, SMALL_FEED } from '../../feeds/text-feed.ts'
import { bySize, roundsBySize } from '../../size.ts'
import { slowTest } from '../../slow-test.ts'
import { hasHaproxy, startHaproxy } from '../haproxy.ts'
import { until } from '../running.ts'
import { SteadyClients } from '../steady-client.ts'
import { Fleet, isReady, unitsOf } from './fleet.ts'
import { LastingStreams } from './lasting-streams.ts'
import { LiveUpstream } from './live-upstream.ts'

const PORT = 19_684
const PROXY_PORTS = { http: PORT + 12, tcp: PORT + 13 }
/** How many times each replica is restarted. */
const RESTARTS = roundsBySize({ quick: 0, ci: 1, full: 20 })
/**
 * How long a replica still responds after it has received SIGTERM. This is longer than the pause between two requests
 * from a client, so each client gets a response in this time, and then closes its connection.
 */
const DRAIN_SECONDS = 3
const CONNECTIONS = 8
/**
 * Number of streams, half of them through each port of the proxy. Each key has as many streams as its limit allows. At
 * full size, each account also reaches its limit.
 */
const STREAMS = bySize({ quick: 0, ci: 20, full: 2_000 })
const [STREAMS_OF_KEY, KEYS_OF_ACCOUNT] = [10, 5]
const AWAY_MILLIS = 10_000
const PAUSE_MILLIS = 20
const STREAM = '/v1/stops/ville:stop:CA/departures/stream'
const BOARD = '/v1/stops/ville:stop:CA/departures?limit=5'
/** Maximum time without a poll: when the poller ends, another replica takes over immediately. */
const GAP_MILLIS = 4_000
const TEST_MILLIS = 120_000 + RESTARTS * 120_000

const isLeftOut = !hasHaproxy() || !hasOwnPostgres()
if (isLeftOut) console.error('left out: rolling restarts of replicas (HAProxy or PostgreSQL is not installed)')

describe.skipIf(isLeftOut)('three replicas behind HAProxy', () => {
  let postgres: OwnPostgres
  let bucket: ObjectBucket
  let upstream: LiveUpstream
  let fleet: Fleet
  let proxy: Bun.Subprocess
  let key = ''

  beforeAll(async () => {
    postgres = await OwnPostgres.start()
    bucket = await ObjectBucket.start()
    upstream = new LiveUpstream()
    fleet = new Fleet({
      databaseUrl: postgres.url(),
      count: 3,
      port: PORT,
      drainSeconds: DRAIN_SECONDS,
      settings: 'trusted_proxies = ["127.0.0.1/32"]\n', // addresses of trusted proxies have no limit of streams
      cluster: bucket.table,
      tables: upstream.tables(['trips']),
    })
    await fleet.start()
    key = await fleet.makeKey('rolling@ville.example', 'max')
    proxy = startHaproxy(fleet.folder, PROXY_PORTS, fleet.proxied)
  }, 180_000)

  afterAll(async () => {
    proxy.kill('SIGKILL')
    await fleet.remove()
    await upstream.stop()
    await bucket.stop()
    await postgres.remove()
  })

  /** Creates enough keys for `STREAMS` streams. */
  async function makeStreamKeys(): Promise<string[]> {
    const keys: string[] = []
    for (let ordinal = 0; ordinal < STREAMS / STREAMS_OF_KEY; ordinal++) {
      const account = Math.floor(ordinal / KEYS_OF_ACCOUNT)
      keys.push(await fleet.makeKey(`stream-${account}@ville.example`, 'max'))
    }
    return keys
  }

  slowTest(
    'restart one by one: no request fails, and the upstream is polled all the time',
    async () => {
      const modes = ['http', 'tcp'] as const
      const headers = { authorization: `Bearer ${key}` }
      for (const mode of modes) {
        const url = `http://127.0.0.1:${PROXY_PORTS[mode]}/v1/networks`
        await until(async () => (await fetch(url, { headers }).catch(() => undefined))?.status === 200, 'it answers')
      }
      const clients = modes.map(
        (mode) => new SteadyClients({ port: PROXY_PORTS[mode], path: BOARD, key }, CONNECTIONS, PAUSE_MILLIS),
      )
      const streamKeys = await makeStreamKeys()
      const wishes = Array.from({ length: STREAMS }, (_, at) => ({
        port: PROXY_PORTS[modes[at % 2]],
        path: STREAM,
        key: streamKeys[Math.floor(at / STREAMS_OF_KEY)],
      }))
      const streams = new LastingStreams(wishes)
      await until(() => streams.open === STREAMS, 'all streams are open')
      await until(async () => (await unitsOf(postgres, 'stream-%')) === STREAMS, 'all streams are charged')
      const begunMillis = performance.now()
      const endings: number[] = []
      for (let restart = 0; restart < RESTARTS * fleet.replicas.length; restart++) {
        const replica = fleet.replicas[restart % fleet.replicas.length]
        upstream.delaySeconds = 60 + restart
        const stops = SMALL_FEED['stops.txt'].replace('Gare,', `Gare ${restart},`)
        writeFileSync(join(fleet.folder, 'ville', 'stops.txt'), dedent(stops))
        const endedMillis = performance.now()
        expect(await fleet.end(replica)).toBe(0)
        endings.push(performance.now() - endedMillis)
        fleet.spawn(replica)
        await until(() => isReady(replica), 'it is ready')
        await Bun.sleep(500) // the proxy needs a moment to notice that the replica is ready
      }
      await until(() => streams.open === STREAMS, 'all streams are open again')
      const units = await unitsOf(postgres, 'stream-%')
      const ofStreams = await streams.stop()
      const readings = await Promise.all(clients.map((each) => each.stop()))
      const calls = upstream.callsOf('trips').filter((at) => at > begunMillis)
      const gap = Math.max(...calls.slice(1).map((at, before) => at - calls[before]))
      const answers = readings.map((each) => each.answers)
      const failures = readings.flatMap((each) => each.failures)
      console.log(
        `${endings.length} restarts: ${answers.join(' + ')} responses, ${failures.length} failures, ends within ${(Math.max(...endings) / 1000).toFixed(1)} s, longest gap between polls of the upstream ${Math.round(gap)} ms; ${STREAMS} streams came back ${ofStreams.awayMillis.length} times, within ${Math.round(Math.max(...ofStreams.awayMillis))} ms, ${units} units`,
      )
      expect(ofStreams.failures.slice(0, 5)).toEqual([])
      expect(ofStreams.charged.slice(0, 5)).toEqual([])
      expect(ofStreams.awayMillis.length).toBeGreaterThanOrEqual(STREAMS)
      expect(Math.max(...ofStreams.awayMillis)).toBeLessThan(AWAY_MILLIS)
      expect(units).toBe(STREAMS)
      expect(failures.slice(0, 5)).toEqual([])
      for (const each of answers) expect(each).toBeGreaterThan(100 * endings.length)
      expect(Math.max(...endings)).toBeLessThan((DRAIN_SECONDS + 12) * 1000)
      expect(gap).toBeLessThan(GAP_MILLIS)
    },
    TEST_MILLIS,
  )
})
