// Tests an upgrade and a downgrade of three replicas behind HAProxy, one by one, under load and while the timetable
// changes. The later version has another snapshot format and one more migration. Fails if a request is not answered
// with 200, if a replica of either version does not serve the newest timetable, or if a unit is lost or counted twice.
import { afterAll, beforeAll, describe, expect } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ObjectBucket } from '../../databases/object-bucket.ts'
import { hasOwnPostgres, OwnPostgres } from '../../databases/own-postgres.ts'
import { dedent, SMALL_FEED } from '../../feeds/text-feed.ts'
import { roundsBySize, SIZE } from '../../size.ts'
import { slowTest } from '../../slow-test.ts'
import { hasHaproxy, startHaproxy } from '../haproxy.ts'
import { until } from '../running.ts'
import { SteadyClients } from '../steady-client.ts'
import { Fleet, type FleetReplica, isReady, unitsOf } from './fleet.ts'
import { OtherVersion } from './other-version.ts'

const PORT = 19_816
const PROXY_PORTS = { http: PORT + 12, tcp: PORT + 13 }
/** Number of rounds. Each round upgrades and downgrades all replicas once. */
const ROUNDS = roundsBySize({ quick: 0, ci: 1, full: 3 })
const CONNECTIONS = 6
const PAUSE_MILLIS = 20
const BOARD = '/v1/stops/ville:stop:CA/departures?limit=5'
const TEST_MILLIS = 120_000 + ROUNDS * 120_000

const isLeftOut = !hasHaproxy() || !hasOwnPostgres()
if (isLeftOut) console.error('left out: an upgrade of replicas and back (HAProxy or PostgreSQL is not installed)')

describe.skipIf(isLeftOut)('replicas of two versions', () => {
  let postgres: OwnPostgres
  let bucket: ObjectBucket
  let fleet: Fleet
  let later: OtherVersion
  let proxy: Bun.Subprocess | undefined
  let [load, look] = ['', '']
  let published = 0

  beforeAll(async () => {
    postgres = await OwnPostgres.start()
    bucket = await ObjectBucket.start()
    later = new OtherVersion(process.env['QUAI_BINARY'] !== undefined)
    fleet = new Fleet({ databaseUrl: postgres.url(), count: 3, port: PORT, drainSeconds: 1, cluster: bucket.table })
    await fleet.start()
    load = await fleet.makeKey('load@ville.example', 'max')
    look = await fleet.makeKey('look@ville.example', 'max')
    proxy = startHaproxy(fleet.folder, PROXY_PORTS, fleet.proxied)
  }, 240_000)

  afterAll(async () => {
    proxy?.kill('SIGKILL')
    await fleet.remove()
    later.remove()
    await bucket.stop()
    await postgres.remove()
  })

  /** Publishes a timetable, and waits until all replicas serve it. */
  async function publish(): Promise<void> {
    const name = `Gare ${++published}`
    writeFileSync(
      join(fleet.folder, 'ville', 'stops.txt'),
      dedent(SMALL_FEED['stops.txt'].replace('Gare,', `${name},`)),
    )
    for (const replica of fleet.replicas) {
      await until(async () => (await nameAt(replica)) === name, `replica ${replica.index} serves ${name}`)
    }
  }

  async function nameAt({ base }: FleetReplica): Promise<string> {
    const answer = await fetch(`${base}/v1/stops/ville:stop:G`, { headers: { Authorization: `Bearer ${look}` } })
    return JSON.parse(await answer.text()).data?.name
  }

  /** For each replica: the format and the hash of the snapshot that it serves. */
  async function servedBy(): Promise<readonly { readonly format: string; readonly hash: string }[]> {
    return await postgres.query<{ format: string; hash: string }>(
      `SELECT l.facts -> 'snapshots' ->> 'format' AS format, l.facts -> 'snapshots' -> 'served' ->> 'ville' AS hash
       FROM quai.looks l JOIN quai.replicas r ON r.id = l.replica WHERE r.state = 'serving' ORDER BY r.about ->> 'name'`,
    )
  }

  /**
   * Restarts the replicas, one after the other, with the given command, which may run another version of the program.
   * At full size, publishes a timetable after the second restart and after the last one.
   */
  async function roll(command: readonly string[]): Promise<void> {
    fleet.command = command
    for (const replica of fleet.replicas) {
      expect(await fleet.end(replica)).toBe(0)
      fleet.spawn(replica)
      await until(() => isReady(replica), 'it is ready')
      await Bun.sleep(500) // the proxy needs a moment to notice that the replica is ready
      if (replica.index === 1 && SIZE === 'full') await publish()
    }
    if (SIZE === 'full') await publish()
    await until(async () => {
      const served = await servedBy()
      const [formats, hashes] = [served.map(({ format }) => format), served.map(({ hash }) => hash)]
      return served.length === 3 && new Set(formats).size === 1 && new Set(hashes).size === 1
    }, 'all replicas serve the same file of one format')
  }

  slowTest(
    'work side by side, in both directions',
    async () => {
      const modes = ['http', 'tcp'] as const
      const headers = { authorization: `Bearer ${look}` }
      for (const mode of modes) {
        const url = `http://127.0.0.1:${PROXY_PORTS[mode]}/v1/networks`
        await until(async () => (await fetch(url, { headers }).catch(() => undefined))?.status === 200, 'it answers')
      }
      const before = fleet.command
      const [{ format }] = await servedBy()
      const clients = modes.map(
        (mode) => new SteadyClients({ port: PROXY_PORTS[mode], path: BOARD, key: load }, CONNECTIONS, PAUSE_MILLIS),
      )
      for (let round = 0; round < ROUNDS; round++) {
        await roll(later.command)
        const [upgraded] = await servedBy()
        expect(upgraded.format).not.toBe(format)
        await roll(before)
        const [back] = await servedBy()
        expect(back.format).toBe(format)
      }
      const readings = await Promise.all(clients.map((each) => each.stop()))
      const answers = readings.reduce((sum, each) => sum + each.answers, 0)
      const failures = readings.flatMap((each) => each.failures)
      const versions = await postgres.query<{ version: number }>('SELECT version FROM quai.schema_version')
      console.log(
        `${ROUNDS} upgrades of 3 replicas and back: ${answers} responses, ${failures.length} failures, ${published} timetables; the database has version ${versions[0].version}`,
      )
      expect(failures.slice(0, 5)).toEqual([])
      expect(answers).toBeGreaterThan(500 * ROUNDS)
      await until(async () => (await unitsOf(postgres, 'load@%')) === answers, `${answers} units are in the ledger`)
    },
    TEST_MILLIS,
  )
})
