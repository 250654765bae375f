// Plans journeys through one timetable and its live data: the Pareto set by departure, arrival and transfers, from a
// time on or until a time. Keeps the layouts of the most recently used days.
import type { Overlay } from '../live/overlay.ts'
import type { LineIndex, StopIndex, Timetable } from '../timetable/timetable.ts'
import { moveChanges } from './change-places.ts'
import { listEvents } from './departure-events.ts'
import { type ChangeRules, type Footpaths, slowFootpaths } from './footpaths.ts'
import { type KnownJourney, lastLeaves, type PlanResult, pareto, type RatedJourney } from './known-journeys.ts'
import { LaidDays, type LaidSpan, type LayoutKeeping } from './laid-days.ts'
import { beginOf, DAY_SECONDS, daysReach, JOURNEY_SECONDS, type PlanMoment } from './plan-reach.ts'
import { type PlannedJourney, toPlanned } from './planned-journey.ts'
import { PlannerSearches } from './planner-searches.ts'
import type { FoundJourney, SearchGround, WalkEnds } from './search-ground.ts'
import { MAX_VEHICLES, NEVER, UNREACHED } from './search-state.ts'
import { longestRide } from './span.ts'

/**
 * A query, in seconds after 1970. Conditions on rides must be part of it: the result lacks journeys that others beat,
 * even if those others fail a condition.
 */
export interface PlanQuestion {
  /** Stops within walking distance of the origin, and of the destination. */
  readonly access: WalkEnds<StopIndex>
  readonly egress: WalkEnds<StopIndex>
  /** Earliest departure, or latest arrival. */
  readonly seconds: number
  readonly isArriveBy: boolean
  /**
   * Return later journeys, which arrive after the time; or earlier ones, which depart before it, if the arrival is
   * given. All are within 24 hours of it, nearest first.
   */
  readonly isBeyond?: boolean
  /** Maximum number of vehicles; no limit if absent. */
  readonly mostVehicles?: number
  /** Line → 1 if it may be used; undefined for all. */
  readonly lines: Uint8Array | undefined
  /** Added to the walk of a change; the network's setting if absent. */
  readonly changeSeconds?: number | undefined
  /** Stop after this many journeys. */
  readonly limit: number
  /**
   * Returns how many of the given journeys count, if not all do. It is called with all journeys that arrive by an
   * instant or, if the arrival is given, all that depart at or after it.
   */
  readonly worth?: (journeys: readonly PlannedJourney[], until: number) => number
  readonly overlay: Overlay | undefined
  /** Called before each round: true aborts the search. */
  readonly shouldStop: () => boolean
}

/** The ends of a change: from or to which trip. */
export interface ChangePlace {
  readonly stop: StopIndex
  readonly line: LineIndex
  /** NONE for a trip that is not in the timetable. */
  readonly trip: number
}

/**
 * How long a journey is followed if JOURNEY_SECONDS finds too few: a weekend and a holiday, or one of the longest
 * rides.
 */
const LONG_JOURNEY_SECONDS = 3 * DAY_SECONDS
const LONGEST_RIDES = 3
/** The first window after the first arrival, and the maximum factor by which the next window grows. */
const FIRST_WINDOW_SECONDS = 1200
const MOST_LONGER = 8
/** A window fits this many more journeys. It must not depend on `limit`: windows choose among equal rides. */
const JOURNEYS_OF_WINDOW = 3
const NOWHERE: WalkEnds = { stops: [], seconds: [] }
const ignore = (): void => undefined

/** Plans journeys through one timetable. */
export class JourneyPlanner {
  private readonly days: LaidDays
  private readonly searches: PlannerSearches
  private readonly longestRideSeconds: number
  private readonly longestSeconds: number
  /** Footpaths → seconds → footpaths whose changes are longer by that time. */
  private readonly slower = new WeakMap<Footpaths, Map<number, Footpaths>>()
  /** The time direction that was searched last. */
  private current: Direction | undefined

  constructor(timetable: Timetable, rules: ChangeRules, keeping?: LayoutKeeping) {
    this.days = new LaidDays(timetable, rules, keeping)
    this.longestRideSeconds = longestRide(timetable)
    this.longestSeconds = Math.max(LONG_JOURNEY_SECONDS, LONGEST_RIDES * this.longestRideSeconds)
    this.searches = keeping?.searches ?? new PlannerSearches()
  }

  /** Whether the days for a query are ready. @param moment seconds after 1970 */
  isReady(moment: PlanMoment): boolean {
    return this.days.isReady(daysReach(moment))
  }

  /** Takes the days for a query from the share, if they are there. Returns whether they are ready. */
  takeShared(moment: PlanMoment, isAsked: boolean): boolean {
    return this.days.takeShared(daysReach(moment), isAsked)
  }

  /** Prepares the days for a query in steps. @param isAsked a request is waiting for it */
  prepare(moment: PlanMoment, isAsked = false): Generator<void> {
    return this.days.prepare(daysReach(moment), isAsked)
  }

  /**
   * The Pareto set: no other journey departs at the same time or later, arrives at the same time or earlier, and uses
   * at most as many vehicles. Has at least `limit` journeys if the 24 hours have that many; undefined if aborted.
   */
  plan(question: PlanQuestion): readonly PlannedJourney[] | undefined {
    return this.planPage(question)?.journeys
  }

  /** Like `plan`, but also returns whether the result is complete. */
  planPage(question: PlanQuestion): PlanResult | undefined {
    if (!this.days.usedStops.mayConnect(question)) return { journeys: [], isAll: true }
    if (question.isBeyond === true) return this.planBeyond(question)
    const progress: Progress = { found: [], end: undefined }
    let isEnough: boolean | undefined = false
    for (const followSeconds of [JOURNEY_SECONDS, this.longestSeconds]) {
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
   * The journeys on the other side of the time. The search starts on this side, early enough for journeys that extend
   * across the time; of those entirely on this side, it only keeps the best.
   */
  private planBeyond(question: PlanQuestion): PlanResult | undefined {
    const hasLongRides = this.longestRideSeconds > JOURNEY_SECONDS
    let journeys: readonly PlannedJourney[] = []
    for (const followSeconds of hasLongRides ? [this.longestSeconds] : [JOURNEY_SECONDS, this.longestSeconds]) {
      const begun = beginOf(question, followSeconds)
      const towards = this.towards(begun, followSeconds)
      if (towards === undefined) break
      this.current = towards
      const known = this.bestWithin(towards, question, followSeconds)
      if (known === undefined) return undefined
      // No journey is this short, so search again with the longest duration.
      if (known.length === 0 && followSeconds < this.longestSeconds) continue
      const progress: Progress = { found: [], end: followSeconds, before: known }
      const isEnough = this.searchDay(towards, begun, progress)
      if (isEnough === undefined) return undefined
      journeys = progress.found.map(({ journey }) => journey)
      if (isEnough) return { journeys, isAll: false }
    }
    return { journeys, isAll: true }
  }

  /** Number of vehicles → the latest departure that arrives within `seconds` of the start; undefined if aborted. */
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
   * One of the journeys found for the last query, with rides that leave more time at each change; undefined if there is
   * none. Departure, arrival and number of vehicles are the same.
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
        // The last backward search went at least as far as any journey that was found.
        bounds: this.searches.backward.boundsForOther(egress.starts),
        // More vehicles than the journey has are useless.
        lastKnown: Array.from({ length: MAX_VEHICLES + 1 }, (_, count) => (count > journey.vehicles ? leaves : NEVER)),
      },
    )
    this.searches.forward.leave(
      leaves,
      access.starts,
      (one) => found.push(one),
      () => false,
    )
    // Near the edge of the requested day, other journeys may arrive earlier.
    const best = found.find((one) => one.arrives === arrives)
    return best && toKnown(best, towards, this.days).journey
  }

  /** The least time from alighting from one trip to boarding another; undefined if the change is not allowed. */
  changeSeconds(from: ChangePlace, to: ChangePlace): number | undefined {
    const [one, other] = [from, to].map(({ stop, line, trip }) => this.days.points.pointOf(stop, line, trip))
    return this.days.changeSeconds(one, other)
  }

  /** The time direction of a query; undefined outside the calendar. */
  private towards(question: PlanQuestion, followSeconds: number): Direction | undefined {
    const { seconds, isArriveBy, isBeyond = false } = question
    const reach = isArriveBy
      ? { from: seconds - DAY_SECONDS - followSeconds, to: seconds + 1 }
      : { from: seconds, to: seconds + DAY_SECONDS + followSeconds }
    const laid = this.days.spanOf(reach, question.overlay !== undefined)
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

  /** The points of the stops. */
  private toPoints({ stops, seconds }: WalkEnds<StopIndex>): PointEnds {
    const all = stops.map((stop) => this.days.points.pointsOf(stop))
    return {
      all: { stops: all.flat(), seconds: all.flatMap((points, at) => points.map(() => seconds[at])) },
      starts: { stops: stops.map((stop) => this.days.points.startOf(stop)), seconds },
    }
  }

  /**
   * Adds the journeys that arrive until some time after the first one, then extends that time until there are enough.
   * False if the direction ends before that; undefined if aborted.
   */
  private searchDay(towards: Direction, question: PlanQuestion, progress: Progress): boolean | undefined {
    const { start, last } = towards
    // The result of the first search bounds the later ones, so each direction has its own.
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

  /** Earliest arrival when leaving within the day; UNREACHED if the end cannot be reached, undefined if aborted. */
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
   * The journeys that arrive by a time, except the known ones, which are all until an earlier time. A backward search
   * from that time finds useless departures in advance; the first search determines which ones to skip.
   */
  private searchUntil(
    { ground, back, start, leaveWithin, access, egress }: Direction,
    { shouldStop, mostVehicles }: PlanQuestion,
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
    })
    for (const [at, moment] of moments.entries()) {
      const isDone = this.searches.forward.leave(moment, endsAt[at], (journey) => found.push(journey), shouldStop)
      if (!isDone) return undefined
    }
    return found
  }
}

/** Progress of the search for a query: all journeys until `end`, in seconds after its start. */
interface Progress {
  found: readonly KnownJourney[]
  /** Undefined before the first arrival is known. */
  end: number | undefined
  /** The best of the journeys that arrive before the first end, which are not part of the result. */
  readonly before?: readonly RatedJourney[]
}

/** One time direction. */
interface Direction {
  readonly laid: LaidSpan
  readonly ground: SearchGround
  /** The opposite time direction. */
  readonly back: SearchGround
  readonly overlay: Overlay | undefined
  readonly isMirrored: boolean
  /** In the search's own time. */
  readonly start: number
  /** Latest arrival; seconds after the start. */
  readonly last: number
  /** Departures are before this time; seconds after the start. */
  readonly leaveWithin: number
  readonly access: PointEnds
  readonly egress: PointEnds
}

/** An end in the terms of the search. */
interface PointEnds {
  /** Every point of its stops. */
  readonly all: WalkEnds
  /** One point per stop: its hub, if it has one. */
  readonly starts: WalkEnds
}

/** Whether enough of all journeys until some seconds after the start count. */
function isEnough(
  { seconds, isArriveBy, limit, worth }: PlanQuestion,
  found: readonly KnownJourney[],
  end: number,
): boolean {
  if (worth === undefined) return found.length >= limit
  // Checked after each window, regardless of the limit: the rides depend on the search that found them.
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
