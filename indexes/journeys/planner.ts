// Journeys through one timetable: all that are best by departure, arrival and changes, from a moment on or until one, with
// what live feeds say. Keeps what it has laid out of the last days asked for.
import type { Overlay } from '../live/overlay.ts'
import type { LineIndex, StopIndex, Timetable } from '../timetable/timetable.ts'
import type { ChangePoints } from './change-points.ts'
import { listEvents } from './departure-events.ts'
import { type ChangeRules, type Footpaths, slowFootpaths } from './footpaths.ts'
import { lastLeaves, type PlanResult, pareto, type RatedJourney } from './known-journeys.ts'
import { LaidDays, type LaidSpan, type LayoutKeeping } from './laid-days.ts'
import { beginOf, DAY_SECONDS, JOURNEY_SECONDS, type PlanMoment, reachOf } from './plan-reach.ts'
import { type PlannedJourney, toPlanned } from './planned-journey.ts'
import { RaptorSearch } from './raptor-search.ts'
import type { FoundJourney, SearchGround, WalkEnds } from './search-ground.ts'
import { MAX_VEHICLES, NEVER, UNREACHED } from './search-labels.ts'
import { longestRide } from './span.ts'

/** What is asked. Instants are seconds after 1970. */
export interface PlanQuestion {
  /** Stops one can walk to from the start, and from which one can walk to the end. */
  readonly access: WalkEnds<StopIndex>
  readonly egress: WalkEnds<StopIndex>
  /** Leave then at the earliest, or be there then at the latest. */
  readonly seconds: number
  readonly isArriveBy: boolean
  /**
   * The journeys on the other side of the moment instead: those that are there after it, or, where the arrival was given,
   * those that leave before it. Within 24 hours of it, nearest first.
   */
  readonly isBeyond?: boolean
  /** Vehicles taken, at most; as many as there can be where absent. */
  readonly mostVehicles?: number
  /** Line → 1 where it may be taken; undefined for all. */
  readonly lines: Uint8Array | undefined
  /** Kept on top of the walk of a change; what the network keeps where absent. */
  readonly changeSeconds?: number | undefined
  /** Stop after this many journeys. */
  readonly limit: number
  /**
   * How many of some journeys count, where not all do. They are all that arrive by an instant, or, where the arrival was
   * given, all that leave then or later.
   */
  readonly worth?: (journeys: readonly PlannedJourney[], until: number) => number
  readonly overlay: Overlay | undefined
  /** Asked before each round: true gives up. */
  readonly shouldStop: () => boolean
}

/** Where one changes: from or to which trip. */
export interface ChangePlace {
  readonly stop: StopIndex
  readonly line: LineIndex
  /** NONE for one that is not of the timetable. */
  readonly trip: number
}

/** How long it is followed if that finds too few: a weekend and a holiday, or some of the longest rides there are. */
const LONG_JOURNEY_SECONDS = 3 * DAY_SECONDS
const LONGEST_RIDES = 3
/** How long after the first arrival others are looked for, and how many times longer the next time at most. */
const FIRST_WINDOW_SECONDS = 1200
const MOST_LONGER = 8
/** A window is long enough for this many journeys more. It must not depend on `limit`: windows choose among equal rides. */
const JOURNEYS_OF_WINDOW = 3
const NOWHERE: WalkEnds = { stops: [], seconds: [] }
const ignore = (): void => undefined

/** Plans journeys through one timetable. */
export class JourneyPlanner {
  private readonly days: LaidDays
  private readonly points: ChangePoints
  private readonly firstSearch: RaptorSearch
  private readonly search: RaptorSearch
  private readonly backSearch: RaptorSearch
  private readonly longestRideSeconds: number
  private readonly longestSeconds: number
  /** Footpaths → seconds → those whose changes take so much longer. */
  private readonly slower = new WeakMap<Footpaths, Map<number, Footpaths>>()
  /** The way through time that was searched last. */
  private current: Direction | undefined

  constructor(timetable: Timetable, rules: ChangeRules, keeping?: LayoutKeeping) {
    this.days = new LaidDays(timetable, rules, keeping)
    this.points = this.days.points
    this.longestRideSeconds = longestRide(timetable)
    this.longestSeconds = Math.max(LONG_JOURNEY_SECONDS, LONGEST_RIDES * this.longestRideSeconds)
    const { count } = this.points
    this.firstSearch = new RaptorSearch(count)
    this.search = new RaptorSearch(count)
    this.backSearch = new RaptorSearch(count)
  }

  /** Whether the days that a question needs are there. @param moment seconds after 1970 */
  isReady(moment: PlanMoment): boolean {
    return this.days.isReady(reachOf(beginOf(moment, JOURNEY_SECONDS), JOURNEY_SECONDS))
  }

  /** Makes ready what a question needs, a step at a time. @param isAsked somebody waits for it */
  prepare(moment: PlanMoment, isAsked = false): Generator<void> {
    return this.days.prepare(reachOf(beginOf(moment, JOURNEY_SECONDS), JOURNEY_SECONDS), isAsked)
  }

  /**
   * The journeys that nobody beats by leaving no earlier, being there no later and taking no more vehicles: at least
   * `limit` of them where the 24 hours have so many; undefined where it was told to stop.
   */
  plan(question: PlanQuestion): readonly PlannedJourney[] | undefined {
    return this.planPage(question)?.journeys
  }

  /** The same, and whether these are all. */
  planPage(question: PlanQuestion): PlanResult | undefined {
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
   * The journeys on the other side of the moment. The search begins as far on this side as a journey may reach over it;
   * what lies wholly on this side is known by its best alone.
   */
  private planBeyond(question: PlanQuestion): PlanResult | undefined {
    const hasLongRides = this.longestRideSeconds > JOURNEY_SECONDS
    for (const followSeconds of hasLongRides ? [this.longestSeconds] : [JOURNEY_SECONDS, this.longestSeconds]) {
      const begun = beginOf(question, followSeconds)
      const towards = this.towards(begun, followSeconds)
      if (towards === undefined) break
      this.current = towards
      const known = this.bestWithin(towards, question, followSeconds)
      if (known === undefined) return undefined
      // Journeys of which the best takes longer reach over the moment from farther away.
      if (known.length === 0 && followSeconds < this.longestSeconds) continue
      const progress: Progress = { found: [], end: followSeconds, before: known }
      const isEnough = this.searchDay(towards, begun, progress)
      return isEnough === undefined
        ? undefined
        : { journeys: progress.found.map(({ journey }) => journey), isAll: !isEnough }
    }
    return { journeys: [], isAll: true }
  }

  /** By number of vehicles the last to leave of all that are there within some seconds of the start; undefined if stopped. */
  private bestWithin(
    { back, start, access, egress }: Direction,
    { shouldStop, mostVehicles }: PlanQuestion,
    seconds: number,
  ): RatedJourney[] | undefined {
    const best: RatedJourney[] = []
    this.search.begin(back, { access: egress.all, egress: access.all, worst: 1 - start, mostVehicles })
    const keep = ({ arrives, vehicles }: FoundJourney) => {
      best.push({ leaves: -arrives - start, arrives: seconds, vehicles })
    }
    return this.search.leave(-start - seconds, egress.starts, keep, shouldStop) ? best : undefined
  }

  /**
   * One of the journeys that were found for the question asked last, by rides that leave so much more time at each change;
   * undefined where there are none. It leaves and arrives at the same moments and takes as many vehicles.
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
    this.search.begin(
      { ...ground, footpaths },
      {
        access: access.all,
        egress: egress.all,
        leaveBefore: leaves + 1,
        worst: arrives + 1,
        // The last search back went as far as any journey that was found.
        bounds: this.backSearch.boundsForOther(egress.starts),
        // More vehicles than it takes are of no use.
        lastKnown: Array.from({ length: MAX_VEHICLES + 1 }, (_, count) => (count > journey.vehicles ? leaves : NEVER)),
      },
    )
    this.search.leave(
      leaves,
      access.starts,
      (one) => found.push(one),
      () => false,
    )
    // At the edge of the day asked for others may be there sooner.
    const best = found.find((one) => one.arrives === arrives)
    return best && toKnown(best, towards, this.points).journey
  }

  /** The least time from alighting from one trip to boarding another; undefined if one may not change so. */
  changeSeconds(from: ChangePlace, to: ChangePlace): number | undefined {
    const [one, other] = [from, to].map(({ stop, line, trip }) => this.points.pointOf(stop, line, trip))
    return this.days.changeSeconds(one, other)
  }

  /** The way through time of a question; undefined outside the calendar. */
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
    const all = stops.map((stop) => this.points.pointsOf(stop))
    return {
      all: { stops: all.flat(), seconds: all.flatMap((points, at) => points.map(() => seconds[at])) },
      starts: { stops: stops.map((stop) => this.points.startOf(stop)), seconds },
    }
  }

  /**
   * Adds those that are there until some time after the first one; then those until later on, until there are enough.
   * False where the direction ends before that; undefined where it was told to stop.
   */
  private searchDay(towards: Direction, question: PlanQuestion, progress: Progress): boolean | undefined {
    const { start, last } = towards
    // What the first search finds bounds the others, so each direction has its own.
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
      progress.found = pareto([...progress.found, ...later.map((each) => toKnown(each, towards, this.points))])
      progress.end = end
      if (isEnough(question, progress.found, end)) return true
      const length = (JOURNEYS_OF_WINDOW * (end - from)) / progress.found.length
      window = Math.ceil(Math.max(FIRST_WINDOW_SECONDS, Math.min(length, window * MOST_LONGER)))
    }
    return false
  }

  /** When one can be there first, having left within the day; UNREACHED where one cannot, undefined where it was stopped. */
  private findFirst(
    { ground, start, leaveWithin, access, egress }: Direction,
    { shouldStop, mostVehicles }: PlanQuestion,
  ): number | undefined {
    let first = UNREACHED
    this.firstSearch.begin(ground, {
      access: access.all,
      egress: egress.all,
      leaveBefore: start + leaveWithin,
      mostVehicles,
    })
    const keep = ({ arrives }: FoundJourney) => {
      first = arrives
    }
    return this.firstSearch.leave(start, access.starts, keep, shouldStop) ? first : undefined
  }

  /**
   * The journeys that are there at a moment or before, but for those known, which are all until some moment before. A
   * search back from the moment says beforehand what is of no use, and the first search what it need not look at.
   */
  private searchUntil(
    { ground, back, start, leaveWithin, access, egress }: Direction,
    { shouldStop, mostVehicles }: PlanQuestion,
    { end, known }: { readonly end: number; readonly known: readonly RatedJourney[] },
  ): FoundJourney[] | undefined {
    const lastKnown = lastLeaves(known)
    const from = Math.max(start, lastKnown[1] + 1)
    const fromStart = this.firstSearch.boundsForOther(access.starts)
    this.backSearch.begin(back, {
      access: egress.all,
      egress: NOWHERE,
      worst: 1 - from,
      bounds: fromStart,
      isForBounds: true,
      mostVehicles,
    })
    if (!this.backSearch.leave(-end, egress.starts, ignore, shouldStop)) return undefined
    const bounds = this.backSearch.boundsForOther(egress.starts)
    const leaveBefore = start + leaveWithin
    const to = Math.min(end + 1, leaveBefore)
    const { moments, endsAt } = listEvents(ground, access.starts, { from, to, bounds, lastKnown })
    const found: FoundJourney[] = []
    this.search.begin(ground, {
      access: access.all,
      egress: egress.all,
      leaveBefore,
      worst: end + 1,
      bounds,
      lastKnown,
      mostVehicles,
    })
    for (const [at, moment] of moments.entries()) {
      const isDone = this.search.leave(moment, endsAt[at], (journey) => found.push(journey), shouldStop)
      if (!isDone) return undefined
    }
    return found
  }
}

/** A journey that was found; seconds after the start of its search, whatever span that ran on. */
interface KnownJourney extends RatedJourney {
  readonly journey: PlannedJourney
}

/** How far the search for a question has come: all journeys until `end`, in seconds after its start. */
interface Progress {
  found: readonly KnownJourney[]
  /** Undefined before the first arrival is known. */
  end: number | undefined
  /** The best of those that are of no interest, being there before the first end. */
  readonly before?: readonly RatedJourney[]
}

/** One way through time. */
interface Direction {
  readonly laid: LaidSpan
  readonly ground: SearchGround
  /** The other way through time. */
  readonly back: SearchGround
  readonly overlay: Overlay | undefined
  readonly isMirrored: boolean
  /** In the search's own time. */
  readonly start: number
  /** Nobody is there later; seconds after the start. */
  readonly last: number
  /** Nobody leaves then or later; seconds after the start. */
  readonly leaveWithin: number
  readonly access: PointEnds
  readonly egress: PointEnds
}

/** An end as the search knows it. */
interface PointEnds {
  /** Every point of its stops. */
  readonly all: WalkEnds
  /** One point for each stop: its hub, if it has one. */
  readonly starts: WalkEnds
}

/** Whether enough of all journeys until some seconds after the start count. */
function isEnough(
  { seconds, isArriveBy, limit, worth }: PlanQuestion,
  found: readonly KnownJourney[],
  end: number,
): boolean {
  if (found.length < limit || worth === undefined) return found.length >= limit
  const until = isArriveBy ? seconds - end : seconds + end
  return (
    worth(
      found.map(({ journey }) => journey),
      until,
    ) >= limit
  )
}

function toKnown(found: FoundJourney, towards: Direction, points: ChangePoints): KnownJourney {
  const { laid, ground, back, isMirrored, start } = towards
  const { leaves, arrives, vehicles } = found
  const journey = toPlanned(found, {
    ...towards,
    ...laid,
    live: laid.live?.span,
    layers: ground.layers,
    footpaths: (isMirrored ? back : ground).footpaths,
    points,
  })
  return { leaves: leaves - start, arrives: arrives - start, vehicles, journey }
}
