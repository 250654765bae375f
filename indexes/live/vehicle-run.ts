// A run: a trip instance with the expected times of its calls and their positions on the trip's path. This file
// computes where the vehicle should be at a given time, which call is next, and how late the vehicle is at a position.
import { firstWhere } from '../../loaders/columns.ts'
import { type StringIndex, textOf } from '../../loaders/strings.ts'
import { findApproaches, type Place } from '../spatial/ground-path.ts'
import type { DirectionIndex, LineIndex, StopIndex, Timetable } from '../timetable/timetable.ts'
import { hasOwnHeadsign, stopHeadsignIndex, type TripInstance, tripRef } from '../timetable/trips.ts'
import { type LiveTrip, scheduledCalls, stopsOfTrip, vehicleOfTrip } from './live-trip.ts'
import { INSTANCE_CANCELED, INSTANCE_DELETED, INSTANCE_UNSCHEDULED, NO_POSITION } from './overlay.ts'
import type { ScheduledCall } from './predict.ts'
import type { TripPath, TripPaths } from './trip-paths.ts'

/** A call of a run. Times are in seconds after 1970. */
export interface RunCall {
  readonly stop: StopIndex
  /** Position in the trip's pattern; NO_POSITION if the call is not in the timetable. */
  readonly position: number
  /**
   * The predicted time. Without a prediction, this is the scheduled time, adjusted if it does not fit the times of
   * other calls.
   */
  readonly arrival: number
  readonly departure: number
  readonly scheduled: ScheduledCall
  readonly isPredicted: boolean
  readonly isSkipped: boolean
  readonly isUnplanned: boolean
  /**
   * The headsign from the feed for this call; empty if the timetable's headsign for the call, or the headsign of the
   * trip, applies.
   */
  readonly headsign: string
}

/** A trip instance with its path. */
export interface VehicleRun {
  /** The timetable's trip instance; undefined if the trip is not in the timetable. */
  readonly instance: TripInstance | undefined
  /** Local part of the trip's public id. */
  readonly ref: string
  readonly line: LineIndex
  readonly direction: DirectionIndex
  /** The feed's id of the vehicle; empty if the feed names no vehicle. */
  readonly vehicle: string
  /** One of the INSTANCE_… states; undefined if the trip has no live data. */
  readonly state: number | undefined
  /** The headsign of the trip; empty if the timetable's headsign applies. */
  readonly headsign: string
  readonly calls: readonly RunCall[]
  /** Whether every call has a scheduled time. */
  readonly isPlanned: boolean
  readonly way: TripPath
}

/** The position of a run on its path at a given time. */
export interface RunPlace {
  /** Distance along the path in meters. */
  readonly along: number
  /** The call at which the vehicle is stopped; undefined if the vehicle is between calls. */
  readonly standsAt: number | undefined
  /** The next call that is not skipped; undefined if there is no such call. */
  readonly next: number | undefined
  /** Speed between calls, in meters per second; 0 if stopped at a call. */
  readonly metersPerSecond: number
}

/** A vehicle is at a call if its distance from the call, along the path, is at most this. */
const AT_CALL_METERS = 30

/**
 * The run of a live trip. If its calls differ from those in the timetable, its path is the feed's shape or, if there is
 * no shape that fits, straight lines between stops.
 */
export function runOfLiveTrip(timetable: Timetable, paths: TripPaths, trip: LiveTrip): VehicleRun {
  const { instance, calls, line, direction, state, headsign } = trip
  const isAsPlanned = instance !== undefined && calls.every((call, position) => call.position === position)
  return {
    instance,
    ref: instance === undefined ? trip.ref : tripRef(timetable, instance),
    line,
    direction,
    vehicle: vehicleOfTrip(trip),
    state,
    headsign,
    calls,
    isPlanned: state !== INSTANCE_UNSCHEDULED && calls.every((call) => !call.isUnplanned),
    way: isAsPlanned ? paths.ofTrip(instance.trip) : wayOfCalls(paths, trip),
  }
}

/** Distance in meters from a place to the shape of a run's trip; undefined if the trip has no shape. */
export function metersOffShape({ way: { shape } }: VehicleRun, place: Place): number | undefined {
  return shape && findApproaches(shape, place, 0)[0]?.aside
}

/**
 * The path of a live trip: the feed's shape if it fits, otherwise straight lines between stops. A skipped call gets the
 * position of the call before it.
 */
function wayOfCalls(paths: TripPaths, { calls, shape, instance }: LiveTrip): TripPath {
  const kept = calls.filter((call) => !call.isSkipped)
  const stops = (kept.length > 0 ? kept : calls).map((call) => call.stop)
  const way = (shape === undefined ? undefined : paths.ofShape(shape, stops)) ?? paths.ofStops(stops)
  let order = -1
  const callAlong = Float64Array.from(calls, (call) => {
    if (!call.isSkipped || kept.length === 0) order++
    return way.callAlong[Math.max(0, order)]
  })
  return { ...way, callAlong, shape: way.shape ?? (instance && paths.ofTrip(instance.trip).shape) }
}

/** The run of a trip instance that has no live data, with scheduled times. */
export function runOfInstance(timetable: Timetable, paths: TripPaths, instance: TripInstance): VehicleRun {
  const { trips, patterns } = timetable
  const pattern = trips.pattern[instance.trip]
  const scheduled = scheduledCalls(timetable, instance)
  const calls = stopsOfTrip(timetable, instance.trip).map((stop, position): RunCall => {
    const call = scheduled[position]
    const silent = { isPredicted: false, isSkipped: false, isUnplanned: false, headsign: '' }
    return { stop, position, arrival: call.arrival, departure: call.departure, scheduled: call, ...silent }
  })
  return {
    instance,
    ref: tripRef(timetable, instance),
    line: patterns.line[pattern],
    direction: patterns.direction[pattern],
    vehicle: '',
    state: undefined,
    headsign: '',
    calls,
    isPlanned: true,
    way: paths.ofTrip(instance.trip),
  }
}

/** Reads the headsigns of the runs of one timetable. Each headsign is decoded once. */
export class RunHeadsigns {
  private readonly timetable: Timetable
  private readonly texts = new Map<StringIndex, string>()

  constructor(timetable: Timetable) {
    this.timetable = timetable
  }

  /** The headsign that a run shows on its way to a call. The boards of that call's stop show the same headsign. */
  of({ headsign, instance, calls }: VehicleRun, call: number): string {
    const at = calls[Math.min(call, calls.length - 1)]
    if (at !== undefined && at.headsign !== '') return at.headsign
    const position = at?.position ?? NO_POSITION
    const trip = instance?.trip
    const hasOwn = trip !== undefined && position !== NO_POSITION && hasOwnHeadsign(this.timetable, trip, position)
    if (trip === undefined || (headsign !== '' && !hasOwn)) return headsign
    const index = hasOwn ? stopHeadsignIndex(this.timetable, trip, position) : this.timetable.trips.headsign[trip]
    let text = this.texts.get(index)
    if (text === undefined) {
      text = textOf(this.timetable.strings, index)
      this.texts.set(index, text)
    }
    return text
  }
}

/** Whether vehicles of a run may be estimated: not if the trip is canceled or deleted. */
export function isRunning({ state }: VehicleRun): boolean {
  return state !== INSTANCE_CANCELED && state !== INSTANCE_DELETED
}

/** The first call that is not skipped, at or after an index. */
export function nextCall({ calls }: VehicleRun, from: number): number | undefined {
  for (let at = Math.max(0, from); at < calls.length; at++) if (!calls[at].isSkipped) return at
  return undefined
}

/** The first call that is not skipped and is ahead of a point on the path. */
export function callAhead(run: VehicleRun, along: number): number | undefined {
  const { callAlong } = run.way
  const ahead = nextCall(run, firstBeyond(callAlong, along + AT_CALL_METERS))
  if (ahead !== undefined) return ahead
  // Near the end of the path, the next call is the last one, unless the vehicle is already there.
  const last = run.calls.findLastIndex((call) => !call.isSkipped)
  return last >= 0 && along < callAlong[last] ? last : undefined
}

/**
 * In ascending numbers, the index of the first number that is above a value; the length of the array if there is none.
 */
function firstBeyond(numbers: Float64Array, value: number): number {
  return firstWhere(0, numbers.length, (at) => numbers[at] > value)
}

/**
 * The position of a run at a given time, computed from the times of its calls. During a dwell, the vehicle is at the
 * stop. Between two stops, it is assumed to move at constant speed. Undefined before the first departure and from the
 * last arrival on.
 *
 * Feeds drop passed calls, so times before the first prediction are estimated. If the vehicle is early, it is assumed
 * to have been equally early at the dropped calls. If it is late, the ride from the last dropped call to the first
 * predicted call is assumed to take as long as scheduled.
 */
export function placeInTime(run: VehicleRun, seconds: number): RunPlace | undefined {
  const { calls, way } = run
  const firstKnown = firstForecast(run)
  const early = firstKnown === undefined ? 0 : Math.min(0, delayOfArrival(calls[firstKnown]))
  const timesOf = (at: number): ScheduledCall => {
    const { arrival, departure, scheduled } = calls[at]
    if (firstKnown === undefined || at >= firstKnown) return { arrival, departure }
    return {
      arrival: Math.min(arrival, scheduled.arrival + early),
      departure: Math.min(departure, scheduled.departure + early),
    }
  }
  let from: number | undefined
  for (let at = nextCall(run, 0); at !== undefined; at = nextCall(run, at + 1)) {
    const { arrival, departure } = timesOf(at)
    if (arrival > seconds) {
      if (from === undefined) return undefined
      const left = timesOf(from).departure
      const latest = at === firstKnown ? arrival - plannedSeconds(calls[from], calls[at]) : left
      return placeBetween(run, { from, to: at, departure: Math.max(left, latest), arrival }, seconds)
    }
    const isFirst = from === undefined
    from = at
    const next = nextCall(run, at + 1)
    if (isFirst && seconds < departure) return undefined
    if (seconds < departure && next !== undefined) {
      return { along: way.callAlong[at], standsAt: at, next, metersPerSecond: 0 }
    }
  }
  return undefined
}

/** The first call with a prediction; undefined if no call has one, or if the first call of the run has one. */
function firstForecast({ calls }: VehicleRun): number | undefined {
  const first = calls.findIndex((call) => !call.isSkipped)
  const known = calls.findIndex((call) => call.isPredicted)
  return known > first ? known : undefined
}

function delayOfArrival({ arrival, scheduled }: RunCall): number {
  return arrival - scheduled.arrival
}

/** Scheduled seconds from the departure at one call to the arrival at another. */
function plannedSeconds(from: RunCall, to: RunCall): number {
  return Math.max(0, to.scheduled.arrival - from.scheduled.departure)
}

function placeBetween(
  run: VehicleRun,
  leg: { readonly from: number; readonly to: number; readonly departure: number; readonly arrival: number },
  seconds: number,
): RunPlace {
  const { from, to, departure, arrival } = leg
  const { callAlong } = run.way
  const start = callAlong[from]
  if (seconds < departure) return { along: start, standsAt: from, next: to, metersPerSecond: 0 }
  const meters = callAlong[to] - start
  // `seconds` is between departure and arrival, so the divisor is not 0.
  const part = (seconds - departure) / (arrival - departure)
  return {
    along: start + part * meters,
    standsAt: undefined,
    next: to,
    metersPerSecond: meters / (arrival - departure),
  }
}

/** The delay of a run at a call, the same as on boards; undefined if the call has no prediction or no schedule. */
export function predictedDelay(run: VehicleRun, at: number): number | undefined {
  const call = run.calls[at]
  if (call === undefined || !call.isPredicted || call.isUnplanned || !isRunning(run)) return undefined
  if (run.state === INSTANCE_UNSCHEDULED) return undefined
  return at === run.calls.length - 1 ? call.arrival - call.scheduled.arrival : call.departure - call.scheduled.departure
}

/**
 * The call at a position on the path. For a position between two calls, this is the next call. At the end of the path,
 * it is the last call.
 */
export function callAtPlace(run: VehicleRun, along: number): number {
  return Math.min(firstBeyond(run.way.callAlong, along - AT_CALL_METERS), run.calls.length - 1)
}

/**
 * The delay of a vehicle at a position on the path, compared with the schedule. Undefined if the trip has no schedule.
 * Also undefined if the vehicle is at the last stop after the scheduled arrival, because its actual arrival time is
 * unknown.
 */
export function delayAtPlace(run: VehicleRun, along: number, seconds: number): number | undefined {
  const { calls, way } = run
  if (!run.isPlanned || !isRunning(run)) return undefined
  const at = Math.max(0, firstBeyond(way.callAlong, along + AT_CALL_METERS) - 1)
  const { scheduled } = calls[at]
  const start = way.callAlong[at]
  if (Math.abs(along - start) <= AT_CALL_METERS || along < start || at === calls.length - 1) {
    if (at === calls.length - 1) return seconds < scheduled.arrival ? seconds - scheduled.arrival : undefined
    // A vehicle that waits for its first departure is not early.
    if (seconds < scheduled.arrival) return at === 0 ? 0 : seconds - scheduled.arrival
    return Math.max(0, seconds - scheduled.departure)
  }
  const next = calls[at + 1]
  const meters = way.callAlong[at + 1] - start
  const part = (along - start) / meters
  return Math.round(seconds - scheduled.departure - part * (next.scheduled.arrival - scheduled.departure))
}

/**
 * The range of the path, in meters, where the vehicle probably is at a given time. Before the first departure, the
 * vehicle is assumed to be at the start of the path; after the last arrival, at the end.
 */
export function reachInTime(run: VehicleRun, seconds: number): { readonly from: number; readonly to: number } {
  const { callAlong } = run.way
  const { calls } = run
  const alongAt = (moment: number): number => {
    const place = placeInTime(run, moment)
    if (place !== undefined) return place.along
    const last = calls.at(-1)
    return last !== undefined && moment >= last.arrival ? callAlong[calls.length - 1] : callAlong[0]
  }
  return { from: alongAt(seconds - LATE_SECONDS), to: alongAt(seconds + EARLY_SECONDS) }
}

/** Vehicles are usually at most this many seconds later than expected. */
const LATE_SECONDS = 600
/** Vehicles are usually at most this many seconds earlier than expected. */
const EARLY_SECONDS = 120
