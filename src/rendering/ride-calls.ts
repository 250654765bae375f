// The calls of a ride: scheduled and expected times, and the same status values as for departures.
import { scheduledCall } from '../../indexes/live/live-trip.ts'
import { CALL_SKIPPED, type LiveCallIndex, type Overlay } from '../../indexes/live/overlay.ts'
import { callCount, type Timetable } from '../../indexes/timetable/timetable.ts'
import { nextIndex } from '../../loaders/columns.ts'
import type { RideSection } from './journey.ts'
import {
  type DepartureStatus,
  type LiveDeparture,
  liveArrivalOf,
  liveDepartureOf,
  punctuality,
} from './live-departure.ts'

/** A call of a ride. A trip's first call has no arrival, and its last call has no departure. */
export interface RideCall {
  readonly status: DepartureStatus
  readonly arrival: LiveDeparture | undefined
  readonly departure: LiveDeparture | undefined
}

/** The departure of a ride from its boarding stop. */
export function boardingOf(timetable: Timetable, { calls, departs, isRealtime }: RideSection): LiveDeparture {
  if (calls.kind === 'live') return liveDepartureOf(calls.overlay, calls.calls[0])
  const { departure } = scheduledCall(timetable, calls.instance, calls.from)
  if (!isRealtime) return silent(departure)
  // The overlay has no live data for this trip, so the ride's live data comes from the native planner.
  const delaySeconds = departs - departure
  const status = punctuality(delaySeconds)
  return { scheduledSeconds: departure, expectedSeconds: departs, delaySeconds, status, isRealtime }
}

/** The scheduled arrival of a ride at its alighting stop, in Unix seconds. */
export function scheduledArrivalOf(timetable: Timetable, { calls, stops }: RideSection): number {
  if (calls.kind === 'scheduled') {
    return scheduledCall(timetable, calls.instance, calls.from + stops.length - 1).arrival
  }
  const { overlay } = calls
  return overlay.calls.scheduledArrival[calls.calls[calls.calls.length - 1]] + overlay.meta.baseSeconds
}

/** The calls from boarding to alighting, inclusive: one for each stop of the ride. */
export function callsOf(timetable: Timetable, { calls, stops }: Pick<RideSection, 'calls' | 'stops'>): RideCall[] {
  if (calls.kind === 'live') return calls.calls.map((call) => liveCall(calls.overlay, call))
  const { instance, from } = calls
  const last = callCount(timetable, timetable.trips.pattern[instance.trip]) - 1
  return stops.map((_, at): RideCall => {
    const position = from + at
    const { arrival, departure } = scheduledCall(timetable, instance, position)
    return {
      status: 'unknown',
      arrival: position === 0 ? undefined : silent(arrival),
      departure: position === last ? undefined : silent(departure),
    }
  })
}

function liveCall(overlay: Overlay, call: LiveCallIndex): RideCall {
  const { callOffset } = overlay.instances
  const instance = overlay.calls.instance[call]
  const isFirst = isNoneCalledAt(overlay, callOffset[instance], call)
  const isLast = isNoneCalledAt(overlay, nextIndex(call), callOffset[nextIndex(instance)])
  const arrival = liveArrivalOf(overlay, call)
  const departure = liveDepartureOf(overlay, call)
  return {
    status: (isLast ? arrival : departure).status,
    arrival: isFirst ? undefined : arrival,
    departure: isLast ? undefined : departure,
  }
}

/** Whether all calls from `from` up to, but excluding, `end` are skipped. */
function isNoneCalledAt({ calls }: Overlay, from: LiveCallIndex, end: number): boolean {
  for (let call = from; call < end; call++) if ((calls.flags[call] & CALL_SKIPPED) === 0) return false
  return true
}

/** The departure or arrival of a call without live data. */
function silent(scheduledSeconds: number): LiveDeparture {
  const nothing = { expectedSeconds: undefined, delaySeconds: undefined, isRealtime: false }
  return { scheduledSeconds, ...nothing, status: 'unknown' }
}
