// The trips of a feed and their runs on each day, mirrored for a backward search. Used by the profile search of the
// journey oracle.
import type { DayTrips } from './journey-days.ts'
import type { JourneyFeed } from './journey-feed.ts'
import type { QueryGround } from './journey-ground.ts'

/** A trip in the direction of a search. In a backward search, calls are in reverse order and times are negative. */
export interface TripCalls {
  readonly stops: readonly number[]
  /** By call: when the rider can board and when the rider can alight there, in seconds after the base of the run. */
  readonly boards: readonly number[]
  readonly alights: readonly number[]
  readonly canBoard: readonly boolean[]
  readonly canAlight: readonly boolean[]
}

/** The runs of a service day. */
export interface DayInSearch {
  readonly day: DayTrips
  /** The number of the day's first run; runs of all days are numbered one after the other. */
  readonly firstRun: number
  /** The base of a run: the zero of its times, on the time scale of the search. */
  baseOf(run: number): number
  /**
   * The runs, latest start first, so that a run comes after the runs into which its riders may stay seated. A run and
   * the next run of its vehicle can start at the same time only if the first of the two takes no time. Therefore, among
   * runs that start together, the longest comes first.
   */
  readonly lastFirst: Int32Array
  /** A trip's runs with a base between two times, both inclusive. */
  runsOf(trip: number, first: number, last: number): readonly number[]
}

/** A call at a stop. */
export interface TripCall {
  readonly trip: number
  readonly call: number
}

const callsOfFeed = new WeakMap<JourneyFeed, readonly (readonly TripCalls[])[]>()

/** Trip number → its calls. */
export function callsOf(feed: JourneyFeed, isMirrored: boolean): readonly TripCalls[] {
  const [forward, mirrored] = callsOfFeed.getOrInsertComputed(feed, () => {
    const calls = feed.trips.map(
      ({ departures, arrivals, noPickup, noDropOff }, number): TripCalls => ({
        stops: feed.stopsOfTrip[number],
        boards: departures,
        alights: arrivals,
        canBoard: noPickup.map((isClosed) => !isClosed),
        canAlight: noDropOff.map((isClosed) => !isClosed),
      }),
    )
    return [calls, calls.map(mirroredCalls)]
  })
  return isMirrored ? mirrored : forward
}

function mirroredCalls({ stops, boards, alights, canBoard, canAlight }: TripCalls): TripCalls {
  return {
    stops: stops.toReversed(),
    boards: alights.map((seconds) => -seconds).reverse(),
    alights: boards.map((seconds) => -seconds).reverse(),
    canBoard: canAlight.toReversed(),
    canAlight: canBoard.toReversed(),
  }
}

const boardableOfFeed = new WeakMap<JourneyFeed, Map<boolean, readonly (readonly TripCall[])[]>>()

/** Stop → the calls where riders can board. */
export function boardableOf(feed: JourneyFeed, isMirrored: boolean): readonly (readonly TripCall[])[] {
  const kept = boardableOfFeed.getOrInsertComputed(feed, () => new Map())
  return kept.getOrInsertComputed(isMirrored, () => {
    const boardable = feed.places.ids.map((): TripCall[] => [])
    for (const [trip, { stops, canBoard }] of callsOf(feed, isMirrored).entries()) {
      for (let call = 0; call < stops.length - 1; call++)
        if (canBoard[call]) boardable[stops[call]].push({ trip, call })
    }
    return boardable
  })
}

const orders = new WeakMap<DayTrips, Int32Array>()
const runsOfDay = new WeakMap<DayTrips, ReadonlyMap<number, readonly number[]>>()

/** The days that a query searches. */
export function daysOf({ feed, isMirrored, within }: QueryGround): DayInSearch[] {
  const calls = callsOf(feed, isMirrored)
  let firstRun = 0
  return feed.runsWithin(...within, isMirrored).map((day) => {
    const { date, tripOf, shiftOf } = day
    const zero = feed.zeroOf(date)
    const baseOf = (run: number) => (isMirrored ? -(zero + shiftOf[run]) : zero + shiftOf[run])
    const startOf = (run: number) => baseOf(run) + calls[tripOf[run]].boards[0]
    const lastFirst = orders.getOrInsertComputed(day, () => {
      const starts = Float64Array.from(tripOf, (_, run) => startOf(run))
      const seconds = (run: number) => (calls[tripOf[run]].alights.at(-1) ?? 0) - calls[tripOf[run]].boards[0]
      return Int32Array.from(tripOf, (_, run) => run).sort((a, b) => starts[b] - starts[a] || seconds(b) - seconds(a))
    })
    const byTrip = runsOfDay.getOrInsertComputed(day, () => Map.groupBy(lastFirst, (run) => tripOf[run]))
    const runsOf = (trip: number, first: number, last: number) => {
      const runs = byTrip.get(trip) ?? []
      const [from, to] = [countAfter(runs, last, baseOf), countAfter(runs, first - 1, baseOf)]
      return runs.slice(from, to)
    }
    firstRun += tripOf.length
    return { day, firstRun: firstRun - tripOf.length, baseOf, lastFirst, runsOf }
  })
}

/**
 * How many of the runs have a base after a time.
 * @param runs sorted by base, latest first
 */
function countAfter(runs: readonly number[], moment: number, baseOf: (run: number) => number): number {
  let [low, high] = [0, runs.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (baseOf(runs[middle]) > moment) low = middle + 1
    else high = middle
  }
  return low
}
