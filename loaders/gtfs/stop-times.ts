// Reads stop_times.txt, the largest file, into columns in file order: either all rows, or the rows of one trip at a
// time. mend-calls.ts sorts and completes the rows.
import type { TypedArray } from '../columns.ts'
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
/** Indexes into COLUMNS, for direct access to bytes. */
const TRIP_ID = 0
const STOP_ID = 1
const STOP_SEQUENCE = 2
const ARRIVAL_TIME = 3
const DEPARTURE_TIME = 4
const STOP_HEADSIGN = 5
const PICKUP_TYPE = 6
const DROP_OFF_TYPE = 7
const LOCATION_GROUP_ID = 9
const LOCATION_ID = 10
const WINDOW_START = 11
const WINDOW_END = 12
const DIGIT_0 = 0x30
/** Initial length of the columns. */
const FIRST_ROWS = 256

/** Calls in file order: all calls of the file, or the calls of one trip. */
export class RawCalls {
  length = 0
  trip = new Uint32Array(FIRST_ROWS)
  stop = new Uint32Array(FIRST_ROWS)
  stopSequence = new Uint32Array(FIRST_ROWS)
  /**
   * `arrival` and `departure`: seconds after the service day's zero. If the row has only one of the two times, both
   * columns have this time. If the row has neither, both columns have NO_TIME.
   */
  arrival = new Int32Array(FIRST_ROWS)
  departure = new Int32Array(FIRST_ROWS)
  /** pickup_type + 4 × drop_off_type. */
  exchange = new Uint8Array(FIRST_ROWS)
  headsign = new Uint32Array(FIRST_ROWS)
  line = new Uint32Array(FIRST_ROWS)
  /** Undefined if the file has no shape_dist_traveled column. */
  distance: Float64Array | undefined
  /** Row in trips.txt → the number of the trip's rows in stop_times.txt, including dropped rows. */
  readonly rowsOfTrip: Uint32Array
  /** Rows in trips.txt whose trips have GTFS-Flex calls (zones or time windows). */
  readonly flexTrips = new Set<number>()
  /** Approximate number of bytes read from the file so far. */
  bytesRead = 0

  constructor(tripCount: number) {
    this.rowsOfTrip = new Uint32Array(tripCount)
  }

  /** Enlarges the columns if they are full. */
  reserve(): void {
    if (this.length < this.trip.length) return
    const rows = this.length * 2
    this.trip = widen(this.trip, new Uint32Array(rows))
    this.stop = widen(this.stop, new Uint32Array(rows))
    this.stopSequence = widen(this.stopSequence, new Uint32Array(rows))
    this.arrival = widen(this.arrival, new Int32Array(rows))
    this.departure = widen(this.departure, new Int32Array(rows))
    this.exchange = widen(this.exchange, new Uint8Array(rows))
    this.headsign = widen(this.headsign, new Uint32Array(rows))
    this.line = widen(this.line, new Uint32Array(rows))
    if (this.distance !== undefined) this.distance = widen(this.distance, new Float64Array(rows))
  }

  /** Creates the distance column. Called if the file has a shape_dist_traveled column. */
  measure(): void {
    this.distance = new Float64Array(this.trip.length)
  }
}

function widen<A extends TypedArray>(array: A, wider: A): A {
  wider.set(array)
  return wider
}

/** Receives the calls as the file is read. */
export interface CallTaking {
  /**
   * Called after each group of consecutive rows of the same trip. `calls` contains only the calls of this group, and is
   * emptied afterwards.
   */
  readonly onTrip: (trip: number, calls: RawCalls) => void
}

/**
 * Reads stop_times.txt. Drops rows with an unknown trip or stop, and ignores GTFS-Flex rows. If `taking` is given,
 * passes the calls to it trip by trip; otherwise the result contains all calls.
 */
export async function loadStopTimes(
  reading: FeedReading,
  to: { readonly trips: LoadedTrips; readonly stops: LoadedStops },
  taking?: CallTaking,
): Promise<RawCalls> {
  const calls = new RawCalls(to.trips.id.length)
  const target = new CallTarget({ calls, stops: to.stops, strings: reading.strings })
  let lastTripId = EMPTY_STRING
  let lastTrip = -1
  let openTrip = -1
  const finishTrip = () => {
    target.beginTrip()
    if (taking === undefined || openTrip < 0) return
    taking.onTrip(openTrip, calls)
    calls.length = 0
  }
  const isThere = await readTable(
    reading,
    { file: STOP_TIMES_FILE, columns: COLUMNS, required: ['trip_id', 'stop_sequence'], maxRows: MAX_ROWS },
    (row) => {
      const { csv } = row
      const { bytes } = csv
      const tripStart = csv.start(TRIP_ID)
      const tripEnd = csv.end(TRIP_ID)
      // Most rows belong to the same trip as the previous row. Comparing the bytes of the id is faster than looking it
      // up.
      if (!reading.strings.matches(lastTripId, bytes, { start: tripStart, end: tripEnd })) {
        lastTripId = reading.strings.internBytes(bytes, tripStart, tripEnd)
        lastTrip = to.trips.byId.find(lastTripId)
      }
      if (lastTrip < 0) {
        row.drop(tripStart === tripEnd ? 'missing_required_field' : 'foreign_key_violation', 'trip_id')
        return
      }
      if (lastTrip !== openTrip) {
        finishTrip()
        openTrip = lastTrip
      }
      calls.rowsOfTrip[lastTrip]++
      calls.bytesRead = csv.passed + tripStart
      if (isFlex(row)) {
        calls.flexTrips.add(lastTrip)
        return setFlexAside(reading, row)
      }
      target.take(row, lastTrip)
    },
    (has) => {
      if (has('shape_dist_traveled')) calls.measure()
      if (!has('stop_id') && !has('location_id') && !has('location_group_id')) {
        refuse(STOP_TIMES_FILE, { rule: 'missing_required_column', example: 'stop_id' })
      }
    },
  )
  if (!isThere) refuse(STOP_TIMES_FILE, { rule: 'missing_required_file', example: STOP_TIMES_FILE })
  if (reading.problems.countsOf(STOP_TIMES_FILE).rows === 0)
    refuse(STOP_TIMES_FILE, { rule: 'empty_file', example: 'no stop time' })
  finishTrip()
  return calls
}

function setFlexAside({ problems }: FeedReading, { line }: CallRowReader): void {
  problems.report({ rule: 'flex_row_set_aside', file: STOP_TIMES_FILE, line, action: 'reported' })
}

function isFlex({ csv }: CallRowReader): boolean {
  return !(
    csv.isEmpty(WINDOW_START) &&
    csv.isEmpty(WINDOW_END) &&
    csv.isEmpty(LOCATION_GROUP_ID) &&
    csv.isEmpty(LOCATION_ID)
  )
}

/** Appends rows from stop_times.txt to the calls. */
class CallTarget {
  private readonly calls: RawCalls
  private readonly stops: LoadedStops
  private readonly strings: FeedReading['strings']
  /**
   * The stop ids of the previous trip (`idsBefore`) and of the current one (`ids`), in file order. Most trips call at the
   * same stops as the previous trip, and comparing the bytes of an id is faster than looking it up.
   */
  private idsBefore = new Uint32Array(FIRST_ROWS)
  private countBefore = 0
  private ids = new Uint32Array(FIRST_ROWS)
  private count = 0
  private lastHeadsign: StringIndex = EMPTY_STRING

  constructor(parts: Pick<FeedReading, 'strings'> & { readonly calls: RawCalls; readonly stops: LoadedStops }) {
    this.calls = parts.calls
    this.stops = parts.stops
    this.strings = parts.strings
  }

  /** Starts a trip: the next row is its first. */
  beginTrip(): void {
    const { ids } = this
    this.ids = this.idsBefore
    this.idsBefore = ids
    this.countBefore = this.count
    this.count = 0
  }

  take(row: CallRowReader, trip: number): void {
    const { csv } = row
    const { bytes } = csv
    const { calls } = this
    const stop = this.findStop(row)
    if (stop < 0) return
    const sequence = parseInteger(bytes, csv.start(STOP_SEQUENCE), csv.end(STOP_SEQUENCE))
    if (!(sequence >= 0 && sequence < 0xffff_ffff)) return dropSequence(row, sequence)
    let arrival = parseServiceTime(bytes, csv.start(ARRIVAL_TIME), csv.end(ARRIVAL_TIME))
    let departure = parseServiceTime(bytes, csv.start(DEPARTURE_TIME), csv.end(DEPARTURE_TIME))
    if (arrival === INVALID_TIME) return row.drop('invalid_time', 'arrival_time')
    if (departure === INVALID_TIME) return row.drop('invalid_time', 'departure_time')
    if (arrival === NO_TIME || departure === NO_TIME) {
      reportMissingTime(row, arrival, departure)
      if (arrival === NO_TIME) arrival = departure
      else departure = arrival
    }
    const exchange = readExchange(row)
    if (exchange < 0) return
    calls.reserve()
    const at = calls.length
    calls.trip[at] = trip
    calls.stop[at] = stop
    calls.stopSequence[at] = sequence
    calls.arrival[at] = arrival
    calls.departure[at] = departure
    calls.exchange[at] = exchange
    calls.headsign[at] = this.readHeadsign(row)
    calls.line[at] = row.line
    if (calls.distance !== undefined) calls.distance[at] = row.distance('shape_dist_traveled')
    calls.length = at + 1
  }

  /**
   * The row of the stop or, for a boarding area, of its platform. If the stop is missing, unknown or of a type at which
   * vehicles cannot stop, drops the call and returns −1.
   */
  private findStop(row: CallRowReader): number {
    const id = this.readStopId(row)
    if (id === EMPTY_STRING) {
      row.drop('missing_required_field', 'stop_id')
      return -1
    }
    const stop = this.stops.byId.find(id)
    if (stop < 0) {
      row.drop('foreign_key_violation', 'stop_id')
      return -1
    }
    const { locationType, parent } = this.stops.table
    const kinds: { readonly [row: number]: number } = locationType
    if (kinds[stop] === LOCATION_STOP) return stop
    const parents: { readonly [row: number]: number } = parent
    const platform = kinds[stop] === LOCATION_BOARDING_AREA ? parents[stop] : -1
    if (kinds[platform] === LOCATION_STOP) return platform
    row.drop('location_with_unexpected_stop_time', 'stop_id')
    return -1
  }

  /**
   * Reads the headsign. Looks it up only if it differs from the last headsign, because most rows have the same headsign
   * as the previous row.
   */
  private readHeadsign({ csv }: CallRowReader): StringIndex {
    const { bytes } = csv
    const start = csv.start(STOP_HEADSIGN)
    const end = csv.end(STOP_HEADSIGN)
    if (start === end) return EMPTY_STRING
    if (this.lastHeadsign === EMPTY_STRING || !this.strings.matches(this.lastHeadsign, bytes, { start, end }))
      this.lastHeadsign = this.strings.internBytes(bytes, start, end)
    return this.lastHeadsign
  }

  private readStopId({ csv }: CallRowReader): StringIndex {
    const { bytes } = csv
    const start = csv.start(STOP_ID)
    const end = csv.end(STOP_ID)
    const at = this.count
    const expected = (at < this.countBefore ? this.idsBefore[at] : EMPTY_STRING) as StringIndex
    const id =
      expected !== EMPTY_STRING && this.strings.matches(expected, bytes, { start, end })
        ? expected
        : this.strings.internBytes(bytes, start, end)
    if (at === this.ids.length) this.ids = widen(this.ids, new Uint32Array(at * 2))
    this.ids[at] = id
    this.count = at + 1
    return id
  }
}

function reportMissingTime(row: CallRowReader, arrival: number, departure: number): void {
  if (arrival !== departure) {
    row.repair('stop_time_with_only_arrival_or_departure_time', arrival === NO_TIME ? 'arrival_time' : 'departure_time')
  } else if (row.integer('timepoint') === 1) row.repair('stop_time_timepoint_without_times', 'timepoint')
}

function dropSequence(row: CallRowReader, sequence: number): void {
  if (row.isEmpty('stop_sequence')) row.drop('missing_required_field', 'stop_sequence')
  else row.drop(Number.isNaN(sequence) ? 'invalid_integer' : 'number_out_of_range', 'stop_sequence')
}

/** Reads pickup_type + 4 × drop_off_type. If either of them is invalid, drops the row and returns −1. */
function readExchange(row: CallRowReader): number {
  const dropOff = readType(row, DROP_OFF_TYPE, 'drop_off_type')
  const pickup = dropOff < 0 ? -1 : readType(row, PICKUP_TYPE, 'pickup_type')
  return pickup < 0 ? -1 : dropOff * 4 + pickup
}

function readType(row: CallRowReader, column: number, name: 'pickup_type' | 'drop_off_type'): number {
  const { csv } = row
  const start = csv.start(column)
  const end = csv.end(column)
  if (start === end) return 0
  const first = csv.bytes[start]
  if (end - start === 1 && first >= DIGIT_0 && first <= DIGIT_0 + 3) return first - DIGIT_0
  const value = parseInteger(csv.bytes, start, end)
  if (value >= 0 && value <= 3) return value
  row.drop(Number.isNaN(value) ? 'invalid_integer' : 'number_out_of_range', name)
  return -1
}
