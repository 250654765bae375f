// Matches a TripDescriptor to a trip instance: by trip id and date, by trip id and nearest time, or by a description
// that fits only one instance. Descriptors that fit no instance or several are ignored and counted by reason.
import { nextIndex } from '../../loaders/columns.ts'
import type { StopTimeUpdate, TripDescriptor, TripUpdate } from '../../loaders/gtfs-rt/message.ts'
import { textOf } from '../../loaders/strings.ts'
import { NO_RUN } from '../timetable/board-cursor.ts'
import { findLine } from '../timetable/lines.ts'
import { dayOfDate, findServiceDay, serviceDate } from '../timetable/service-dates.ts'
import {
  callCount,
  type FrequencyIndex,
  isActive,
  type LineIndex,
  type PatternIndex,
  stopTimeAt,
  type Timetable,
  type TripIndex,
} from '../timetable/timetable.ts'
import { findTrip, type TripInstance } from '../timetable/trips.ts'
import { scheduledCalls, sequencesOfTrip, stopsOfTrip } from './live-trip.ts'
import { callsNamed, type StopFinder } from './match-calls.ts'
import { hasForecast } from './predict.ts'

/** The reasons why a descriptor matches no instance. */
export type MatchFailure =
  | 'no_trip_id'
  | 'unknown_trip'
  | 'bad_start_date'
  | 'no_service_on_date'
  | 'no_start_date'
  | 'no_start_time'
  | 'no_such_run'
  | 'ambiguous_descriptor'

/** A descriptor to match, and data that helps to find its service day if it has no date. */
export interface MatchQuestion {
  readonly descriptor: TripDescriptor
  /** The first call with an absolute time in the update; undefined if there is none. */
  readonly firstTime: FirstTime | undefined
  /** Where and when the vehicle was seen. Used to choose between trips that leave the origin at the same time. */
  readonly seen?: FirstTime
  /** The stops that the update names, in order. */
  readonly stopIds: readonly string[]
  /** Whether the update applies to the whole trip: the trip is canceled, or the update has one delay for all calls. */
  readonly isWhole: boolean
  /** Current time of the service, in seconds after 1970. */
  readonly nowSeconds: number
}

/** A call with an absolute time. */
export interface FirstTime {
  readonly call: Pick<StopTimeUpdate, 'stopSequence' | 'stopId'>
  /** Seconds after 1970. */
  readonly seconds: number
}

/** Extracts from an update the data that identifies its trip. */
export function questionOf(update: TripUpdate, nowSeconds: number): MatchQuestion {
  const { trip: descriptor, stopTimes, delaySeconds } = update
  const call = stopTimes.find(
    ({ arrival, departure }) => (arrival?.timeSeconds ?? departure?.timeSeconds) !== undefined,
  )
  const seconds = call?.arrival?.timeSeconds ?? call?.departure?.timeSeconds
  const isOff = descriptor.relationship === 'canceled' || descriptor.relationship === 'deleted'
  return {
    descriptor,
    stopIds: stopTimes.flatMap(({ stopId }) => stopId ?? []),
    firstTime: call === undefined || seconds === undefined ? undefined : { call, seconds },
    isWhole: isOff || (delaySeconds !== undefined && !stopTimes.some(hasForecast)),
    nowSeconds,
  }
}

/** The data in the id of a New York subway trip: departure time at the origin, route, direction, and path. */
interface TripOrigin {
  /** Seconds after the service day's zero; may be negative. */
  readonly seconds: number
  readonly route: string
  /** 0 for northbound, 1 for southbound. */
  readonly directionId: number
  /** The path at the end of the id, such as `..S07R`. */
  readonly path: string
}

/**
 * Matches the id of a New York subway trip: the departure time in hundredths of a minute after midnight, `_`, the
 * route, and the path, which consists of dots, the direction and further characters.
 */
const ORIGIN_ID = /^(-?\d{5,6})_([^.]+)(\.{1,2}([NS])\w*)$/
/** Maximum difference in seconds between the origin time in an id and the scheduled start of a trip. */
const ORIGIN_SECONDS = 60

function readOrigin(tripId: string | undefined): TripOrigin | undefined {
  const [, hundredths, route = '', path = '', direction] = ORIGIN_ID.exec(tripId ?? '') ?? []
  if (hundredths === undefined) return undefined
  return { seconds: Math.round(Number(hundredths) * 0.6), route, directionId: direction === 'N' ? 0 : 1, path }
}

/**
 * An update with neither a date nor a time is matched to the running instance of its trip, if there is one. An instance
 * also counts as running for this long before its first call and after its last call.
 */
const UNDER_WAY_SECONDS = 600
/**
 * Maximum difference between the scheduled time of a trip and the predicted time in an update without a date. If an
 * update for a whole trip, for example a cancellation, has no date, it may come at most this long before the trip
 * starts.
 */
const NEAREST_SECONDS = 12 * 3600
const DAY_SECONDS = 86_400

/** Matches descriptors against one timetable. Caches lookups. */
export class TripMatcher {
  private readonly timetable: Timetable
  private readonly find: StopFinder
  private readonly tripById = new Map<string, TripIndex | undefined>()
  private readonly instances = new Map<string, TripIndex[]>()
  private hasStarts = false

  constructor(timetable: Timetable, find: StopFinder) {
    this.timetable = timetable
    this.find = find
  }

  /** The trip with this id in the feed. */
  findTrip(feedId: string): TripIndex | undefined {
    if (this.tripById.has(feedId)) return this.tripById.get(feedId)
    const trip = findTrip(this.timetable, feedId)
    this.tripById.set(feedId, trip)
    return trip
  }

  match(question: MatchQuestion): TripInstance | MatchFailure {
    const { tripId } = question.descriptor
    const trip = tripId === undefined ? undefined : this.findTrip(tripId)
    if (trip !== undefined) return this.matchTrip(trip, question)
    const origin = readOrigin(tripId)
    return origin === undefined ? this.matchDescription(question) : this.matchOrigin(origin, question)
  }

  private matchTrip(trip: TripIndex, question: MatchQuestion): TripInstance | MatchFailure {
    const run = this.matchRun(trip, question.descriptor)
    if (typeof run === 'string') return run
    const { startDate } = question.descriptor
    if (startDate === undefined) return this.matchNearestDay(trip, run, question)
    const { trips, meta } = this.timetable
    const day = dayOfDate(this.timetable, startDate)
    if (day === undefined) return 'bad_start_date'
    // The day after the calendar's last day is also valid, because it can be the calendar date of a night trip.
    const isNear = day >= 0 && day <= meta.dayCount && serviceDate(this.timetable, day) === startDate
    if (!isNear) return 'no_service_on_date'
    const isOn = (each: number) =>
      each >= 0 && each < meta.dayCount && isActive(this.timetable, trips.service[trip], each)
    if (isOn(day - 1) && this.isOfNightBefore({ trip, day, runStartSeconds: run }, question, isOn(day)))
      return { trip, day: day - 1, runStartSeconds: run }
    return isOn(day) ? { trip, day, runStartSeconds: run } : 'no_service_on_date'
  }

  /**
   * Whether the date in an update is the calendar date of a trip that starts at or after 24:00 on the previous service
   * day. This is the case if the trip does not run on the service day with that date, or if the time in the update fits
   * the trip of the previous service day and not the trip of that date.
   */
  private isOfNightBefore(named: TripInstance, { firstTime }: MatchQuestion, runsThen: boolean): boolean {
    const { first } = this.spanOf(named.trip, named.runStartSeconds)
    if (first < DAY_SECONDS) return false
    if (!runsThen) return true
    const start = this.timetable.serviceDays.zeroSeconds[named.day] + first
    return firstTime !== undefined && firstTime.seconds < start - NEAREST_SECONDS
  }

  /**
   * For a frequency trip, the start of the run that a descriptor names. For other trips, which need no start time,
   * NO_RUN.
   */
  private matchRun(trip: TripIndex, { startSeconds }: TripDescriptor): number | MatchFailure {
    const { trips, frequencies } = this.timetable
    const first = trips.frequencyOffset[trip]
    const end = trips.frequencyOffset[nextIndex(trip)]
    if (first === end) return NO_RUN
    if (startSeconds === undefined) return 'no_start_time'
    for (let row: FrequencyIndex = first; row < end; row++) {
      if (frequencies.exactTimes[row] !== 1) return startSeconds
      const since = startSeconds - frequencies.startSeconds[row]
      const isRun =
        since >= 0 && startSeconds < frequencies.endSeconds[row] && since % frequencies.headwaySeconds[row] === 0
      if (isRun) return startSeconds
    }
    return 'no_such_run'
  }

  private matchNearestDay(trip: TripIndex, run: number, question: MatchQuestion): TripInstance | MatchFailure {
    const { firstTime, nowSeconds } = question
    const instance =
      firstTime === undefined
        ? (this.underWay(trip, run, nowSeconds) ??
          (question.isWhole ? this.startingNext(trip, run, nowSeconds) : undefined))
        : this.nearest(trip, run, firstTime)
    return instance ?? 'no_start_date'
  }

  /**
   * The instance of a trip whose scheduled time is nearest to the time `seconds`. If a call is named, its scheduled
   * time is used. Otherwise the scheduled time of the nearest call is used.
   */
  private nearest(trip: TripIndex, run: number, { call, seconds }: FirstTime): TripInstance | undefined {
    const window = { fromSeconds: seconds - NEAREST_SECONDS, toSeconds: seconds + NEAREST_SECONDS }
    const [first, ...others] = this.listInstances(trip, run, window)
    if (first === undefined || others.length === 0) return first
    let best = first
    let least = Number.POSITIVE_INFINITY
    for (const instance of [first, ...others]) {
      const away = this.awayFrom(instance, { call, seconds })
      if (away >= least) continue
      best = instance
      least = away
    }
    return best
  }

  /**
   * Difference in seconds between an instance's schedule and the time `seconds`. If a call is named, this is the
   * difference at that call. Otherwise it is the smallest difference at any call.
   */
  private awayFrom(instance: TripInstance, { call, seconds }: FirstTime): number {
    const { trip } = instance
    const calls = { stops: stopsOfTrip(this.timetable, trip), sequences: sequencesOfTrip(this.timetable, trip) }
    const named = callsNamed(calls, call, this.find)
    return scheduledCalls(this.timetable, instance).reduce((least, { arrival, departure }, position) => {
      if (named.length > 0 && !named.includes(position)) return least
      return Math.min(least, Math.abs(arrival - seconds), Math.abs(departure - seconds))
    }, Number.POSITIVE_INFINITY)
  }

  /**
   * The instance that is running now, with a tolerance of UNDER_WAY_SECONDS. If there are several, the one that needs
   * the least tolerance.
   */
  private underWay(trip: TripIndex, run: number, nowSeconds: number): TripInstance | undefined {
    const window = { fromSeconds: nowSeconds - UNDER_WAY_SECONDS, toSeconds: nowSeconds + UNDER_WAY_SECONDS }
    const zeros = this.timetable.serviceDays.zeroSeconds
    const span = this.spanOf(trip, run)
    const away = ({ day }: TripInstance) =>
      Math.max(zeros[day] + span.first - nowSeconds, nowSeconds - (zeros[day] + span.last), 0)
    return this.listInstances(trip, run, window).toSorted((a, b) => away(a) - away(b))[0]
  }

  /** The instance that starts in the next 12 hours; undefined if there is none, or more than one. */
  private startingNext(trip: TripIndex, run: number, nowSeconds: number): TripInstance | undefined {
    const window = { fromSeconds: nowSeconds, toSeconds: nowSeconds + NEAREST_SECONDS }
    const [first, ...others] = this.listInstances(trip, run, window)
    return others.length === 0 ? first : undefined
  }

  /** The instances of a trip that run at some time in a window. Both ends of the window are included. */
  private listInstances(
    trip: TripIndex,
    run: number,
    window: { readonly fromSeconds: number; readonly toSeconds: number },
  ): TripInstance[] {
    const { serviceDays, trips, meta } = this.timetable
    const span = this.spanOf(trip, run)
    const found: TripInstance[] = []
    for (let day = 0; day < meta.dayCount; day++) {
      const zero = serviceDays.zeroSeconds[day]
      if (zero + span.last < window.fromSeconds) continue
      if (zero + span.first > window.toSeconds) break
      if (isActive(this.timetable, trips.service[trip], day)) found.push({ trip, day, runStartSeconds: run })
    }
    return found
  }

  /** First departure and last arrival of a trip or run, in seconds after the day's zero. */
  private spanOf(trip: TripIndex, run: number): { first: number; last: number } {
    const { stopTimes, trips } = this.timetable
    const first = stopTimes.departureSeconds[stopTimeAt(this.timetable, trip, 0)]
    const calls = callCount(this.timetable, trips.pattern[trip])
    const last = stopTimes.arrivalSeconds[stopTimeAt(this.timetable, trip, calls - 1)]
    return run === NO_RUN ? { first, last } : { first: run, last: run + last - first }
  }

  /**
   * Matches by route, direction and origin time, with a tolerance of one minute. If several trips match, one is chosen
   * by the exact origin time, then by the path in the id, then by the stops in the update, then by the time of the
   * update's first call.
   */
  private matchOrigin(origin: TripOrigin, question: MatchQuestion): TripInstance | MatchFailure {
    const { stopIds } = question
    const { routeId, startDate } = question.descriptor
    const line = findLine(this.timetable, routeId ?? origin.route)
    const day = startDate === undefined ? undefined : findServiceDay(this.timetable, startDate)
    if (line === undefined || day === undefined) return 'unknown_trip'
    const { trips, patterns, directions, strings } = this.timetable
    const near: TripIndex[] = []
    for (let away = -ORIGIN_SECONDS; away <= ORIGIN_SECONDS; away++) {
      for (const trip of this.tripsStarting(line, origin.seconds + away)) {
        const directionId = directions.directionId[patterns.direction[trips.pattern[trip]]]
        const isThere = directionId === origin.directionId || directionId > 1
        if (isThere && isActive(this.timetable, trips.service[trip], day)) near.push(trip)
      }
    }
    const exact = (trip: TripIndex) => this.spanOf(trip, NO_RUN).first === origin.seconds
    const hasPath = (trip: TripIndex) =>
      [trips.pathId[trip], trips.id[trip]].some((text) => textOf(strings, text).endsWith(origin.path))
    const hasStops = (trip: TripIndex) => this.callsInOrder(trip, stopIds)
    let fitting = near
    for (const decides of [exact, hasPath, hasStops]) {
      if (fitting.length < 2) break
      const kept = fitting.filter(decides)
      if (kept.length > 0) fitting = kept
    }
    if (fitting.length === 0) return 'unknown_trip'
    const trip = fitting.length === 1 ? fitting[0] : this.clearlyNearest(fitting, day, question)
    return trip === undefined ? 'ambiguous_descriptor' : { trip, day, runStartSeconds: NO_RUN }
  }

  /**
   * The trip whose schedule is nearest to the time in the update. Undefined if there is no time, or if the second
   * nearest trip is at most twice as far away.
   */
  private clearlyNearest(
    trips: readonly TripIndex[],
    day: number,
    { firstTime, seen }: MatchQuestion,
  ): TripIndex | undefined {
    const time = firstTime ?? seen
    if (time === undefined) return undefined
    const [first, second] = trips
      .map((trip) => ({ trip, away: this.awayFrom({ trip, day, runStartSeconds: NO_RUN }, time) }))
      .sort((a, b) => a.away - b.away)
    return first !== undefined && second !== undefined && first.away * 2 < second.away ? first.trip : undefined
  }

  /** Whether a trip calls at all these stops, in this order. */
  private callsInOrder(trip: TripIndex, stopIds: readonly string[]): boolean {
    const stops = stopsOfTrip(this.timetable, trip)
    let from = 0
    for (const id of stopIds) {
      const stop = this.find.stop(id)
      const at = stop === undefined ? -1 : stops.indexOf(stop, from)
      if (at < 0) return false
      from = at + 1
    }
    return true
  }

  /** Matches by route, start time, date and, if given, direction. Fails unless exactly one trip fits. */
  private matchDescription({ descriptor }: MatchQuestion): TripInstance | MatchFailure {
    const { tripId, routeId, startDate, startSeconds, directionId } = descriptor
    const unknown = tripId === undefined ? 'no_trip_id' : 'unknown_trip'
    if (routeId === undefined || startDate === undefined || startSeconds === undefined) return unknown
    const line = findLine(this.timetable, routeId)
    const day = findServiceDay(this.timetable, startDate)
    if (line === undefined || day === undefined) return unknown
    const { trips, patterns, directions } = this.timetable
    const fitting = this.tripsStarting(line, startSeconds).filter(
      (trip) =>
        isActive(this.timetable, trips.service[trip], day) &&
        (directionId === undefined || directions.directionId[patterns.direction[trips.pattern[trip]]] === directionId),
    )
    const [trip, ...others] = fitting
    if (trip === undefined) return unknown
    if (others.length > 0) return 'ambiguous_descriptor'
    const run = this.matchRun(trip, descriptor)
    return typeof run === 'string' ? run : { trip, day, runStartSeconds: run }
  }

  /** The trips of a line that start at this time. A frequency trip starts at the start of each of its runs. */
  private tripsStarting(line: LineIndex, startSeconds: number): readonly TripIndex[] {
    if (!this.hasStarts) this.indexStarts()
    return this.instances.get(`${line} ${startSeconds}`) ?? []
  }

  private indexStarts(): void {
    const { trips, patterns, stopTimes, frequencies } = this.timetable
    const add = (line: LineIndex, start: number, trip: TripIndex) => {
      const key = `${line} ${start}`
      const known = this.instances.get(key)
      if (known === undefined) this.instances.set(key, [trip])
      else if (known.at(-1) !== trip) known.push(trip)
    }
    for (let trip = 0 as TripIndex; trip < trips.id.length; trip++) {
      const pattern: PatternIndex = trips.pattern[trip]
      const line = patterns.line[pattern]
      const end = trips.frequencyOffset[nextIndex(trip)]
      let row: FrequencyIndex = trips.frequencyOffset[trip]
      if (row === end) add(line, stopTimes.departureSeconds[stopTimeAt(this.timetable, trip, 0)], trip)
      for (; row < end; row++) {
        const headway = frequencies.headwaySeconds[row]
        for (let start = frequencies.startSeconds[row]; start < frequencies.endSeconds[row]; start += headway) {
          add(line, start, trip)
        }
      }
    }
    this.hasStarts = true
  }
}
