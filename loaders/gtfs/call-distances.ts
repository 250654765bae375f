// shape_dist_traveled along one trip: whether it can be believed. mend-calls.ts leaves out what cannot.
import { nextIndex } from '../columns.ts'
import type { CallRow, CallTable, ShapePointRow, ShapeRow, ShapeTable, StopRow, StopTable } from './feed.ts'

/** How far a last stop may lie from its shape's end while its distance is longer than the shape: the validator's. */
const SHAPE_END_METERS = 11.1
/** How much farther from its stop a call may lie than the shape passes it: distances in other units miss by far more. */
const STRAY_CALL_METERS = 200
const METERS_PER_DEGREE = 111_195
const MICRO = 1e-6

/** Where a trip's distances go wrong. */
export interface DistanceFault {
  readonly rule:
    | 'decreasing_or_equal_stop_time_distance'
    | 'trip_distance_exceeds_shape_distance'
    | 'stop_too_far_from_shape_using_user_distance'
  /** Call at which it shows. */
  readonly call: CallRow
  readonly example: string
}

/** What the distances of calls are held against. */
export interface DistanceGround {
  readonly distance: Float64Array
  readonly stop: CallTable['stop']
  readonly stops: StopTable
  readonly shapes: ShapeTable
  /** `<shape> <stop>` → meters from the stop to the shape, of those asked for so far. */
  readonly asideOf: Map<string, number>
}

/** The first fault in the distances of a trip's calls [first, end); `shape` is undefined where it has none. */
export function findDistanceFault(
  ground: DistanceGround,
  trip: { readonly first: CallRow; readonly end: CallRow; readonly shape: ShapeRow | undefined },
): DistanceFault | undefined {
  const { distance } = ground
  for (let call = nextIndex(trip.first); call < trip.end; call++) {
    const before = distance[call - 1]
    const here = distance[call]
    if (!(here <= before)) continue
    return { rule: 'decreasing_or_equal_stop_time_distance', call, example: `${here} after ${before}` }
  }
  if (trip.shape === undefined) return undefined
  return (
    findOvershoot(ground, (trip.end - 1) as CallRow, trip.shape) ?? findStray(ground, { ...trip, shape: trip.shape })
  )
}

/** A trip that is longer than its shape, though its last stop is not where the shape ends. */
function findOvershoot(ground: DistanceGround, call: CallRow, shape: ShapeRow): DistanceFault | undefined {
  const { distance, stop, stops, shapes } = ground
  if (shapes.distance === undefined) return undefined
  const lastPoint = (shapes.pointOffset[nextIndex(shape)] - 1) as ShapePointRow
  const shapeEnd = shapes.distance[lastPoint]
  // Shapes keep their distances in single precision.
  if (!(Math.fround(distance[call]) > shapeEnd)) return undefined
  const lastStop = stop[call]
  const lat = stops.lat[lastStop]
  const north = (lat - shapes.latE6[lastPoint] * MICRO) * METERS_PER_DEGREE
  const east = (stops.lon[lastStop] - shapes.lonE6[lastPoint] * MICRO) * METERS_PER_DEGREE
  if (Math.hypot(north, east * Math.cos((lat * Math.PI) / 180)) <= SHAPE_END_METERS) return undefined
  const example = `${distance[call]}, the shape ends at ${shapeEnd}`
  return { rule: 'trip_distance_exceeds_shape_distance', call, example }
}

/** A call whose distance leads to another place of the shape than where it passes the stop: other units, or another start. */
function findStray(
  ground: DistanceGround,
  { first, end, shape }: { readonly first: CallRow; readonly end: CallRow; readonly shape: ShapeRow },
): DistanceFault | undefined {
  const { distance, stop, shapes } = ground
  const points = shapes.distance
  const firstPoint = shapes.pointOffset[shape]
  const lastPoint = (shapes.pointOffset[nextIndex(shape)] - 1) as ShapePointRow
  if (points === undefined || !(points[lastPoint] > points[firstPoint])) return undefined
  let point = firstPoint
  for (let call = first; call < end; call++) {
    const along = distance[call]
    if (Number.isNaN(along)) continue
    while (point + 1 < lastPoint && points[nextIndex(point)] <= along) point++
    const from = points[point]
    const part = (along - from) / (points[nextIndex(point)] - from)
    const at = stop[call]
    const meters = metersFrom(ground, at, { point, part: Math.min(1, Math.max(0, part || 0)) })
    if (meters <= STRAY_CALL_METERS || meters <= asideOf(ground, shape, at) + STRAY_CALL_METERS) continue
    const example = `${along} is ${Math.round(meters)} m from the stop`
    return { rule: 'stop_too_far_from_shape_using_user_distance', call, example }
  }
  return undefined
}

/** Meters from a stop to a place between a point of a shape and the next, on a flat earth. */
function metersFrom(
  { stops, shapes }: DistanceGround,
  stop: StopRow,
  { point, part }: { readonly point: ShapePointRow; readonly part: number },
): number {
  const next = nextIndex(point)
  const lat = stops.lat[stop]
  const pointLat = (shapes.latE6[point] + part * (shapes.latE6[next] - shapes.latE6[point])) * MICRO
  const pointLon = (shapes.lonE6[point] + part * (shapes.lonE6[next] - shapes.lonE6[point])) * MICRO
  const east = (stops.lon[stop] - pointLon) * Math.cos((lat * Math.PI) / 180)
  return Math.hypot(lat - pointLat, east) * METERS_PER_DEGREE
}

/** Meters from a stop to where a shape comes nearest to it. */
function asideOf(ground: DistanceGround, shape: ShapeRow, stop: StopRow): number {
  return ground.asideOf.getOrInsertComputed(`${shape} ${stop}`, () => {
    const { shapes, stops } = ground
    const east = Math.cos((stops.lat[stop] * Math.PI) / 180)
    const lastPoint = shapes.pointOffset[nextIndex(shape)] - 1
    let least = Number.POSITIVE_INFINITY
    for (let point = shapes.pointOffset[shape]; point < lastPoint; point++) {
      const next = nextIndex(point)
      const north = (shapes.latE6[next] - shapes.latE6[point]) * MICRO
      const along = (shapes.lonE6[next] - shapes.lonE6[point]) * MICRO * east
      const toStop = (stops.lat[stop] - shapes.latE6[point] * MICRO) * north
      const beside = (stops.lon[stop] - shapes.lonE6[point] * MICRO) * east * along
      const part = (toStop + beside) / (north * north + along * along)
      least = Math.min(least, metersFrom(ground, stop, { point, part: Math.min(1, Math.max(0, part || 0)) }))
    }
    return least
  })
}
