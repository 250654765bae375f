// Which trip instance a TripDescriptor means: by trip id and date, by trip id and what lies nearest, or by a description
// that only one instance fits. What fits none, or more than one, is left alone and counted by reason.
import { nextIndex } from '../../loaders/columns.ts'
import type { TripDescriptor } from '../../loaders/gtfs-rt/message.ts'
import { NO_RUN } from '../timetable/board-cursor.ts'
import { findLine } from '../timetable/lines.ts'
import { findServiceDay } from '../timetable/service-dates.ts'
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

/** Why a descriptor fits no instance. */
export type MatchFailure =
  | 'no_trip_id'
  | 'unknown_trip'
  | 'bad_start_date'
  | 'no_service_on_date'
  | 'no_start_date'
  | 'no_start_time'
  | 'no_such_run'
  | 'ambiguous_descriptor'

/** A descriptor, and what helps where it does not say on which day. */
export interface MatchQuestion {
  readonly descriptor: TripDescriptor
  /** The first absolute time of its calls, in seconds after 1970. */
  readonly firstTimeSeconds: number | undefined
  /** Service time, in seconds after 1970. */
  readonly nowSeconds: number
}

/** How far before its first and after its last call a trip is still taken to be under way, where nothing else tells. */
const UNDER_WAY_SECONDS = 600
/** How far from a trip's time a prediction without a date may lie. */
const NEAREST_SECONDS = 12 * 3600

/** Matches descriptors against one timetable; remembers what it looked up. */
export class TripMatcher {
  private readonly timetable: Timetable
  private readonly tripById = new Map<string, TripIndex | undefined>()
  private readonly instances = new Map<string, TripIndex[]>()
  private hasStarts = false

  constructor(timetable: Timetable) {
    this.timetable = timetable
  }

  /** The trip a feed calls so. */
  findTrip(feedId: string): TripIndex | undefined {
    if (this.tripById.has(feedId)) return this.tripById.get(feedId)
    const trip = findTrip(this.timetable, feedId)
    this.tripById.set(feedId, trip)
    return trip
  }

  match(question: MatchQuestion): TripInstance | MatchFailure {
    const { tripId } = question.descriptor
    const trip = tripId === undefined ? undefined : this.findTrip(tripId)
    return trip === undefined ? this.matchDescription(question) : this.matchTrip(trip, question)
  }

  private matchTrip(trip: TripIndex, question: MatchQuestion): TripInstance | MatchFailure {
    const run = this.matchRun(trip, question.descriptor)
    if (typeof run === 'string') return run
    const { startDate } = question.descriptor
    if (startDate === undefined) return this.matchNearestDay(trip, run, question)
    const day = findServiceDay(this.timetable, startDate)
    if (day === undefined) return /^\d{8}$/.test(startDate) ? 'no_service_on_date' : 'bad_start_date'
    if (!isActive(this.timetable, this.timetable.trips.service[trip], day)) return 'no_service_on_date'
    return { trip, day, runStartSeconds: run }
  }

  /** The run of a frequency trip; NO_RUN for any other, whose start time needs no telling. */
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

  /** The active day nearest the first time given; with delays only, the day on which the trip is under way now. */
  private matchNearestDay(trip: TripIndex, run: number, question: MatchQuestion): TripInstance | MatchFailure {
    const { serviceDays, trips, meta } = this.timetable
    const { firstTimeSeconds, nowSeconds } = question
    const span = this.spanOf(trip, run)
    const limit = firstTimeSeconds === undefined ? UNDER_WAY_SECONDS : NEAREST_SECONDS
    const seconds = firstTimeSeconds ?? nowSeconds
    let best: number | undefined
    let bestDistance = limit + 1
    for (let day = 0; day < meta.dayCount; day++) {
      const zero = serviceDays.zeroSeconds[day]
      if (zero + span.last < seconds - limit) continue
      if (zero + span.first > seconds + limit) break
      if (!isActive(this.timetable, trips.service[trip], day)) continue
      const distance = Math.max(zero + span.first - seconds, seconds - (zero + span.last), 0)
      if (distance < bestDistance) {
        best = day
        bestDistance = distance
      }
    }
    return best === undefined ? 'no_start_date' : { trip, day: best, runStartSeconds: run }
  }

  /** First departure and last arrival, in seconds after the day's zero. */
  private spanOf(trip: TripIndex, run: number): { first: number; last: number } {
    const { stopTimes, trips } = this.timetable
    const first = stopTimes.departureSeconds[stopTimeAt(this.timetable, trip, 0)]
    const calls = callCount(this.timetable, trips.pattern[trip])
    const last = stopTimes.arrivalSeconds[stopTimeAt(this.timetable, trip, calls - 1)]
    return run === NO_RUN ? { first, last } : { first: run, last: run + last - first }
  }

  /** By route, start and date, and direction where it is given: the only one that fits, or none. */
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

  /** The trips of a line whose first departure, or some run, starts at a time. */
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
