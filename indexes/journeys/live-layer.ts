// Adds live data to a span of service days. Trip instances with live data are masked in the span's own layer. They are
// added to a separate layer, with their effective times and without skipped calls.
import { NONE, nextIndex } from '../../loaders/columns.ts'
import { LiveRuns } from '../live/live-runs.ts'
import {
  CALL_ALIGHTABLE,
  CALL_BOARDABLE,
  CALL_SKIPPED,
  INSTANCE_CANCELED,
  INSTANCE_DELETED,
  type InstanceIndex,
  type LiveCallIndex,
  type Overlay,
} from '../live/overlay.ts'
import { NO_RUN } from '../timetable/board-cursor.ts'
import type { Timetable, TripIndex } from '../timetable/timetable.ts'
import { buildLayer, type LayerTrips, mirrorLayer } from './build-layer.ts'
import type { ChangePoints } from './change-points.ts'
import {
  CAN_ALIGHT,
  CAN_BOARD,
  departureAt,
  firstCallOf,
  lengthOf,
  type RouteLayer,
  USE_BITS,
  useAt,
} from './route-layer.ts'
import type { InstancePlaces, Span } from './span.ts'
import { TimeRows } from './time-rows.ts'
import { ClassBook } from './trip-classes.ts'

/** A span with an overlay applied. */
export interface LiveSpan {
  readonly overlay: Overlay
  /** The live instances. Their labels are their numbers in the overlay. */
  readonly layer: RouteLayer
  readonly mirrored: RouteLayer
  /** Instance of the span's own layer → 1 if the overlay has live data for the instance or replaces it. */
  readonly masked: Uint8Array
  /**
   * Live instance, by its number in the overlay → the calls that it makes, in the order of their positions in the
   * layer; no entry if the instance does not run.
   */
  readonly callsOf: readonly (readonly LiveCallIndex[])[]
}

/** The input for `layLive`, except the overlay. */
export interface LiveGround {
  readonly timetable: Timetable
  readonly span: Span
  readonly places: InstancePlaces
  readonly points: ChangePoints
}

/** Applies an overlay to a span. */
export function layLive({ timetable, span, places, points }: LiveGround, overlay: Overlay): LiveSpan {
  const { instances } = overlay
  const runs = new LiveRuns(timetable, overlay)
  const masked = new Uint8Array(span.layer.label.length)
  const callsOf: (readonly LiveCallIndex[])[] = []
  for (let instance = 0 as InstanceIndex; instance < instances.trip.length; instance++) {
    const trip = instances.trip[instance]
    if (trip !== NONE) {
      const place = places.find(trip, instances.day[instance], instances.runStart[instance])
      if (place !== undefined) masked[place] = 1
      if (instances.runStart[instance] !== NO_RUN) {
        for (const run of places.runsOf(trip, instances.day[instance])) {
          if (isReplaced(span, runs, run)) masked[run] = 1
        }
      }
    }
    const state = instances.state[instance]
    if (state === INSTANCE_CANCELED || state === INSTANCE_DELETED) continue
    const kept = keptCalls(overlay, instance)
    if (kept.length > 1) callsOf[instance] = kept
  }
  const layer = buildLayer(toLayerTrips({ overlay, callsOf, points, baseSeconds: span.baseSeconds }), points)
  return { overlay, layer, mirrored: mirrorLayer(layer, points), masked, callsOf }
}

/**
 * Whether a live run replaces a run of a frequency trip. If so, departure boards hide the replaced run at some of its
 * calls.
 */
function isReplaced({ layer, trip, day, runStart, baseSeconds }: Span, runs: LiveRuns, place: number): boolean {
  const label = layer.label[place]
  const route = layer.routeOf[place]
  const first = firstCallOf(layer, route)
  const calls = lengthOf(layer, route)
  for (let position = 0; position < calls; position++) {
    if ((useAt(layer, first + position) & CAN_BOARD) === 0) continue
    const cursor = {
      trip: trip[label] as TripIndex,
      day: day[label],
      runStartSeconds: runStart[label],
      position,
      seconds: baseSeconds + departureAt(layer, place, position),
    }
    if (runs.isReplaced(cursor)) return true
  }
  return false
}

/**
 * The times at which a rider arrives and departs at the calls of a trip, in seconds after the overlay's base, plus
 * `shift`. In the overlay, a call without a prediction already has a time that fits the predictions before and after
 * it. A time that is earlier than the previous time of the trip is replaced by the previous time. So no arrival is
 * before the previous departure.
 */
export function runningTimes({ calls }: Overlay, kept: readonly LiveCallIndex[], shift: number) {
  const departure = new Int32Array(kept.length)
  const arrival = new Int32Array(kept.length)
  let before = Number.NEGATIVE_INFINITY
  for (const [at, call] of kept.entries()) {
    arrival[at] = Math.max(before, calls.arrival[call] + shift)
    departure[at] = Math.max(arrival[at], calls.departure[call] + shift)
    before = departure[at]
  }
  return { arrival, departure }
}

/** The calls of a live instance that are not skipped. */
function keptCalls({ calls, instances }: Overlay, instance: InstanceIndex): LiveCallIndex[] {
  const kept: LiveCallIndex[] = []
  const end = instances.callOffset[nextIndex(instance)]
  for (let call = instances.callOffset[instance]; call < end; call++) {
    if ((calls.flags[call] & CALL_SKIPPED) === 0) kept.push(call)
  }
  return kept
}

/** The live instances that run, sorted by class. */
function toLayerTrips({
  overlay,
  callsOf,
  points,
  baseSeconds,
}: {
  readonly overlay: Overlay
  readonly callsOf: readonly (readonly LiveCallIndex[])[]
  readonly points: ChangePoints
  readonly baseSeconds: number
}): LayerTrips {
  const { instances, meta } = overlay
  const book = new ClassBook()
  const rows = new TimeRows(callsOf.reduce((most, calls) => Math.max(most, calls.length), 0))
  const found: { readonly inClass: number; readonly label: number; readonly start: number; readonly row: number }[] = []
  callsOf.forEach((kept, at) => {
    const instance = at as InstanceIndex
    const { arrival, departure } = runningTimes(overlay, kept, meta.baseSeconds - baseSeconds)
    const start = departure[0]
    for (let call = 0; call < kept.length; call++) {
      rows.departures[call] = departure[call] - start
      rows.arrivals[call] = arrival[call] - start
    }
    const inClass = book.numberOf(instances.line[instance], livePoints(overlay, kept, { instance, points }))
    found.push({ inClass, label: instance, start, row: rows.add(kept.length) })
  })
  const classes = book.seal()
  const classOffset = new Uint32Array(classes.line.length + 1)
  found.sort((a, b) => a.inClass - b.inClass)
  for (const { inClass } of found) classOffset[inClass + 1] = classOffset[inClass + 1] + 1
  for (let each = 0; each < classes.line.length; each++) {
    classOffset[each + 1] = classOffset[each + 1] + classOffset[each]
  }
  return {
    classes,
    classOffset,
    label: Uint32Array.from(found, ({ label }) => label),
    start: Int32Array.from(found, ({ start }) => start),
    row: Uint32Array.from(found, ({ row }) => row),
    ...rows.seal(),
  }
}

function livePoints(
  { calls, instances }: Overlay,
  kept: readonly LiveCallIndex[],
  { instance, points }: { readonly instance: InstanceIndex; readonly points: ChangePoints },
): Uint32Array {
  return Uint32Array.from(kept, (call, at) => {
    const point = points.pointOf(calls.stop[call], instances.line[instance], instances.trip[instance])
    const boards = (calls.flags[call] & CALL_BOARDABLE) !== 0 && at < kept.length - 1
    const alights = (calls.flags[call] & CALL_ALIGHTABLE) !== 0 && at > 0
    return (point << USE_BITS) | (boards ? CAN_BOARD : 0) | (alights ? CAN_ALIGHT : 0)
  })
}
