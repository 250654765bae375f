// Where to change: two trips often meet at several stops, and a search finds any of them. Moves each change of a journey
// to the stops where riders have enough time and the shortest way. Trips, departure and arrival stay the same.
import { NONE } from '../../loaders/columns.ts'
import { type Footpaths, isBarred } from './footpaths.ts'
import {
  arrivalAt,
  CAN_ALIGHT,
  CAN_BOARD,
  departureAt,
  firstCallOf,
  firstInstanceOf,
  lengthOf,
  pointAt,
  type RouteLayer,
  useAt,
} from './route-layer.ts'
import type { FoundRide } from './search-ground.ts'

/** The data that the rides were found on, in the search's own direction of time. */
export interface ChangePlaceGround {
  readonly layers: readonly RouteLayer[]
  readonly footpaths: Footpaths
  /** Whether the search runs backwards: then the rides are in reverse order. */
  readonly isMirrored: boolean
  /** Point → its stop. */
  readonly stopOf: ArrayLike<number>
}

/** Spare time beyond this is not worth a longer walk. */
const ENOUGH_SECONDS = 120

/** A place for a change: positions of alighting in one route and boarding in another. */
interface ChangePlace {
  readonly alight: number
  readonly board: number
  readonly slackSeconds: number
  /** The least time for the change; 0 at one stop, where nobody walks. */
  readonly changeSeconds: number
}

/** Moving one change may make room for another: all are looked at again, at most this often. */
const MOST_PASSES = 3

/** The rides of a journey, with each change moved to its best place. */
export function moveChanges(rides: readonly FoundRide[], ground: ChangePlaceGround): FoundRide[] {
  const moved = [...rides]
  for (let pass = 0, hasMoved = rides.length > 1; hasMoved && pass < MOST_PASSES; pass++) {
    hasMoved = false
    for (let at = 1; at < moved.length; at++) {
      const place = moved[at].staysSeated ? undefined : findBest(moved, at, ground)
      if (place === undefined || (place.alight === moved[at - 1].to && place.board === moved[at].from)) continue
      moved[at - 1] = { ...moved[at - 1], to: place.alight }
      moved[at] = { ...moved[at], from: place.board }
      hasMoved = moved.length > 2
    }
  }
  return moved
}

/** The best place for the change before a ride. */
function findBest(rides: readonly FoundRide[], at: number, ground: ChangePlaceGround): ChangePlace | undefined {
  const { layers, footpaths, isMirrored, stopOf } = ground
  const { offset, point, seconds } = footpaths
  const [one, other] = [callsOf(layers, rides[at - 1]), callsOf(layers, rides[at])]
  const isAllowed = stationRule(rides, at, ground)
  const boardings = markBoardings(rides[at], other, footpaths)
  const lastDeparture = other.departure(rides[at].to - 1)
  let best: ChangePlace | undefined
  for (let alight = rides[at - 1].from + 1; alight < one.count; alight++) {
    const arrives = one.arrival(alight)
    if (arrives > lastDeparture) break
    if ((one.use(alight) & CAN_ALIGHT) === 0) continue
    const here = one.point(alight)
    for (let path = offset[here]; path < offset[here + 1]; path++) {
      for (let entry = firstEntry[point[path]]; entry > 0; entry = boardings[entry - 1].next) {
        const { board, there } = boardings[entry - 1]
        const slackSeconds = other.departure(board) - arrives - seconds[path]
        if (slackSeconds < 0 || (best !== undefined && spareOf(slackSeconds) < spareOf(best.slackSeconds))) continue
        if (point[path] !== there && isBarred(footpaths, here, there)) continue
        const changeSeconds = stopOf[here] === stopOf[there] ? 0 : seconds[path]
        const place = { alight, board, slackSeconds, changeSeconds }
        if ((best === undefined || compare(place, best, isMirrored) < 0) && isAllowed(place)) best = place
      }
    }
  }
  for (const { key } of boardings) firstEntry[key] = 0
  return best
}

/** Point or hub → its first entry in a list of boardings, counted from 1; 0 if none. For one change at a time. */
let firstEntry = new Int32Array(0)

/** A position where riders can board, by its point or the hub of its stop. */
interface Boarding {
  readonly board: number
  readonly there: number
  readonly key: number
  /** The next entry with the same key; 0 if it is the last. */
  readonly next: number
}

/** Lists where a ride can be boarded, and marks the points and hubs. */
function markBoardings(ride: FoundRide, calls: RideCalls, { hubOf }: Footpaths): readonly Boarding[] {
  if (firstEntry.length < hubOf.length) firstEntry = new Int32Array(hubOf.length)
  const boardings: Boarding[] = []
  for (let board = 0; board < ride.to; board++) {
    if ((calls.use(board) & CAN_BOARD) === 0) continue
    const there = calls.point(board)
    const hub = hubOf[there]
    for (const key of hub === NONE ? [there] : [there, hub]) {
      boardings.push({ board, there, key, next: firstEntry[key] })
      firstEntry[key] = boardings.length
    }
  }
  return boardings
}

function spareOf(slackSeconds: number): number {
  return Math.min(slackSeconds, ENOUGH_SECONDS)
}

/** Better places first: enough time, then the shorter change, then more time, then where riders alight first. */
function compare(a: ChangePlace, b: ChangePlace, isMirrored: boolean): number {
  const byPlace = a.alight - b.alight || a.board - b.board
  return (
    spareOf(b.slackSeconds) - spareOf(a.slackSeconds) ||
    a.changeSeconds - b.changeSeconds ||
    b.slackSeconds - a.slackSeconds ||
    (isMirrored ? b.board - a.board || b.alight - a.alight : byPlace)
  )
}

/**
 * Whether a change may move to a place: never to a station where the rider alights or boards at another change, since
 * returning to a station sooner than a change there takes is not allowed.
 */
function stationRule(rides: readonly FoundRide[], at: number, { layers, footpaths }: ChangePlaceGround) {
  const { station } = footpaths
  const stationAt = (ride: FoundRide, position: number) => station[callsOf(layers, ride).point(position)]
  const [one, other] = [rides[at - 1], rides[at]]
  const before = new Set(rides.slice(0, at - 1).map((ride) => stationAt(ride, ride.to)))
  const after = new Set(rides.slice(at + 1).map((ride) => stationAt(ride, ride.from)))
  return ({ alight, board }: ChangePlace): boolean => {
    if (alight === one.to && board === other.from) return true
    return !before.has(stationAt(other, board)) && !after.has(stationAt(one, alight))
  }
}

/** The calls of a trip, by position. */
interface RideCalls {
  readonly count: number
  point(position: number): number
  use(position: number): number
  arrival(position: number): number
  departure(position: number): number
}

/** The calls of a ride's trip. */
function callsOf(layers: readonly RouteLayer[], { layer, route, instance }: FoundRide): RideCalls {
  const columns = layers[layer]
  const first = firstCallOf(columns, route)
  const place = firstInstanceOf(columns, route) + instance
  return {
    count: lengthOf(columns, route),
    point: (position: number) => pointAt(columns, first + position),
    use: (position: number) => useAt(columns, first + position),
    arrival: (position: number) => arrivalAt(columns, place, position),
    departure: (position: number) => departureAt(columns, place, position),
  }
}
