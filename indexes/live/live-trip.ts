// Live trip instances as plain objects, which are used while an overlay is built, and functions for the calls of their
// trips.
import type { TripUpdate } from '../../loaders/gtfs-rt/message.ts'
import { textOf } from '../../loaders/strings.ts'
import type { Place } from '../spatial/ground-path.ts'
import { NO_RUN } from '../timetable/board-cursor.ts'
import {
  callCount,
  type DirectionIndex,
  type LineIndex,
  type PatternStopIndex,
  type StopIndex,
  stopTimeAt,
  type Timetable,
  type TripIndex,
} from '../timetable/timetable.ts'
import { stopHeadsign, type TripInstance } from '../timetable/trips.ts'
import { NO_POSITION } from './overlay.ts'
import type { PredictedCall, ScheduledCall } from './predict.ts'

/** One call of a live trip. */
export interface LiveCall extends PredictedCall {
  stop: StopIndex
  /** NO_POSITION if the call is not in the timetable. */
  readonly position: number
  readonly scheduled: ScheduledCall
  isBoardable: boolean
  isAlightable: boolean
  /** Whether the call has no schedule. Its first expected times then serve as the schedule. */
  readonly isUnplanned: boolean
  /**
   * The feed's headsign for this call. Empty if the timetable's headsign for the call, or the headsign of the trip,
   * applies.
   */
  readonly headsign: string
}

/** One live trip instance. */
export interface LiveTrip {
  /** Undefined if the trip is not in the timetable. */
  readonly instance: TripInstance | undefined
  /** Service day, counted from `meta.firstDay`. */
  readonly day: number
  /** Local part of the public id; empty if the id can be computed from the instance. */
  readonly ref: string
  /** The feed's id for the trip if the trip is not in the timetable; otherwise empty. */
  readonly name: string
  readonly line: LineIndex
  readonly direction: DirectionIndex
  /** One of the INSTANCE_… states. */
  state: number
  /** Number of the feed that reported the trip. */
  readonly feed: number
  readonly timestampSeconds: number
  /** The headsign of the trip; empty if the timetable's headsign applies. */
  headsign: string
  /** The feed's id for the vehicle; empty if the feed names no vehicle. */
  vehicle: string
  /** Id of the vehicle that reports that it runs this trip; undefined if no vehicle with an id reports this. */
  reportedBy?: string
  /** Whether the times and the vehicle come from the previous trip in the block, because no update names this trip. */
  readonly isCarried: boolean
  /**
   * The shape that the feed has for the trip. Undefined if the path is the timetable's shape or straight lines between
   * stops.
   */
  readonly shape?: readonly Place[] | undefined
  readonly calls: readonly LiveCall[]
}

/**
 * The id of the vehicle to show to riders: the vehicle that reports this trip as its own, otherwise the vehicle that
 * the trip update names. Empty if there is neither.
 */
export function vehicleOfTrip({ reportedBy, isCarried, vehicle }: LiveTrip): string {
  return reportedBy ?? (isCarried ? '' : vehicle)
}

const NO_PICKUP = 1
const NO_DROP_OFF = 1

/** The scheduled times of all calls of a trip instance, in seconds after 1970. */
export function scheduledCalls(timetable: Timetable, instance: TripInstance): ScheduledCall[] {
  const zero = zeroOfInstance(timetable, instance)
  const { stopTimes, trips } = timetable
  return Array.from({ length: callCount(timetable, trips.pattern[instance.trip]) }, (_, position) => {
    const at = stopTimeAt(timetable, instance.trip, position)
    return { arrival: zero + stopTimes.arrivalSeconds[at], departure: zero + stopTimes.departureSeconds[at] }
  })
}

/** The scheduled times of one call, in seconds after 1970. */
export function scheduledCall(timetable: Timetable, instance: TripInstance, position: number): ScheduledCall {
  const zero = zeroOfInstance(timetable, instance)
  const { stopTimes } = timetable
  const at = stopTimeAt(timetable, instance.trip, position)
  return { arrival: zero + stopTimes.arrivalSeconds[at], departure: zero + stopTimes.departureSeconds[at] }
}

/**
 * The zero of an instance's stop times, in seconds after 1970. It is the zero of the service day. For a run of a
 * frequency trip, it is shifted so that the trip's first departure is at the start of the run.
 */
function zeroOfInstance(timetable: Timetable, { trip, day, runStartSeconds }: TripInstance): number {
  const zero = timetable.serviceDays.zeroSeconds[day]
  return runStartSeconds === NO_RUN ? zero : zero + runStartSeconds - firstDeparture(timetable, trip)
}

function firstDeparture(timetable: Timetable, trip: TripIndex): number {
  return timetable.stopTimes.departureSeconds[stopTimeAt(timetable, trip, 0)]
}

/** The stops of a trip. */
export function stopsOfTrip(timetable: Timetable, trip: TripIndex): StopIndex[] {
  const length = callCount(timetable, timetable.trips.pattern[trip])
  return Array.from({ length }, (_, position) => stopOfTrip(timetable, trip, position))
}

/** The stop at one position of a trip. */
export function stopOfTrip({ trips, patterns }: Timetable, trip: TripIndex, position: number): StopIndex {
  return patterns.stopAt[(patterns.stopOffset[trips.pattern[trip]] + position) as PatternStopIndex]
}

/** The feed's stop_sequence for each call. */
export function sequencesOfTrip(timetable: Timetable, trip: TripIndex): number[] {
  const { trips, callProfiles } = timetable
  const first = trips.sequenceProfile[trip]
  return Array.from(
    { length: callCount(timetable, trips.pattern[trip]) },
    (_, at) => callProfiles.stopSequence[first + at],
  )
}

/**
 * Whether riders can board and alight at a call. They can if the timetable or the feed allows it, but they cannot board
 * at the last call or alight at the first one. `live` contains the pickup and drop-off types from the feed.
 */
export function useOfCall(
  timetable: Timetable,
  at: { readonly trip: TripIndex; readonly position: number },
  live: { readonly pickupType: number | undefined; readonly dropOffType: number | undefined } | undefined,
): { isBoardable: boolean; isAlightable: boolean } {
  const { trips, patterns } = timetable
  const pattern = trips.pattern[at.trip]
  const place = (patterns.stopOffset[pattern] + at.position) as PatternStopIndex
  const isLast = at.position === callCount(timetable, pattern) - 1
  const canBoard = patterns.pickupType[place] !== NO_PICKUP || (live?.pickupType ?? NO_PICKUP) !== NO_PICKUP
  const canAlight = patterns.dropOffType[place] !== NO_DROP_OFF || (live?.dropOffType ?? NO_DROP_OFF) !== NO_DROP_OFF
  return { isBoardable: canBoard && !isLast, isAlightable: canAlight && at.position > 0 }
}

/**
 * The calls of a live trip, plus those calls in the timetable that the live trip omits. The latter are marked as
 * skipped.
 */
export function withSkipped(timetable: Timetable, instance: TripInstance, calls: readonly LiveCall[]): LiveCall[] {
  const { trip } = instance
  const stops = stopsOfTrip(timetable, trip)
  const scheduled = scheduledCalls(timetable, instance)
  const all: LiveCall[] = []
  let next = 0
  const skipTo = (end: number) => {
    for (; next < end; next++) {
      const call = scheduled[next]
      const skipped = { isPredicted: false, isSkipped: true, isUnplanned: false, headsign: '' }
      const use = useOfCall(timetable, { trip, position: next }, undefined)
      all.push({ ...call, ...skipped, stop: stops[next], position: next, scheduled: call, ...use })
    }
  }
  for (const call of calls) {
    if (call.position !== NO_POSITION) {
      skipTo(call.position)
      next++
    }
    all.push(call)
  }
  skipTo(stops.length)
  return all
}

/** Prevents alighting at the first call and boarding at the last call. Skipped calls do not count. */
export function closeEnds(calls: readonly LiveCall[]): void {
  const first = calls.find((call) => !call.isSkipped)
  const last = calls.findLast((call) => !call.isSkipped)
  if (first !== undefined) first.isAlightable = false
  if (last !== undefined) last.isBoardable = false
}

/**
 * The name of a trip's actual last stop. Empty if the planned last stop has the same name, or if the trip's headsign is
 * not the name of the planned last stop.
 */
export function changedHeadsign(timetable: Timetable, trip: TripIndex, calls: readonly LiveCall[]): string {
  const last = calls.findLast((call) => !call.isSkipped)
  const planned = stopsOfTrip(timetable, trip).at(-1)
  if (last === undefined || planned === undefined) return ''
  const [ends, terminus] = [nameOfStop(timetable, last.stop), nameOfStop(timetable, planned)]
  return ends !== terminus && stopHeadsign(timetable, trip, 0) === terminus ? ends : ''
}

/** The first absolute time in a trip update. */
export function firstTimeOf({ stopTimes }: TripUpdate): number | undefined {
  for (const { arrival, departure } of stopTimes) {
    const time = arrival?.timeSeconds ?? departure?.timeSeconds
    if (time !== undefined) return time
  }
  return undefined
}

/** The name of a stop. */
export function nameOfStop(timetable: Timetable, stop: StopIndex): string {
  return textOf(timetable.strings, timetable.stops.name[stop])
}
