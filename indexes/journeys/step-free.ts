// A view of a timetable and its live data for riders in wheelchairs. In this view, riders cannot board or alight at
// stops that are not accessible, and there are no stairs or escalators. So the planner itself needs no rules for
// wheelchairs.
import { type Column, columnArray, sealColumn } from '../../loaders/columns.ts'
import { CALL_ALIGHTABLE, CALL_BOARDABLE, INSTANCE_DELETED, type Overlay } from '../live/overlay.ts'
import { type PatternStopIndex, STOP_IS_CLOSED, type Timetable } from '../timetable/timetable.ts'
import { NO_WHEELCHAIRS } from '../timetable/wheelchair-access.ts'

/** The pickup_type or drop_off_type of a call at which riders cannot board or alight. */
const NOT_HERE = 1

/**
 * The timetable without boarding, alighting and pathways that are not accessible. All indexes are the same as in the
 * full timetable.
 */
export function stepFree(timetable: Timetable): Timetable {
  const { stops, patterns, stationWays } = timetable
  const wheelchair = columnArray(stops.wheelchair)
  const stopAt = columnArray(patterns.stopAt)
  const without = (types: Column<PatternStopIndex>): Column<PatternStopIndex> =>
    sealColumn(
      Uint8Array.from(columnArray(types), (type, at) => (wheelchair[stopAt[at]] === NO_WHEELCHAIRS ? NOT_HERE : type)),
    )
  return {
    ...timetable,
    stops: {
      ...stops,
      callKinds: sealColumn(
        Uint8Array.from(columnArray(stops.callKinds), (kinds, stop) => {
          return wheelchair[stop] === NO_WHEELCHAIRS ? STOP_IS_CLOSED : kinds
        }),
      ),
    },
    patterns: { ...patterns, pickupType: without(patterns.pickupType), dropOffType: without(patterns.dropOffType) },
    stationWays: {
      ...stationWays,
      seconds: stationWays.stepFreeSeconds,
      inSeconds: stationWays.stepFreeInSeconds,
      outSeconds: stationWays.stepFreeOutSeconds,
    },
  }
}

/** Trip → 1 if its vehicle cannot carry wheelchairs. */
export function tripsWithoutWheelchairs({ trips }: Timetable): Uint8Array {
  return Uint8Array.from(columnArray(trips.wheelchair), (word) => Number(word === NO_WHEELCHAIRS))
}

const overlays = new WeakMap<Overlay, Overlay>()

/**
 * The overlay, but without trips that cannot carry wheelchairs, and without boarding and alighting at stops that are
 * not accessible.
 */
export function stepFreeOverlay(timetable: Timetable, overlay: Overlay): Overlay {
  return overlays.getOrInsertComputed(overlay, () => {
    const { instances, calls } = overlay
    const { trips } = timetable
    const wheelchair = columnArray(timetable.stops.wheelchair)
    const ofTrip = columnArray(trips.wheelchair)
    const tripOf = columnArray(instances.trip)
    // For trips that are not in the timetable, it is unknown whether they can carry wheelchairs. Such trips are kept.
    const state = Uint8Array.from(columnArray(instances.state), (word, at) => {
      return ofTrip[tripOf[at]] === NO_WHEELCHAIRS ? INSTANCE_DELETED : word
    })
    const flags = Uint8Array.from(columnArray(calls.flags))
    const stopOfCall = columnArray(calls.stop)
    for (let call = 0; call < flags.length; call++) {
      if (wheelchair[stopOfCall[call]] === NO_WHEELCHAIRS)
        flags[call] = flags[call] & ~(CALL_BOARDABLE | CALL_ALIGHTABLE)
    }
    return {
      ...overlay,
      instances: { ...instances, state: sealColumn(state) },
      calls: { ...calls, flags: sealColumn(flags) },
    }
  })
}
