// A query to the journey oracle, and the input of its searches: the hops of all relevant days in order of time. For a
// backward search, the input is mirrored: times are negative, trips run in reverse, and arrivals become departures.
import type { DayRuns } from './journey-days.ts'
import type { JourneyFeed } from './journey-feed.ts'
import type { PlainEnd } from './journey-places.ts'
import type { PlainChange } from './journey-rules.ts'

const DAY_SECONDS = 86_400

/** A query. Instants are seconds after 1970. */
export interface JourneyQuery {
  readonly from: PlainEnd
  readonly to: PlainEnd
  /** The requested time: the earliest departure; with arrive-by, the latest arrival. */
  readonly seconds: number
  readonly isArriveBy: boolean
  readonly maxWalkMeters: number
  /** The vehicle modes that may be used; absent if all may be used. */
  readonly modes?: readonly string[]
  /**
   * A journey must end at most a day plus this number of seconds after the requested time. With arrive-by, a journey
   * must start at most that long before the requested time.
   */
  readonly followedSeconds: number
  /** Maximum number of vehicles. MOST_VEHICLES if absent. */
  readonly mostVehicles?: number
  /**
   * A journey must leave within this number of seconds after the requested time. With arrive-by, it must arrive within
   * this number of seconds before the requested time. A day if absent.
   */
  readonly windowSeconds?: number
  /** The latest arrival. With arrive-by, the earliest departure. No limit if absent. */
  readonly until?: number | undefined
}

/** The maximum number of vehicles of any journey. */
export const MOST_VEHICLES = 7
/** An instant that is never reached. */
export const NEVER = 2_147_483_647

/** The input of a search with hops. In a backward search, all of it is mirrored except `feed` and `within`. */
export interface SearchGround extends QueryGround {
  readonly days: readonly DayRuns[]
  /**
   * Day → the number of its first run. The runs of all days are numbered one after the other. The last value is the
   * total number of runs.
   */
  readonly runOffset: readonly number[]
}

/** The input of a search without hops. In a backward search, all of it is mirrored except `feed` and `within`. */
export interface QueryGround {
  readonly feed: JourneyFeed
  readonly isMirrored: boolean
  /** The time range of the relevant runs, in seconds after 1970. It is never mirrored. */
  readonly within: readonly [first: number, last: number]
  /** Trip number → 1 if it may be used. */
  readonly mayTake: Uint8Array
  /** A journey leaves in [start, startEnd) and arrives at `end` at the latest. */
  readonly start: number
  readonly startEnd: number
  readonly end: number
  readonly mostVehicles: number
  /**
   * `access`: stop → seconds of the walk from the start of the journey to the stop. `egress`: stop → seconds of the
   * walk from the stop to the destination. A value is -1 if the walk is too long or not possible.
   */
  readonly access: Int32Array
  readonly egress: Int32Array
  /** Alighting stop → the transfers that do not depend on the trips. */
  readonly changes: readonly (readonly PlainChange[])[]
  /** Alighting stop → the boarding stops for which the transfer depends on the trips. */
  readonly special: readonly (readonly number[])[]
  /** The inverse of `special`: boarding stop → alighting stops. */
  readonly mirroredSpecial: readonly (readonly number[])[]
  /** Minimum seconds for a transfer from one trip to another; undefined if it is not possible. */
  change(alightStop: number, alightTrip: number, boardStop: number, boardTrip: number): number | undefined
}

/** One hop, by the index of its day and its index in that day. */
export interface Hop {
  readonly day: number
  readonly at: number
}

/** Prepares a query for a search that needs every hop of the relevant days. */
export function groundOf(feed: JourneyFeed, query: JourneyQuery): SearchGround {
  const ground = queryGroundOf(feed, query)
  const days = feed.daysWithin(...ground.within, query.isArriveBy)
  const runOffset = [0]
  for (const { tripOf } of days) runOffset.push((runOffset.at(-1) ?? 0) + tripOf.length)
  return { ...ground, days, runOffset }
}

/** Prepares a query for a search that does not need hops. */
export function queryGroundOf(feed: JourneyFeed, query: JourneyQuery): QueryGround {
  const { isArriveBy, seconds, followedSeconds, maxWalkMeters, modes, until } = query
  const farthest = DAY_SECONDS + followedSeconds
  const requested = until === undefined ? farthest : isArriveBy ? seconds - until : until - seconds
  const reach = Math.min(farthest, requested)
  const near = feed.places.reach(query.from, maxWalkMeters, 'into')
  const far = feed.places.reach(query.to, maxWalkMeters, 'out')
  const { changes, trips } = feed
  const between = (from: number, fromTrip: number, to: number, toTrip: number) =>
    changes.between({ stop: from, trip: trips[fromTrip] }, { stop: to, trip: trips[toTrip] })
  const start = isArriveBy ? -seconds : seconds
  return {
    feed,
    isMirrored: isArriveBy,
    within: isArriveBy ? [seconds - reach, seconds] : [seconds, seconds + reach],
    mayTake: Uint8Array.from(feed.modeOfTrip, (mode, trip) =>
      Number((modes === undefined || modes.includes(mode)) && (feed.mayRide?.[trip] ?? true)),
    ),
    start,
    startEnd: start + (query.windowSeconds ?? DAY_SECONDS),
    end: start + reach,
    mostVehicles: query.mostVehicles ?? MOST_VEHICLES,
    access: isArriveBy ? far : near,
    egress: isArriveBy ? near : far,
    changes: isArriveBy ? changes.to : changes.from,
    special: isArriveBy ? changes.specialTo : changes.specialFrom,
    mirroredSpecial: isArriveBy ? changes.specialFrom : changes.specialTo,
    change: isArriveBy ? (to, toTrip, from, fromTrip) => between(from, fromTrip, to, toTrip) : between,
  }
}

/**
 * Groups the hops by second of departure, and calls `visit` for each group, in order of time, until `visit` returns
 * false. If `isBackwards`, starts with the latest group.
 */
export function eachGroup(
  { days, start, end }: SearchGround,
  isBackwards: boolean,
  visit: (seconds: number, group: readonly Hop[]) => boolean,
): void {
  const step = isBackwards ? -1 : 1
  const next = days.map(({ departs }) => (isBackwards ? lowerBound(departs, end + 1) - 1 : lowerBound(departs, start)))
  for (;;) {
    let seconds = isBackwards ? -NEVER : NEVER
    for (const [day, at] of next.entries()) {
      if (at < 0 || at >= days[day].count) continue
      const departs = days[day].departs[at]
      if (isBackwards ? departs > seconds : departs < seconds) seconds = departs
    }
    if (Math.abs(seconds) === NEVER || seconds < start || seconds > end) return
    const group: Hop[] = []
    for (let day = 0; day < days.length; day++) {
      const { departs } = days[day]
      while (departs[next[day]] === seconds) {
        group.push({ day, at: next[day] })
        next[day] += step
      }
    }
    if (!visit(seconds, group)) return
  }
}

function lowerBound(values: Int32Array, least: number): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (values[middle] < least) low = middle + 1
    else high = middle
  }
  return low
}
