// shape_dist_traveled along one trip: whether it can be believed. mend-calls.ts leaves out what cannot.
import type { CallTable, ShapePointRow, ShapeRow, ShapeTable, StopRow, StopTable } from './feed.ts'

/** How far a last stop may lie from its shape's end while its distance is longer than the shape: the validator's. */
const SHAPE_END_METERS = 11.1
const METERS_PER_DEGREE = 111_195
const MICRO = 1e-6

/** Where a trip's distances go wrong. */
export interface DistanceFault {
  readonly rule: 'decreasing_or_equal_stop_time_distance' | 'trip_distance_exceeds_shape_distance'
  /** Call at which it shows. */
  readonly call: number
  readonly example: string
}

/** What the distances of calls are held against. */
export interface DistanceGround {
  readonly distance: Float64Array
  readonly stop: CallTable['stop']
  readonly stops: StopTable
  readonly shapes: ShapeTable
}

/** The first fault in the distances of a trip's calls [first, end); `shape` is undefined where it has none. */
export function findDistanceFault(
  ground: DistanceGround,
  trip: { readonly first: number; readonly end: number; readonly shape: ShapeRow | undefined },
): DistanceFault | undefined {
  const { distance } = ground
  for (let call = trip.first + 1; call < trip.end; call++) {
    const before = distance[call - 1] as number
    const here = distance[call] as number
    if (!(here <= before)) continue
    return { rule: 'decreasing_or_equal_stop_time_distance', call, example: `${here} after ${before}` }
  }
  return trip.shape === undefined ? undefined : findOvershoot(ground, trip.end - 1, trip.shape)
}

/** A trip that is longer than its shape, though its last stop is not where the shape ends. */
function findOvershoot(ground: DistanceGround, call: number, shape: ShapeRow): DistanceFault | undefined {
  const { distance, stop, stops, shapes } = ground
  if (shapes.distance === undefined) return undefined
  const lastPoint = ((shapes.pointOffset[(shape + 1) as ShapeRow] as number) - 1) as ShapePointRow
  const shapeEnd = shapes.distance[lastPoint]
  // Shapes keep their distances in single precision.
  if (!(Math.fround(distance[call] as number) > shapeEnd)) return undefined
  const lastStop = (stop as { readonly [call: number]: StopRow })[call] as StopRow
  const lat = stops.lat[lastStop]
  const north = (lat - shapes.latE6[lastPoint] * MICRO) * METERS_PER_DEGREE
  const east = (stops.lon[lastStop] - shapes.lonE6[lastPoint] * MICRO) * METERS_PER_DEGREE
  if (Math.hypot(north, east * Math.cos((lat * Math.PI) / 180)) <= SHAPE_END_METERS) return undefined
  const example = `${distance[call]}, the shape ends at ${shapeEnd}`
  return { rule: 'trip_distance_exceeds_shape_distance', call, example }
}
