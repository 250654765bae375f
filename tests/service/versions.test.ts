// Tests files on disk that the previous version or the next version wrote. They must be converted with all their
// content, or refused with a message and left unchanged. Fails if an upgrade loses anything, if an older program uses
// what a newer one has written, or if a downgrade does not work.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { MIGRATIONS } from '../../src/accounts/migrations.ts'
import { aroundTheClockZip } from '../feeds/around-the-clock-feed.ts'
import { slowTest } from '../slow-test.ts'
import { OperatorsMachine } from './operators-machine.ts'
import { until } from './running.ts'

const PORTS = { port: 18_988, adminPort: 18_989 }
const CURRENT = MIGRATIONS.length
/** Byte position of the format's version in a snapshot file. */
const FORMAT_AT = 8
/** Byte position of the checksum in a snapshot file. The checksum covers all bytes before it. */
const CHECKSUM_AT = 28

let machine: OperatorsMachine
let key = ''

beforeAll(async () => {
  machine = new OperatorsMachine()
  writeFileSync(machine.path('ville.zip'), aroundTheClockZip('Ville'))
  machine.writeSettings(
    { ...PORTS, workers: 1 },
    `[[networks]]
id = "ville"
gtfs = "ville.zip"
`,
  )
  const made = await machine.quai('keys', 'create', '--account', 'a@b.example', '--plan', 'max', '--name', 'kept')
  key = made.stdout.trim()
  expect((await machine.quai('import')).status).toBe(0)
}, 60_000)
afterAll(() => machine.remove())

const databasePath = () => machine.path('data', 'quai.db')

/** Replaces the database file. */
function place(file: string): void {
  for (const tail of ['-wal', '-shm']) rmSync(databasePath() + tail, { force: true })
  copyFileSync(file, databasePath())
}

function versionOf(path: string): number | undefined {
  const database = new Database(path)
  const found = database.query<{ version: number }, []>('SELECT version FROM schema_version').get()
  database.close()
  return found?.version
}

/** Writes a copy of the database in the schema of the previous version, with every row that this schema can store. */
function writeOlder(from: string, to: string): void {
  const older = new Database(to, { create: true })
  for (const step of MIGRATIONS.slice(0, CURRENT - 1)) older.run(step)
  older.run('CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT')
  older.run('INSERT INTO schema_version VALUES (?)', [CURRENT - 1])
  older.run('PRAGMA foreign_keys = OFF')
  older.run('ATTACH ? AS newer', [from])
  const columnsOf = (schema: string, table: string) =>
    older
      .query<{ name: string }, []>(`PRAGMA ${schema}.table_info(${table})`)
      .all()
      .map(({ name }) => name)
  const tables = older.query<{ name: string }, []>("SELECT name FROM main.sqlite_schema WHERE type = 'table'").all()
  for (const { name } of tables) {
    const known = columnsOf('newer', name)
    const columns = columnsOf('main', name).filter((column) => known.includes(column))
    if (name === 'schema_version' || columns.length === 0) continue
    older.run(`INSERT INTO main.${name} (${columns}) SELECT ${columns} FROM newer.${name}`)
  }
  older.close()
}

test('a database of the previous version is migrated, one of a newer version is rejected, the backup restores the old one', async () => {
  expect((await machine.quai('backup', 'now.db')).status).toBe(0)
  writeOlder(machine.path('now.db'), machine.path('older.db'))
  place(machine.path('older.db'))
  expect((await machine.quai('backup', 'before.db')).status).toBe(0)
  // Upgrade: the key works, and new counts reach the ledger.
  const service = await machine.serve(PORTS)
  expect((await service.request('/v1/networks', key)).status).toBe(200)
  expect(await service.stop()).toBe(0)
  expect(versionOf(databasePath())).toBe(CURRENT)
  expect(await machine.quai('ledger', 'verify')).toMatchObject({ status: 0 })
  // Downgrade: the database gets a higher version, so this program is too old for the database.
  const database = new Database(databasePath())
  database.run('UPDATE schema_version SET version = version + 1')
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  const before = Bun.hash(readFileSync(databasePath()))
  const sentence = `version ${CURRENT + 1}, but this Quai only supports versions up to ${CURRENT}: a newer Quai has upgraded it.`
  for (const words of [['serve'], ['keys', 'list'], ['ledger', 'verify']]) {
    expect(await machine.quai(...words)).toMatchObject({ status: 1, stderr: expect.stringContaining(sentence) })
  }
  expect(Bun.hash(readFileSync(databasePath()))).toBe(before)
  place(machine.path('before.db'))
  expect(versionOf(databasePath())).toBe(CURRENT - 1)
  const again = await machine.serve(PORTS)
  expect((await again.request('/v1/networks', key)).status).toBe(200)
  expect(await again.stop()).toBe(0)
  expect((await machine.quai('ledger', 'verify')).status).toBe(0)
}, 60_000)

slowTest(
  'a snapshot in another format is skipped: for a readable one if there is one, else for an import',
  async () => {
    const folder = machine.path('data', 'snapshots', 'ville')
    const [ours = ''] = readdirSync(folder).filter((name) => name.endsWith('.snapshot'))
    const bytes = readFileSync(`${folder}/${ours}`)
    const format = bytes.readUInt32LE(FORMAT_AT)
    bytes.writeUInt32LE(format + 1, FORMAT_AT)
    bytes.writeUInt32LE(Bun.hash.crc32(bytes.subarray(0, CHECKSUM_AT)), CHECKSUM_AT)
    const newer = `${folder}/${ours.replace(/^\d{4}/, (year) => `${Number(year) + 1}`)}`
    writeFileSync(newer, bytes)
    const sentence = `skipped an unusable snapshot: the snapshot has format ${format + 1}; this program reads format ${format}`
    const service = await machine.serve(PORTS)
    expect((await service.request('/v1/networks/ville', key)).status).toBe(200)
    expect(service.log()).toContain(sentence)
    expect(service.log()).not.toContain('importing')
    expect(await service.stop()).toBe(0)
    renameSync(`${folder}/${ours}`, machine.path('ours.snapshot'))
    const alone = await machine.serve(PORTS)
    await until(
      async () => (await alone.request('/v1/networks/ville', key)).status === 200,
      'the timetable was imported again',
    )
    expect(alone.log()).toContain(sentence)
    expect(alone.log()).toContain('ville: imported in')
    expect(await alone.stop()).toBe(0)
  },
  60_000,
)
