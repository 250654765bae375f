// Tests damaged snapshots. Wherever a bit of a snapshot is flipped, the damage must be noticed, and the previous
// snapshot must be used. Fails if a damaged snapshot counts as valid, or causes any other error.
import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildTimetable } from '../../../indexes/timetable/build-timetable.ts'
import { loadFeed } from '../../../loaders/gtfs/load-feed.ts'
import { SnapshotUnusable } from '../../../loaders/snapshot-file.ts'
import {
  findSnapshot,
  layoutSnapshot,
  listSnapshots,
  setAsideCorrupt,
  verifySnapshot,
  writeSnapshot,
} from '../../../src/networks/snapshot-store.ts'
import { markedFeed } from '../../feeds/marked-feed.ts'
import { textFeed } from '../../feeds/text-feed.ts'
import { bySize } from '../../size.ts'

const FEED = bySize({
  quick: { lines: 20, stops: 12, trips: 40 },
  ci: { lines: 60, stops: 20, trips: 100 },
  full: { lines: 200, stops: 30, trips: 100 },
})
const STEP_BYTES = 4_096

test('flipping every 4 096th byte of a snapshot in turn is detected, and the previous one found', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'quai-flips-'))
  const { feed } = await loadFeed(textFeed(markedFeed('Alpha', FEED)))
  const timetable = buildTimetable(feed)
  const making = { network: 'ville', refreshedAtMillis: 0, sourceStamp: '' }
  const before = writeSnapshot({ dataDir, making: { ...making, feedHash: 'before00' }, timetable }, () => {})
  const newest = writeSnapshot({ dataDir, making: { ...making, feedHash: 'newest00' }, timetable }, () => {})
  const sound = readFileSync(newest.path)
  const bytes = new Uint8Array(sound)
  expect(verifySnapshot(layoutSnapshot(bytes))).toEqual([])
  let flips = 0
  const unnoticed: number[] = []
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    bytes[at] = bytes[at] ^ (1 << (flips % 8))
    if (!isNoticed(bytes)) unnoticed.push(at)
    bytes[at] = sound[at]
    flips++
  }
  expect(unnoticed).toEqual([])
  expect(flips).toBe(Math.ceil(sound.length / STEP_BYTES))
  // Damages the file on disk, each time at another place. At the first place, the damage is noticed when the file is
  // opened. At the second, only checksums reveal it.
  for (const at of [16, sound.length - 1]) {
    const damaged = Buffer.from(sound)
    damaged[at] = damaged[at] ^ 1
    writeFileSync(newest.path, damaged)
    const { found } = findSnapshot(dataDir, 'ville')
    if (found?.path === newest.path) {
      expect(verifySnapshot(found.loaded).length).toBeGreaterThan(0)
      setAsideCorrupt(found.path)
    }
    expect(findSnapshot(dataDir, 'ville').found?.path).toBe(before.path)
  }
  expect(listSnapshots(dataDir, 'ville')).toEqual([before.path])
  rmSync(dataDir, { recursive: true })
}, 120_000)

function isNoticed(bytes: Uint8Array): boolean {
  try {
    return verifySnapshot(layoutSnapshot(bytes)).length > 0
  } catch (error) {
    if (!(error instanceof SnapshotUnusable)) throw error
    return true
  }
}
