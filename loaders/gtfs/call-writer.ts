// Sorts and completes the calls of trips: drops duplicates and impossible times, interpolates missing times, and
// ignores wrong distances. The result is written into the CallTable.
import { NONE, sealColumn } from '../columns.ts'
import type { FeedProblems } from '../feed-problems.ts'
import type { Rule } from '../rules.ts'
import { type DistanceGround, findDistanceFault } from './call-distances.ts'
import type { CallRow, CallTable, ShapeRow, ShapeTable, StopTable } from './feed.ts'
import { NO_TIME } from './service-time.ts'
import { type RawCalls, STOP_TIMES_FILE } from './stop-times.ts'

/** The data that a CallWriter needs. */
export interface CallWriterParts {
  readonly problems: FeedProblems
  readonly stops: StopTable
  readonly shapes: ShapeTable
  /** Estimates the number of calls in the whole file from the number of calls written so far. */
  readonly expectedCalls: (written: number) => number
}

/** The rows in RawCalls (stop-times.ts) that belong to one trip, in order. Reused for each trip. */
interface TripCalls {
  rows: Uint32Array
  length: number
}

/** Writes calls into the columns of a CallTable, one trip at a time. */
export class CallWriter {
  /** Written trip → its first call; has one extra entry. */
  readonly offsets: number[] = [0]
  private readonly parts: CallWriterParts
  private readonly ground: DistanceGround
  private raw: RawCalls
  private capacity = 0
  private stop = new Uint32Array(0)
  private stopSequence = new Uint32Array(0)
  private arrival = new Uint32Array(0)
  private departure = new Uint32Array(0)
  private pickup = new Uint8Array(0)
  private dropOff = new Uint8Array(0)
  private headsign = new Uint32Array(0)
  private distance = new Float64Array(0)
  private count = 0
  private readonly call: TripCalls = { rows: new Uint32Array(256), length: 0 }

  constructor(raw: RawCalls, parts: CallWriterParts) {
    const { stops, shapes } = parts
    this.raw = raw
    this.parts = parts
    this.ground = { distance: this.distance, stop: sealColumn(this.stop), stops, shapes, asideOf: new Map() }
  }

  /**
   * Repairs and writes the calls of one trip. Returns false if fewer than two calls remain.
   * @param rows the trip's rows in `raw`, in file order; this method sorts them
   * @param shape NONE if the trip has no shape
   */
  writeTrip(raw: RawCalls, rows: Uint32Array, shape: number): boolean {
    this.raw = raw
    if (this.call.rows.length < rows.length) this.call.rows = new Uint32Array(rows.length * 2)
    this.keepSound(sortBySequence(raw, rows))
    this.trimUntimed()
    const { call, count: first } = this
    if (call.length < 2) return false
    if (first + call.length > this.capacity) this.grow(first + call.length)
    for (let i = 0; i < call.length; i++) {
      const row = call.rows[i]
      const to = first + i
      const exchange = raw.exchange[row]
      this.stop[to] = raw.stop[row]
      this.stopSequence[to] = raw.stopSequence[row]
      this.arrival[to] = raw.arrival[row]
      this.departure[to] = raw.departure[row]
      this.pickup[to] = exchange & 3
      this.dropOff[to] = exchange >> 2
      this.headsign[to] = raw.headsign[row]
      if (raw.distance !== undefined) this.distance[to] = raw.distance[row]
    }
    this.count += call.length
    this.offsets.push(this.count)
    this.fillTimes(first)
    if (raw.distance !== undefined) this.dropBadDistances(first, shape)
    return true
  }

  seal(): CallTable {
    const { count } = this
    const distance = this.distance.subarray(0, count)
    return {
      count,
      stop: sealColumn(this.stop.subarray(0, count)),
      stopSequence: sealColumn(this.stopSequence.subarray(0, count)),
      arrivalSeconds: sealColumn(this.arrival.subarray(0, count)),
      departureSeconds: sealColumn(this.departure.subarray(0, count)),
      pickupType: sealColumn(this.pickup.subarray(0, count)),
      dropOffType: sealColumn(this.dropOff.subarray(0, count)),
      headsign: sealColumn(this.headsign.subarray(0, count)),
      shapeDistance: distance.some((each) => !Number.isNaN(each)) ? sealColumn(distance) : undefined,
    }
  }

  /**
   * Enlarges the columns for at least `needed` calls. If `expectedCalls` estimates too many, little memory is wasted,
   * because the operating system provides memory only when it is written to.
   */
  private grow(needed: number): void {
    const capacity = Math.ceil(Math.max(1024, needed * 1.25, this.parts.expectedCalls(this.count)))
    const wider = <A extends Uint8Array | Uint32Array | Float64Array>(array: A, to: A): A => {
      to.set(array)
      return to
    }
    this.stop = wider(this.stop, new Uint32Array(capacity))
    this.stopSequence = wider(this.stopSequence, new Uint32Array(capacity))
    this.arrival = wider(this.arrival, new Uint32Array(capacity))
    this.departure = wider(this.departure, new Uint32Array(capacity))
    this.pickup = wider(this.pickup, new Uint8Array(capacity))
    this.dropOff = wider(this.dropOff, new Uint8Array(capacity))
    this.headsign = wider(this.headsign, new Uint32Array(capacity))
    if (this.raw.distance !== undefined) this.distance = wider(this.distance, new Float64Array(capacity))
    this.ground.distance = this.distance
    this.ground.stop = sealColumn(this.stop)
    this.capacity = capacity
  }

  /**
   * Drops rows that repeat a stop_sequence, that depart before they arrive, or that arrive before the previous row
   * departs.
   */
  private keepSound(rows: Uint32Array): void {
    const { call, raw } = this
    call.length = 0
    let lastSequence = -1
    let lastDeparture = -1
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]
      const sequence = raw.stopSequence[row]
      const arrival = raw.arrival[row]
      const departure = raw.departure[row]
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

  /** Drops calls without a time at the start and end of the trip. */
  private trimUntimed(): void {
    const { call, raw } = this
    let first = 0
    let end = call.length
    while (first < end && raw.arrival[call.rows[first]] === NO_TIME) {
      this.drop(call.rows[first++], 'missing_trip_edge', 'the first call has no time')
    }
    while (end > first && raw.arrival[call.rows[end - 1]] === NO_TIME) {
      this.drop(call.rows[--end], 'missing_trip_edge', 'the last call has no time')
    }
    call.rows.copyWithin(0, first, end)
    call.length = end - first
  }

  private drop(row: number, rule: Rule, example: string): void {
    const { problems } = this.parts
    problems.report({ rule, file: STOP_TIMES_FILE, line: this.raw.line[row], example, action: 'dropped_row' })
  }

  /** Interpolates missing times. Because of `trimUntimed`, calls without times are always between calls with times. */
  private fillTimes(first: number): void {
    const { raw, call, count } = this
    for (let at = first + 1; at < count; at++) {
      if (raw.arrival[call.rows[at - first]] !== NO_TIME) continue
      let end = at
      while (raw.arrival[call.rows[end - first]] === NO_TIME) end++
      this.fillGap(at - 1, end)
      at = end
    }
  }

  /**
   * Interpolates times between a departure and an arrival: by distance if all distances are known and increase,
   * otherwise in equal steps.
   */
  private fillGap(before: number, after: number): void {
    const from = this.departure[before]
    const span = this.arrival[after] - from
    const distance = this.growsFrom(before, after) ? this.distance : undefined
    const whole = wayBetween(before, after, distance)
    for (let at = before + 1; at < after; at++) {
      // The multiplication comes before the division, so that half seconds are exact and are rounded up.
      const seconds = Math.floor(from + (span * wayBetween(before, at, distance)) / whole + 0.5)
      this.arrival[at] = seconds
      this.departure[at] = seconds
    }
  }

  private growsFrom(before: number, after: number): boolean {
    const { distance, raw } = this
    if (raw.distance === undefined) return false
    for (let at = before + 1; at <= after; at++) {
      if (!(distance[at] > distance[at - 1])) return false
    }
    return true
  }

  /**
   * Ignores all distances of a trip if one is wrong. For such a trip, the positions of calls along the shape are
   * computed later from the positions of the stops.
   */
  private dropBadDistances(first: number, shape: number): void {
    const { ground, count } = this
    const fault = findDistanceFault(ground, {
      first: first as CallRow,
      end: count as CallRow,
      shape: shape === NONE ? undefined : (shape as ShapeRow),
    })
    if (fault === undefined) return
    this.parts.problems.report({
      rule: fault.rule,
      file: STOP_TIMES_FILE,
      line: this.raw.line[this.call.rows[fault.call - first]],
      field: 'shape_dist_traveled',
      example: fault.example,
      action: 'repaired',
      ...(fault.rule === 'stop_too_far_from_shape_using_user_distance' ? { severity: 'warning' as const } : {}),
    })
    ground.distance.fill(Number.NaN, first, count)
  }
}

/** The distance between two calls. If there are no distances, the number of calls from one to the other. */
function wayBetween(from: number, to: number, distance: Float64Array | undefined): number {
  return distance === undefined ? to - from : distance[to] - distance[from]
}

/** Sorts the rows by stop_sequence, then by file order. Changes `rows`. */
function sortBySequence({ stopSequence }: RawCalls, rows: Uint32Array): Uint32Array {
  for (let at = 1; at < rows.length; at++) {
    if (stopSequence[rows[at]] >= stopSequence[rows[at - 1]]) continue
    return rows.sort((a, b) => stopSequence[a] - stopSequence[b] || a - b)
  }
  return rows
}
