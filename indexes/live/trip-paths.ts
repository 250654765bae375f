// The path of a trip on the ground, and the distance of each call along it. A path is computed when the first vehicle
// is seen on the trip. Recently used paths stay in a cache. Trips with the same pattern and shape share one path.
import { LRUCache } from 'lru-cache'
import { columnArray, NONE, nextIndex } from '../../loaders/columns.ts'
import { buildPath, findApproaches, type GroundPath, type Place, pathLength } from '../spatial/ground-path.ts'
import { stopsOfDirection } from '../timetable/lines.ts'
import type { DirectionIndex, ShapeIndex, StopIndex, Timetable, TripIndex } from '../timetable/timetable.ts'
import { placeByDistances, placeCalls } from './call-places.ts'
import { stopsOfTrip } from './live-trip.ts'

/** The path of a trip. */
export interface TripPath {
  readonly path: GroundPath
  /** Distance of each call from the start of the path, in meters; never decreases. */
  readonly callAlong: Float64Array
  /**
   * Whether the path is a shape and nothing else. If false, the path consists of straight lines between stops, or is a
   * shape that is extended by straight lines.
   */
  readonly isShape: boolean
  /**
   * The shape of the trip; undefined if the trip has no shape. It is set even if the shape does not fit the stops and
   * the path does not use it.
   */
  readonly shape: GroundPath | undefined
}

/** Distance in meters along a trip's path from one call to a later one. */
export function metersAlong({ callAlong }: TripPath, from: number, to: number): number {
  return callAlong[to] - callAlong[from]
}

/** Maximum number of cached shape points (about 32 bytes each), and of cached call distances (8 bytes each). */
const KEPT_PLACES = 1_000_000
/**
 * Added to the size of each cache entry, because an entry needs memory in addition to its points or distances. For a
 * path with few points, this is half of the memory used.
 */
const ENTRY_SIZE = 16
/** A shape that is farther than this from a stop of its trip does not fit the trip. */
const STRAY_STOP_METERS = 2000
const MICRO = 1e-6

/**
 * The cache entry for a pattern and a shape: the distances of the calls along the shape. If the shape does not fit all
 * stops, the distances are along a separate path.
 */
interface KeptCalls {
  readonly callAlong: Float64Array
  /** The separate path; undefined if the path is the shape. */
  readonly ownPath: GroundPath | undefined
}

/** The paths of one timetable. */
export class TripPaths {
  private readonly timetable: Timetable
  private readonly shapes: LRUCache<ShapeIndex, GroundPath>
  private readonly calls: LRUCache<string, KeptCalls>

  /** @param keptPlaces maximum number of cached shape points, and of cached call distances */
  constructor(timetable: Timetable, keptPlaces = KEPT_PLACES) {
    this.timetable = timetable
    this.shapes = new LRUCache({ maxSize: keptPlaces, sizeCalculation: ({ lat }) => lat.length + ENTRY_SIZE })
    this.calls = new LRUCache({
      maxSize: keptPlaces,
      sizeCalculation: ({ callAlong, ownPath }) => callAlong.length + (ownPath?.lat.length ?? 0) * 4 + ENTRY_SIZE,
    })
  }

  /** The path of a timetable trip. */
  ofTrip(trip: TripIndex): TripPath {
    const { trips } = this.timetable
    const shape = trips.shape[trip]
    const key = `${trips.pattern[trip]} ${shape} ${trips.distanceProfile[trip]}`
    let kept = this.calls.get(key)
    if (kept === undefined) {
      kept = this.placeTrip(trip)
      this.calls.set(key, kept)
    }
    const drawn = shape === NONE ? undefined : this.shapePath(shape)
    return {
      path: kept.ownPath ?? this.shapePath(shape),
      callAlong: kept.callAlong,
      isShape: kept.ownPath === undefined,
      shape: drawn !== undefined && pathLength(drawn) > 0 ? drawn : undefined,
    }
  }

  /** A path of straight lines between stops, for a trip that is not in the timetable. The result is not cached. */
  ofStops(stops: readonly StopIndex[]): TripPath {
    const path = buildPath(this.placesOf(stops))
    return { path, callAlong: path.along, isShape: false, shape: undefined }
  }

  /**
   * The path of a trip along a shape from a feed; undefined if the shape does not fit the stops. The result is not
   * cached.
   */
  ofShape(shape: readonly Place[], stops: readonly StopIndex[]): TripPath | undefined {
    if (shape.length < 2) return undefined
    const path = buildPath({
      lat: Float64Array.from(shape, ({ lat }) => lat),
      lon: Float64Array.from(shape, ({ lon }) => lon),
    })
    const placed = this.placeStops(path, stops)
    return placed === undefined ? undefined : { path, callAlong: placed, isShape: true, shape: path }
  }

  /**
   * The paths of a direction: its shapes or, if it has none, straight lines through its stops. Empty if the direction
   * has no stops.
   */
  listOfDirection(direction: DirectionIndex): GroundPath[] {
    const { shapeOffset, shapeAt } = this.timetable.directions
    const first = shapeOffset[direction]
    const end = shapeOffset[nextIndex(direction)]
    const paths: GroundPath[] = []
    for (let at = first; at < end; at++) paths.push(this.shapePath(shapeAt[at]))
    if (paths.length > 0) return paths
    const stops = stopsOfDirection(this.timetable, direction)
    return stops.length === 0 ? [] : [this.ofStops(stops).path]
  }

  private placeTrip(trip: TripIndex): KeptCalls {
    const stops = stopsOfTrip(this.timetable, trip)
    const shape = this.timetable.trips.shape[trip]
    const own = this.ofStops(stops)
    const straight = { callAlong: own.callAlong, ownPath: own.path }
    if (shape === NONE) return straight
    const path = this.shapePath(shape)
    if (pathLength(path) === 0) return straight
    const given = this.givenDistances(trip, path, stops.length)
    if (given !== undefined) return { callAlong: given, ownPath: undefined }
    const placed = this.placeStops(path, stops)
    if (placed !== undefined) return { callAlong: placed, ownPath: undefined }
    const extended = this.extendToEnds(path, stops)
    const along = extended && this.placeStops(extended, stops)
    return along === undefined ? straight : { callAlong: along, ownPath: extended }
  }

  /**
   * Extends a shape with straight lines to the first and last stops of its trip, if the shape does not pass near them.
   * Returns undefined if fewer than two stops are near the shape.
   */
  private extendToEnds(shape: GroundPath, stops: readonly StopIndex[]): GroundPath | undefined {
    const { lat, lon } = this.placesOf(stops)
    const isNear = (_: StopIndex, at: number) =>
      (findApproaches(shape, { lat: lat[at], lon: lon[at] }, 0)[0]?.aside ?? Infinity) <= STRAY_STOP_METERS
    const [first, last] = [stops.findIndex(isNear), stops.findLastIndex(isNear)]
    if (first < 0 || last - first < 1) return undefined
    const join = (ofStops: Float64Array, ofShape: Float64Array) => {
      const joined = new Float64Array(first + ofShape.length + ofStops.length - last - 1)
      joined.set(ofStops.subarray(0, first))
      joined.set(ofShape, first)
      joined.set(ofStops.subarray(last + 1), first + ofShape.length)
      return joined
    }
    return buildPath({ lat: join(lat, shape.lat), lon: join(lon, shape.lon) })
  }

  private placeStops(path: GroundPath, stops: readonly StopIndex[]): Float64Array | undefined {
    const { lat, lon } = this.placesOf(stops)
    const places = stops.map((_, at): Place => ({ lat: lat[at], lon: lon[at] }))
    const placed = placeCalls(path, places)
    return placed === undefined || placed.farthestAside > STRAY_STOP_METERS ? undefined : placed.along
  }

  /**
   * The distances of a trip's calls along its shape, according to shape_dist_traveled. Undefined if the calls or the
   * points of the shape have no such values.
   */
  private givenDistances(trip: TripIndex, path: GroundPath, callCount: number): Float64Array | undefined {
    const { trips, callProfiles, shapes } = this.timetable
    const profile = trips.distanceProfile[trip]
    if (profile === NONE || shapes.distance.length === 0) return undefined
    const shape = trips.shape[trip]
    const points = columnArray(shapes.distance).subarray(
      shapes.pointOffset[shape],
      shapes.pointOffset[nextIndex(shape)],
    )
    const calls = columnArray(callProfiles.shapeDistance).subarray(profile, profile + callCount)
    return placeByDistances(path, points, calls)
  }

  private shapePath(shape: ShapeIndex): GroundPath {
    const known = this.shapes.get(shape)
    if (known !== undefined) return known
    const { pointOffset, latE6, lonE6 } = this.timetable.shapes
    const first = pointOffset[shape]
    const end = pointOffset[nextIndex(shape)]
    const path = buildPath({
      lat: Float64Array.from(columnArray(latE6).subarray(first, end), (value) => value * MICRO),
      lon: Float64Array.from(columnArray(lonE6).subarray(first, end), (value) => value * MICRO),
    })
    this.shapes.set(shape, path)
    return path
  }

  private placesOf(stops: readonly StopIndex[]): { lat: Float64Array; lon: Float64Array } {
    const { lat, lon } = this.timetable.stops
    return { lat: Float64Array.from(stops, (stop) => lat[stop]), lon: Float64Array.from(stops, (stop) => lon[stop]) }
  }
}
