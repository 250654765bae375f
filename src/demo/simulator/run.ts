// One run of a vehicle through its calls on one service day, as the simulator knows it: what the timetable says, what
// becomes of it, and when it really calls. Times are seconds after the service day's zero.
import type { CityTrip } from '../departures.ts'
import type { Pattern } from '../patterns.ts'

/** What becomes of a run: the words of TripDescriptor.ScheduleRelationship. */
export type RunKind = 'scheduled' | 'canceled' | 'unscheduled' | 'new' | 'added' | 'duplicated' | 'replacement'

/** Positions from one up to but not including another. */
export interface PositionRange {
  readonly from: number
  readonly to: number
}

/** A run before it has a vehicle. */
export interface PlannedRun {
  /** The trip's id, or that of a run which is in no timetable. */
  readonly id: string
  readonly kind: RunKind
  /** The trip it is, or is modeled on. */
  readonly trip: CityTrip
  readonly pattern: Pattern
  /** When it should leave its first call. */
  readonly startSeconds: number
  /** Arrival and departure of each call as planned, two values a call, in seconds after the start. */
  readonly offsets: readonly number[]
  /** Positions that it does not serve, never the first or the last. */
  readonly leftOut: readonly number[]
  /** Where nothing is known of it: a radio hole. Empty where from is to. */
  readonly silent: PositionRange
  /** A call at another platform of its area than planned; the platform as its place in `ListedStops.platforms`. */
  readonly move: { readonly position: number; readonly platform: number } | undefined
  /** From when on the feed speaks of it. */
  readonly knownFromSeconds: number
}

/** A run with its vehicle and its real times. */
export interface Run extends PlannedRun {
  /** The vehicle's id; empty where none comes. */
  readonly vehicle: string
  /** Arrival and departure of each call, two values a call, never decreasing. */
  readonly times: readonly number[]
}

/** How many calls a run has, those left out included. */
export function callCountOf(run: PlannedRun): number {
  return run.pattern.calls.length
}

/** When a call should be reached. */
export function plannedArrival(run: PlannedRun, position: number): number {
  return run.startSeconds + run.offsets[position * 2]
}

/** When a call should be left. */
export function plannedDeparture(run: PlannedRun, position: number): number {
  return run.startSeconds + run.offsets[position * 2 + 1]
}

/** When the last call should be reached. */
export function plannedEnd(run: PlannedRun): number {
  return plannedArrival(run, callCountOf(run) - 1)
}

/** When the first call is left. */
export function beginOf(run: Run): number {
  return run.times[1]
}

/** When the last call is reached. */
export function endOf(run: Run): number {
  return run.times[run.times.length - 2]
}

/** The first call that is not yet left at a moment, served or not; the number of calls where the run has ended. */
export function nextPosition(run: Run, seconds: number): number {
  const last = callCountOf(run) - 1
  let position = 0
  while (position < last && run.times[position * 2 + 1] <= seconds) position++
  return position === last && run.times[last * 2] <= seconds ? last + 1 : position
}
