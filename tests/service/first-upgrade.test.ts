// Tests a data directory that version 0.1.0 created, with keys, usage, a statement and snapshots. The directory is used
// by the current version, then by 0.1.0, and then by the current version again. After that, a backup that 0.1.0 made is
// restored. Fails if a unit is lost or counted twice, if a statement changes, if a key stops working, if one version
// refuses what the other has written, or if a timetable is imported again although both versions use the same formats.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { aroundTheClockZip } from '../feeds/around-the-clock-feed.ts'
import { bySize } from '../size.ts'
import { FirstVersion, hasFirstVersion } from './first-version.ts'
import { OperatorsMachine, type RunningService } from './operators-machine.ts'
import { until } from './running.ts'

const PORTS = { port: 18_994, adminPort: 18_995 }
/** Number of calls after each start; a call costs one unit. */
const CALLS = bySize({ quick: 20, ci: 200, full: 2_000 })
const UNITS_A_DAY = 1_000
const LAST_MONTH_DAYS = 10
const DAY_MILLIS = 86_400_000

const isLeftOut = !hasFirstVersion()
if (isLeftOut) console.error('left out: an upgrade from 0.1.0 and back (this clone has no history)')

describe.skipIf(isLeftOut)('an upgrade from 0.1.0', () => {
  let machine: OperatorsMachine
  let first: FirstVersion
  let key = ''
  let expected = 0

  beforeAll(() => {
    first = new FirstVersion()
    machine = new OperatorsMachine()
  })
  afterAll(() => {
    machine.remove()
    first.remove()
  })

  /**
   * Adds usage for the key: on earlier days of this month, and on the last days of the previous month. The service
   * later creates a statement for the previous month.
   */
  function writeHistory(): void {
    const database = new Database(machine.path('data', 'quai.db'))
    const now = Date.now()
    const today = Math.floor(now / DAY_MILLIS)
    const thisMonth = Math.min(15, new Date(now).getUTCDate() - 1)
    const lastMonth = today - new Date(now).getUTCDate() - LAST_MONTH_DAYS + 1
    const [used] = database.query<{ id: string }, []>('SELECT id FROM keys').all()
    const write = (first: number, count: number) => {
      for (let day = first; day < first + count; day++) {
        const counts = [day, UNITS_A_DAY, UNITS_A_DAY, day * DAY_MILLIS]
        database.run('INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?)', [
          'f00dfeedf00dfeedf00dfeedf00dfeed',
          used.id,
          ...counts,
        ])
      }
    }
    write(today - thisMonth, thisMonth)
    write(lastMonth, LAST_MONTH_DAYS)
    database.run('UPDATE accounts SET created_at = ?', [lastMonth * DAY_MILLIS])
    database.close()
    expected += thisMonth * UNITS_A_DAY
  }

  /** The statements of closed months. */
  function statements(): unknown[] {
    const database = new Database(machine.path('data', 'quai.db'))
    const found = database.query('SELECT * FROM statements ORDER BY month').all()
    database.close()
    return found
  }

  /** All units in the ledger, except those that `writeHistory` added for the previous month. */
  function unitsInLedger(): number {
    const database = new Database(machine.path('data', 'quai.db'))
    const found = database.query<{ units: number }, []>('SELECT sum(units) AS units FROM usage').get()
    database.close()
    return (found?.units ?? 0) - LAST_MONTH_DAYS * UNITS_A_DAY
  }

  async function callBoards(service: RunningService): Promise<void> {
    for (let call = 0; call < CALLS; call++)
      expect((await service.request('/v1/networks/ville/stops', key)).status).toBe(200)
    expected += CALLS
  }

  /** This month's units, according to the API. */
  async function reportedUnits(service: RunningService): Promise<number> {
    const { status, body } = await service.request('/v1/usage', key)
    expect(status).toBe(200)
    return body.data.units
  }

  test('keeps keys, units and snapshots, forward, back and forward again', async () => {
    machine.install(first.main)
    writeFileSync(machine.path('ville.zip'), aroundTheClockZip('Ville'))
    machine.writeSettings({ ...PORTS, workers: 1 }, `[[networks]]\nid = "ville"\ngtfs = "ville.zip"\n`)
    const made = await machine.quai('keys', 'create', '--account', 'a@b.example', '--plan', 'max', '--name', 'kept')
    key = made.stdout.trim()
    expect((await machine.quai('import')).status).toBe(0)
    writeHistory()
    let service = await machine.serve(PORTS)
    await callBoards(service)
    expect(await reportedUnits(service)).toBe(expected)
    await until(async () => unitsInLedger() === expected, 'all units are in the ledger')
    expect((await machine.quai('backup', 'first.db')).status).toBe(0)
    await until(async () => statements().length > 0, 'last month is closed')
    const closed = statements()
    expect(closed).toMatchObject([{ units: LAST_MONTH_DAYS * UNITS_A_DAY, plan: 'max' }])
    const gaps: string[] = []
    for (const version of ['this', '0.1.0', 'this']) {
      const stoppedAt = performance.now()
      expect(await service.stop()).toBe(0)
      machine.install(version === 'this' ? undefined : first.main)
      service = await machine.serve(PORTS)
      gaps.push(`${version} ${Math.round(performance.now() - stoppedAt)} ms`)
      expect(await reportedUnits(service)).toBe(expected)
      await callBoards(service)
      expect(await reportedUnits(service)).toBe(expected)
      expect(service.log().includes('imported in')).toBe(!first.hasSameSnapshots())
      await until(async () => unitsInLedger() === expected, 'all units are in the ledger')
      expect(statements()).toEqual(closed)
    }
    console.error(`from the stop of a version until the next is ready: ${gaps.join(', ')}`)
    expect(await service.stop()).toBe(0)
    expect(await machine.quai('ledger', 'verify')).toMatchObject({ status: 0 })
  }, 120_000)

  test('leaves the backup of 0.1.0 usable, and later units come back', async () => {
    expect(await machine.quai('restore', 'first.db')).toMatchObject({ status: 0 })
    const service = await machine.serve(PORTS)
    expect(await reportedUnits(service)).toBe(expected)
    await callBoards(service)
    expect(await service.stop()).toBe(0)
    expect(unitsInLedger()).toBe(expected)
    expect(await machine.quai('ledger', 'verify')).toMatchObject({ status: 0 })
  }, 60_000)
})
