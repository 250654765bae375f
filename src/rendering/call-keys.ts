// Journey ids contain references to calls of trips. This module makes such references, and finds the calls in the
// current data.
import { stopOfTrip } from '../../indexes/live/live-trip.ts'
import { type LiveCallIndex, NO_POSITION, type Overlay } from '../../indexes/live/overlay.ts'
import type { StopIndex, Timetable, TripIndex } from '../../indexes/timetable/timetable.ts'
import { textOf } from '../../loaders/strings.ts'
import type { RideSection } from './journey.ts'

/** A reference in a journey id to a call of a trip. */
export interface CallKey {
  /** Index of the call in its trip at the time when the journey id was made. */
  readonly place: number
  /**
   * Hash of the scheduled stop's id. With this hash, the call is found again after other calls were added or removed,
   * or after its platform changed.
   */
  readonly stopHash: number
}

/** A call's position in its trip, and its stop. */
export interface PlannedCall {
  readonly place: number
  readonly stop: StopIndex
}

/** The reference to a call of a ride. @param at position of the call, counted from the boarding call */
export function callKey(timetable: Timetable, { calls }: RideSection, at: number): CallKey {
  if (calls.kind === 'scheduled') return plannedCallKey(timetable, calls.instance.trip, calls.from + at)
  const { place, stop } = plannedCall(timetable, calls.overlay, calls.calls[at])
  return { place, stopHash: hashOf(timetable, stop) }
}

/** The reference to a call of a trip in the timetable. */
export function plannedCallKey(timetable: Timetable, trip: TripIndex, place: number): CallKey {
  return { place, stopHash: hashOf(timetable, stopOfTrip(timetable, trip, place)) }
}

/**
 * The index of the call to which a key refers: of the calls at the key's stop, the one nearest to the key's position.
 * Undefined if no call is at that stop.
 */
export function findCall(timetable: Timetable, calls: readonly PlannedCall[], key: CallKey): number | undefined {
  let [best, least]: [number | undefined, number] = [undefined, Infinity]
  for (const [at, { place, stop }] of calls.entries()) {
    const aside = Math.abs(place - key.place)
    if (aside < least && hashOf(timetable, stop) === key.stopHash) [best, least] = [at, aside]
  }
  return best
}

/**
 * The scheduled position and stop of a live call. If the call is not in the timetable, the reported position and stop.
 */
export function plannedCall(timetable: Timetable, overlay: Overlay, call: LiveCallIndex): PlannedCall {
  const { calls, instances } = overlay
  const instance = calls.instance[call]
  const trip = instances.trip[instance]
  const position = calls.position[call]
  if (trip < timetable.trips.id.length && position !== NO_POSITION) {
    return { place: position, stop: stopOfTrip(timetable, trip, position) }
  }
  return { place: call - instances.callOffset[instance], stop: calls.stop[call] }
}

function hashOf({ strings, stops }: Timetable, stop: StopIndex): number {
  return Bun.hash.xxHash32(textOf(strings, stops.id[stop])) & 0x3fff
}
