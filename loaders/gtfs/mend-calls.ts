// Groups, sorts and completes the calls of each trip: drops duplicates and impossible times, interpolates missing
// times, and drops trips with fewer than two remaining calls. Turns raw rows into the CallTable and the TripTable.
import { NONE, sealColumn } from '../columns.ts'
import type { FeedProblems } from '../feed-problems.ts'
import type { Rule } from '../rules.ts'
import type { StringIndex } from '../strings.ts'
import { type DistanceGround, findDistanceFault } from './call-distances.ts'
import type { CallRow, CallTable, ShapeRow, ShapeTable, StopTable, TripTable } from './feed.ts'
import { NO_TIME } from './service-time.ts'
import { type RawCalls, STOP_TIMES_FILE } from './stop-times.ts'
import type { FeedReading } from './table-reader.ts'
import { type LoadedTrips, TRIPS_FILE } from './trips.ts'

/** The remaining trips and calls. */
export interface MendedCalls {
  readonly calls: CallTable
  readonly trips: TripTable
  /** Row of trips.txt → row of `trips`, −1 if the trip was dropped. */
  readonly tripOfRow: Int32Array
  /** Row of `trips` → row of trips.txt. */
  readonly rowOfTrip: readonly number[]
}

/** Raw rows of one trip, in order; reused for each trip. */
interface TripCalls {
  readonly rows: Uint32Array
  length: number
}

/** The inputs of mendCalls. */
export interface CallSources {
  readonly calls: RawCalls
  readonly trips: LoadedTrips
  readonly stops: StopTable
  readonly shapes: ShapeTable
}

/** Sorts and completes the calls of all trips. */
export function mendCalls(reading: FeedReading, sources: CallSources): MendedCalls {
  const { calls: raw, trips } = sources
  const grouped = groupByTrip(raw, trips.id.length)
  const writer = new CallWriter(sources, reading.problems, longestOf(grouped.start))
  const tripOfRow = new Int32Array(trips.id.length).fill(-1)
  const kept: number[] = []
  for (let trip = 0; trip < tripOfRow.length; trip++) {
    const rows = grouped.order.subarray(grouped.start[trip], grouped.start[trip + 1])
    if (!writer.writeTrip(rows, trips.shape.at(trip))) {
      // GTFS-Flex trips were already reported with their rows.
      if (!raw.flexTrips.has(trip)) reportTrip(reading, trips, { trip, rows: raw.rowsOfTrip[trip] })
      continue
    }
    tripOfRow[trip] = kept.length
    kept.push(trip)
  }
  return { calls: writer.seal(), trips: compactTrips(trips, kept, writer.offsets), tripOfRow, rowOfTrip: kept }
}

/** Reports a trip without calls, which is no loss, or drops one with fewer than two usable calls. */
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

/** The most rows of any trip. */
function longestOf(start: Uint32Array): number {
  let longest = 0
  for (let trip = 0; trip + 1 < start.length; trip++) {
    longest = Math.max(longest, start[trip + 1] - start[trip])
  }
  return longest
}

/** The raw rows by trip, then stop_sequence, then file order. */
function groupByTrip(raw: RawCalls, tripCount: number): { start: Uint32Array; order: Uint32Array } {
  const trip = raw.trip.view()
  const sequence = raw.stopSequence.view()
  const start = new Uint32Array(tripCount + 1)
  for (let row = 0; row < trip.length; row++) start[trip[row] + 1]++
  for (let i = 0; i < tripCount; i++) start[i + 1] += start[i]
  const order = new Uint32Array(trip.length)
  const next = start.slice()
  for (let row = 0; row < trip.length; row++) order[next[trip[row]]++] = row
  for (let i = 0; i < tripCount; i++) {
    const from = start[i]
    const to = start[i + 1]
    let isSorted = true
    for (let at = from + 1; at < to; at++) {
      if (sequence[order[at]] < sequence[order[at - 1]]) isSorted = false
    }
    if (isSorted) continue
    order.subarray(from, to).sort((a, b) => sequence[a] - sequence[b] || a - b)
  }
  return { start, order }
}

class CallWriter {
  /** Kept trip → its first call; one longer. */
  readonly offsets: number[] = [0]
  private readonly raw: RawCalls
  private readonly problems: FeedProblems
  private readonly stop: Uint32Array
  private readonly stopSequence: Uint32Array
  private readonly arrival: Uint32Array
  private readonly departure: Uint32Array
  private readonly pickup: Uint8Array
  private readonly dropOff: Uint8Array
  private readonly headsign: Uint32Array
  private readonly distance: Float64Array | undefined
  private readonly ground: DistanceGround | undefined
  private count = 0
  private readonly call: TripCalls

  constructor(sources: CallSources, problems: FeedProblems, longestTrip: number) {
    const { calls: raw, stops, shapes } = sources
    const capacity = raw.trip.length
    this.raw = raw
    this.problems = problems
    this.stop = new Uint32Array(capacity)
    this.stopSequence = new Uint32Array(capacity)
    this.arrival = new Uint32Array(capacity)
    this.departure = new Uint32Array(capacity)
    this.pickup = new Uint8Array(capacity)
    this.dropOff = new Uint8Array(capacity)
    this.headsign = new Uint32Array(capacity)
    this.distance = raw.distance === undefined ? undefined : new Float64Array(capacity)
    this.ground =
      this.distance === undefined
        ? undefined
        : { distance: this.distance, stop: sealColumn(this.stop), stops, shapes, asideOf: new Map() }
    this.call = { rows: new Uint32Array(longestTrip), length: 0 }
  }

  /** Repairs and writes one trip's calls. Returns false if fewer than two are left. `shape` is NONE if it has none. */
  writeTrip(rows: Uint32Array, shape: number): boolean {
    this.keepSound(rows)
    this.trimUntimed()
    const { call, raw } = this
    if (call.length < 2) return false
    const first = this.count
    for (let i = 0; i < call.length; i++) {
      const row = call.rows[i]
      const to = first + i
      const exchange = raw.exchange.at(row)
      this.stop[to] = raw.stop.at(row)
      this.stopSequence[to] = raw.stopSequence.at(row)
      this.arrival[to] = raw.arrival.at(row)
      this.departure[to] = raw.departure.at(row)
      this.pickup[to] = exchange & 3
      this.dropOff[to] = exchange >> 2
      this.headsign[to] = raw.headsign.at(row)
      if (this.distance !== undefined && raw.distance !== undefined) this.distance[to] = raw.distance.at(row)
    }
    this.count += call.length
    this.offsets.push(this.count)
    this.fillTimes(first)
    this.dropBadDistances(first, shape)
    return true
  }

  seal(): CallTable {
    const { count } = this
    const hasDistance = this.distance?.subarray(0, count).some((each) => !Number.isNaN(each)) ?? false
    return {
      count,
      stop: sealColumn(this.stop.subarray(0, count)),
      stopSequence: sealColumn(this.stopSequence.subarray(0, count)),
      arrivalSeconds: sealColumn(this.arrival.subarray(0, count)),
      departureSeconds: sealColumn(this.departure.subarray(0, count)),
      pickupType: sealColumn(this.pickup.subarray(0, count)),
      dropOffType: sealColumn(this.dropOff.subarray(0, count)),
      headsign: sealColumn(this.headsign.subarray(0, count)),
      shapeDistance:
        hasDistance && this.distance !== undefined ? sealColumn(this.distance.subarray(0, count)) : undefined,
    }
  }

  /** Keeps rows with a new stop_sequence and non-decreasing times. */
  private keepSound(rows: Uint32Array): void {
    const { call, raw } = this
    call.length = 0
    let lastSequence = -1
    let lastDeparture = -1
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]
      const sequence = raw.stopSequence.at(row)
      const arrival = raw.arrival.at(row)
      const departure = raw.departure.at(row)
      if (sequence === lastSequence) this.drop(row, 'duplicate_key', `stop_sequence ${sequence}`)
      else if (departure < arrival)
        this.drop(row, 'start_and_end_range_out_of_order', `departure ${arrival - departure} s before arrival`)
      else if (arrival !== NO_TIME && arrival < lastDeparture) {
        this.drop(row, 'stop_time_with_arrival_before_previous_departure_time', `${lastDeparture - arrival} s earlier`)
      } else {
        call.rows[call.length++] = row
        lastSequence = sequence
        if (departure !== NO_TIME) lastDeparture = departure
      }
    }
  }

  /** Drops calls without a time at both ends of the trip. */
  private trimUntimed(): void {
    const { call, raw } = this
    let first = 0
    let end = call.length
    while (first < end && raw.arrival.at(call.rows[first]) === NO_TIME) {
      this.drop(call.rows[first++], 'missing_trip_edge', 'the first call has no time')
    }
    while (end > first && raw.arrival.at(call.rows[end - 1]) === NO_TIME) {
      this.drop(call.rows[--end], 'missing_trip_edge', 'the last call has no time')
    }
    call.rows.copyWithin(0, first, end)
    call.length = end - first
  }

  private drop(row: number, rule: Rule, example: string): void {
    this.problems.report({ rule, file: STOP_TIMES_FILE, line: this.raw.line.at(row), example, action: 'dropped_row' })
  }

  /** Fills each gap of untimed calls between two timed ones. */
  private fillTimes(first: number): void {
    const { raw, call, count } = this
    for (let at = first + 1; at < count; at++) {
      if (raw.arrival.at(call.rows[at - first]) !== NO_TIME) continue
      let end = at
      while (raw.arrival.at(call.rows[end - first]) === NO_TIME) end++
      this.fillGap(at - 1, end)
      at = end
    }
  }

  /** Interpolates times between a departure and an arrival: by distance if complete and increasing, else evenly. */
  private fillGap(before: number, after: number): void {
    const from = this.departure[before]
    const span = this.arrival[after] - from
    const distance = this.growsFrom(before, after) ? this.distance : undefined
    const whole = wayBetween(before, after, distance)
    for (let at = before + 1; at < after; at++) {
      // Multiplies before dividing, to keep exact halves.
      const seconds = Math.floor(from + (span * wayBetween(before, at, distance)) / whole + 0.5)
      this.arrival[at] = seconds
      this.departure[at] = seconds
    }
  }

  private growsFrom(before: number, after: number): boolean {
    const { distance } = this
    if (distance === undefined) return false
    for (let at = before + 1; at <= after; at++) {
      if (!(distance[at] > distance[at - 1])) return false
    }
    return true
  }

  /** Ignores all distances of a trip if any is wrong; positions then come from the shape. */
  private dropBadDistances(first: number, shape: number): void {
    const { ground, count } = this
    if (ground === undefined) return
    const fault = findDistanceFault(ground, {
      first: first as CallRow,
      end: count as CallRow,
      shape: shape === NONE ? undefined : (shape as ShapeRow),
    })
    if (fault === undefined) return
    this.problems.report({
      rule: fault.rule,
      file: STOP_TIMES_FILE,
      line: this.raw.line.at(this.call.rows[fault.call - first]),
      field: 'shape_dist_traveled',
      example: fault.example,
      action: 'repaired',
      ...(fault.rule === 'stop_too_far_from_shape_using_user_distance' ? { severity: 'warning' as const } : {}),
    })
    ground.distance.fill(Number.NaN, first, count)
  }
}

/** The distance between two calls, or the number of calls if there are no distances. */
function wayBetween(from: number, to: number, distance: Float64Array | undefined): number {
  return distance === undefined ? to - from : distance[to] - distance[from]
}

function compactTrips(trips: LoadedTrips, kept: readonly number[], offsets: readonly number[]): TripTable {
  const take = (column: { at(row: number): number }) => Uint32Array.from(kept, (row) => column.at(row))
  const takeU8 = (column: { at(row: number): number }) => Uint8Array.from(kept, (row) => column.at(row))
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
    callOffset: sealColumn(Uint32Array.from(offsets)),
  }
}
