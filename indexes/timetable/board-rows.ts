// Builds the boards. A stop's board has one row for each call at which riders can board, in the order in which
// departures are listed. Rows are first written by stop, line, trip id and position. Then the rows of each stop are
// sorted by departure time.
import { columnArray, sealColumn } from '../../loaders/columns.ts'
import { allocateNarrowest } from './column-width.ts'
import type { Boards, Patterns, StopTimes, Trips } from './timetable.ts'

/** pickup_type 1: no pickup. */
const NO_PICKUP = 1
/**
 * Maximum number of rows per stop; no feed has that many. Departure times are below 2^26 s, so a departure time and a
 * row together fit in the 53 bits of an exact integer.
 */
const ROWS_OF_STOP = 2 ** 27

/** Inputs to `buildBoards`. */
export interface BoardParts {
  readonly stopCount: number
  readonly patterns: Patterns
  readonly trips: Trips
  readonly stopTimes: StopTimes
}

/** Builds the boards. Leaves out last calls and calls without boarding. Takes about a second for 10 million calls. */
export function buildBoards(parts: BoardParts): Boards {
  const timed = listRows(parts, 0)
  const departureSeconds = readDepartures(parts, timed)
  sortByDeparture(timed, departureSeconds)
  const frequency = listRows(parts, 1)
  return {
    offset: sealColumn(timed.offset),
    departureSeconds: sealColumn(departureSeconds),
    trip: sealColumn(timed.trip),
    position: sealColumn(timed.position),
    frequencyOffset: sealColumn(frequency.offset),
    frequencyTrip: sealColumn(frequency.trip),
    frequencyPosition: sealColumn(frequency.position),
  }
}

/** The calls that allow boarding, grouped by stop. */
interface Rows {
  /** Stop → its first row; has one extra entry. */
  readonly offset: Uint32Array
  readonly trip: Uint32Array
  readonly position: Uint8Array | Uint16Array | Uint32Array
}

/**
 * Lists the rows of timed trips (isFrequency 0) by stop, line, trip id and position, or the rows of frequency trips (1)
 * by stop, trip and position.
 */
function listRows(parts: BoardParts, isFrequency: 0 | 1): Rows {
  const { patterns } = parts
  const patternOf = columnArray(parts.trips.pattern)
  const frequencyMarks = columnArray(patterns.isFrequency)
  const stopOffset = columnArray(patterns.stopOffset)
  const pickupType = columnArray(patterns.pickupType)
  const stopAt = columnArray(patterns.stopAt)
  const { offset, maxPosition } = countRows(parts, isFrequency)
  const next = offset.slice()
  const length = offset[parts.stopCount]
  const trip = new Uint32Array(length)
  const position = allocateNarrowest(length, maxPosition)
  for (const number of isFrequency === 1 ? identity(patternOf.length) : tripsByLineAndId(parts)) {
    const pattern = patternOf[number]
    if (frequencyMarks[pattern] !== isFrequency) continue
    const firstStop = stopOffset[pattern]
    const lastPosition = stopOffset[pattern + 1] - firstStop - 1
    for (let i = 0; i < lastPosition; i++) {
      if (pickupType[firstStop + i] === NO_PICKUP) continue
      const row = next[stopAt[firstStop + i]]++
      trip[row] = number
      position[row] = i
    }
  }
  return { offset, trip, position }
}

/** Counts the rows of each stop, and finds the highest position. */
function countRows(
  { stopCount, patterns }: BoardParts,
  isFrequency: 0 | 1,
): { readonly offset: Uint32Array; readonly maxPosition: number } {
  const stopOffset = columnArray(patterns.stopOffset)
  const tripOffset = columnArray(patterns.tripOffset)
  const pickupType = columnArray(patterns.pickupType)
  const stopAt = columnArray(patterns.stopAt)
  const frequencyMarks = columnArray(patterns.isFrequency)
  const offset = new Uint32Array(stopCount + 1)
  let maxPosition = 0
  for (let pattern = 0; pattern < frequencyMarks.length; pattern++) {
    if (frequencyMarks[pattern] !== isFrequency) continue
    const first = stopOffset[pattern]
    const last = stopOffset[pattern + 1] - 1
    const tripCount = tripOffset[pattern + 1] - tripOffset[pattern]
    for (let at = first; at < last; at++) {
      if (pickupType[at] === NO_PICKUP) continue
      offset[stopAt[at] + 1] += tripCount
      maxPosition = Math.max(maxPosition, at - first)
    }
  }
  for (let stop = 0; stop < stopCount; stop++) offset[stop + 1] += offset[stop]
  return { offset, maxPosition }
}

/**
 * The trips ordered by line, then id. Trips are already numbered by line, so only the trips within each line are sorted
 * here.
 */
function tripsByLineAndId({ patterns, trips }: BoardParts): Uint32Array {
  const lineOf = columnArray(patterns.line)
  const patternOf = columnArray(trips.pattern)
  const idRank = columnArray(trips.idRank)
  const order = identity(patternOf.length)
  for (let from = 0; from < order.length; ) {
    const line = lineOf[patternOf[from]]
    let to = from + 1
    while (to < order.length && lineOf[patternOf[to]] === line) to++
    order.subarray(from, to).sort((a, b) => idRank[a] - idRank[b])
    from = to
  }
  return order
}

/** The departure time of each row. */
function readDepartures({ patterns, trips, stopTimes }: BoardParts, rows: Rows): Uint32Array {
  const patternOf = columnArray(trips.pattern)
  const tripOffset = columnArray(patterns.tripOffset)
  const timeOffset = columnArray(patterns.timeOffset)
  const departureOf = columnArray(stopTimes.departureSeconds)
  const { trip, position } = rows
  const departureSeconds = new Uint32Array(trip.length)
  for (let row = 0; row < trip.length; row++) {
    const number = trip[row]
    const pattern = patternOf[number]
    const firstTrip = tripOffset[pattern]
    const tripCount = tripOffset[pattern + 1] - firstTrip
    departureSeconds[row] = departureOf[timeOffset[pattern] + number - firstTrip + position[row] * tripCount]
  }
  return departureSeconds
}

/** Sorts the rows of each stop by departure; ties keep their order. */
function sortByDeparture({ offset, trip, position }: Rows, departureSeconds: Uint32Array): void {
  const longest = longestSpan(offset)
  if (longest > ROWS_OF_STOP) throw new Error(`a stop has ${longest} departures; at most ${ROWS_OF_STOP} are supported`)
  const keys = new Float64Array(longest)
  const trips = new Uint32Array(longest)
  const positions = new Uint32Array(longest)
  for (let stop = 0; stop + 1 < offset.length; stop++) {
    const first = offset[stop]
    const count = offset[stop + 1] - first
    // Each key combines a departure time and the row's index in one number, because numbers sort fastest.
    for (let i = 0; i < count; i++) {
      keys[i] = departureSeconds[first + i] * ROWS_OF_STOP + i
      trips[i] = trip[first + i]
      positions[i] = position[first + i]
    }
    keys.subarray(0, count).sort()
    for (let i = 0; i < count; i++) {
      const key = keys[i]
      const seconds = Math.floor(key / ROWS_OF_STOP)
      const from = key - seconds * ROWS_OF_STOP
      departureSeconds[first + i] = seconds
      trip[first + i] = trips[from]
      position[first + i] = positions[from]
    }
  }
}

function longestSpan(offset: Uint32Array): number {
  let longest = 0
  for (let stop = 0; stop + 1 < offset.length; stop++) longest = Math.max(longest, offset[stop + 1] - offset[stop])
  return longest
}

function identity(length: number): Uint32Array {
  const order = new Uint32Array(length)
  for (let i = 0; i < length; i++) order[i] = i
  return order
}
