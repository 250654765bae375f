// Data about each stop that is derived from its calls: its lines, whether riders can board there, and its number of
// departures.
import { columnArray } from '../../loaders/columns.ts'
import type { Feed } from '../../loaders/gtfs/feed.ts'
import { findBusiestDay, runsOn } from './service-days.ts'
import {
  type Boards,
  type Frequencies,
  type Patterns,
  type ServiceDays,
  STOP_HAS_BOARDINGS,
  STOP_HAS_CALLS,
  STOP_HAS_DEPARTURES,
  type Trips,
} from './timetable.ts'

/** pickup_type and drop_off_type 1: not available. */
const NOT_HERE = 1

/** Inputs to the functions in this file. */
export interface UseParts {
  readonly stopCount: number
  readonly patterns: Patterns
  readonly trips: Trips
  readonly boards: Boards
  readonly frequencies: Frequencies
  readonly serviceDays: ServiceDays
}

/** The lines of each stop or area. `offset`: stop or area → its first element of `lineAt`; has one extra entry. */
export interface LineLists {
  readonly offset: Uint32Array
  readonly lineAt: Uint32Array
}

/** Stop → sum of STOP_HAS_… bits. */
export function listCallKinds({ stopCount, patterns }: UseParts): Uint8Array {
  const stopOffset = columnArray(patterns.stopOffset)
  const stopAt = columnArray(patterns.stopAt)
  const pickupType = columnArray(patterns.pickupType)
  const kinds = new Uint8Array(stopCount)
  for (let pattern = 0; pattern + 1 < stopOffset.length; pattern++) {
    const last = stopOffset[pattern + 1] - 1
    for (let at = stopOffset[pattern]; at <= last; at++) {
      let kind = STOP_HAS_CALLS
      if (at < last) kind |= STOP_HAS_DEPARTURES
      if (at < last && pickupType[at] !== NOT_HERE) kind |= STOP_HAS_BOARDINGS
      const stop = stopAt[at]
      kinds[stop] = kinds[stop] | kind
    }
  }
  return kinds
}

/** Stop → the directions that serve the stop, including directions whose trips run on no day. */
export function listDirections({ stopCount, patterns }: UseParts): Set<number>[] {
  const stopOffset = columnArray(patterns.stopOffset)
  const stopAt = columnArray(patterns.stopAt)
  const directionOf = columnArray(patterns.direction)
  const directions = Array.from({ length: stopCount }, () => new Set<number>())
  for (let pattern = 0; pattern < directionOf.length; pattern++) {
    const end = stopOffset[pattern + 1]
    for (let at = stopOffset[pattern]; at < end; at++) {
      directions[stopAt[at]]?.add(directionOf[pattern])
    }
  }
  return directions
}

/**
 * The lines of each place, in line order. A place is a stop or an area. Only calls that allow boarding or alighting
 * count, and only if a trip with these calls runs on at least one day of the calendar. `placeOf` maps a stop to the
 * number of its place. For a stop without a place, it returns `count` or more; `count` is the number of places.
 */
export function listLines(
  parts: { patterns: Patterns; isRunning: Uint8Array },
  places: { placeOf: (stop: number) => number; count: number },
): LineLists {
  const lastLine = new Int32Array(places.count).fill(-1)
  const offset = new Uint32Array(places.count + 1)
  eachLineCall(parts, (stop, line) => {
    const place = places.placeOf(stop)
    if (place >= places.count || lastLine[place] === line) return
    lastLine[place] = line
    offset[place + 1] = offset[place + 1] + 1
  })
  for (let place = 0; place < places.count; place++) {
    offset[place + 1] = offset[place + 1] + offset[place]
  }
  const next = offset.slice(0, places.count)
  const lineAt = new Uint32Array(offset[places.count])
  lastLine.fill(-1)
  eachLineCall(parts, (stop, line) => {
    const place = places.placeOf(stop)
    if (place >= places.count || lastLine[place] === line) return
    lastLine[place] = line
    const at = next[place]
    lineAt[at] = line
    next[place] = at + 1
  })
  return { offset, lineAt }
}

/**
 * Calls `visit` with each call that allows boarding or alighting, line by line. Visits only patterns with a trip that
 * runs.
 */
function eachLineCall(
  { patterns, isRunning }: { patterns: Patterns; isRunning: Uint8Array },
  visit: (stop: number, line: number) => void,
): void {
  const stopOffset = columnArray(patterns.stopOffset)
  const stopAt = columnArray(patterns.stopAt)
  const pickupType = columnArray(patterns.pickupType)
  const dropOffType = columnArray(patterns.dropOffType)
  const lineOf = columnArray(patterns.line)
  for (let pattern = 0; pattern < lineOf.length; pattern++) {
    if (isRunning[pattern] !== 1) continue
    const end = stopOffset[pattern + 1]
    for (let at = stopOffset[pattern]; at < end; at++) {
      if (pickupType[at] === NOT_HERE && dropOffType[at] === NOT_HERE) continue
      visit(stopAt[at], lineOf[pattern])
    }
  }
}

/** Pattern → 1 if one of its trips runs on some day. */
export function markRunning(patterns: Patterns, trips: Trips, dayCountOfService: Uint32Array): Uint8Array {
  const isRunning = new Uint8Array(patterns.line.length)
  const patternOf = columnArray(trips.pattern)
  const serviceOf = columnArray(trips.service)
  for (let trip = 0; trip < patternOf.length; trip++) {
    if (dayCountOfService[serviceOf[trip]] > 0) isRunning[patternOf[trip]] = 1
  }
  return isRunning
}

/**
 * Stop → departures on the busiest day. Each run of a frequency trip counts as one departure. The busiest day of the
 * whole network is used for every stop, so that ranks are comparable.
 */
export function countDailyDepartures(feed: Feed, parts: UseParts): Uint32Array {
  const { boards, trips, frequencies } = parts
  const day = findBusiestDay(parts.serviceDays.tripCount)
  const isOnDay = Uint8Array.from({ length: feed.services.count }, (_, service) =>
    day < feed.services.dayCount ? Number(runsOn(feed.services, service, day)) : 0,
  )
  const serviceOf = columnArray(trips.service)
  const counts = new Uint32Array(parts.stopCount)
  const count = (offsets: { readonly length: number }, tripColumn: { readonly length: number }, isRuns: boolean) => {
    const offset = columnArray(offsets)
    const tripAt = columnArray(tripColumn)
    for (let stop = 0; stop < parts.stopCount; stop++) {
      for (let row = offset[stop]; row < offset[stop + 1]; row++) {
        const trip = tripAt[row]
        if (isOnDay[serviceOf[trip]] !== 1) continue
        counts[stop] = counts[stop] + (isRuns ? countRuns(trips, frequencies, trip) : 1)
      }
    }
  }
  count(boards.offset, boards.trip, false)
  count(boards.frequencyOffset, boards.frequencyTrip, true)
  return counts
}

/** Number of runs of a frequency trip on a day. */
function countRuns(trips: Trips, frequencies: Frequencies, trip: number): number {
  const offset = columnArray(trips.frequencyOffset)
  const start = columnArray(frequencies.startSeconds)
  const end = columnArray(frequencies.endSeconds)
  const headway = columnArray(frequencies.headwaySeconds)
  let runs = 0
  for (let row = offset[trip]; row < offset[trip + 1]; row++) {
    runs += Math.max(0, Math.ceil((end[row] - start[row]) / headway[row]))
  }
  return runs
}
