// A run: one trip instance in the simulator, with planned times, disruption and actual times. Times are seconds since
// the service day's zero (local noon minus 12 hours).
import type { CityTrip } from '../departures.ts'
import type { Pattern } from '../patterns.ts'

/** The status of a run, as in TripDescriptor.ScheduleRelationship. */
export type RunKind = 'scheduled' | 'canceled' | 'unscheduled' | 'new' | 'added' | 'duplicated' | 'replacement'

/** A range of positions of calls, from `from` (inclusive) to `to` (exclusive). */
export interface PositionRange {
  readonly from: number
  readonly to: number
}

/** A run before a vehicle is assigned. */
export interface PlannedRun {
  /** The trip's id, or a new id if the run is not in the timetable. */
  readonly id: string
  readonly kind: RunKind
  /** The run's trip in the timetable. For an extra run, the trip that it copies. */
  readonly trip: CityTrip
  readonly pattern: Pattern
  /** Planned departure from the first call. */
  readonly startSeconds: number
  /** Planned arrival and departure of each call, two values per call, in seconds since the start. */
  readonly offsets: readonly number[]
  /** Positions of skipped calls. The first and the last call are never skipped. */
  readonly leftOut: readonly number[]
  /** The calls in the radio hole, where the vehicle reports nothing. Empty if `from` equals `to`. */
  readonly silent: PositionRange
  /** A call that moves to another platform of its area; `platform` is an index in `ListedStops.platforms`. */
  readonly move: { readonly position: number; readonly platform: number } | undefined
  /** The time from which the feed contains the run. */
  readonly knownFromSeconds: number
}

/** A run with its vehicle and actual times. */
export interface Run extends PlannedRun {
  /** The vehicle's id; empty if the run has no vehicle. */
  readonly vehicle: string
  /** Actual arrival and departure of each call, two values per call, never decreasing. */
  readonly times: readonly number[]
}

/** The number of calls of a run, including skipped calls. */
export function callCountOf(run: PlannedRun): number {
  return run.pattern.calls.length
}

/** Planned arrival at a call. */
export function plannedArrival(run: PlannedRun, position: number): number {
  return run.startSeconds + run.offsets[position * 2]
}

/** Planned departure from a call. */
export function plannedDeparture(run: PlannedRun, position: number): number {
  return run.startSeconds + run.offsets[position * 2 + 1]
}

/** Planned arrival at the last call. */
export function plannedEnd(run: PlannedRun): number {
  return plannedArrival(run, callCountOf(run) - 1)
}

/** Actual departure from the first call. */
export function beginOf(run: Run): number {
  return run.times[1]
}

/** Actual arrival at the last call. */
export function endOf(run: Run): number {
  return run.times[run.times.length - 2]
}

/**
 * The position of the first call, skipped or not, from which the run has not yet departed at an instant. If the run has
 * ended, the number of calls.
 */
export function nextPosition(run: Run, seconds: number): number {
  const last = callCountOf(run) - 1
  let position = 0
  while (position < last && run.times[position * 2 + 1] <= seconds) position++
  return position === last && run.times[last * 2] <= seconds ? last + 1 : position
}
