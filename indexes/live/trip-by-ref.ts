// Finds a trip instance by the local part of its public id, with its live data if there is any.
import { NONE } from '../../loaders/columns.ts'
import { isActive, type Timetable } from '../timetable/timetable.ts'
import { findInstanceByRef, runStartsOf, type TripInstance } from '../timetable/trips.ts'
import { refOfInstance } from './live-order.ts'
import { findInstance, INSTANCE_DELETED, type InstanceIndex, type Overlay } from './overlay.ts'

/** A trip that runs, is canceled, or was added. */
export type FoundTrip =
  | { readonly kind: 'live'; readonly overlay: Overlay; readonly instance: InstanceIndex }
  | { readonly kind: 'planned'; readonly instance: TripInstance }

/**
 * The trip with this ref. Undefined if neither the timetable nor a feed has the trip on that day, or if a feed deleted
 * the trip. A run of a frequency trip is found only by its start time. If the trip is not in the timetable, the search
 * goes through all live trips.
 * @param ref `<yyyymmdd>:<feed trip id>`, with `@HH:MM:SS` for a run
 */
export function findTripByRef(timetable: Timetable, overlay: Overlay | undefined, ref: string): FoundTrip | undefined {
  const planned = findPlanned(timetable, ref)
  const instance = overlay && findLive(timetable, overlay, { ref, planned })
  if (overlay !== undefined && instance !== undefined) {
    return overlay.instances.state[instance] === INSTANCE_DELETED ? undefined : { kind: 'live', overlay, instance }
  }
  return planned && { kind: 'planned', instance: planned }
}

/**
 * The trip with this ref, even if the trip does not run on that day or was deleted. Undefined if neither the timetable
 * nor a feed has it.
 */
export function findNamedTrip(
  timetable: Timetable,
  overlay: Overlay | undefined,
  ref: string,
): TripInstance | InstanceIndex | undefined {
  const planned = findInstanceByRef(timetable, ref)
  if (planned !== undefined && isRun(timetable, planned)) return planned
  return overlay && findLive(timetable, overlay, { ref, planned: undefined })
}

/**
 * Whether the start time in a ref is valid. A frequency trip must have a run that starts at this time; any other trip
 * must have no start time.
 */
function isRun(timetable: Timetable, { trip, runStartSeconds }: TripInstance): boolean {
  for (const start of runStartsOf(timetable, trip)) if (start === runStartSeconds) return true
  return false
}

/** The timetable's trip instance with this ref; undefined if the trip does not run on that day. */
function findPlanned(timetable: Timetable, ref: string): TripInstance | undefined {
  const found = findInstanceByRef(timetable, ref)
  if (found === undefined || !isActive(timetable, timetable.trips.service[found.trip], found.day)) return undefined
  return isRun(timetable, found) ? found : undefined
}

/**
 * The live data for a trip instance in the timetable. If there is none, the live data for the added trip or added run
 * with this ref.
 */
function findLive(
  timetable: Timetable,
  overlay: Overlay,
  { ref, planned }: { readonly ref: string; readonly planned: TripInstance | undefined },
): InstanceIndex | undefined {
  const found = planned && findInstance(overlay, planned)
  if (found !== undefined) return found
  const count = overlay.instances.trip.length
  for (let instance = 0 as InstanceIndex; instance < count; instance++) {
    const isOwn = overlay.instances.trip[instance] === NONE || overlay.instances.runStart[instance] >= 0
    if (isOwn && refOfInstance(timetable, overlay, instance) === ref) return instance
  }
  return undefined
}
