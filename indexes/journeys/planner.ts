// Journeys through one timetable: all that are best by departure, arrival and changes, from a moment on or until one, with
// what live feeds say. Keeps what it has laid out of the last days asked for.
import { LRUCache } from 'lru-cache'
import type { LiveCallIndex, Overlay } from '../live/overlay.ts'
import type { Timetable, TripIndex } from '../timetable/timetable.ts'
import type { TripInstance } from '../timetable/trips.ts'
import { listEvents } from './departure-events.ts'
import { buildFootpaths, type ChangeRules, type Footpaths, mirrorFootpaths } from './footpaths.ts'
import { type LiveSpan, layLive } from './live-layer.ts'
import { RaptorSearch } from './raptor-search.ts'
import { mirrorLayer, type RouteLayer } from './route-layer.ts'
import type { FoundJourney, FoundRide, SearchBounds, SearchGround, WalkEnds } from './search-ground.ts'
import { findFollowers, mirroredPlace, pairSeated, type SeatedPairs, type TripFollowers } from './seated.ts'
import { buildSpan, classifyPatterns, InstancePlaces, type PatternClass, type Span } from './span.ts'

/** What is asked. Instants are seconds after 1970. */
export interface PlanQuestion {
  /** Stops one can walk to from the start, and from which one can walk to the end. */
  readonly access: WalkEnds
  readonly egress: WalkEnds
  /** Leave then at the earliest, or be there then at the latest. */
  readonly seconds: number
  readonly isArriveBy: boolean
  /** Line → 1 where it may be taken; undefined for all. */
  readonly lines: Uint8Array | undefined
  /** Journeys enough. */
  readonly limit: number
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
  readonly stops: readonly number[]
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
/** How long after the first arrival others are looked for, and how many times longer where there are too few. */
const FIRST_WINDOW_SECONDS = 900
const LATER_BY = 4
const KEPT_SPANS = 4
const NOWHERE: WalkEnds = { stops: [], seconds: [] }
const ignore = (): void => undefined

/** A span with everything that hangs on it alone. */
interface LaidSpan {
  readonly span: Span
  readonly mirrored: RouteLayer
  readonly places: InstancePlaces
  seated: SeatedPairs | undefined
  live: { readonly span: LiveSpan; readonly seated: SeatedPairs | undefined } | undefined
}

/** Plans journeys through one timetable. */
export class JourneyPlanner {
  private readonly timetable: Timetable
  private readonly classes: readonly PatternClass[]
  private readonly followers: TripFollowers
  private readonly footpaths: Footpaths
  private readonly mirroredFootpaths: Footpaths
  private readonly search: RaptorSearch
  private readonly backSearch: RaptorSearch
  private readonly bounds: SearchBounds
  private readonly spans = new LRUCache<string, LaidSpan>({ max: KEPT_SPANS })

  constructor(timetable: Timetable, rules: ChangeRules) {
    this.timetable = timetable
    this.classes = classifyPatterns(timetable)
    this.followers = findFollowers(timetable)
    this.footpaths = buildFootpaths(timetable, rules)
    this.mirroredFootpaths = mirrorFootpaths(this.footpaths)
    const stopCount = timetable.stops.id.length
    this.search = new RaptorSearch(stopCount)
    this.backSearch = new RaptorSearch(stopCount)
    this.bounds = { board: new Int32Array(stopCount), alight: new Int32Array(stopCount) }
  }

  /** The walk of a change between two stops, in meters; 0 at one stop. */
  changeMeters(from: number, to: number): number {
    const { offset, stop, meters } = this.footpaths
    for (let at = offset[from] as number; at < (offset[from + 1] as number); at++) {
      if (stop[at] === to) return meters[at] as number
    }
    throw new Error(`there is no change from stop ${from} to stop ${to}`)
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
    const laid = this.spanOf(reach)
    if (laid === undefined) return []
    const towards: Direction = {
      laid,
      ground: this.groundOf(laid, question, isArriveBy),
      back: this.groundOf(laid, question, !isArriveBy),
      overlay: question.overlay,
      isMirrored: isArriveBy,
      start: isArriveBy ? laid.span.baseSeconds - seconds : seconds - laid.span.baseSeconds,
      access: isArriveBy ? question.egress : question.access,
      egress: isArriveBy ? question.access : question.egress,
    }
    const found = this.searchDay(towards, question)
    return found?.map((journey) => toPlanned(journey, towards))
  }

  /** All that are there until some time after the first one, and more and more time, until enough were found. */
  private searchDay(towards: Direction, question: PlanQuestion): FoundJourney[] | undefined {
    const { start } = towards
    const first = this.findFirst(towards, question)
    if (first === undefined) return undefined
    if (first.leaves >= start + DAY_SECONDS) return []
    for (let later = FIRST_WINDOW_SECONDS; ; later *= LATER_BY) {
      const end = Math.min(first.arrives + later, start + DAY_SECONDS + JOURNEY_SECONDS)
      const found = this.searchUntil(towards, question, end)
      if (found === undefined) return undefined
      if (found.length >= question.limit || end === start + DAY_SECONDS + JOURNEY_SECONDS) return found
    }
  }

  /** The journey that is there first. */
  private findFirst(
    { ground, start, access, egress }: Direction,
    { shouldStop }: PlanQuestion,
  ): { readonly leaves: number; readonly arrives: number } | undefined {
    let first: FoundJourney | undefined
    this.search.begin(ground, egress)
    const keep = (journey: FoundJourney) => {
      first = journey
    }
    if (!this.search.leave(start, access, keep, shouldStop)) return undefined
    if (first === undefined) return { leaves: Number.POSITIVE_INFINITY, arrives: Number.POSITIVE_INFINITY }
    return { leaves: leavesOf(first, ground, access), arrives: first.arrives }
  }

  /** All journeys that are there at a moment or before. A search back from it says beforehand what is of no use. */
  private searchUntil(towards: Direction, { shouldStop }: PlanQuestion, end: number): FoundJourney[] | undefined {
    const { ground, back, start, access, egress } = towards
    this.backSearch.begin(back, NOWHERE, 1 - start)
    if (!this.backSearch.leave(-end, egress, ignore, shouldStop)) return undefined
    this.backSearch.fillBounds(this.bounds, { at: end, egress })
    const found: FoundJourney[] = []
    const window = { from: start, to: Math.min(end, start + DAY_SECONDS) }
    const { moments, endsAt } = listEvents(ground, access, window, this.bounds.board)
    this.search.begin(ground, egress, end + 1, this.bounds)
    for (const [at, moment] of moments.entries()) {
      const isDone = this.search.leave(moment, endsAt[at] as WalkEnds, (journey) => found.push(journey), shouldStop)
      if (!isDone) return undefined
    }
    return pareto(found)
  }

  private groundOf(laid: LaidSpan, { overlay, lines }: PlanQuestion, isMirrored: boolean): SearchGround {
    const live = overlay === undefined ? undefined : this.liveOf(laid, overlay)
    const seated = live === undefined ? laid.seated : live.seated
    const layers = isMirrored ? [laid.mirrored] : [laid.span.layer]
    if (live !== undefined) layers.push(isMirrored ? live.span.mirrored : live.span.layer)
    const masked = live?.span.masked
    return {
      layers,
      masked: masked === undefined || !isMirrored ? masked : mirrorMask(laid.span.layer, masked),
      footpaths: isMirrored ? this.mirroredFootpaths : this.footpaths,
      lines,
      continuations: isMirrored ? seated?.backward : seated?.forward,
    }
  }

  private liveOf(laid: LaidSpan, overlay: Overlay) {
    if (laid.live?.span.overlay === overlay) return laid.live
    const { span, places } = laid
    const live = layLive(span, places, overlay, this.timetable.stops.id.length)
    const base = span.layer.label.length
    const liveOfTrip = new Map<string, number>()
    const { instances } = overlay
    for (let place = 0; place < live.layer.label.length; place++) {
      const instance = live.layer.label[place] as never
      liveOfTrip.set(`${instances.trip[instance]} ${instances.day[instance]} ${instances.runStart[instance]}`, place)
    }
    const placeNow = (place: number): number | undefined => {
      if (live.masked[place] === 0) return place
      const label = span.layer.label[place] as number
      const at = liveOfTrip.get(`${span.trip[label]} ${span.day[label]} ${span.runStart[label]}`)
      return at === undefined ? undefined : base + at
    }
    const layers = [span.layer, live.layer]
    const seated = pairSeated(this.timetable, this.followers, { span, places, layers, placeNow })
    laid.live = { span: live, seated }
    return laid.live
  }

  /** The span of the service days of which something may run in a stretch of time; undefined outside the calendar. */
  private spanOf(reach: { readonly from: number; readonly to: number }): LaidSpan | undefined {
    const { zeroSeconds } = this.timetable.serviceDays
    const { dayCount, maxTimeSeconds } = this.timetable.meta
    let firstDay = 0
    while (firstDay < dayCount && zeroSeconds[firstDay] + maxTimeSeconds < reach.from) firstDay++
    let endDay = firstDay
    while (endDay < dayCount && zeroSeconds[endDay] < reach.to) endDay++
    if (firstDay === endDay) return undefined
    const key = `${firstDay} ${endDay}`
    const known = this.spans.get(key)
    if (known !== undefined) return known
    const span = buildSpan(this.timetable, this.classes, { firstDay, endDay })
    const places = new InstancePlaces(span)
    const layers = [span.layer]
    const seated = pairSeated(this.timetable, this.followers, { span, places, layers, placeNow: (place) => place })
    const mirrored = mirrorLayer(span.layer, this.timetable.stops.id.length)
    const laid: LaidSpan = { span, mirrored, places, seated, live: undefined }
    this.spans.set(key, laid)
    return laid
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
  readonly access: WalkEnds
  readonly egress: WalkEnds
}

function mirrorMask(layer: RouteLayer, masked: Uint8Array): Uint8Array {
  const mirrored = new Uint8Array(masked.length)
  for (let place = 0; place < masked.length; place++) {
    if (masked[place] === 1) mirrored[mirroredPlace(layer, place)] = 1
  }
  return mirrored
}

/** When one really leaves: for the first vehicle, not when the search began. */
function leavesOf({ rides }: FoundJourney, ground: SearchGround, access: WalkEnds): number {
  const [ride] = rides
  if (ride === undefined) throw new Error('a journey has at least one ride')
  const layer = ground.layers[ride.layer] as RouteLayer
  const stop = layer.stopAt[(layer.positionOffset[ride.route] as number) + ride.from] as number
  return timeAt(layer, ride, ride.from, 'departure') - (access.seconds[access.stops.indexOf(stop)] as number)
}

function timeAt(layer: RouteLayer, ride: FoundRide, position: number, which: 'departure' | 'arrival'): number {
  const count = (layer.instanceOffset[ride.route + 1] as number) - (layer.instanceOffset[ride.route] as number)
  return layer[which][(layer.timeOffset[ride.route] as number) + position * count + ride.instance] as number
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
function toPlanned(journey: FoundJourney, towards: Direction): PlannedJourney {
  const { isMirrored, laid } = towards
  const base = laid.span.baseSeconds
  const rides = journey.rides.map((ride) => toRide(ride, towards))
  if (!isMirrored) {
    return { leaves: base + journey.leaves, arrives: base + journey.arrives, vehicles: journey.vehicles, rides }
  }
  // Backwards, a rider stays seated into the ride before: the mark moves on by one.
  const turned = rides.toReversed()
  const marked = turned.map((ride, at) => ({ ...ride, staysSeated: turned[at - 1]?.staysSeated ?? false }))
  return { leaves: base - journey.arrives, arrives: base - journey.leaves, vehicles: journey.vehicles, rides: marked }
}

function toRide(ride: FoundRide, { laid, ground, isMirrored, overlay }: Direction): PlannedRide {
  const layer = ground.layers[ride.layer] as RouteLayer
  const first = layer.positionOffset[ride.route] as number
  const length = (layer.positionOffset[ride.route + 1] as number) - first
  const { baseSeconds } = laid.span
  const stops = Array.from(layer.stopAt.subarray(first + ride.from, first + ride.to + 1))
  const departs = timeAt(layer, ride, ride.from, 'departure')
  const arrives = timeAt(layer, ride, ride.to, 'arrival')
  const from = isMirrored ? length - 1 - ride.to : ride.from
  const label = layer.label[(layer.instanceOffset[ride.route] as number) + ride.instance] as number
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
