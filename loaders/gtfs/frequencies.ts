// frequencies.txt: time windows in which a trip starts again after each headway (a regular interval).

import { firstWhere, GrowingColumn, NONE, sealColumns } from '../columns.ts'
import type { StringIndex } from '../strings.ts'
import type { FrequencyTable } from './feed.ts'
import { INVALID_TIME, NO_TIME, parseServiceTime } from './service-time.ts'
import { type FeedReading, readTable, type TableRow } from './table-reader.ts'

const FILE = 'frequencies.txt'
const COLUMNS = ['trip_id', 'start_time', 'end_time', 'headway_secs', 'exact_times'] as const

/** Start and end in seconds after the service day's zero; the end is exclusive. */
type Window = readonly [start: number, end: number]

/**
 * Reads frequencies.txt. Drops rows with an unknown trip, an invalid value, or a window that overlaps another window of
 * the same trip.
 * @param findTrip returns the row of the trip with the given id; −1 if the trip is unknown or was dropped
 */
export async function loadFrequencies(
  reading: FeedReading,
  findTrip: (id: StringIndex) => number,
): Promise<FrequencyTable> {
  const trip = new GrowingColumn(Uint32Array)
  const startSeconds = new GrowingColumn(Uint32Array)
  const endSeconds = new GrowingColumn(Uint32Array)
  const headwaySeconds = new GrowingColumn(Uint32Array)
  const exactTimes = new GrowingColumn(Uint8Array)
  const windows = new Map<number, Window[]>()
  const required = ['trip_id', 'start_time', 'end_time', 'headway_secs'] as const
  await readTable(reading, { file: FILE, columns: COLUMNS, required }, (row) => {
    if (row.lacks(...required)) return
    const tripRow = findTrip(row.string('trip_id'))
    if (tripRow < 0) return row.drop('foreign_key_violation', 'trip_id')
    const start = readTime(row, 'start_time')
    const end = readTime(row, 'end_time')
    if (start < 0 || end < 0) return row.drop('invalid_time', start < 0 ? 'start_time' : 'end_time')
    const headway = row.integer('headway_secs')
    if (Number.isNaN(headway)) return row.drop('invalid_integer', 'headway_secs')
    if (headway <= 0 || headway >= NONE) return row.drop('number_out_of_range', 'headway_secs')
    if (start === end) return row.drop('start_and_end_range_equal', 'end_time')
    if (start > end) return row.drop('start_and_end_range_out_of_order', 'end_time')
    const taken = windows.getOrInsertComputed(tripRow, () => [])
    if (!takeWindow(taken, start, end)) return row.drop('overlapping_frequency', 'start_time')
    trip.push(tripRow)
    startSeconds.push(start)
    endSeconds.push(end)
    headwaySeconds.push(headway)
    exactTimes.push(row.choice('exact_times', { min: 0, max: 1, fallback: 0 }))
  })
  return {
    count: trip.length,
    ...sealColumns<Omit<FrequencyTable, 'count'>>({ trip, startSeconds, endSeconds, headwaySeconds, exactTimes }),
  }
}

function readTime(row: TableRow<(typeof COLUMNS)[number]>, name: 'start_time' | 'end_time'): number {
  const column = row.column(name)
  const seconds = parseServiceTime(row.csv.bytes, row.csv.start(column), row.csv.end(column))
  return seconds === NO_TIME || seconds === INVALID_TIME ? -1 : seconds
}

/**
 * Adds a window to `taken`, the windows of the same trip, which are sorted and do not overlap. If the window overlaps a
 * window in `taken`, returns false and adds nothing.
 */
function takeWindow(taken: Window[], start: number, end: number): boolean {
  const at = firstWhere(0, taken.length, (each) => taken[each][0] >= start)
  const before = taken[at - 1]
  const after = taken[at]
  if ((before !== undefined && before[1] > start) || (after !== undefined && after[0] < end)) return false
  taken.splice(at, 0, [start, end])
  return true
}
