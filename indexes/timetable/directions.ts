// The direction of each trip: the feed's direction_id, or a derived direction if the feed has none. Derived directions
// depend on stop ids, positions and service days, but not on row order, so they are stable across reloads.
import { columnArray, NONE_U8 } from '../../loaders/columns.ts'
import type { Feed } from '../../loaders/gtfs/feed.ts'
import { compareLists } from './list-pool.ts'
import type { Numbering } from './numbering.ts'
import type { StopPlaces } from './stop-table.ts'
import type { TripCalls } from './trip-calls.ts'

/**
 * Trip row → 0 or 1.
 *
 * If a line has trips without a direction, one of its stop lists is chosen as the reference. A list with two different
 * ends is preferred, then a list with more trip-days (the sum of the service days of its trips), then a list with
 * smaller stop ids.
 *
 * The axis of the line leads from one end of the reference to the other: from the smaller stop id to the larger. A list
 * in the direction of the axis gets 0, a list against it gets 1. A list that ends where it started has no direction on
 * the axis, so it is compared stop by stop with the reference. If the reference also ends where it started, all lists
 * are compared with it in this way. If a comparison shows no direction, the list gets 0.
 */
export function directTrips(
  feed: Feed,
  parts: { tripCalls: TripCalls; lines: Numbering; places: StopPlaces },
): Uint8Array {
  const given = columnArray(feed.trips.direction)
  const routeOf = columnArray(feed.trips.route)
  const directionOf = Uint8Array.from(given)
  const listsOfLine = weighListsOfOpenLines(feed, parts)
  const directionsOfLine = new Map<number, ReadonlyMap<number, number>>()
  for (const [line, weights] of listsOfLine) directionsOfLine.set(line, directLists(weights, parts))
  for (let trip = 0; trip < directionOf.length; trip++) {
    if (given[trip] !== NONE_U8) continue
    const line = parts.lines.numberOf[routeOf[trip]]
    directionOf[trip] = directionsOfLine.get(line)?.get(parts.tripCalls.stopListOf[trip]) ?? 0
  }
  return directionOf
}

/**
 * Line → stop list → the sum of the service days of the trips with this list. Contains only lines that have a trip
 * without a direction.
 */
function weighListsOfOpenLines(
  feed: Feed,
  parts: { tripCalls: TripCalls; lines: Numbering },
): Map<number, Map<number, number>> {
  const { tripCalls, lines } = parts
  const given = columnArray(feed.trips.direction)
  const routeOf = columnArray(feed.trips.route)
  const listsOfLine = new Map<number, Map<number, number>>()
  for (let trip = 0; trip < feed.trips.count; trip++) {
    if (given[trip] === NONE_U8) listsOfLine.set(lines.numberOf[routeOf[trip]], new Map())
  }
  if (listsOfLine.size === 0) return listsOfLine
  for (let trip = 0; trip < feed.trips.count; trip++) {
    const weights = listsOfLine.get(lines.numberOf[routeOf[trip]])
    if (weights === undefined) continue
    const list = tripCalls.stopListOf[trip]
    weights.set(list, (weights.get(list) ?? 0) + tripCalls.dayCountOf[trip])
  }
  return listsOfLine
}

/** Stop list → direction, for the lists of one line. */
function directLists(
  weights: ReadonlyMap<number, number>,
  parts: { tripCalls: TripCalls; places: StopPlaces },
): ReadonlyMap<number, number> {
  const { stopLists } = parts.tripCalls
  const lists = [...weights.keys()].map((list) => ({
    list,
    stops: stopLists.list(list),
    weight: weights.get(list) ?? 0,
    isLoop: isLoop(stopLists.list(list), parts.places),
  }))
  lists.sort((a, b) => Number(a.isLoop) - Number(b.isLoop) || b.weight - a.weight || compareLists(a.stops, b.stops))
  const reference = lists[0]
  if (reference === undefined) return new Map()
  const direct = reference.isLoop
    ? (stops: Uint32Array) => (stepsAlong(stops, reference.stops, true) >= 0 ? 0 : 1)
    : directAlongAxis(reference.stops, parts.places)
  return new Map(lists.map(({ list, stops }) => [list, direct(stops)]))
}

/**
 * Returns a function that finds the direction of a stop list by comparing it with a reference list that has two
 * different ends.
 */
function directAlongAxis(reference: Uint32Array, places: StopPlaces): (stops: Uint32Array) => number {
  const first = reference[0]
  const last = reference[reference.length - 1]
  const from = Math.min(first, last)
  const to = Math.max(first, last)
  const axis = wayBetween(from, to, places)
  const isReferenceForward = first === from
  return (stops) => {
    if (isLoop(stops, places)) {
      const steps = stepsAlong(stops, reference, false) * (isReferenceForward ? 1 : -1)
      return steps >= 0 ? 0 : 1
    }
    const way = wayBetween(stops[0], stops[stops.length - 1], places)
    return way.x * axis.x + way.y * axis.y >= 0 ? 0 : 1
  }
}

/**
 * Number of steps from stop to stop in the direction of the reference, minus the number of steps against it. Negative
 * if most steps are against the reference. If the reference is a loop, each step could go around the loop either way;
 * the shorter way counts.
 */
function stepsAlong(stops: Uint32Array, reference: Uint32Array, isRound: boolean): number {
  const round = reference.length - 1
  const positions = new Map<number, number>()
  for (let i = reference.length - 1; i >= 0; i--) positions.set(reference[i], i)
  let steps = 0
  let before: number | undefined
  for (const stop of stops) {
    const position = positions.get(stop)
    if (position === undefined) continue
    if (before !== undefined && position !== before) {
      const step = position - before
      steps += isRound ? Math.sign(round / 2 - ((step + round) % round)) : Math.sign(step)
    }
    before = position
  }
  return steps
}

/** Whether a list ends at the position where it started. */
function isLoop(stops: Uint32Array, places: StopPlaces): boolean {
  const way = wayBetween(stops[0], stops[stops.length - 1], places)
  return way.x === 0 && way.y === 0
}

/** The vector from one stop to another on a flat map, in degrees of latitude. */
function wayBetween(from: number, to: number, places: StopPlaces): { x: number; y: number } {
  const lat = ((places.lat[from] + places.lat[to]) / 2) * (Math.PI / 180)
  let lon = places.lon[to] - places.lon[from]
  if (lon > 180) lon -= 360
  if (lon < -180) lon += 360
  return { x: lon * Math.cos(lat), y: places.lat[to] - places.lat[from] }
}
