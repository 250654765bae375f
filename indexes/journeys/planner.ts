// Plans journeys in one timetable and its live data. The result is the Pareto set by departure, arrival and number of
// vehicles, either after a requested departure or before a requested arrival.
import type { Overlay } from '../live/overlay.ts'
import type { LineIndex, StopIndex, Timetable } from '../timetable/timetable.ts'
import { moveChanges } from './change-places.ts'
import { listEvents } from './departure-events.ts'
import { type ChangeRules, type Footpaths, slowFootpaths } from './footpaths.ts'
import { type KnownJourney, lastLeaves, type PlanResult, pareto, type RatedJourney } from './known-journeys.ts'
import { LaidDays, type LaidSpan, type LayoutKeeping } from './laid-days.ts'
import { beginOf, DAY_SECONDS, daysReach, followTimes, type PlanMoment, reachOf } from './plan-reach.ts'
import { type PlannedJourney, toPlanned } from './planned-journey.ts'
import { PlannerSearches } from './planner-searches.ts'
import type { FoundJourney, SearchGround, WalkEnds } from './search-ground.ts'
import { MAX_VEHICLES, NEVER, UNREACHED } from './search-state.ts'
import { longestRide } from './span.ts'

/**
 * A query. Times are in seconds after 1970. All conditions on rides must be part of the query. It is not enough to
 * filter the result: a journey that meets the conditions is missing from the result if a better journey does not meet
 * them.
 */
export interface PlanQuestion {
  /** Stops within walking distance of the origin. */
  readonly access: WalkEnds<StopIndex>
  /** Stops within walking distance of the destination. */
  readonly egress: WalkEnds<StopIndex>
  /** The requested earliest departure or, with `isArriveBy`, latest arrival. */
  readonly seconds: number
  readonly isArriveBy: boolean
  /**
   * If true, the requested time limits the other end of journeys: returns the journeys that arrive after that time or,
   * with `isArriveBy`, depart before it. Only journeys within 24 hours of that time are returned; those nearest to it
   * are found first.
   */
  readonly isBeyond?: boolean
  /** Maximum number of vehicles; no limit if absent. */
  readonly mostVehicles?: number
  /** Maximum time from departure to arrival; no limit if absent. */
  readonly mostSeconds?: number | undefined
  /** Line → 1 if the line may be used; undefined if all lines may be used. */
  readonly lines: Uint8Array | undefined
  /** Added to the walking time of each transfer, in seconds; the network's setting if absent. */
  readonly changeSeconds?: number | undefined
  /** Number of journeys at which the search stops. */
  readonly limit: number
  /**
   * Counts the journeys that matter to the caller. If absent, all journeys count. `journeys` contains all journeys that
   * arrive by the instant `until` or, with `isArriveBy`, all that depart at or after it.
   */
  readonly worth?: (journeys: readonly PlannedJourney[], until: number) => number
  readonly overlay: Overlay | undefined
  /** Called before each round; returns true to abort the search. */
  readonly shouldStop: () => boolean
}

/** One end of a transfer: a stop, and the trip that the rider leaves or boards there. */
export interface ChangePlace {
  readonly stop: StopIndex
  readonly line: LineIndex
  /** NONE if the trip is not in the timetable. */
  readonly trip: number
}

/** Length of the first time window in which arrivals are searched for. It starts at the earliest arrival. */
const FIRST_WINDOW_SECONDS = 1200
/** Maximum length of a window, as a multiple of the length of the window before it. */
const MOST_LONGER = 8
/**
 * Approximate number of journeys that a window should have. It must not depend on `limit`: if several rides are equally
 * good, the windows decide which of them is found.
 */
const JOURNEYS_OF_WINDOW = 3
const NOWHERE: WalkEnds = { stops: [], seconds: [] }
const ignore = (): void => undefined

/** Plans journeys in one timetable. */
export class JourneyPlanner {
  private readonly days: LaidDays
  private readonly searches: PlannerSearches
  private readonly longestRideSeconds: number
  /** Footpaths → number of seconds → the footpaths with every transfer longer by this number of seconds. */
  private readonly slower = new WeakMap<Footpaths, Map<number, Footpaths>>()
  /** The direction and the data of the last search. */
  private current: Direction | undefined

  constructor(timetable: Timetable, rules: ChangeRules, keeping?: LayoutKeeping) {
    this.days = new LaidDays(timetable, rules, keeping)
    this.longestRideSeconds = longestRide(timetable)
    this.searches = keeping?.searches ?? new PlannerSearches()
  }

  /** Whether the days that a query needs are laid out. */
  isReady(moment: PlanMoment): boolean {
    return this.days.isReady(daysReach(moment))
  }

  /** Takes the layout of a query's days from the store that planners share. Returns whether the days are laid out. */
  takeShared(moment: PlanMoment, isRequested: boolean): boolean {
    return this.days.takeShared(daysReach(moment), isRequested)
  }

  /** Lays out the days that a query needs, in steps. @param isRequested whether a request waits for the days */
  prepare(moment: PlanMoment, isRequested = false): Generator<void> {
    return this.days.prepare(daysReach(moment), isRequested)
  }

  /**
   * The Pareto set by departure, arrival and number of vehicles. It has at least `limit` journeys if there are that
   * many within 24 hours. Undefined if aborted.
   */
  plan(question: PlanQuestion): readonly PlannedJourney[] | undefined {
    return this.planPage(question)?.journeys
  }

  /** Does what `plan` does, and also returns whether the result is complete. */
  planPage(question: PlanQuestion): PlanResult | undefined {
    if (!this.days.usedStops.mayConnect(question)) return { journeys: [], isAll: true }
    if (question.isBeyond === true) return this.planBeyond(question)
    const progress: Progress = { found: [], end: undefined }
    let isEnough: boolean | undefined = false
    for (const followSeconds of followTimes(question, this.longestRideSeconds)) {
      const towards = this.towards(question, followSeconds)
      if (towards === undefined) break
      this.current = towards
      isEnough = this.searchDay(towards, question, progress)
      if (isEnough === undefined) return undefined
      if (isEnough) break
    }
    return { journeys: progress.found.map(({ journey }) => journey), isAll: !isEnough }
  }

  /**
   * Finds the journeys for a query with `isBeyond`. The search starts early enough to find journeys that are under way
   * at the requested time. Journeys that end before that time are not returned; they are needed only to exclude worse
   * journeys.
   */
  private planBeyond(question: PlanQuestion): PlanResult | undefined {
    const times = followTimes(question, this.longestRideSeconds)
    let journeys: readonly PlannedJourney[] = []
    for (const followSeconds of times) {
      const begun = beginOf(question, followSeconds)
      const towards = this.towards(begun, followSeconds)
      if (towards === undefined) break
      this.current = towards
      const known = this.bestWithin(towards, question, followSeconds)
      if (known === undefined) return undefined
      // No journey takes `followSeconds` or less, so the search is repeated with the longest duration.
      if (known.length === 0 && followSeconds !== times.at(-1)) continue
      const progress: Progress = { found: [], end: followSeconds, before: known }
      const isEnough = this.searchDay(towards, begun, progress)
      if (isEnough === undefined) return undefined
      journeys = progress.found.map(({ journey }) => journey)
      if (isEnough) return { journeys, isAll: false }
    }
    return { journeys, isAll: true }
  }

  /** For each vehicle count, the latest journey that arrives within `seconds` of the start. Undefined if aborted. */
  private bestWithin(
    { back, start, access, egress }: Direction,
    { shouldStop, mostVehicles }: PlanQuestion,
    seconds: number,
  ): RatedJourney[] | undefined {
    const best: RatedJourney[] = []
    this.searches.forward.begin(back, { access: egress.all, egress: access.all, worst: 1 - start, mostVehicles })
    const keep = ({ arrives, vehicles }: FoundJourney) => {
      best.push({ leaves: -arrives - start, arrives: seconds, vehicles })
    }
    return this.searches.forward.leave(-start - seconds, egress.starts, keep, shouldStop) ? best : undefined
  }

  /**
   * Returns a replacement for a journey from the last query, with more time at each transfer. Departure, arrival and
   * number of vehicles stay the same. Undefined if there is no such journey.
   */
  roomier(journey: PlannedJourney, moreSeconds: number): PlannedJourney | undefined {
    const towards = this.current
    if (towards === undefined) return undefined
    const { ground, access, egress, laid, isMirrored } = towards
    const { baseSeconds } = laid.span
    const leaves = isMirrored ? baseSeconds - journey.arrives : journey.leaves - baseSeconds
    const arrives = isMirrored ? baseSeconds - journey.leaves : journey.arrives - baseSeconds
    const footpaths = this.slower
      .getOrInsertComputed(ground.footpaths, () => new Map<number, Footpaths>())
      .getOrInsertComputed(moreSeconds, () => slowFootpaths(ground.footpaths, moreSeconds))
    const found: FoundJourney[] = []
    this.searches.forward.begin(
      { ...ground, footpaths },
      {
        access: access.all,
        egress: egress.all,
        leaveBefore: leaves + 1,
        worst: arrives + 1,
        // The last backward search covered the times of all found journeys, so its bounds apply here too.
        bounds: this.searches.backward.boundsForOther(egress.starts),
        // Excludes journeys with more vehicles than this journey.
        lastKnown: Array.from({ length: MAX_VEHICLES + 1 }, (_, count) => (count > journey.vehicles ? leaves : NEVER)),
      },
    )
    this.searches.forward.leave(
      leaves,
      access.starts,
      (one) => found.push(one),
      () => false,
    )
    // If the journey leaves near the day's end, earlier arrivals may also be found, so the same arrival is chosen.
    const best = found.find((one) => one.arrives === arrives)
    return best && toKnown(best, towards, this.days).journey
  }

  /** Minimum seconds from alighting from one trip to boarding another; undefined if the transfer is not allowed. */
  changeSeconds(from: ChangePlace, to: ChangePlace): number | undefined {
    const [one, other] = [from, to].map(({ stop, line, trip }) => this.days.points.pointOf(stop, line, trip))
    return this.days.changeSeconds(one, other)
  }

  /** The direction in time of a search, and its data; undefined outside the calendar. */
  private towards(question: PlanQuestion, followSeconds: number): Direction | undefined {
    const { seconds, isArriveBy, isBeyond = false } = question
    const laid = this.days.spanOf(reachOf(question, followSeconds), question.overlay !== undefined)
    if (laid === undefined) return undefined
    return {
      laid,
      ground: this.days.groundOf(laid, { ...question, isMirrored: isArriveBy }),
      back: this.days.groundOf(laid, { ...question, isMirrored: !isArriveBy }),
      overlay: question.overlay,
      isMirrored: isArriveBy,
      start: isArriveBy ? laid.span.baseSeconds - seconds : seconds - laid.span.baseSeconds,
      last: DAY_SECONDS + followSeconds,
      leaveWithin: DAY_SECONDS + (isBeyond ? followSeconds : 0),
      access: this.toPoints(isArriveBy ? question.egress : question.access),
      egress: this.toPoints(isArriveBy ? question.access : question.egress),
    }
  }

  /** The transfer points at some stops, with the walking times. */
  private toPoints({ stops, seconds }: WalkEnds<StopIndex>): PointEnds {
    const all = stops.map((stop) => this.days.points.pointsOf(stop))
    return {
      all: { stops: all.flat(), seconds: all.flatMap((points, at) => points.map(() => seconds[at])) },
      starts: { stops: stops.map((stop) => this.days.points.startOf(stop)), seconds },
    }
  }

  /**
   * Adds the journeys that arrive in a first time window, then those in further windows, until there are enough
   * journeys. Returns whether there are enough: false if the day ends first, undefined if aborted.
   */
  private searchDay(towards: Direction, question: PlanQuestion, progress: Progress): boolean | undefined {
    const { start, last } = towards
    // Later searches need this search's bounds, so it runs for each `Direction`, even if the first arrival is known.
    const first = this.findFirst(towards, question)
    if (first === undefined) return undefined
    if (first > start + last) return false
    const from = progress.end ?? first - start
    let window = FIRST_WINDOW_SECONDS
    for (let end = from; end < last; ) {
      end = Math.min(end + window, last)
      const known = [...(progress.before ?? []), ...progress.found].map((one) => ({
        ...one,
        leaves: start + one.leaves,
        arrives: start + one.arrives,
      }))
      const later = this.searchUntil(towards, question, { end: start + end, known })
      if (later === undefined) return undefined
      progress.found = pareto([...progress.found, ...later.map((each) => toKnown(each, towards, this.days))])
      progress.end = end
      if (isEnough(question, progress.found, end)) return true
      const length = (JOURNEYS_OF_WINDOW * (end - from)) / progress.found.length
      window = Math.ceil(Math.max(FIRST_WINDOW_SECONDS, Math.min(length, window * MOST_LONGER)))
    }
    return false
  }

  /** The earliest arrival of a journey that leaves within the day; UNREACHED if there is none, undefined if aborted. */
  private findFirst(
    { ground, start, leaveWithin, access, egress }: Direction,
    { shouldStop, mostVehicles }: PlanQuestion,
  ): number | undefined {
    let first = UNREACHED
    this.searches.first.begin(ground, {
      access: access.all,
      egress: egress.all,
      leaveBefore: start + leaveWithin,
      mostVehicles,
    })
    const keep = ({ arrives }: FoundJourney) => {
      first = arrives
    }
    return this.searches.first.leave(start, access.starts, keep, shouldStop) ? first : undefined
  }

  /**
   * The journeys that arrive by `end`, except those in `known`. `known` must contain all journeys that arrive by some
   * earlier time. A backward search first finds the useful departures. It is limited by bounds from the first search.
   */
  private searchUntil(
    { ground, back, start, leaveWithin, access, egress }: Direction,
    { shouldStop, mostVehicles, mostSeconds }: PlanQuestion,
    { end, known }: { readonly end: number; readonly known: readonly RatedJourney[] },
  ): FoundJourney[] | undefined {
    const lastKnown = lastLeaves(known)
    const from = Math.max(start, lastKnown[1] + 1)
    const fromStart = this.searches.first.boundsForOther(access.starts)
    this.searches.backward.begin(back, {
      access: egress.all,
      egress: NOWHERE,
      worst: 1 - from,
      bounds: fromStart,
      isForBounds: true,
      mostVehicles,
    })
    if (!this.searches.backward.leave(-end, egress.starts, ignore, shouldStop)) return undefined
    const bounds = this.searches.backward.boundsForOther(egress.starts)
    const leaveBefore = start + leaveWithin
    const to = Math.min(end + 1, leaveBefore)
    const { moments, endsAt } = listEvents(ground, access.starts, { from, to, bounds, lastKnown })
    const found: FoundJourney[] = []
    this.searches.forward.begin(ground, {
      access: access.all,
      egress: egress.all,
      leaveBefore,
      worst: end + 1,
      bounds,
      lastKnown,
      mostVehicles,
      mostSeconds,
    })
    for (const [at, moment] of moments.entries()) {
      const isDone = this.searches.forward.leave(moment, endsAt[at], (journey) => found.push(journey), shouldStop)
      if (!isDone) return undefined
    }
    return found
  }
}

/** The journeys found so far: all that arrive by `end`, in seconds after the start of the query. */
interface Progress {
  found: readonly KnownJourney[]
  /** Undefined until the first arrival is known. */
  end: number | undefined
  /** The best journeys that arrive by the initial value of `end`. They are not part of the result. */
  readonly before?: readonly RatedJourney[]
}

/** A search forward or backward in time, with its data. */
interface Direction {
  readonly laid: LaidSpan
  readonly ground: SearchGround
  /** The data of a search in the opposite direction of time. */
  readonly back: SearchGround
  readonly overlay: Overlay | undefined
  readonly isMirrored: boolean
  /** The time at which the search starts, in the search's own time; see search-ground.ts. */
  readonly start: number
  /** Latest arrival, in seconds after the start. */
  readonly last: number
  /** End of the period in which journeys may depart (exclusive), in seconds after the start. */
  readonly leaveWithin: number
  readonly access: PointEnds
  readonly egress: PointEnds
}

/** The points at one end of a journey. */
interface PointEnds {
  /** All points of the stops: a stop can have several. */
  readonly all: WalkEnds
  /** One point per stop: the hub of the stop if it has one. */
  readonly starts: WalkEnds
}

/** Whether enough journeys were found; see `worth`. Requires that all journeys that arrive by `end` were found. */
function isEnough(
  { seconds, isArriveBy, limit, worth }: PlanQuestion,
  found: readonly KnownJourney[],
  end: number,
): boolean {
  if (worth === undefined) return found.length >= limit
  // `worth` is called only after whole windows, so that the limit does not change which rides are found.
  const journeys = found.map(({ journey }) => journey)
  return worth(journeys, isArriveBy ? seconds - end : seconds + end) >= limit
}

function toKnown(found: FoundJourney, towards: Direction, days: LaidDays): KnownJourney {
  const { laid, ground, back, isMirrored, start } = towards
  const { leaves, arrives, vehicles } = found
  const rides = moveChanges(found.rides, { ...ground, isMirrored, stopOf: days.points.stopOf })
  const journey = toPlanned(
    { ...found, rides },
    {
      ...towards,
      ...laid,
      live: laid.live?.span,
      layers: ground.layers,
      footpaths: (isMirrored ? back : ground).footpaths,
      points: days.points,
    },
  )
  return { leaves: leaves - start, arrives: arrives - start, vehicles, journey }
}
