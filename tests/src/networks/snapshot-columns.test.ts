// Tests snapshots that have this program's version but different columns, as if a developer had changed what snapshots
// contain without raising the version. Fails if such a snapshot is served, or if it is refused with an error that does
// not name the column.
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildTimetable } from '../../../indexes/timetable/build-timetable.ts'
import { toNamedColumns } from '../../../indexes/timetable/timetable-columns.ts'
import type { TypedArray } from '../../../loaders/columns.ts'
import { loadFeed } from '../../../loaders/gtfs/load-feed.ts'
import { encodeSnapshot, SnapshotUnusable } from '../../../loaders/snapshot-file.ts'
import { findSnapshot, layoutSnapshot, snapshotFolder, writeSnapshot } from '../../../src/networks/snapshot-store.ts'
import { SMALL_FEED, textFeed } from '../../feeds/text-feed.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'quai-columns-'))
afterAll(() => rmSync(dataDir, { recursive: true }))

const FARES = {
  'fare_attributes.txt': 'fare_id,price,currency_type,payment_method,transfers\nf,1.70,EUR,1,0',
}
const { feed } = await loadFeed(textFeed({ ...SMALL_FEED, ...FARES }))
const timetable = buildTimetable(feed)
const making = { network: 'ville', feedHash: '0123456789', refreshedAtMillis: 0, sourceStamp: '' }

/** A valid snapshot file of this version. Its columns are those of the small feed, after `change` has changed them. */
function written(change: (columns: Map<string, TypedArray>) => void, meta: object = timetable.meta): Uint8Array {
  const columns = new Map(toNamedColumns(timetable))
  change(columns)
  return new Uint8Array(Buffer.concat(encodeSnapshot({ making, timetable: meta }, columns)))
}

/** Why a file is refused; `opened` if it is accepted. */
function refusalOf(file: Uint8Array): string {
  try {
    layoutSnapshot(file)
    return 'opened'
  } catch (error) {
    if (!(error instanceof SnapshotUnusable)) throw error
    return `${error.reason}: ${error.message}`
  }
}

test('a snapshot with all its columns is opened', () => {
  expect(refusalOf(written(() => {}))).toBe('opened')
})

test('a missing column of any kind is rejected by name', () => {
  const names = [...toNamedColumns(timetable).keys()]
  expect(names.length).toBeGreaterThan(100)
  expect(names.some((name) => name.startsWith('carried.'))).toBe(true)
  const wrong = names
    .map((name) => ({ name, refusal: refusalOf(written((columns) => columns.delete(name))) }))
    .filter(({ name, refusal }) => refusal !== `other_version: columns missing: ${name}`)
  expect(wrong).toEqual([])
})

test('an extra column is rejected by name, in a known or unknown group', () => {
  const more = written((columns) => columns.set('stops.level', new Uint32Array(3)).set('levels.id', new Uint32Array(1)))
  expect(refusalOf(more)).toBe('other_version: columns unknown: stops.level, levels.id')
})

test('a column of another array type is rejected by name', () => {
  const inMicrodegrees = written((columns) => columns.set('stops.lat', new Int32Array(3)))
  expect(refusalOf(inMicrodegrees)).toBe('other_version: columns of the wrong type: stops.lat is i32, not f64')
})

test('anything but columns is rejected by name too', () => {
  const { dayCount, ...rest } = timetable.meta
  expect(dayCount).toBeGreaterThan(0)
  expect(refusalOf(written(() => {}, rest))).toBe(
    "other_version: the timetable's metadata has no dayCount of type number",
  )
})

test('such a snapshot is skipped for the previous one', () => {
  const before = writeSnapshot({ dataDir, making, timetable }, () => {})
  const newest = join(snapshotFolder(dataDir, 'ville'), '99990101T000000000Z-01234567.snapshot')
  writeFileSync(
    newest,
    written((columns) => columns.delete('lines.mode')),
  )
  const { found, passed } = findSnapshot(dataDir, 'ville')
  expect(found?.path).toBe(before.path)
  expect(passed).toEqual([{ path: newest, reason: 'other_version', message: 'columns missing: lines.mode' }])
})
