// Tests an operator's day, with real commands: installation in an empty folder, two networks, a live feed that fails
// and recovers, a rotated key, a bad timetable, a backup, an upgrade, a restore. Checks exit statuses, output and
// responses. Each test continues where the previous one ended.
import { afterAll, beforeAll, expect } from 'bun:test'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { aroundTheClockZip, comingTrip, liveMessage } from '../feeds/around-the-clock-feed.ts'
import { writeZip } from '../feeds/zip-writer.ts'
import { SIZE } from '../size.ts'
import { slowTest } from '../slow-test.ts'
import { OperatorsMachine, type RunningService } from './operators-machine.ts'
import { until } from './running.ts'

const PORTS = { port: 18_990, adminPort: 18_991 }
const SPARE_PORTS = { port: 18_992, adminPort: 18_993 }
const DELAY_SECONDS = 420
const BOARD = '/v1/stops/ville:stop:north/departures?limit=20'
/** A stop of the network whose timetable becomes bad. */
const HARBOR = '/v1/stops/harbor:stop:north'

const trip = comingTrip()
/** Path on the agency's server → its response. */
const agency = new Map<string, () => Response>([
  ['/ville.zip', () => new Response(aroundTheClockZip('Ville'))],
  ['/harbor.zip', () => new Response(aroundTheClockZip('Harbor'))],
  ['/trips.pb', () => new Response(liveMessage(trip, DELAY_SECONDS))],
])

let upstream: ReturnType<typeof Bun.serve>
let machine: OperatorsMachine
let service: RunningService
let [key, keyAtBackup, keyAfterBackup] = ['', '', '']
let unitsAtBackup = 0

if (SIZE !== 'quick') {
  beforeAll(() => {
    upstream = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) => agency.get(new URL(url).pathname)?.() ?? new Response('no such file', { status: 404 }),
    })
    machine = new OperatorsMachine()
  })
  afterAll(async () => {
    service.child.kill('SIGKILL')
    await upstream.stop(true)
    machine.remove()
  })
}

/** The general settings of a sample, followed by this operator's networks. Sample values are replaced. */
function settings(sample: string, { port, adminPort }: typeof PORTS): string {
  const ports = `port = ${port}\nadmin_port = ${adminPort}\naccount_port = 0\nexplorer_port = 0\nworkers = 1`
  const general = sample.slice(0, sample.indexOf('[[networks]]'))
  const own = general.replace(/^data_dir = .*$/m, `data_dir = "data"\n${ports}`)
  const at = `http://127.0.0.1:${upstream.port}`
  return `${own}
[[networks]]
id = "ville"
name = "Ville"
gtfs = "${at}/ville.zip"
attribution = ["Ville, open licence"]

[[networks.feeds]]
id = "trips"
url = "${at}/trips.pb"
interval_seconds = 1
max_age_seconds = 3

[[networks]]
id = "harbor"
name = "Harbor"
gtfs = ["${at}/harbor.zip"]
`
}

async function makeKey(name: string): Promise<string> {
  const account = ['--account', 'dev@ville.example', '--plan', 'max', '--scope', 'transit:read,account:read']
  const made = await machine.quai('keys', 'create', '--name', name, ...account)
  expect({ status: made.status, stderr: made.stderr }).toEqual({
    status: 0,
    stderr: expect.stringContaining('this key is shown only once'),
  })
  expect(made.stdout).toMatch(/^quai_\S+\n$/)
  return made.stdout.trim()
}

/** Requests the board of a stop. Returns the row of the trip that the live feed reports. */
async function lateTrip() {
  const { status, body } = await service.request(BOARD, key)
  expect(status).toBe(200)
  const id = `ville:trip:${trip.date}:${trip.tripId}`
  return body.data.find(({ trip_id }: { trip_id: string }) => trip_id === id)
}

slowTest(
  'installs in an empty folder: the kit, settings with a mistake, corrected settings',
  async () => {
    expect(readdirSync(machine.folder)).toEqual(['quai'])
    expect(await machine.quai('kit', 'ops')).toMatchObject({ status: 0, stderr: '' })
    const sample = readFileSync(machine.path('ops', 'quai.toml'), 'utf8')
    const right = settings(sample, PORTS)
    writeFileSync(machine.path('quai.toml'), right.replace('interval_seconds', 'interval_second'))
    expect(await machine.quai('config', 'check')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('did you mean "interval_seconds"?'),
    })
    writeFileSync(machine.path('quai.toml'), right)
    expect(await machine.quai('config', 'check')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('is valid: 2 networks'),
    })
  },
  30_000,
)

slowTest(
  'imports, creates a key, serves: both networks respond, the live feed shows',
  async () => {
    const imported = await machine.quai('import', '--json')
    expect([imported.status, imported.stderr]).toEqual([0, ''])
    const reports = imported.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(reports.map(({ network, outcome }) => [network, outcome])).toEqual([
      ['ville', 'imported'],
      ['harbor', 'imported'],
    ])
    key = await makeKey('first')
    service = await machine.serve(PORTS)
    const { body } = await service.request('/v1/networks', key)
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(['ville', 'harbor'])
    expect((await service.request(BOARD)).status).toBe(401)
    await until(async () => (await lateTrip())?.realtime === true, 'the delay is on the board')
    expect(await lateTrip()).toMatchObject({ delay_seconds: DELAY_SECONDS, status: 'delayed', source: 'trips' })
    expect(await service.metric('quai_network_served{network="harbor"}')).toBe(1)
  },
  60_000,
)

slowTest(
  'the live feed fails: status says so, boards continue with the timetable; it recovers on its own',
  async () => {
    const alive = agency.get('/trips.pb')
    agency.set('/trips.pb', () => new Response('down for maintenance', { status: 503 }))
    await until(async () => (await lateTrip())?.realtime === false, 'what is too old is not shown as live')
    expect(await lateTrip()).toMatchObject({ delay_seconds: null, expected_at: null, source: 'gtfs' })
    const { body } = await service.request('/v1/status')
    expect(body.data[0]).toMatchObject({
      network: 'ville',
      realtime: 'down',
      last_error: { source: 'trips', reason: 'http_503' },
    })
    expect(body.data[1]).toMatchObject({ network: 'harbor', realtime: 'ok', last_error: null })
    expect(await service.metric('quai_feed_back_off_seconds{network="ville",feed="trips"}')).toBeGreaterThan(0)
    agency.set('/trips.pb', () => alive?.() ?? Response.error())
    await until(async () => (await lateTrip())?.delay_seconds === DELAY_SECONDS, 'the delay is back')
    expect(await service.metric('quai_feed_back_off_seconds{network="ville",feed="trips"}')).toBe(0)
  },
  60_000,
)

slowTest(
  'rotates a key: the new one works before the old one is revoked and stops working at once',
  async () => {
    const old = key
    key = await makeKey('second')
    expect([(await service.request(BOARD, old)).status, (await service.request(BOARD, key)).status]).toEqual([200, 200])
    const listed = JSON.parse((await machine.quai('keys', 'list', '--json')).stdout)
    const { id } = listed.find(({ name }: { name: string }) => name === 'first')
    expect(await machine.quai('keys', 'revoke', id)).toMatchObject({ status: 0, stdout: '' })
    const refused = await service.request(BOARD, old)
    expect([refused.status, refused.body.reason]).toEqual([401, 'invalid_token'])
    expect((await service.request(BOARD, key)).status).toBe(200)
  },
  30_000,
)

slowTest(
  'a bad timetable is rejected, and the previous one keeps serving',
  async () => {
    const good = agency.get('/harbor.zip')
    agency.set('/harbor.zip', () => new Response(writeZip([{ name: 'stops.txt', content: 'stop_id\nnorth\n' }])))
    const refused = await machine.quai('import', 'harbor')
    expect([refused.status, refused.stdout]).toEqual([1, expect.stringContaining('refused')])
    expect(refused.stderr).toMatch(/^quai import: harbor: .+/)
    const requested = await service.request(HARBOR, key)
    expect([requested.status, requested.body.data.name]).toEqual([200, 'Harbor north'])
    // On SIGHUP, the running service checks the timetable. It must report that the import fails.
    service.child.kill('SIGHUP')
    await until(
      async () => (await service.metric('quai_import_failing{network="harbor"}')) === 1,
      'the service has seen it',
    )
    expect((await service.request(HARBOR, key)).status).toBe(200)
    agency.set('/harbor.zip', () => good?.() ?? Response.error())
    expect(await machine.quai('import', 'harbor')).toMatchObject({ status: 0 })
  },
  60_000,
)

slowTest(
  'makes a backup of the running service',
  async () => {
    keyAtBackup = key
    await until(async () => (await service.metric('quai_ledger_unflushed_units')) === 0, 'all units are in the ledger')
    unitsAtBackup = (await service.request('/v1/usage', key)).body.data.units
    expect(unitsAtBackup).toBeGreaterThan(0)
    const made = await machine.quai('backup', 'quai-backup.db')
    expect(made).toMatchObject({ status: 0, stdout: `${machine.path('quai-backup.db')}\n` })
    keyAfterBackup = await makeKey('third')
    for (let count = 0; count < 5; count++) expect((await service.request(BOARD, keyAfterBackup)).status).toBe(200)
    expect(await machine.quai('backup', 'quai-backup.db')).toMatchObject({ status: 1 }) // the file exists already
  },
  30_000,
)

/**
 * Sends requests until `stop` is called. While the service is not listening, waits and tries again. Records every
 * response that is incomplete or has a status other than 200.
 */
class PatientReader {
  answers = 0
  readonly faults: string[] = []
  private isStopped = false
  private readonly running: Promise<void>

  constructor(paths: readonly string[]) {
    this.running = this.run(paths)
  }

  async stop(): Promise<void> {
    this.isStopped = true
    await this.running
  }

  private async run(paths: readonly string[]): Promise<void> {
    for (let count = 0; !this.isStopped; count++) {
      const path = paths[count % paths.length] ?? ''
      const answer = await fetch(service.base + path, { headers: { authorization: `Bearer ${key}` } }).catch(() => null)
      if (answer === null) await Bun.sleep(5)
      else await this.judge(path, answer)
    }
  }

  private async judge(path: string, answer: Response): Promise<void> {
    try {
      const text = await answer.text()
      if (answer.status === 200 && JSON.parse(text).data !== undefined) this.answers++
      else this.faults.push(`${path}: ${answer.status} ${text}`)
    } catch (error) {
      this.faults.push(`${path}: ${error}`)
    }
  }
}

slowTest(
  'upgrades under load: requests in progress finish, and nothing is lost',
  async () => {
    const readers = Array.from({ length: 4 }, () => new PatientReader([BOARD, HARBOR, '/v1/networks/ville/lines']))
    await until(() => readers.every(({ answers }) => answers > 20), 'readers read')
    machine.install()
    expect(await service.stop()).toBe(0)
    const before = readers.map(({ answers }) => answers)
    service = await machine.serve(PORTS)
    await until(() => readers.every(({ answers }, at) => answers > (before[at] ?? 0) + 20), 'readers continue')
    await Promise.all(readers.map((reader) => reader.stop()))
    expect(readers.flatMap(({ faults }) => faults)).toEqual([])
    expect(service.log()).not.toContain('importing') // nothing is imported, since the snapshots exist already
    await until(async () => (await lateTrip())?.realtime === true, 'the live feed is polled again')
    const { body } = await service.request('/v1/usage', key)
    expect(body.data.units).toBeGreaterThan(unitsAtBackup + readers.reduce((sum, { answers }) => sum + answers, 0))
    expect(body.data.keys.map(({ name }: { name: string }) => name)).toEqual(['first', 'second', 'third'])
  },
  60_000,
)

slowTest(
  'the ledger matches the counted units, with the service running and without',
  async () => {
    expect(await machine.quai('ledger', 'verify')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('slots and rows match'),
    })
    expect(await service.stop()).toBe(0)
    expect(await machine.quai('ledger', 'verify')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('slots and rows match'),
    })
  },
  30_000,
)

slowTest(
  'restores the backup on another machine: keys and usage are as they were',
  async () => {
    const [first, sample] = [machine, readFileSync(machine.path('ops', 'quai.toml'), 'utf8')]
    const second = new OperatorsMachine()
    try {
      machine = second
      writeFileSync(second.path('quai.toml'), settings(sample, SPARE_PORTS))
      mkdirSync(second.path('data'), { mode: 0o700 })
      cpSync(first.path('quai-backup.db'), second.path('data', 'quai.db'))
      cpSync(first.path('data', 'pepper'), second.path('data', 'pepper'))
      service = await second.serve(SPARE_PORTS)
      const { body } = await service.request('/v1/usage', keyAtBackup)
      expect(body.data.units).toBe(unitsAtBackup)
      expect(body.data.keys.map(({ name }: { name: string }) => name)).toEqual(['first', 'second'])
      // The service is ready as soon as one network is served, while the other network is still being imported.
      await until(async () => (await service.request(BOARD, keyAtBackup)).status === 200, 'the board is there')
      const unknown = await service.request(BOARD, keyAfterBackup)
      expect([unknown.status, unknown.body.reason]).toEqual([401, 'invalid_token'])
      expect(await service.stop()).toBe(0)
      const verified = await second.quai('ledger', 'verify', '--json')
      expect([verified.status, JSON.parse(verified.stdout).faults]).toEqual([0, []])
    } finally {
      second.remove()
      machine = first
    }
  },
  60_000,
)
