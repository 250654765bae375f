// Checks the shape_dist_traveled of a trip's calls. If one is wrong, call-writer.ts ignores all distances of the trip.
import { nextIndex } from '../columns.ts'
import type { CallRow, CallTable, ShapePointRow, ShapeRow, ShapeTable, StopRow, StopTable } from './feed.ts'

/**
 * The distance of a trip's last call may be greater than the length of the shape if the last stop is at most this far
 * from the shape's end (as in the GTFS validator).
 */
const SHAPE_END_METERS = 11.1
/**
 * A call's distance determines a point on the shape. This point may be farther from the stop than the shape's nearest
 * point, but by at most this much. A distance in another unit determines a point that is much farther away.
 */
const STRAY_CALL_METERS = 200
const METERS_PER_DEGREE = 111_195
const MICRO = 1e-6

/** What is wrong with a trip's distances. */
export interface DistanceFault {
  readonly rule:
    | 'decreasing_or_equal_stop_time_distance'
    | 'trip_distance_exceeds_shape_distance'
    | 'stop_too_far_from_shape_using_user_distance'
  /** The first affected call. */
  readonly call: CallRow
  readonly example: string
}

/** The data with which call distances are checked. */
export interface DistanceGround {
  distance: Float64Array
  stop: CallTable['stop']
  readonly stops: StopTable
  readonly shapes: ShapeTable
  /** `<shape> <stop>` → meters from the stop to the shape, for the pairs computed so far. */
  readonly asideOf: Map<string, number>
}

/**
 * The first fault in the distances of a trip's calls [first, end); undefined if there is none.
 * @param shape undefined if the trip has none
 */
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

/**
 * The fault if the distance of a trip's last call is beyond the end of the shape and the last stop is not near that
 * end; otherwise undefined.
 */
function findOvershoot(ground: DistanceGround, call: CallRow, shape: ShapeRow): DistanceFault | undefined {
  const { distance, stop, stops, shapes } = ground
  if (shapes.distance === undefined) return undefined
  const lastPoint = (shapes.pointOffset[nextIndex(shape)] - 1) as ShapePointRow
  const shapeEnd = shapes.distance[lastPoint]
  // Shape distances are stored in single precision, so the call's distance is rounded to single precision too.
  if (!(Math.fround(distance[call]) > shapeEnd)) return undefined
  const lastStop = stop[call]
  const lat = stops.lat[lastStop]
  const north = (lat - shapes.latE6[lastPoint] * MICRO) * METERS_PER_DEGREE
  const east = (stops.lon[lastStop] - shapes.lonE6[lastPoint] * MICRO) * METERS_PER_DEGREE
  if (Math.hypot(north, east * Math.cos((lat * Math.PI) / 180)) <= SHAPE_END_METERS) return undefined
  const example = `${distance[call]}, but the shape ends at ${shapeEnd}`
  return { rule: 'trip_distance_exceeds_shape_distance', call, example }
}

/**
 * Finds the first call whose stop is far from the point on the shape that the call's distance determines. Such a
 * distance has another unit or another origin than the shape's distances.
 */
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
    const example = `${along}, a point that is ${Math.round(meters)} m from the stop`
    return { rule: 'stop_too_far_from_shape_using_user_distance', call, example }
  }
  return undefined
}

/** Meters from a stop to a position between two consecutive points of a shape, on a flat map. */
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
  const north = lat - pointLat
  return Math.sqrt(north * north + east * east) * METERS_PER_DEGREE
}

/** Meters from a stop to the nearest point on a shape. */
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
