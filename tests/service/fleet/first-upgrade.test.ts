// Tests two replicas of version 0.1.0 behind HAProxy. Under load, they are upgraded to the current version one after
// the other, and downgraded again. Fails if a request is not answered with 200, if a replica does not start while the
// other replica runs the other version, or if a unit is lost or counted twice.
import { afterAll, beforeAll, describe, expect } from 'bun:test'
import { hasOwnPostgres, OwnPostgres } from '../../databases/own-postgres.ts'
import { roundsBySize } from '../../size.ts'
import { slowTest } from '../../slow-test.ts'
import { FirstVersion, hasFirstVersion } from '../first-version.ts'
import { hasHaproxy, startHaproxy } from '../haproxy.ts'
import { until } from '../running.ts'
import { SteadyClients } from '../steady-client.ts'
import { Fleet, isReady, unitsOf } from './fleet.ts'

const PORT = 19_976
const PROXY_PORTS = { http: PORT + 12, tcp: PORT + 13 }
/** Number of rounds. Each round upgrades and downgrades all replicas once. */
const ROUNDS = roundsBySize({ quick: 0, ci: 1, full: 3 })
const CONNECTIONS = 6
const PAUSE_MILLIS = 20
const BOARD = '/v1/stops/ville:stop:CA/departures?limit=5'
const TEST_MILLIS = 120_000 + ROUNDS * 120_000

const isLeftOut = !hasHaproxy() || !hasOwnPostgres() || !hasFirstVersion()
if (isLeftOut) console.error('left out: replicas of 0.1.0 (no HAProxy, no PostgreSQL, or a clone without history)')

describe.skipIf(isLeftOut)('replicas of 0.1.0', () => {
  let postgres: OwnPostgres
  let fleet: Fleet
  let first: FirstVersion
  let proxy: Bun.Subprocess | undefined
  let current: readonly string[] = []
  let [load, look] = ['', '']

  beforeAll(async () => {
    postgres = await OwnPostgres.start()
    first = new FirstVersion()
    fleet = new Fleet({ databaseUrl: postgres.url(), count: 2, port: PORT, drainSeconds: 1 })
    current = fleet.command
    fleet.command = [process.execPath, first.main]
    await fleet.start()
    load = await fleet.makeKey('load@ville.example', 'max')
    look = await fleet.makeKey('look@ville.example', 'max')
    proxy = startHaproxy(fleet.folder, PROXY_PORTS, fleet.proxied)
  }, 240_000)

  afterAll(async () => {
    proxy?.kill('SIGKILL')
    await fleet.remove()
    first.remove()
    await postgres.remove()
  })

  /**
   * Restarts the replicas, one after the other, with the given command, which may run another version of the program.
   */
  async function roll(command: readonly string[]): Promise<void> {
    fleet.command = command
    for (const replica of fleet.replicas) {
      expect(await fleet.end(replica)).toBe(0)
      fleet.spawn(replica)
      await until(() => isReady(replica), 'it is ready')
      await Bun.sleep(500) // the proxy needs a moment to notice that the replica is ready
    }
  }

  slowTest(
    'are upgraded and downgraded without a failed request',
    async () => {
      const url = `http://127.0.0.1:${PROXY_PORTS.http}/v1/networks`
      const headers = { authorization: `Bearer ${look}` }
      await until(async () => (await fetch(url, { headers }).catch(() => undefined))?.status === 200, 'it answers')
      const clients = new SteadyClients({ port: PROXY_PORTS.http, path: BOARD, key: load }, CONNECTIONS, PAUSE_MILLIS)
      const names = `SELECT name FROM quai.additions`
      for (let round = 0; round < ROUNDS; round++) {
        await roll(current)
        expect((await postgres.query<{ name: string }>(names)).length).toBeGreaterThan(0)
        await roll([process.execPath, first.main])
      }
      const { answers, failures } = await clients.stop()
      console.error(
        `${ROUNDS} upgrades of 2 replicas from 0.1.0 and back: ${answers} responses, ${failures.length} failures`,
      )
      expect(failures.slice(0, 5)).toEqual([])
      expect(answers).toBeGreaterThan(500 * ROUNDS)
      await until(async () => (await unitsOf(postgres, 'load@%')) === answers, `${answers} units are in the ledger`)
    },
    TEST_MILLIS,
  )
})
