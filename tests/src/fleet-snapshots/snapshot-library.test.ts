// Tests the snapshot libraries of several replicas with one database and one object store. Fails if one replica serves
// a different snapshot than the rest, if a store that is down or returns wrong bytes stops the service, or if two
// replicas import.
import { afterAll, afterEach, beforeAll, describe, expect } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SnapshotLibrary } from '../../../src/fleet-snapshots/snapshot-library.ts'
import { type Sharer, sharedTimetable } from '../../../src/networks/snapshot-exchange.ts'
import { listSnapshots, snapshotFolder } from '../../../src/networks/snapshot-store.ts'
import { ObjectBucket } from '../../databases/object-bucket.ts'
import { hasOwnPostgres, OwnPostgres } from '../../databases/own-postgres.ts'
import { slowTest } from '../../slow-test.ts'
import { prepareDatabase } from '../fleet-live/live-replicas.ts'

const NETWORK = 'ville'
const GONE = 'gone'
const TIMETABLE = sharedTimetable(NETWORK)
const IDS = ['r1', 'r2', 'r3']
const WAIT_MILLIS = 20_000
/** Random content that makes up most of an object, so that a wrong byte in the middle of the object falls into it. */
const FILLING = Buffer.from(crypto.getRandomValues(new Uint8Array(2_000))).toString('base64')

if (!hasOwnPostgres()) console.error('left out: shared snapshots (no PostgreSQL server is installed)')

describe.skipIf(!hasOwnPostgres())('shared snapshots', () => {
  let postgres: OwnPostgres
  let bucket: ObjectBucket
  let replicas: Reader[] = []

  beforeAll(async () => {
    postgres = await OwnPostgres.start()
    bucket = await ObjectBucket.start()
    await prepareDatabase(postgres, IDS)
    await postgres.query(`UPDATE quai.store SET mode = 'cluster'`)
  }, 60_000)

  afterEach(async () => {
    await Promise.all(replicas.map((each) => each.remove()))
    replicas = []
    bucket.fault = undefined
    await postgres.query('DELETE FROM quai.snapshots')
  })

  afterAll(async () => {
    await bucket.stop()
    await postgres.remove()
  })

  async function open(id: string): Promise<Reader> {
    const reader = new Reader(id, { bucket, postgres })
    replicas.push(reader)
    await reader.begin()
    return reader
  }

  slowTest(
    'are offered by the importer, and served by all',
    async () => {
      const [first, second] = [await open('r1'), await open('r2')]
      expect([first.library.isImporter, second.library.isImporter]).toEqual([true, false])
      for (const content of ['monday', 'tuesday']) {
        first.importNew(content)
        expect(await first.library.offer(TIMETABLE)).toBeUndefined()
        second.library.note(undefined)
        await holds(() => second.served === content, 'the other serves it')
      }
      await first.library.announceError(TIMETABLE, { atMillis: 1, source: 'gtfs', reason: 'http_500', message: 'away' })
      await holds(() => second.shown === 'away', 'the other shows why imports fail')
      await first.library.announceError(TIMETABLE, undefined)
      await holds(() => second.shown === undefined, 'the other shows that they do not fail any more')
      const third = await open('r3')
      expect(third.newest).toBe('tuesday')
      expect(await third.library.obtain(TIMETABLE, false)).toBe('shared')
    },
    60_000,
  )

  slowTest(
    'stay unchanged while the store is unavailable or returns wrong data',
    async () => {
      const [first, second] = [await open('r1'), await open('r2')]
      first.importNew('monday')
      await first.library.offer(TIMETABLE)
      await holds(() => second.served === 'monday', 'the other serves it')
      bucket.fault = 'away'
      first.importNew('tuesday')
      expect(await first.library.offer(TIMETABLE)).toContain('cannot put')
      second.library.note(undefined)
      bucket.fault = undefined
      await first.library.offer(TIMETABLE)
      await holds(() => second.served === 'tuesday', 'the other serves the new one')
      bucket.fault = 'corrupt'
      const third = await open('r3')
      expect(third.newest).toBeUndefined()
      expect(third.problems.join()).toContain('cannot get')
      bucket.fault = undefined
      expect(await third.library.obtain(TIMETABLE, false)).toBe('shared')
      expect(third.newest).toBe('tuesday')
    },
    120_000,
  )

  slowTest(
    'of a removed network are dropped, and not fetched again',
    async () => {
      const first = await open('r1')
      await first.library.begin('timetable', [NETWORK, GONE])
      for (let offered = 0; offered < 5; offered++) {
        first.importNew(`day ${offered}`, GONE)
        expect(await first.library.offer(sharedTimetable(GONE))).toBeUndefined()
      }
      await first.library.begin('timetable', [NETWORK])
      await postgres.query(`UPDATE quai.snapshots SET at = at - interval '2 days' WHERE state = 'withdrawn'`)
      bucket.requests.length = 0
      first.importNew('monday')
      expect(await first.library.offer(TIMETABLE)).toBeUndefined()
      const removed = bucket.requests.filter((each) => each.startsWith('DELETE ') && each.includes(`/${GONE}/`))
      expect(removed).toHaveLength(2)
      first.library.note(undefined)
      await Bun.sleep(500)
      expect(Object.keys(first.library.facts.served)).toEqual([NETWORK])
    },
    60_000,
  )

  slowTest(
    'are imported by another replica if the importer leaves',
    async () => {
      const [first, second] = [await open('r1'), await open('r2')]
      expect(await second.library.obtain(TIMETABLE, true)).toBe('none')
      await first.library.close()
      await holds(() => second.library.isImporter, 'the other imports')
      expect(await second.library.obtain(TIMETABLE, true)).toBe('import')
      await holds(() => second.rechecks === 1, 'it checks the feeds')
      expect(first.rechecks).toBe(0)
    },
    60_000,
  )
})

/**
 * A replica that reads the database rows repeatedly instead of waiting for changes. Its snapshots contain a short
 * string instead of a timetable.
 */
class Reader {
  readonly library: SnapshotLibrary
  readonly problems: string[] = []
  served: string | undefined
  /** How often this replica has checked all feeds because it became the importer. */
  rechecks = 0
  /** The importer's failure that this replica reports, if any. */
  shown: string | undefined
  private readonly dataDir = mkdtempSync(join(tmpdir(), 'quai-library-'))
  private readonly looking: ReturnType<typeof setInterval>
  private imports = 0

  constructor(id: string, { bucket, postgres }: { bucket: ObjectBucket; postgres: OwnPostgres }) {
    this.library = new SnapshotLibrary({
      config: bucket.config,
      dataDir: this.dataDir,
      databaseUrl: postgres.url(),
      isPooled: false,
      id,
      onProblem: (message) => this.problems.push(message),
    })
    this.looking = setInterval(() => this.library.note(undefined), 100)
  }

  async begin(): Promise<void> {
    await this.library.begin('timetable', [NETWORK])
    const timetable: Sharer = {
      serveShared: async () => {
        this.served = this.newest
        return undefined
      },
      recheck: async () => {
        this.rechecks++
      },
      showError: async (_, error) => {
        this.shown = error?.message
      },
    }
    const rest: Sharer = { ...timetable, recheck: async () => {} }
    this.library.connect({ timetable, addresses: rest, streets: rest })
  }

  get newest(): string | undefined {
    const [path] = listSnapshots(this.dataDir, NETWORK)
    return path === undefined ? undefined : readFileSync(path, 'utf8').split('\n', 1)[0]
  }

  importNew(content: string, network = NETWORK): void {
    const folder = snapshotFolder(this.dataDir, network)
    mkdirSync(folder, { recursive: true })
    const stamp = new Date().toISOString().replace(/[-:.]/g, '')
    writeFileSync(join(folder, `${stamp}-${++this.imports}.snapshot`), `${content}\n${FILLING}`)
  }

  async remove(): Promise<void> {
    clearInterval(this.looking)
    await this.library.close()
    rmSync(this.dataDir, { recursive: true, force: true })
  }
}

async function holds(is: () => boolean, what: string): Promise<void> {
  const giveUp = performance.now() + WAIT_MILLIS
  while (!is()) {
    if (performance.now() > giveUp) throw new Error(`timed out waiting until ${what}`)
    await Bun.sleep(10)
  }
}
