// Tests metering after a power loss and while the disk is full. A power loss removes all units that were counted only
// in the slots. Fails if more than a second's units are lost, if a unit is counted twice, or if a caller is refused.
import { Database } from 'bun:sqlite'
import { afterEach, expect, test } from 'bun:test'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bySize } from '../size.ts'
import { slowTest } from '../slow-test.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'
import { fillUp, makeSmallDisk, type SmallDisk } from './small-disk.ts'
import { type Question, UnitCallers } from './unit-callers.ts'

const PORT = 18_960
const CONNECTIONS = 8
const ROUNDS = bySize({ quick: 0, ci: 2, full: 20 })
const QUESTIONS: readonly Question[] = [{ path: '/v1/stops/ville:stop:CA/departures', units: 1 }]
const LOADED_MILLIS = 2_500
/**
 * Maximum age of lost units. Slots are flushed to the ledger once a second, and a flush is on disk when it returns. The
 * time beyond one second allows for a busy machine.
 */
const LOST_MILLIS = bySize({ quick: 0, ci: 1_500, full: 1_200 })
const SAMPLE_MILLIS = 20
const DISK_MEGABYTES = 64
const FULL_MILLIS = bySize({ quick: 0, ci: 4_000, full: 60_000 })

let serving: Serving | undefined
let disk: SmallDisk | undefined
const folders: string[] = []
afterEach(async () => {
  if (serving?.child.exitCode === null) await end(serving, 'SIGKILL')
  disk?.remove()
  disk = undefined
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function ledgerUnits(folder: string): number {
  const database = new Database(join(folder, 'data', 'quai.db'), { readonly: true })
  try {
    return database.query<{ sum: number | null }, []>('SELECT sum(units) AS sum FROM usage').get()?.sum ?? 0
  } finally {
    database.close()
  }
}

slowTest(
  `a power cut loses at most a second of units, and those after it count (${ROUNDS} rounds)`,
  async () => {
    const folder = new ServiceFolder(commandOf('source'))
    folders.push(folder.folder)
    const key = await folder.makeKey('cut')
    let counted = 0
    for (let round = 0; round < ROUNDS; round++) {
      serving = await folder.serve({ workers: 1 + (round % 2), port: PORT })
      const callers = new UnitCallers({ base: serving.base, key }, QUESTIONS, CONNECTIONS)
      const reported: { atMillis: number; units: number }[] = []
      const started = performance.now()
      while (performance.now() - started < LOADED_MILLIS + (round % 5) * 230) {
        reported.push({ atMillis: performance.now(), units: callers.reported })
        await Bun.sleep(SAMPLE_MILLIS)
      }
      const cutMillis = performance.now()
      await end(serving, 'SIGKILL')
      await callers.stop()
      // A power loss may lose pages of the slots that were not written to disk yet: at worst, all of them. Synced files
      // remain.
      rmSync(join(folder.folder, 'data', 'meter'), { recursive: true })
      const before = reported.findLast(({ atMillis }) => atMillis <= cutMillis - LOST_MILLIS)?.units ?? 0
      const kept = ledgerUnits(folder.folder) - counted
      expect(before).toBeGreaterThan(0)
      expect(kept).toBeGreaterThanOrEqual(before)
      expect(kept).toBeLessThanOrEqual(callers.reported + callers.unanswered)
      counted += kept
      // New slots start at zero. Their units must be added to the units that the ledger already has from the lost
      // slots.
      serving = await folder.serve({ workers: 1, port: PORT })
      const after = new UnitCallers({ base: serving.base, key }, QUESTIONS, CONNECTIONS)
      await until(() => after.reported > 50, 'some units are reported')
      await after.stop()
      expect(await end(serving)).toBe(0)
      counted += after.reported
      expect(ledgerUnits(folder.folder)).toBe(counted)
    }
  },
  600_000,
)

slowTest(
  'a full disk: valid keys are answered and counted, and the ledger has all units once there is space',
  async () => {
    disk = makeSmallDisk(DISK_MEGABYTES)
    if (!disk.isMounted) return console.log('left out: a full disk (no file system can be mounted here)')
    const folder = new ServiceFolder(commandOf('source'), undefined, disk.folder)
    folders.push(folder.folder)
    const key = await folder.makeKey('full')
    serving = await folder.serve({ workers: 2, port: PORT })
    const first = new UnitCallers({ base: serving.base, key }, QUESTIONS, CONNECTIONS)
    await until(() => first.reported > 100, 'both threads have counted')
    fillUp(disk.folder, 0)
    await Bun.sleep(FULL_MILLIS)
    expect(first.faults).toEqual([])
    rmSync(join(disk.folder, 'filler'))
    await until(async () => {
      const answer = await fetch(`http://127.0.0.1:${PORT + 1}/readyz`)
      return answer.ok && ledgerUnits(disk?.folder ?? '') > first.reported / 2
    }, 'the ledger is written again')
    await first.stop()
    expect(first.faults).toEqual([])
    expect(await end(serving)).toBe(0)
    expect(ledgerUnits(disk.folder)).toBe(first.reported)
    expect(await folder.run('ledger', 'verify')).toMatchObject({ status: 0 })
  },
  300_000,
)

test('if the data folder is not writable, the start fails, names it and serves nothing', async () => {
  disk = makeSmallDisk(DISK_MEGABYTES)
  if (!disk.isMounted) return console.log('left out: a read-only disk (no file system can be mounted here)')
  const folder = new ServiceFolder(commandOf('source'), undefined, disk.folder)
  await folder.makeKey('read')
  expect(Bun.spawnSync(['mount', '-o', 'remount,ro', disk.folder]).success).toBe(true)
  const refused = await folder.run('serve', '--port', String(PORT), '--account-port', '0', '--admin-port', '0')
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain(join(disk.folder, 'data'))
  expect(refused.stderr).toMatch(/read-only|EROFS/)
  expect(existsSync(join(disk.folder, 'data'))).toBe(true)
}, 60_000)
