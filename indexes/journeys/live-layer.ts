// The live changes of a span: trip instances with live data are masked in its routes and added in a layer beside them
// with their effective times, without skipped calls.
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
import type { ChangePoints } from './change-points.ts'
import { buildLayer, CAN_ALIGHT, CAN_BOARD, type LayerGroup, mirrorLayer, type RouteLayer } from './route-layer.ts'
import type { InstancePlaces, Span } from './span.ts'

/** A span with an overlay applied. */
export interface LiveSpan {
  readonly overlay: Overlay
  /** Its labels are the overlay's instances. */
  readonly layer: RouteLayer
  readonly mirrored: RouteLayer
  /** Instance of the span's own layer → 1 if the overlay has live data for it. */
  readonly masked: Uint8Array
  /** The live calls that each instance makes, by its place in the layer and position. */
  readonly callsOf: readonly (readonly LiveCallIndex[])[]
}

/** The base for an overlay. */
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
  const groups = new Map<string, LayerGroup>()
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
    addInstance(groups, callsOf, { overlay, instance, points, baseSeconds: span.baseSeconds })
  }
  const layer = buildLayer([...groups.values()], points)
  return { overlay, layer, mirrored: mirrorLayer(layer, points), masked, callsOf }
}

/** Whether departure boards leave out a nominal run, at any of its calls, for a live run that replaces it. */
function isReplaced({ layer, trip, day, runStart, baseSeconds }: Span, runs: LiveRuns, place: number): boolean {
  const label = layer.label[place]
  const route = layer.routeOf[place]
  const first = layer.positionOffset[route]
  const calls = layer.positionOffset[route + 1] - first
  const firstInstance = layer.instanceOffset[route]
  const count = layer.instanceOffset[route + 1] - firstInstance
  const at = layer.timeOffset[route] + place - firstInstance
  for (let position = 0; position < calls; position++) {
    if ((layer.use[first + position] & CAN_BOARD) === 0) continue
    const cursor = {
      trip: trip[label] as TripIndex,
      day: day[label],
      runStartSeconds: runStart[label],
      position,
      seconds: baseSeconds + layer.departure[at + position * count],
    }
    if (runs.isReplaced(cursor)) return true
  }
  return false
}

/**
 * When a rider arrives and departs at the calls of one trip, in seconds after the overlay's base and a shift. A call
 * without a prediction uses the time that the predictions around it allow: a rider who came on schedule would find the
 * vehicle gone. Times that still decrease are raised, so no arrival precedes the previous departure.
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

function addInstance(
  groups: Map<string, LayerGroup>,
  callsOf: (readonly LiveCallIndex[])[],
  of: {
    readonly overlay: Overlay
    readonly instance: InstanceIndex
    readonly points: ChangePoints
    readonly baseSeconds: number
  },
): void {
  const { overlay, instance, points, baseSeconds } = of
  const { calls, instances, meta } = overlay
  const kept: LiveCallIndex[] = []
  const end = instances.callOffset[nextIndex(instance)]
  for (let call = instances.callOffset[instance]; call < end; call++) {
    if ((calls.flags[call] & CALL_SKIPPED) === 0) kept.push(call)
  }
  if (kept.length < 2) return
  const { arrival, departure } = runningTimes(overlay, kept, meta.baseSeconds - baseSeconds)
  const line = instances.line[instance]
  const reached: number[] = []
  const use: number[] = []
  for (const [at, call] of kept.entries()) {
    reached.push(points.pointOf(calls.stop[call], line, instances.trip[instance]))
    const boards = (calls.flags[call] & CALL_BOARDABLE) !== 0 && at < kept.length - 1
    const alights = (calls.flags[call] & CALL_ALIGHTABLE) !== 0 && at > 0
    use.push((boards ? CAN_BOARD : 0) + (alights ? CAN_ALIGHT : 0))
  }
  const key = `${line} ${reached.join(',')} ${use.join('')}`
  groups
    .getOrInsertComputed(key, () => ({ line, points: reached, use, instances: [] }))
    .instances.push({
      label: instance,
      departure,
      arrival,
    })
  callsOf[instance] = kept
}
