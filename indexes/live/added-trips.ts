// Reads trips that differ from the timetable: new trips, copies of trips at another time, and replacements on another
// path.

import { NONE } from '../../loaders/columns.ts'
import type { StopTimeUpdate, TripUpdate } from '../../loaders/gtfs-rt/message.ts'
import { textOf } from '../../loaders/strings.ts'
import { greatCircleMeters } from '../spatial/great-circle.ts'
import { directionsOfLine, findLine, stopsOfDirection } from '../timetable/lines.ts'
import { dayOfDate, findServiceDay, localDay, localDayWindow } from '../timetable/service-dates.ts'
import type { DirectionIndex, LineIndex, StopIndex, Timetable, TripIndex } from '../timetable/timetable.ts'
import { hasOwnHeadsign, runSuffix, stopHeadsign, type TripInstance, tripRef } from '../timetable/trips.ts'
import {
  changedHeadsign,
  closeEnds,
  type LiveCall,
  type LiveTrip,
  nameOfStop,
  scheduledCalls,
  sequencesOfTrip,
  stopsOfTrip,
  useOfCall,
  withSkipped,
} from './live-trip.ts'
import type { ReadingContext } from './live-trips.ts'
import { matchCalls, type StopFinder } from './match-calls.ts'
import { INSTANCE_ADDED, INSTANCE_RUNS, NO_POSITION } from './overlay.ts'
import { fitTimes, hasForecast, inOrder, type PredictedCall, predictCalls, type ScheduledCall } from './predict.ts'

/** Speed limit for plausible times. No ground vehicle is faster, so times that imply a higher speed are wrong. */
const MAX_METERS_PER_SECOND = 100
const MILLIS_PER_DAY = 86_400_000

/** One call as the feed reports it, for a trip that differs from the timetable. */
interface NewCall extends PredictedCall {
  readonly stop: StopIndex
  /** The departure time that the feed reports. */
  readonly givenDeparture: number
  readonly isBoardable: boolean
  readonly isAlightable: boolean
  /** Undefined if the feed reports no scheduled time. */
  readonly scheduledDeparture: number | undefined
  /** Empty if the feed reports no headsign for the call. */
  readonly headsign: string
}

/**
 * Reads trips that differ from the timetable. Remembers the times that were first expected for each trip. These times
 * serve as the schedule of the trip until the feed no longer lists the trip.
 */
export class AddedTrips {
  private readonly timetable: Timetable
  private readonly find: StopFinder
  private frozen = new Map<string, number>()
  private seen = new Map<string, number>()

  constructor(timetable: Timetable, find: StopFinder) {
    this.timetable = timetable
    this.find = find
  }

  /** Forgets the trips that have not been read since this function was last called. */
  forgetOthers(): void {
    this.frozen = this.seen
    this.seen = new Map()
  }

  /**
   * Reads a trip that is not in the timetable. The update needs a known route, and at least two known stops with times.
   * With a namesake, the route may be missing.
   * @param namesake the trip in the timetable with the same id. The new trip runs in addition to it, on the same line
   * unless the feed names another line
   */
  readNew(update: TripUpdate, namesake: TripIndex | undefined, context: ReadingContext): LiveTrip | undefined {
    const { timetable } = this
    const { tripId, startDate, startSeconds, directionId } = update.trip
    const line = this.lineOf(update, namesake)
    if (line === undefined) return reject(context, 'added_without_route')
    const news = this.readCalls(update, context)
    const [first] = news
    if (first === undefined || news.filter((call) => !call.isSkipped).length < 2)
      return reject(context, 'added_without_calls')
    if (this.isTooFast(news)) return reject(context, 'added_too_fast')
    const date = startDate ?? this.dateOf(first.departure)
    const day = dayOfDate(timetable, date)
    if (day === undefined) return reject(context, 'bad_start_date')
    const name = tripId ?? update.entityId
    const isNamed = tripId !== undefined && namesake === undefined
    const start =
      namesake === undefined ? startSeconds : this.firstTimeOf(`${date}:${name} ${startSeconds}`, first, day)
    const ref = `${date}:${name}${isNamed || start === undefined ? '' : runSuffix(start)}`
    const stops = news.map((call) => call.stop)
    const direction = directionOf(timetable, { line, directionId, stops })
    if (direction === undefined) return reject(context, 'added_without_route')
    const lastStop = news.findLast((call) => !call.isSkipped)?.stop ?? first.stop
    const calls = news.map((call, at) => this.toLiveCall(call, `${ref} ${at} ${call.stop}`))
    closeEnds(calls)
    return {
      instance: undefined,
      day,
      ref,
      name,
      line,
      direction,
      state: INSTANCE_ADDED,
      feed: context.feed,
      timestampSeconds: context.timestampSeconds,
      headsign: update.properties?.headsign ?? nameOfStop(timetable, lastStop),
      vehicle: update.vehicle?.id ?? '',
      isCarried: false,
      calls,
    }
  }

  private lineOf({ trip: { routeId } }: TripUpdate, namesake: TripIndex | undefined): LineIndex | undefined {
    if (routeId !== undefined) return findLine(this.timetable, routeId)
    return namesake === undefined ? undefined : this.timetable.patterns.line[this.timetable.trips.pattern[namesake]]
  }

  /**
   * The start time in the first message with the trip, in seconds after the zero of its service day. The start is part
   * of the trip's id, so it must not change when the prediction changes.
   */
  private firstTimeOf(key: string, first: NewCall, day: number): number {
    const { serviceDays, meta } = this.timetable
    const start = this.frozen.get(key) ?? first.givenDeparture
    this.seen.set(key, start)
    const isInside = day >= 0 && day < meta.dayCount
    const since = isInside ? start - serviceDays.zeroSeconds[day] : -1
    // If a trip starts before the zero of its service day, or on a day outside the calendar, its id contains the local
    // time of day at which it starts.
    return since >= 0 ? since : start - localDayWindow(this.timetable, start).fromSeconds
  }

  /** Reads a copy of a trip that runs at another time. The times between its calls are those of the original. */
  readDuplicate(update: TripUpdate, base: TripInstance, context: ReadingContext): LiveTrip | undefined {
    const { timetable } = this
    const { trips, patterns } = timetable
    const { properties } = update
    const own = scheduledCalls(timetable, base)
    const date = properties?.startDate ?? update.trip.startDate ?? tripRef(timetable, base).slice(0, 8)
    const day = findServiceDay(timetable, date)
    const [first] = own
    if (day === undefined || first === undefined) return reject(context, 'bad_start_date')
    const zeros = timetable.serviceDays.zeroSeconds
    const usual = first.departure - zeros[base.day]
    const isNamed = properties?.tripId !== undefined
    // If the properties have neither a trip id nor a date, the start time in the descriptor is that of the copy.
    const isCopyNamed = isNamed || properties?.startDate !== undefined
    const startSeconds = properties?.startSeconds ?? (isCopyNamed ? undefined : update.trip.startSeconds) ?? usual
    if (!isNamed && startSeconds === usual) return reject(context, 'duplicate_without_name')
    const name = properties?.tripId ?? `${update.trip.tripId}${runSuffix(startSeconds)}`
    const start = zeros[day] + startSeconds
    const scheduled = own.map(({ arrival, departure }) => ({
      arrival: arrival - first.departure + start,
      departure: departure - first.departure + start,
    }))
    const stops = stopsOfTrip(timetable, base.trip)
    const sequences = sequencesOfTrip(timetable, base.trip)
    const matched = matchCalls({ stops, sequences }, update.stopTimes, this.find, context.tally.count)
    const { nowSeconds } = context
    const knowledge = { calls: scheduled, updates: matched.updates, delaySeconds: update.delaySeconds, nowSeconds }
    const calls = predictCalls(knowledge, context.tally.count).map((predicted, position): LiveCall => {
      const platform = matched.platforms[position]
      const own = hasOwnHeadsign(timetable, base.trip, position) ? stopHeadsign(timetable, base.trip, position) : ''
      return {
        ...predicted,
        stop: (platform === NONE ? stops[position] : platform) as StopIndex,
        position,
        scheduled: scheduled[position] as ScheduledCall,
        isUnplanned: false,
        headsign: matched.updates[position]?.headsign ?? own,
        ...useOfCall(timetable, { trip: base.trip, position }, matched.updates[position]),
      }
    })
    const pattern = trips.pattern[base.trip]
    closeEnds(calls)
    return {
      instance: undefined,
      day,
      ref: `${date}:${name}`,
      name,
      line: patterns.line[pattern],
      direction: patterns.direction[pattern],
      state: INSTANCE_ADDED,
      feed: context.feed,
      timestampSeconds: context.timestampSeconds,
      headsign:
        properties?.headsign ??
        (changedHeadsign(timetable, base.trip, calls) || textOf(timetable.strings, trips.headsign[base.trip])),
      vehicle: update.vehicle?.id ?? '',
      isCarried: false,
      calls,
    }
  }

  /**
   * Reads a trip that takes another path. Its calls come from the feed. Calls in the timetable that the feed omits
   * count as skipped.
   */
  readReplacement(update: TripUpdate, instance: TripInstance, context: ReadingContext): LiveTrip | undefined {
    const { timetable } = this
    const news = this.readCalls(update, context)
    if (news.filter((call) => !call.isSkipped).length < 2) return reject(context, 'replacement_without_calls')
    const { trip } = instance
    const stops = stopsOfTrip(timetable, trip)
    const scheduled = scheduledCalls(timetable, instance)
    const key = tripRef(timetable, instance)
    const own: LiveCall[] = []
    let next = 0
    for (const [at, call] of news.entries()) {
      const position = stops.indexOf(call.stop, next)
      const live = this.toLiveCall(call, `${key} ${at} ${call.stop}`)
      own.push(position < 0 ? live : { ...live, position, scheduled: scheduled[position], isUnplanned: false })
      if (position >= 0) next = position + 1
    }
    const calls = withSkipped(timetable, instance, own)
    closeEnds(calls)
    const pattern = timetable.trips.pattern[trip]
    return {
      instance,
      day: instance.day,
      ref: '',
      name: '',
      line: timetable.patterns.line[pattern],
      direction: timetable.patterns.direction[pattern],
      state: INSTANCE_RUNS,
      feed: context.feed,
      timestampSeconds: context.timestampSeconds,
      headsign: update.properties?.headsign ?? changedHeadsign(timetable, trip, calls),
      vehicle: update.vehicle?.id ?? '',
      isCarried: false,
      calls,
    }
  }

  private toLiveCall(call: NewCall, key: string): LiveCall {
    const { stop, arrival, departure, isPredicted, isSkipped, isBoardable, isAlightable, headsign } = call
    const usual = isPredicted ? departure : call.givenDeparture
    const first = call.scheduledDeparture ?? this.frozen.get(key) ?? usual
    this.seen.set(key, first)
    const scheduled = { arrival: first - (departure - arrival), departure: first }
    const isUnplanned = call.scheduledDeparture === undefined
    return {
      stop,
      arrival,
      departure,
      isPredicted,
      isUnplanned,
      isSkipped,
      isBoardable,
      isAlightable,
      position: NO_POSITION,
      scheduled,
      headsign,
    }
  }

  /** The calls that have a known stop and absolute times, in travel order. */
  private readCalls(update: TripUpdate, { tally, nowSeconds }: ReadingContext): NewCall[] {
    const calls: NewCall[] = []
    const stopTimes = inTravelOrder(update.stopTimes)
    for (const [at, stopTime] of stopTimes.entries()) {
      const id = stopTime.assignedStopId ?? stopTime.stopId
      const stop = id === undefined ? undefined : this.find.stop(id)
      const times = absoluteTimes(stopTime)
      if (stop === undefined || times === undefined) {
        tally.count(stop === undefined ? 'unknown_stop' : 'call_without_time')
        continue
      }
      calls.push({
        stop,
        ...inOrder(times, tally.count),
        givenDeparture: times.departure,
        isPredicted: stopTime.relationship !== 'skipped' && stopTime.relationship !== 'no_data',
        isSkipped: stopTime.relationship === 'skipped',
        isBoardable: stopTime.pickupType !== 1 && at < stopTimes.length - 1,
        isAlightable: stopTime.dropOffType !== 1 && at > 0,
        scheduledDeparture: scheduledOf(stopTime),
        headsign: stopTime.headsign ?? '',
      })
    }
    fitTimes(calls, { nowSeconds }, tally.count)
    return calls
  }

  private isTooFast(calls: readonly NewCall[]): boolean {
    const { lat, lon } = this.timetable.stops
    const expected = calls.filter((call) => call.isPredicted)
    return expected.some((call, at) => {
      const before = expected[at - 1]
      if (before === undefined) return false
      const meters = greatCircleMeters(lat[before.stop], lon[before.stop], lat[call.stop], lon[call.stop])
      return meters > MAX_METERS_PER_SECOND * Math.max(1, call.arrival - before.departure)
    })
  }

  private dateOf(seconds: number): string {
    const day = localDay(this.timetable, seconds) + this.timetable.meta.firstDay
    return new Date(day * MILLIS_PER_DAY).toISOString().slice(0, 10).replaceAll('-', '')
  }
}

function reject(context: ReadingContext, reason: string): undefined {
  context.tally.count(reason)
  return undefined
}

/** The calls in the order of the message, or in the order of stop_sequence if the times increase only in that order. */
function inTravelOrder(stopTimes: readonly StopTimeUpdate[]): readonly StopTimeUpdate[] {
  if (isRising(stopTimes) || stopTimes.some(({ stopSequence }) => stopSequence === undefined)) return stopTimes
  const bySequence = stopTimes.toSorted((a, b) => (a.stopSequence ?? 0) - (b.stopSequence ?? 0))
  return isRising(bySequence) ? bySequence : stopTimes
}

function isRising(stopTimes: readonly StopTimeUpdate[]): boolean {
  const times = stopTimes.filter(hasForecast).flatMap((stopTime) => absoluteTimes(stopTime)?.departure ?? [])
  return times.every((seconds, at) => at === 0 || seconds >= (times[at - 1] ?? seconds))
}

function absoluteTimes({ arrival, departure }: StopTimeUpdate): { arrival: number; departure: number } | undefined {
  const from = arrival?.timeSeconds ?? departure?.timeSeconds
  const to = departure?.timeSeconds ?? arrival?.timeSeconds
  return from === undefined || to === undefined ? undefined : { arrival: from, departure: to }
}

/**
 * The scheduled time of a call of a new trip. The feed may report it directly, or as time and delay. Undefined if the
 * feed does neither.
 */
function scheduledOf({ arrival, departure }: StopTimeUpdate): number | undefined {
  const event = departure ?? arrival
  if (event === undefined) return undefined
  if (event.scheduledSeconds !== undefined) return event.scheduledSeconds
  const { timeSeconds, delaySeconds } = event
  return timeSeconds === undefined || delaySeconds === undefined ? undefined : timeSeconds - delaySeconds
}

/**
 * The direction that the feed names; otherwise the direction that serves the first stop before the last stop; otherwise
 * the line's first direction.
 */
function directionOf(
  timetable: Timetable,
  of: { readonly line: LineIndex; readonly directionId: number | undefined; readonly stops: readonly StopIndex[] },
): DirectionIndex | undefined {
  const directions = directionsOfLine(timetable, of.line)
  const named = directions.find((each) => timetable.directions.directionId[each] === of.directionId)
  if (named !== undefined) return named
  const [first, last] = [of.stops[0], of.stops.at(-1)]
  const fitting = directions.find((each) => {
    const stops = stopsOfDirection(timetable, each)
    const from = first === undefined ? -1 : stops.indexOf(first)
    return from >= 0 && last !== undefined && stops.indexOf(last, from) > from
  })
  return fitting ?? directions[0]
}
