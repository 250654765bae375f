// The path of a trip between two of its calls.
import type { Timetable } from '../timetable/timetable.ts'
import { type LiveCallIndex, NO_POSITION, type Overlay } from './overlay.ts'
import type { TripPath, TripPaths } from './trip-paths.ts'

/** The part of a trip's path between two calls. */
export interface TripWay {
  readonly path: TripPath
  readonly from: number
  readonly to: number
}

/**
 * The path along some live calls of a trip. If all calls are in the timetable, the path follows the trip's shape.
 * Otherwise it goes from stop to stop.
 */
export function liveWay(
  { timetable, paths }: { readonly timetable: Timetable; readonly paths: TripPaths },
  overlay: Overlay,
  live: readonly LiveCallIndex[],
): TripWay {
  const { calls, instances } = overlay
  const trip = instances.trip[calls.instance[live[0]]]
  if (trip < timetable.trips.id.length && live.every((call) => calls.position[call] !== NO_POSITION)) {
    return { path: paths.ofTrip(trip), from: calls.position[live[0]], to: calls.position[live[live.length - 1]] }
  }
  return { path: paths.ofStops(live.map((call) => calls.stop[call])), from: 0, to: live.length - 1 }
}
