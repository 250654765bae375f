// Reads an overlay for the journey oracle, run by run and call by call. Also checks whether the rides of a journey are
// on the boards.
import type { PlannedRide } from '../indexes/journeys/planned-journey.ts'
import { listBoard } from '../indexes/live/live-boards.ts'
import { refOfInstance } from '../indexes/live/live-order.ts'
import {
  CALL_ALIGHTABLE,
  CALL_BOARDABLE,
  CALL_PREDICTED,
  CALL_SKIPPED,
  effectiveDeparture,
  INSTANCE_CANCELED,
  INSTANCE_DELETED,
  type InstanceIndex,
  type LiveCallIndex,
  type Overlay,
} from '../indexes/live/overlay.ts'
import { serviceDate } from '../indexes/timetable/service-dates.ts'
import type { StopIndex, Timetable } from '../indexes/timetable/timetable.ts'
import { NONE } from '../loaders/columns.ts'
import { textOf } from '../loaders/strings.ts'
import type { LiveCall, LiveRun } from './oracles/journey-live.ts'

/** Every run in the overlay. */
export function listLiveRuns(timetable: Timetable, overlay: Overlay): LiveRun[] {
  const { instances } = overlay
  return Array.from({ length: instances.trip.length }, (_, at): LiveRun => {
    const instance = at as InstanceIndex
    const trip = instances.trip[instance]
    const state = instances.state[instance]
    const ref = refOfInstance(timetable, overlay, instance)
    const date = serviceDate(timetable, instances.day[instance])
    return {
      // The reference of an added run has no date, unlike that of other runs.
      ref: ref.startsWith(`${date}:`) ? ref : `${date}:${ref}`,
      date,
      tripId: trip === NONE ? undefined : textOf(timetable.strings, timetable.trips.id[trip]),
      routeId: textOf(timetable.strings, timetable.lines.id[instances.line[instance]]),
      isGone: state === INSTANCE_CANCELED || state === INSTANCE_DELETED,
      calls: listCalls(timetable, overlay, instance),
    }
  })
}

function listCalls(timetable: Timetable, { calls, instances, meta }: Overlay, instance: InstanceIndex): LiveCall[] {
  const list: LiveCall[] = []
  const end = instances.callOffset[(instance + 1) as InstanceIndex]
  for (let call = instances.callOffset[instance]; call < end; call = (call + 1) as LiveCallIndex) {
    const has = (flag: number) => (calls.flags[call] & flag) !== 0
    list.push({
      stopId: textOf(timetable.strings, timetable.stops.id[calls.stop[call]]),
      arrival: meta.baseSeconds + calls.arrival[call],
      departure: meta.baseSeconds + calls.departure[call],
      isSkipped: has(CALL_SKIPPED),
      canBoard: has(CALL_BOARDABLE),
      canAlight: has(CALL_ALIGHTABLE),
    })
  }
  return list
}

/**
 * Why a ride is not on the board of its first stop; undefined if the board shows the ride at its departure time, and
 * not as canceled.
 */
export function findUnshown(timetable: Timetable, overlay: Overlay, ride: PlannedRide): string | undefined {
  if (ride.staysSeated) return undefined
  const { calls, instances, meta } = overlay
  const [live] = ride.live ?? []
  const effective = live === undefined ? ride.departs : effectiveDeparture(overlay, live) + meta.baseSeconds
  const rows = listBoard(timetable, overlay, {
    stops: [ride.stops[0] as StopIndex],
    // A call without a prediction stays on the board, with its scheduled time, until the vehicle is known to have left.
    fromSeconds: Math.min(effective, ride.departs),
    toSeconds: effective + 1,
    lines: undefined,
    directionId: undefined,
    limit: 1000,
  })
  const row = rows.find((each) =>
    each.kind === 'live'
      ? each.call === live
      : live === undefined && each.trip === ride.instance?.trip && each.day === ride.instance.day,
  )
  if (row === undefined) return 'the board does not have it'
  if (live === undefined) return undefined
  if ((calls.flags[live] & CALL_SKIPPED) !== 0) return 'its call is skipped'
  if (instances.state[calls.instance[live]] === INSTANCE_CANCELED) return 'it is canceled'
  const isKnown = (calls.flags[live] & CALL_PREDICTED) !== 0
  return !isKnown || effective === ride.departs ? undefined : `it leaves at ${effective}, not at ${ride.departs}`
}
