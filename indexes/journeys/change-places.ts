// Chooses the stop for each transfer in a journey. Two trips often meet at several stops, and a search returns an
// arbitrary one of these stops. This file considers all stops with enough time for the transfer, and moves the transfer
// to the one with the shortest walk. The departure and arrival of the journey stay the same.
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

/** The data with which the search found the rides. Times are as defined in search-ground.ts. */
export interface ChangePlaceGround {
  readonly layers: readonly RouteLayer[]
  readonly footpaths: Footpaths
  /** Whether the search ran backwards, so that the rides are in reverse order. */
  readonly isMirrored: boolean
  /** Transfer point → its stop. */
  readonly stopOf: ArrayLike<number>
}

/** Sufficient spare time at a transfer, in seconds. More spare time than this is not worth a longer walk. */
const ENOUGH_SECONDS = 120

/**
 * A possible place for a transfer. `from` and `to` are the indexes of the rides before and after the transfer. `alight`
 * and `board` are the positions of the calls at which riders change.
 */
interface ChangePlace {
  readonly from: number
  readonly to: number
  readonly alight: number
  readonly board: number
  readonly slackSeconds: number
  /** The minimum time for the transfer; 0 within one stop, because there is no walk. */
  readonly changeSeconds: number
}

/**
 * Maximum number of passes over all transfers. One pass may not be enough, because moving one transfer can make it
 * possible to move another.
 */
const MOST_PASSES = 3

/**
 * Moves each transfer of a journey to the best place for it. If riders stay seated through several rides, a transfer
 * may also move from one of these rides to another. Rides that are then no longer needed are left out.
 */
export function moveChanges(rides: readonly FoundRide[], ground: ChangePlaceGround): FoundRide[] {
  const moved = [...rides]
  for (let pass = 0, hasMoved = rides.length > 1; hasMoved && pass < MOST_PASSES; pass++) {
    hasMoved = false
    for (let at = 1; at < moved.length; at++) {
      const place = moved[at].staysSeated ? undefined : findBest(moved, at, ground)
      if (place === undefined || isPlaceOf(moved, at, place)) continue
      const { from, to, alight, board } = place
      const changed = [
        { ...moved[from], to: alight },
        { ...moved[to], from: board, staysSeated: false },
      ]
      moved.splice(from, to - from + 1, ...changed)
      at = from + 1
      hasMoved = moved.length > 2
    }
  }
  return moved
}

/** Whether the transfer before a ride is already at this place. */
function isPlaceOf(rides: readonly FoundRide[], at: number, { from, to, alight, board }: ChangePlace): boolean {
  return from === at - 1 && to === at && alight === rides[from].to && board === rides[to].from
}

/**
 * The best place for the transfer before a ride; undefined if there is none. Considers all rides from the first to the
 * last that `seatedAround` returns.
 */
function findBest(rides: readonly FoundRide[], at: number, ground: ChangePlaceGround): ChangePlace | undefined {
  const isAllowed = stationRule(rides, at, ground)
  const [first, last] = seatedAround(rides, at)
  let best: ChangePlace | undefined
  for (let from = first; from < at; from++) {
    for (let to = at; to <= last; to++) best = findBetter(rides, { from, to, best, isAllowed }, ground)
  }
  return best
}

/**
 * The first and the last ride to which a transfer may move. Riders stay seated from the first ride up to the transfer,
 * and from the transfer up to the last ride.
 */
function seatedAround(rides: readonly FoundRide[], at: number): readonly [first: number, last: number] {
  let first = at - 1
  while (rides[first].staysSeated) first--
  let last = at
  while (rides[last + 1]?.staysSeated) last++
  return [first, last]
}

/**
 * Two rides, the best place found so far for the transfer between them, and a function that tests whether a place is
 * allowed.
 */
interface PlaceSearch {
  readonly from: number
  readonly to: number
  readonly best: ChangePlace | undefined
  isAllowed(place: ChangePlace): boolean
}

/** The best place for a transfer between two rides. If no place is better than `best`, returns `best`. */
function findBetter(
  rides: readonly FoundRide[],
  { from, to, best: known, isAllowed }: PlaceSearch,
  { layers, footpaths, isMirrored, stopOf }: ChangePlaceGround,
): ChangePlace | undefined {
  const { offset, point, seconds } = footpaths
  const [one, other] = [callsOf(layers, rides[from]), callsOf(layers, rides[to])]
  const boardings = markBoardings(rides[to], other, footpaths)
  const lastDeparture = other.departure(rides[to].to - 1)
  let best = known
  for (let alight = rides[from].from + 1; alight < one.count; alight++) {
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
        const place = { from, to, alight, board, slackSeconds, changeSeconds }
        if ((best === undefined || compare(place, best, isMirrored) < 0) && isAllowed(place)) best = place
      }
    }
  }
  for (const { key } of boardings) firstEntry[key] = 0
  return best
}

/**
 * Transfer point or hub → its first entry in the list from `markBoardings`, counted from 1; 0 if there is no entry.
 * `findBetter` resets the values to 0.
 */
let firstEntry = new Int32Array(0)

/**
 * A position in a ride at which riders can board. It is listed under its point and, if the stop has a hub, also under
 * the hub.
 */
interface Boarding {
  readonly board: number
  readonly there: number
  readonly key: number
  /** The next boarding with the same point or hub, counted from 1; 0 if there is none. */
  readonly next: number
}

/** Lists the positions at which a ride can be boarded. Sets `firstEntry` for their points and hubs. */
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

/**
 * Compares two places for a transfer. The better one comes first: more spare time, of which at most ENOUGH_SECONDS
 * count; then the shorter transfer; then more spare time in total; then the earlier alighting and boarding.
 */
function compare(a: ChangePlace, b: ChangePlace, isMirrored: boolean): number {
  const byAlighting = a.from - b.from || a.alight - b.alight
  const byBoarding = a.to - b.to || a.board - b.board
  return (
    spareOf(b.slackSeconds) - spareOf(a.slackSeconds) ||
    a.changeSeconds - b.changeSeconds ||
    b.slackSeconds - a.slackSeconds ||
    (isMirrored ? -byBoarding || -byAlighting : byAlighting || byBoarding)
  )
}

/**
 * Returns a function that tests whether a transfer may move to a place. The rider must not board at a station at which
 * an earlier transfer begins, or alight at a station at which a later transfer ends. Otherwise, riders could return to
 * a station faster than they could transfer there.
 */
function stationRule(rides: readonly FoundRide[], at: number, { layers, footpaths }: ChangePlaceGround) {
  const { station } = footpaths
  const stationAt = (ride: FoundRide, position: number) => station[callsOf(layers, ride).point(position)]
  const before = new Set<number>()
  const after = new Set<number>()
  for (const [rank, ride] of rides.entries()) {
    if (rank === 0 || rank === at || ride.staysSeated) continue
    if (rank < at) before.add(stationAt(rides[rank - 1], rides[rank - 1].to))
    else after.add(stationAt(ride, ride.from))
  }
  return (place: ChangePlace): boolean => {
    if (isPlaceOf(rides, at, place)) return true
    return (
      !before.has(stationAt(rides[place.to], place.board)) && !after.has(stationAt(rides[place.from], place.alight))
    )
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
