// Tests addresses and streets on replicas with a shared store: one replica imports them, and the other replicas fetch
// the result. Fails if replicas respond differently, if two replicas import, if a replica without the source files
// lacks an address or a street, or if an unreachable store changes the responses.
import { afterAll, beforeAll, describe, expect } from 'bun:test'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ObjectBucket } from '../../databases/object-bucket.ts'
import { hasOwnPostgres, OwnPostgres } from '../../databases/own-postgres.ts'
import { presentFile } from '../../feeds/address-file.ts'
import { smallStreets, streetFile } from '../../feeds/small-streets.ts'
import { dedent, SMALL_FEED } from '../../feeds/text-feed.ts'
import { slowTest } from '../../slow-test.ts'
import { until } from '../running.ts'
import { Fleet, type FleetReplica } from './fleet.ts'

const PORT = 19_796
const TEST_MILLIS = 120_000
const SETTINGS = `addresses = [{ source = "addresses.csv", attribution = "BAN" }]
streets = ["ville.osm.pbf"]
`
/** A journey from near Gare to near Port, with walks of a few meters at both ends. */
const JOURNEY = '/v1/journeys?from=48.5851,7.7352&to=48.5751,7.7698&limit=1&include=geometry'

if (!hasOwnPostgres()) console.error('left out: shared addresses and streets (no PostgreSQL server is installed)')

describe.skipIf(!hasOwnPostgres())('addresses and streets on three replicas', () => {
  let postgres: OwnPostgres
  let bucket: ObjectBucket
  let fleet: Fleet
  let key = ''

  beforeAll(async () => {
    postgres = await OwnPostgres.start()
    bucket = await ObjectBucket.start()
    const options = { databaseUrl: postgres.url(), count: 3, port: PORT, cluster: bucket.table, settings: SETTINGS }
    fleet = new Fleet(options)
    // The third replica has no source files.
    for (const replica of fleet.replicas.slice(0, 2)) {
      put(replica, 'addresses.csv', addresses(12, 14))
      put(replica, 'ville.osm.pbf', streetFile())
      fleet.spawn(replica)
    }
    for (const replica of fleet.replicas.slice(0, 2)) await fleet.untilReady(replica)
    key = await fleet.makeKey('shared@ville.example', 'max')
  }, 180_000)

  afterAll(async () => {
    await fleet.remove()
    await bucket.stop()
    await postgres.remove()
  })

  /**
   * Replaces a replica's source file by renaming a new file over it, so that the replica never reads an incomplete
   * file.
   */
  function put(replica: FleetReplica, name: string, content: string | Uint8Array): void {
    const path = join(fleet.folderOf(replica), name)
    writeFileSync(`${path}.next`, content)
    renameSync(`${path}.next`, path)
  }

  async function get({ base }: FleetReplica, path: string) {
    const answer = await fetch(base + path, { headers: { Authorization: `Bearer ${key}` } })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`)
    return { tag: answer.headers.get('etag'), text, body: JSON.parse(text) }
  }

  async function hasAddress(replica: FleetReplica, address: string): Promise<boolean> {
    const { body } = await get(replica, `/v1/places?q=${encodeURIComponent(address)}&limit=1`)
    return body.data[0]?.label.startsWith(address) === true
  }

  async function walksAt(replica: FleetReplica): Promise<string> {
    return (await get(replica, '/v1/networks/ville')).body.data.walks
  }

  /** Waits until replicas find an address, and report that their walks come from the source `walks`. */
  async function untilShown(replicas: readonly FleetReplica[], address: string, walks: string): Promise<void> {
    for (const replica of replicas) {
      await until(() => hasAddress(replica, address), `replica ${replica.index} has ${address}`)
      await until(async () => (await walksAt(replica)) === walks, `walks on replica ${replica.index} are ${walks}`)
    }
  }

  /** Checks that all given replicas respond identically, byte for byte. */
  async function expectEqual(replicas: readonly FleetReplica[]): Promise<void> {
    for (const path of ['/v1/places?q=14+rue+du+centre', '/v1/stops/ville:stop:CA', JOURNEY]) {
      const answers = await Promise.all(replicas.map((replica) => get(replica, path)))
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
      expect(new Set(answers.map(({ tag }) => tag)).size).toBe(1)
    }
    const { body } = await get(replicas[0], '/v1/stops/ville:stop:CA')
    expect(body.data.town).toBe('Strasbourg')
  }

  /** How many times the given replicas have imported since their last start. */
  function importsOf(replicas: readonly FleetReplica[]): Readonly<Record<'addresses' | 'streets', number>> {
    const output = replicas.map((replica) => fleet.output(replica)).join('\n')
    return { addresses: output.split(' imported\n').length - 1, streets: output.split(' km read in ').length - 1 }
  }

  /** The replica that has the import role, as reported by a given replica; undefined while none has it. */
  async function importerSeenBy({ admin }: FleetReplica): Promise<FleetReplica | undefined> {
    const { roles, replicas } = JSON.parse(await (await fetch(`${admin}/cluster.json`)).text())
    const role = roles.find(({ name }: { name: string }) => name.startsWith('import/'))
    const name = role?.is_held && replicas.find(({ id }: { id: string }) => id === role.holder)?.name
    return fleet.replicas.find(({ index }) => `r${index}` === name)
  }

  async function findImporter(): Promise<FleetReplica> {
    let found: FleetReplica | undefined
    await until(async () => {
      found = await importerSeenBy(fleet.replicas[0])
      return found !== undefined
    }, 'a replica imports')
    return found ?? fleet.replicas[0]
  }

  slowTest(
    'are imported by one and served identically by all, even by one without the files',
    async () => {
      const [first, second, third] = fleet.replicas
      await untilShown([first, second], '14 Rue du Centre', 'streets')
      expect(importsOf([first, second])).toEqual({ addresses: 1, streets: 1 })
      await expectEqual([first, second])
      fleet.spawn(third)
      await fleet.untilReady(third)
      await untilShown([third], '14 Rue du Centre', 'streets')
      await expectEqual(fleet.replicas)
      expect(importsOf([third])).toEqual({ addresses: 0, streets: 0 })
    },
    TEST_MILLIS,
  )

  slowTest(
    'change together',
    async () => {
      // The new extract lacks the street to the stadium.
      put(await findImporter(), 'ville.osm.pbf', streetFile(smallStreets().slice(0, -1)))
      await untilShown(fleet.replicas, '14 Rue du Centre', 'mixed')
      await expectEqual(fleet.replicas)
      const stops = SMALL_FEED['stops.txt'].replace('Gare,', 'Gare du Nord,')
      writeFileSync(join(fleet.folder, 'ville', 'stops.txt'), dedent(stops))
      for (const replica of fleet.replicas) {
        const shown = async () => (await get(replica, '/v1/stops/ville:stop:G')).body.data.name === 'Gare du Nord'
        await until(shown, 'the new timetable is served')
      }
      await untilShown(fleet.replicas, '14 Rue du Centre', 'mixed')
      await expectEqual(fleet.replicas)
    },
    TEST_MILLIS,
  )

  slowTest(
    'are checked by the next importer, which imports only what has changed',
    async () => {
      const importer = await findImporter()
      const others = fleet.replicas.filter((replica) => replica !== importer)
      for (const replica of fleet.replicas) {
        put(replica, 'addresses.csv', addresses(12, 14, 16))
        put(replica, 'ville.osm.pbf', streetFile(smallStreets().slice(0, -1)))
      }
      const before = importsOf(others)
      await fleet.end(importer)
      await until(async () => (await importerSeenBy(others[0])) !== undefined, 'another replica imports')
      fleet.spawn(importer)
      await fleet.untilReady(importer)
      await untilShown(fleet.replicas, '16 Rue du Centre', 'mixed')
      await expectEqual(fleet.replicas)
      // The street extract has the same content, so it is not imported again.
      expect(importsOf(others)).toEqual({ ...before, addresses: before.addresses + 1 })
      expect(importsOf([importer])).toEqual({ addresses: 0, streets: 0 })
    },
    TEST_MILLIS,
  )

  slowTest(
    'stay while the store is unavailable, and are shared when it returns',
    async () => {
      bucket.fault = 'away'
      const importer = await findImporter()
      put(importer, 'ville.osm.pbf', streetFile())
      await until(
        () => fleet.output(importer).includes('streets cannot be shared with other replicas: cannot put'),
        'the problem is logged',
      )
      for (const replica of fleet.replicas.filter((each) => each !== importer))
        expect(await walksAt(replica)).toBe('mixed')
      bucket.fault = undefined
      importer.child?.kill('SIGHUP')
      await untilShown(fleet.replicas, '16 Rue du Centre', 'streets')
      await expectEqual(fleet.replicas)
    },
    TEST_MILLIS,
  )
})

/** The content of an address file with the given house numbers in one street. */
function addresses(...numbers: readonly number[]): string {
  const street = { street: 'Rue du Centre', streetId: '67482_1234', postcode: '67000' }
  const town = { communeCode: '67482', commune: 'Strasbourg', lat: 48.58 }
  return presentFile(numbers.map((number) => ({ number, ...street, ...town, lon: 7.75 + number / 1e5 })))
}
