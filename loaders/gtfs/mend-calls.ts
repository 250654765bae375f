// Converts the rows of stop_times.txt to the CallTable and the TripTable. Sorts and completes the calls of each trip
// (call-writer.ts), and drops trips with fewer than two usable calls. In most feeds, the rows of each trip are
// consecutive, so only the rows of one trip need to be in memory at a time. In other feeds, the file is read again,
// with all rows in memory.
import { sealColumn } from '../columns.ts'
import { FeedProblems } from '../feed-problems.ts'
import type { StringIndex } from '../strings.ts'
import { CallWriter } from './call-writer.ts'
import type { CallTable, ShapeTable, TripTable } from './feed.ts'
import { loadStopTimes, type RawCalls, STOP_TIMES_FILE } from './stop-times.ts'
import type { LoadedStops } from './stops.ts'
import type { FeedReading } from './table-reader.ts'
import { type LoadedTrips, TRIPS_FILE } from './trips.ts'

/** The trips and calls that remain after unusable trips and calls were dropped. */
export interface LoadedCalls {
  readonly calls: CallTable
  readonly trips: TripTable
  /** Row in trips.txt → row in `trips`; −1 if the trip was dropped. */
  readonly tripOfRow: Int32Array
  /** Row in `trips` → row in trips.txt. */
  readonly rowOfTrip: readonly number[]
  /** Rows in trips.txt whose trips have GTFS-Flex calls (zones or time windows). */
  readonly flexTrips: ReadonlySet<number>
}

/** The tables that calls refer to. */
export interface CallGround {
  readonly trips: LoadedTrips
  readonly stops: LoadedStops
  readonly shapes: ShapeTable
}

/** Thrown if the rows of a trip are not consecutive. */
class ScatteredRows extends Error {}

/** Reads, sorts and completes the calls of all trips. */
export async function loadCalls(reading: FeedReading, ground: CallGround): Promise<LoadedCalls> {
  const target = await readTogether(reading, ground)
  return sealCalls(reading, ground, target ?? (await readScattered(reading, ground)))
}

/** The calls written so far, and their trips. */
interface CallTarget {
  readonly writer: CallWriter
  /** Written trip → row in trips.txt. */
  readonly kept: number[]
  readonly raw: Pick<RawCalls, 'rowsOfTrip' | 'flexTrips'>
}

/** Reads the file trip by trip. If the rows of a trip are not consecutive, returns undefined and reports nothing. */
async function readTogether(reading: FeedReading, ground: CallGround): Promise<CallTarget | undefined> {
  const problems = new FeedProblems()
  const isRead = new Uint8Array(ground.trips.id.length)
  const kept: number[] = []
  let writer: CallWriter | undefined
  let order = new Uint32Array(256)
  try {
    const raw = await loadStopTimes({ ...reading, problems }, ground, {
      onTrip: (trip, calls) => {
        if (isRead[trip] === 1) throw new ScatteredRows()
        isRead[trip] = 1
        writer ??= makeWriter(reading, ground, { calls, problems })
        if (order.length < calls.length) order = new Uint32Array(calls.length * 2)
        const rows = order.subarray(0, calls.length)
        for (let row = 0; row < rows.length; row++) rows[row] = row
        if (writer.writeTrip(calls, rows, ground.trips.shape.at(trip))) kept.push(trip)
      },
    })
    reading.problems.add(problems, (name) => name)
    return { writer: writer ?? makeWriter(reading, ground, { calls: raw, problems }), kept, raw }
  } catch (error) {
    if (error instanceof ScatteredRows) return undefined
    reading.problems.add(problems, (name) => name)
    throw error
  }
}

/** Reads all rows, then sorts them by trip. */
async function readScattered(reading: FeedReading, ground: CallGround): Promise<CallTarget> {
  const raw = await loadStopTimes(reading, ground)
  const writer = makeWriter(reading, ground, { calls: raw, problems: reading.problems })
  const { start, order } = groupByTrip(raw, ground.trips.id.length)
  const kept: number[] = []
  for (let trip = 0; trip + 1 < start.length; trip++) {
    const rows = order.subarray(start[trip], start[trip + 1])
    if (writer.writeTrip(raw, rows, ground.trips.shape.at(trip))) kept.push(trip)
  }
  return { writer, kept, raw }
}

function makeWriter(
  { source }: FeedReading,
  { stops, shapes }: CallGround,
  { calls, problems }: { readonly calls: RawCalls; readonly problems: FeedProblems },
): CallWriter {
  const size = source.sizeOf?.(STOP_TIMES_FILE)
  return new CallWriter(calls, {
    problems,
    stops: stops.table,
    shapes,
    expectedCalls: (written) =>
      size === undefined || calls.bytesRead === 0 ? 0 : (written * size * 1.1) / calls.bytesRead,
  })
}

/** Builds the TripTable from the trips whose calls were written, and reports all other trips. */
function sealCalls(reading: FeedReading, { trips }: CallGround, { writer, kept, raw }: CallTarget): LoadedCalls {
  const tripOfRow = new Int32Array(trips.id.length).fill(-1)
  for (let trip = 0; trip < kept.length; trip++) tripOfRow[kept[trip]] = trip
  for (let row = 0; row < tripOfRow.length; row++) {
    // The rows of GTFS-Flex trips have already been reported.
    if (tripOfRow[row] >= 0 || raw.flexTrips.has(row)) continue
    reportTrip(reading, trips, { trip: row, rows: raw.rowsOfTrip[row] })
  }
  const { flexTrips } = raw
  return {
    calls: writer.seal(),
    trips: compactTrips(trips, kept, writer.offsets),
    tripOfRow,
    rowOfTrip: kept,
    flexTrips,
  }
}

/**
 * Reports a trip that was dropped. If stop_times.txt has no rows for the trip, no call is lost, so the trip does not
 * count as a dropped row.
 */
function reportTrip(
  { problems, strings }: FeedReading,
  trips: LoadedTrips,
  gone: { trip: number; rows: number },
): void {
  const { trip, rows } = gone
  problems.report({
    rule: rows === 0 ? 'unused_trip' : rows === 1 ? 'missing_stop_times_record' : 'unusable_trip',
    file: TRIPS_FILE,
    line: trips.line.at(trip),
    field: 'trip_id',
    example: strings.textOf(trips.id.at(trip) as StringIndex),
    action: rows === 0 ? 'reported' : 'dropped_row',
  })
}

/**
 * Groups the raw rows by trip, and keeps their file order within a trip. The rows of trip `t` are `order[start[t]]` to
 * `order[start[t + 1] - 1]`.
 */
function groupByTrip(raw: RawCalls, tripCount: number): { start: Uint32Array; order: Uint32Array } {
  const trip = raw.trip.subarray(0, raw.length)
  const start = new Uint32Array(tripCount + 1)
  for (let row = 0; row < trip.length; row++) start[trip[row] + 1]++
  for (let i = 0; i < tripCount; i++) start[i + 1] += start[i]
  const order = new Uint32Array(trip.length)
  const next = start.slice()
  for (let row = 0; row < trip.length; row++) order[next[trip[row]]++] = row
  return { start, order }
}

function compactTrips(trips: LoadedTrips, kept: readonly number[], offsets: readonly number[]): TripTable {
  const fill = <A extends Uint8Array | Uint32Array>(target: A, column: { at(row: number): number }): A => {
    for (let trip = 0; trip < kept.length; trip++) target[trip] = column.at(kept[trip])
    return target
  }
  const take = (column: { at(row: number): number }) => fill(new Uint32Array(kept.length), column)
  const takeU8 = (column: { at(row: number): number }) => fill(new Uint8Array(kept.length), column)
  return {
    count: kept.length,
    id: sealColumn(take(trips.id)),
    route: sealColumn(take(trips.route)),
    service: sealColumn(take(trips.service)),
    headsign: sealColumn(take(trips.headsign)),
    shortName: sealColumn(take(trips.shortName)),
    direction: sealColumn(takeU8(trips.direction)),
    pathId: sealColumn(take(trips.pathId)),
    blockId: sealColumn(take(trips.blockId)),
    shape: sealColumn(take(trips.shape)),
    wheelchair: sealColumn(takeU8(trips.wheelchair)),
    bikes: sealColumn(takeU8(trips.bikes)),
    callOffset: sealColumn(new Uint32Array(offsets)),
  }
}
