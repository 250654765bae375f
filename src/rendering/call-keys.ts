// A call of a trip as ids of journeys name it, and the call that such a name means now.
import { stopOfTrip } from '../../indexes/live/live-trip.ts'
import { type LiveCallIndex, NO_POSITION, type Overlay } from '../../indexes/live/overlay.ts'
import { callCount, type StopIndex, type Timetable } from '../../indexes/timetable/timetable.ts'
import { textOf } from '../../loaders/strings.ts'
import type { RideSection } from './journey.ts'

/** A call of a trip. */
export interface CallKey {
  /** Among the trip's calls as they were. */
  readonly place: number
  /** Of the id of the stop that is planned there: the call is found again if others come or go, or its platform changes. */
  readonly stopHash: number
}

/** The name of a call of a ride. @param at counted from its boarding */
export function callKey(timetable: Timetable, { calls }: RideSection, at: number): CallKey {
  if (calls.kind === 'scheduled') {
    const place = calls.from + at
    return { place, stopHash: hashOf(timetable, stopOfTrip(timetable, calls.instance.trip, place)) }
  }
  const { overlay } = calls
  const call = calls.calls[at]
  const place = call - overlay.instances.callOffset[overlay.calls.instance[call]]
  return { place, stopHash: hashOf(timetable, plannedStopOfCall(timetable, overlay, call)) }
}

/** The place among calls with these planned stops that a name means: the nearest one at its stop. */
export function findCallPlace(
  timetable: Timetable,
  stops: readonly StopIndex[],
  { place, stopHash }: CallKey,
): number | undefined {
  let best: number | undefined
  for (const [at, stop] of stops.entries()) {
    if (best !== undefined && Math.abs(at - place) >= Math.abs(best - place)) continue
    if (hashOf(timetable, stop) === stopHash) best = at
  }
  return best
}

/** Where the timetable has a live call, or where a call that it lacks is. */
export function plannedStopOfCall(timetable: Timetable, { calls, instances }: Overlay, call: LiveCallIndex): StopIndex {
  const trip = instances.trip[calls.instance[call]]
  const position = calls.position[call]
  const isOfTrip = trip < timetable.trips.id.length && position !== NO_POSITION
  return isOfTrip && position < callCount(timetable, timetable.trips.pattern[trip])
    ? stopOfTrip(timetable, trip, position)
    : calls.stop[call]
}

function hashOf({ strings, stops }: Timetable, stop: StopIndex): number {
  return Number(Bun.hash.wyhash(textOf(strings, stops.id[stop])) & 0x3fffn)
}
