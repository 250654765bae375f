// Journeys through one timetable: all that are best by departure, arrival and changes, from a moment on or until one, with
// what live feeds say. Keeps what it has laid out of the last days asked for.
import type { LiveCallIndex, Overlay } from '../live/overlay.ts'
import type { StopIndex, Timetable, TripIndex } from '../timetable/timetable.ts'
import type { TripInstance } from '../timetable/trips.ts'
import type { ChangePoints } from './change-points.ts'
import { listEvents } from './departure-events.ts'
import type { ChangeRules } from './footpaths.ts'
import { LaidDays, type LaidSpan } from './laid-days.ts'
import { RaptorSearch } from './raptor-search.ts'
import type { RouteLayer } from './route-layer.ts'
import type { FoundJourney, FoundRide, SearchGround, WalkEnds } from './search-ground.ts'
import { MAX_VEHICLES, NEVER, UNREACHED } from './search-labels.ts'

/** What is asked. Instants are seconds after 1970. */
export interface PlanQuestion {
  /** Stops one can walk to from the start, and from which one can walk to the end. */
  readonly access: WalkEnds<StopIndex>
  readonly egress: WalkEnds<StopIndex>
  /** Leave then at the earliest, or be there then at the latest. */
  readonly seconds: number
  readonly isArriveBy: boolean
  /** Line → 1 where it may be taken; undefined for all. */
  readonly lines: Uint8Array | undefined
  /** Journeys enough. */
  readonly limit: number
  /** How many of some journeys count, where not all do: what is a little slower but easier makes others of no use. */
  readonly worth?: (journeys: readonly PlannedJourney[]) => number
  readonly overlay: Overlay | undefined
  /** Asked before each round: true gives up. */
  readonly shouldStop: () => boolean
}

/** A ride of a planned journey. */
export interface PlannedRide {
  /** Undefined where the timetable has no such trip: then `live` is set. */
  readonly instance: TripInstance | undefined
  /** The calls of a live instance from boarding to alighting, both included; undefined where feeds are silent. */
  readonly live: readonly LiveCallIndex[] | undefined
  /** Stops called at from boarding to alighting, both included. */
  readonly stops: readonly StopIndex[]
  /** Position of the boarding in the calls of the trip, those it skips now left out. */
  readonly from: number
  readonly departs: number
  readonly arrives: number
  readonly staysSeated: boolean
}

/** A planned journey, walks left to its rides' ends. */
export interface PlannedJourney {
  /** Leaving the start, being at the end. */
  readonly leaves: number
  readonly arrives: number
  readonly vehicles: number
  readonly rides: readonly PlannedRide[]
}

const DAY_SECONDS = 86_400
/** Longest a journey that leaves within the day asked for is followed. */
const JOURNEY_SECONDS = 12 * 3600
/** How long after the first arrival others are looked for, and how many times longer the next time at most. */
const FIRST_WINDOW_SECONDS = 1200
const MOST_LONGER = 8
/** How much longer than what the rate so far says: looking once more costs most. */
const SAFETY = 1.5
/** What comes that much later may be easier than what was found, and make it of no use. */
const EASIER_SECONDS = 300
const NOWHERE: WalkEnds = { stops: [], seconds: [] }
const ignore = (): void => undefined

/** Plans journeys through one timetable. */
export class JourneyPlanner {
  private readonly days: LaidDays
  private readonly points: ChangePoints
  private readonly firstSearch: RaptorSearch
  private readonly search: RaptorSearch
  private readonly backSearch: RaptorSearch

  constructor(timetable: Timetable, rules: ChangeRules) {
    this.days = new LaidDays(timetable, rules)
    this.points = this.days.points
    const { count } = this.points
    this.firstSearch = new RaptorSearch(count)
    this.search = new RaptorSearch(count)
    this.backSearch = new RaptorSearch(count)
  }

  /**
   * The journeys that nobody beats by leaving no earlier, being there no later and taking no more vehicles: at least
   * `limit` of them where the 24 hours have so many; undefined where it was told to stop.
   */
  plan(question: PlanQuestion): PlannedJourney[] | undefined {
    const { seconds, isArriveBy } = question
    const reach = isArriveBy
      ? { from: seconds - DAY_SECONDS - JOURNEY_SECONDS, to: seconds + 1 }
      : { from: seconds, to: seconds + DAY_SECONDS + JOURNEY_SECONDS }
    const laid = this.days.spanOf(reach)
    if (laid === undefined) return []
    const towards: Direction = {
      laid,
      ground: this.days.groundOf(laid, { ...question, isMirrored: isArriveBy }),
      back: this.days.groundOf(laid, { ...question, isMirrored: !isArriveBy }),
      overlay: question.overlay,
      isMirrored: isArriveBy,
      start: isArriveBy ? laid.span.baseSeconds - seconds : seconds - laid.span.baseSeconds,
      access: this.toPoints(isArriveBy ? question.egress : question.access),
      egress: this.toPoints(isArriveBy ? question.access : question.egress),
    }
    const toJourneys = (found: readonly FoundJourney[]) => found.map((each) => toPlanned(each, towards, this.points))
    const { worth } = question
    const found = this.searchDay(towards, question, (known, end) => {
      if (worth === undefined || known.length < question.limit) return known.length
      return worth(toJourneys(known.filter(({ arrives }) => arrives <= end - EASIER_SECONDS)))
    })
    return found && toJourneys(found)
  }

  /** The points of the stops. */
  private toPoints({ stops, seconds }: WalkEnds<StopIndex>): PointEnds {
    const all = stops.map((stop) => this.points.pointsOf(stop))
    return {
      all: { stops: all.flat(), seconds: all.flatMap((points, at) => points.map(() => seconds[at])) },
      starts: { stops: stops.map((stop) => this.points.startOf(stop)), seconds },
    }
  }

  /** Those that are there until some time after the first one; then those until later on, until enough were found. */
  private searchDay(
    towards: Direction,
    question: PlanQuestion,
    countOf: (found: readonly FoundJourney[], end: number) => number,
  ): FoundJourney[] | undefined {
    const last = towards.start + DAY_SECONDS + JOURNEY_SECONDS
    const first = this.findFirst(towards, question)
    if (first === undefined) return undefined
    if (first > last) return []
    let found: FoundJourney[] = []
    let window = FIRST_WINDOW_SECONDS
    for (let end = first; ; ) {
      end = Math.min(end + window, last)
      const later = this.searchUntil(towards, question, { end, known: found })
      if (later === undefined) return undefined
      found = pareto([...found, ...later])
      if (end === last) return found
      const count = countOf(found, end)
      if (count >= question.limit) return found
      const rate = count / (end - first)
      const missing = (SAFETY * (question.limit - count)) / rate
      window = Math.ceil(Math.max(FIRST_WINDOW_SECONDS, Math.min(missing, window * MOST_LONGER)))
    }
  }

  /** When one can be there first, having left within the day; UNREACHED where one cannot, undefined where it was stopped. */
  private findFirst({ ground, start, access, egress }: Direction, { shouldStop }: PlanQuestion): number | undefined {
    let first = UNREACHED
    this.firstSearch.begin(ground, { access: access.all, egress: egress.all, leaveBefore: start + DAY_SECONDS })
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
    { ground, back, start, access, egress }: Direction,
    { shouldStop }: PlanQuestion,
    { end, known }: { readonly end: number; readonly known: readonly FoundJourney[] },
  ): FoundJourney[] | undefined {
    const lastKnown = lastLeaves(known)
    const from = Math.max(start, (lastKnown[1] as number) + 1)
    const fromStart = this.firstSearch.boundsForOther(access.starts)
    this.backSearch.begin(back, {
      access: egress.all,
      egress: NOWHERE,
      worst: 1 - from,
      bounds: fromStart,
      isForBounds: true,
    })
    if (!this.backSearch.leave(-end, egress.starts, ignore, shouldStop)) return undefined
    const bounds = this.backSearch.boundsForOther(egress.starts)
    const leaveBefore = start + DAY_SECONDS
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
    })
    for (const [at, moment] of moments.entries()) {
      const isDone = this.search.leave(moment, endsAt[at], (journey) => found.push(journey), shouldStop)
      if (!isDone) return undefined
    }
    return found
  }
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

function timeAt(layer: RouteLayer, ride: FoundRide, position: number, which: 'departure' | 'arrival'): number {
  const count = layer.instanceOffset[ride.route + 1] - layer.instanceOffset[ride.route]
  return layer[which][layer.timeOffset[ride.route] + position * count + ride.instance]
}

/** By number of vehicles: when the last of some journeys leaves that takes no more. */
function lastLeaves(journeys: readonly FoundJourney[]): number[] {
  const last = new Array<number>(MAX_VEHICLES + 1).fill(NEVER)
  for (const { leaves, vehicles } of journeys) {
    for (let more = vehicles; more <= MAX_VEHICLES; more++) last[more] = Math.max(last[more], leaves)
  }
  return last
}

/** The journeys that no other beats, by their leaving. */
function pareto(journeys: readonly FoundJourney[]): FoundJourney[] {
  const sorted = journeys.toSorted((a, b) => b.leaves - a.leaves || a.arrives - b.arrives || a.vehicles - b.vehicles)
  const kept: FoundJourney[] = []
  for (const journey of sorted) {
    const isBeaten = kept.some((other) => other.arrives <= journey.arrives && other.vehicles <= journey.vehicles)
    if (!isBeaten) kept.push(journey)
  }
  return kept.reverse()
}

/** A found journey in true time and order. */
function toPlanned(journey: FoundJourney, towards: Direction, points: ChangePoints): PlannedJourney {
  const { isMirrored, laid } = towards
  const base = laid.span.baseSeconds
  const rides = journey.rides.map((ride) => toRide(ride, towards, points))
  if (!isMirrored) {
    return { leaves: base + journey.leaves, arrives: base + journey.arrives, vehicles: journey.vehicles, rides }
  }
  // Backwards, a rider stays seated into the ride before: the mark moves on by one.
  const turned = rides.toReversed()
  const marked = turned.map((ride, at) => ({ ...ride, staysSeated: turned[at - 1]?.staysSeated ?? false }))
  return { leaves: base - journey.arrives, arrives: base - journey.leaves, vehicles: journey.vehicles, rides: marked }
}

function toRide(ride: FoundRide, { laid, ground, isMirrored, overlay }: Direction, points: ChangePoints): PlannedRide {
  const layer = ground.layers[ride.layer]
  const first = layer.positionOffset[ride.route]
  const length = layer.positionOffset[ride.route + 1] - first
  const { baseSeconds } = laid.span
  const stops = Array.from(layer.pointAt.subarray(first + ride.from, first + ride.to + 1), (at) => points.stopOf[at])
  const departs = timeAt(layer, ride, ride.from, 'departure')
  const arrives = timeAt(layer, ride, ride.to, 'arrival')
  const from = isMirrored ? length - 1 - ride.to : ride.from
  const label = layer.label[layer.instanceOffset[ride.route] + ride.instance]
  return {
    ...instanceOf(laid, ride.layer, label, overlay, { from, count: stops.length }),
    stops: isMirrored ? stops.reverse() : stops,
    from,
    departs: isMirrored ? baseSeconds - arrives : baseSeconds + departs,
    arrives: isMirrored ? baseSeconds - departs : baseSeconds + arrives,
    staysSeated: ride.staysSeated,
  }
}

function instanceOf(
  { span, live }: LaidSpan,
  layer: number,
  label: number,
  overlay: Overlay | undefined,
  calls: { readonly from: number; readonly count: number },
): Pick<PlannedRide, 'instance' | 'live'> {
  if (layer === 0) {
    const instance: TripInstance = {
      trip: span.trip[label] as TripIndex,
      day: span.day[label] as number,
      runStartSeconds: span.runStart[label] as number,
    }
    return { instance, live: undefined }
  }
  if (live === undefined || overlay === undefined) throw new Error('a live ride has an overlay')
  const at = label as never
  const { instances } = overlay
  const trip = instances.trip[at] as TripIndex
  const isOfTimetable = overlay.instanceOfTrip.length > trip
  const instance = isOfTimetable
    ? { trip, day: instances.day[at] as number, runStartSeconds: instances.runStart[at] as number }
    : undefined
  return { instance, live: live.span.callsOf[label]?.slice(calls.from, calls.from + calls.count) }
}
