// Reads stop_times.txt, the largest file, into columns in file order. mend-calls.ts sorts them.
import { GrowingColumn } from '../columns.ts'
import { MAX_ROWS } from '../csv.ts'
import { parseInteger } from '../numbers.ts'
import { EMPTY_STRING, type StringIndex } from '../strings.ts'
import { INVALID_TIME, NO_TIME, parseServiceTime } from './service-time.ts'
import type { LoadedStops } from './stops.ts'
import { LOCATION_BOARDING_AREA, LOCATION_STOP } from './stops.ts'
import { type FeedReading, readTable, refuse, type TableRow } from './table-reader.ts'
import type { LoadedTrips } from './trips.ts'

export const STOP_TIMES_FILE = 'stop_times.txt'
const COLUMNS = [
  'trip_id',
  'stop_id',
  'stop_sequence',
  'arrival_time',
  'departure_time',
  'stop_headsign',
  'pickup_type',
  'drop_off_type',
  'shape_dist_traveled',
  'location_group_id',
  'location_id',
  'start_pickup_drop_off_window',
  'end_pickup_drop_off_window',
  'timepoint',
] as const
type CallRowReader = TableRow<(typeof COLUMNS)[number]>
const EXCHANGE_COLUMNS = ['drop_off_type', 'pickup_type'] as const
/** Positions in COLUMNS, for direct access to bytes. */
const TRIP_ID = 0
const STOP_ID = 1
const STOP_SEQUENCE = 2
const ARRIVAL_TIME = 3
const DEPARTURE_TIME = 4
const STOP_HEADSIGN = 5

/** Calls as in the file. */
export interface RawCalls {
  readonly trip: GrowingColumn<Uint32Array>
  readonly stop: GrowingColumn<Uint32Array>
  readonly stopSequence: GrowingColumn<Uint32Array>
  /** NO_TIME if the file gives neither arrival nor departure. */
  readonly arrival: GrowingColumn<Int32Array>
  readonly departure: GrowingColumn<Int32Array>
  /** pickup_type + 4 × drop_off_type. */
  readonly exchange: GrowingColumn<Uint8Array>
  readonly headsign: GrowingColumn<Uint32Array>
  /** Undefined if the file does not have the column. */
  readonly distance: GrowingColumn<Float64Array> | undefined
  readonly line: GrowingColumn<Uint32Array>
  /** Number of rows in the file per trip of trips.txt, including dropped rows. */
  readonly rowsOfTrip: Uint32Array
  /** Trip rows of trips.txt with GTFS-Flex calls (zones or time windows). */
  readonly flexTrips: Set<number>
}

/** Reads stop_times.txt. Drops rows of unknown trips or stops; ignores GTFS-Flex rows. */
export async function loadStopTimes(
  reading: FeedReading,
  to: { readonly trips: LoadedTrips; readonly stops: LoadedStops },
): Promise<RawCalls> {
  let hasDistance = false
  const calls = emptyCalls(to.trips.id.length)
  let lastTripId = EMPTY_STRING
  let lastTrip = -1
  const isThere = await readTable(
    reading,
    { file: STOP_TIMES_FILE, columns: COLUMNS, required: ['trip_id', 'stop_sequence'], maxRows: MAX_ROWS },
    (row) => {
      const { csv } = row
      const { bytes } = csv
      const tripStart = csv.start(TRIP_ID)
      const tripEnd = csv.end(TRIP_ID)
      // Consecutive rows mostly belong to one trip: comparing the id's bytes avoids hashing it.
      if (!reading.strings.matches(lastTripId, bytes, { start: tripStart, end: tripEnd })) {
        lastTripId = reading.strings.internBytes(bytes, tripStart, tripEnd)
        lastTrip = to.trips.byId.find(lastTripId)
      }
      if (lastTrip < 0) {
        row.drop(tripStart === tripEnd ? 'missing_required_field' : 'foreign_key_violation', 'trip_id')
        return
      }
      calls.rowsOfTrip[lastTrip]++
      if (isFlex(row)) {
        calls.flexTrips.add(lastTrip)
        reading.problems.report({
          rule: 'flex_row_set_aside',
          file: STOP_TIMES_FILE,
          line: row.line,
          action: 'reported',
        })
        return
      }
      takeCall(row, { calls, trip: lastTrip, stops: to.stops, hasDistance, strings: reading.strings })
    },
    (has) => {
      hasDistance = has('shape_dist_traveled')
      if (!has('stop_id') && !has('location_id') && !has('location_group_id')) {
        refuse(STOP_TIMES_FILE, { rule: 'missing_required_column', example: 'stop_id' })
      }
    },
  )
  if (!isThere) refuse(STOP_TIMES_FILE, { rule: 'missing_required_file', example: STOP_TIMES_FILE })
  if (reading.problems.countsOf(STOP_TIMES_FILE).rows === 0)
    refuse(STOP_TIMES_FILE, { rule: 'empty_file', example: 'no stop time' })
  return { ...calls, distance: hasDistance ? calls.distance : undefined }
}

function emptyCalls(tripCount: number): CallTarget['calls'] {
  return {
    trip: new GrowingColumn(Uint32Array),
    stop: new GrowingColumn(Uint32Array),
    stopSequence: new GrowingColumn(Uint32Array),
    arrival: new GrowingColumn(Int32Array),
    departure: new GrowingColumn(Int32Array),
    exchange: new GrowingColumn(Uint8Array),
    headsign: new GrowingColumn(Uint32Array),
    distance: new GrowingColumn(Float64Array),
    line: new GrowingColumn(Uint32Array),
    rowsOfTrip: new Uint32Array(tripCount),
    flexTrips: new Set<number>(),
  }
}

function isFlex(row: CallRowReader): boolean {
  return (
    !row.isEmpty('start_pickup_drop_off_window') ||
    !row.isEmpty('end_pickup_drop_off_window') ||
    !row.isEmpty('location_group_id') ||
    !row.isEmpty('location_id')
  )
}

interface CallTarget {
  readonly calls: Omit<RawCalls, 'distance'> & { readonly distance: GrowingColumn<Float64Array> }
  readonly trip: number
  readonly stops: LoadedStops
  readonly hasDistance: boolean
  readonly strings: FeedReading['strings']
}

function takeCall(row: CallRowReader, target: CallTarget): void {
  const { csv } = row
  const { bytes } = csv
  const { calls, strings } = target
  const stop = findStop(row, target)
  if (stop < 0) return
  const sequence = parseInteger(bytes, csv.start(STOP_SEQUENCE), csv.end(STOP_SEQUENCE))
  if (!(sequence >= 0 && sequence < 0xffff_ffff)) return dropSequence(row, sequence)
  let arrival = parseServiceTime(bytes, csv.start(ARRIVAL_TIME), csv.end(ARRIVAL_TIME))
  let departure = parseServiceTime(bytes, csv.start(DEPARTURE_TIME), csv.end(DEPARTURE_TIME))
  if (arrival === INVALID_TIME) return row.drop('invalid_time', 'arrival_time')
  if (departure === INVALID_TIME) return row.drop('invalid_time', 'departure_time')
  if ((arrival === NO_TIME) !== (departure === NO_TIME)) {
    row.repair('stop_time_with_only_arrival_or_departure_time', arrival === NO_TIME ? 'arrival_time' : 'departure_time')
    if (arrival === NO_TIME) arrival = departure
    else departure = arrival
  }
  if (arrival === NO_TIME && row.integer('timepoint') === 1)
    row.repair('stop_time_timepoint_without_times', 'timepoint')
  const exchange = readExchange(row)
  if (exchange < 0) return
  calls.trip.push(target.trip)
  calls.stop.push(stop)
  calls.stopSequence.push(sequence)
  calls.arrival.push(arrival)
  calls.departure.push(departure)
  calls.exchange.push(exchange)
  const headsignStart = csv.start(STOP_HEADSIGN)
  const headsignEnd = csv.end(STOP_HEADSIGN)
  calls.headsign.push(
    headsignStart === headsignEnd ? EMPTY_STRING : strings.internBytes(bytes, headsignStart, headsignEnd),
  )
  if (target.hasDistance) calls.distance.push(row.distance('shape_dist_traveled'))
  calls.line.push(row.line)
}

/** The row of the stop, or of a boarding area's platform. −1, with the call dropped, if vehicles do not stop there. */
function findStop(row: CallRowReader, target: CallTarget): number {
  const { csv } = row
  const start = csv.start(STOP_ID)
  const end = csv.end(STOP_ID)
  if (start === end) {
    row.drop('missing_required_field', 'stop_id')
    return -1
  }
  const id: StringIndex = target.strings.internBytes(csv.bytes, start, end)
  const stop = target.stops.byId.find(id)
  if (stop < 0) {
    row.drop('foreign_key_violation', 'stop_id')
    return -1
  }
  const { locationType, parent } = target.stops.table
  const kinds: { readonly [row: number]: number } = locationType
  if (kinds[stop] === LOCATION_STOP) return stop
  const parents: { readonly [row: number]: number } = parent
  const platform = kinds[stop] === LOCATION_BOARDING_AREA ? parents[stop] : -1
  if (kinds[platform] === LOCATION_STOP) return platform
  row.drop('location_with_unexpected_stop_time', 'stop_id')
  return -1
}

function dropSequence(row: CallRowReader, sequence: number): void {
  if (row.isEmpty('stop_sequence')) row.drop('missing_required_field', 'stop_sequence')
  else row.drop(Number.isNaN(sequence) ? 'invalid_integer' : 'number_out_of_range', 'stop_sequence')
}

/** pickup_type and drop_off_type in one number; −1, with the row dropped, if one is invalid. */
function readExchange(row: CallRowReader): number {
  let exchange = 0
  for (const name of EXCHANGE_COLUMNS) {
    const value = row.isEmpty(name) ? 0 : row.integer(name)
    if (!(value >= 0 && value <= 3)) {
      row.drop(Number.isNaN(value) ? 'invalid_integer' : 'number_out_of_range', name)
      return -1
    }
    exchange = exchange * 4 + value
  }
  return exchange
}
