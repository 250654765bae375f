// A path on the ground: the shape of a trip, or the line through its stops if it has no shape. The functions compute
// the position and bearing at a distance along the path, and the points where the path comes nearest to a given point.
import { greatCircleMeters, METERS_PER_DEGREE } from './great-circle.ts'

/** A polyline, with the distance of each point along it. Read-only. */
export interface GroundPath {
  /** Degrees, WGS 84. */
  readonly lat: Float64Array
  /** Degrees; beyond ±180 after the path has crossed the antimeridian. */
  readonly lon: Float64Array
  /** Distance from the first point to each point, measured along the path in meters; never decreases. */
  readonly along: Float64Array
  /** The bounding box of each group of CHUNK_SEGMENTS segments: south, north, west, east, in degrees. */
  readonly boxes: Float64Array
}

/** A position in degrees. */
export interface Place {
  readonly lat: number
  readonly lon: number
}

/** A local minimum of the distance between a path and a point. */
export interface Approach {
  /** Meters along the path. */
  readonly along: number
  /** Distance from the point in meters. */
  readonly aside: number
}

/**
 * Number of segments per box. With a smaller number, more boxes must be checked; with a larger number, more segments.
 */
const CHUNK_SEGMENTS = 16
const BOX_NUMBERS = 4
/** Tolerance in meters, because the distance to a box and the distance to a segment in it are rounded differently. */
const ROUNDING_METERS = 1e-3
const RADIANS_PER_DEGREE = Math.PI / 180

/** Builds the path through one or more positions, in order. */
export function buildPath(places: { readonly lat: ArrayLike<number>; readonly lon: ArrayLike<number> }): GroundPath {
  const count = places.lat.length
  const lat = Float64Array.from(places.lat)
  const lon = Float64Array.from(places.lon)
  const along = new Float64Array(count)
  for (let at = 1; at < count; at++) {
    const step = lon[at] - lon[at - 1]
    lon[at] = lon[at] - 360 * Math.round(step / 360)
    along[at] = along[at - 1] + greatCircleMeters(lat[at - 1], lon[at - 1], lat[at], lon[at])
  }
  return { lat, lon, along, boxes: boxSegments(lat, lon) }
}

function boxSegments(lat: Float64Array, lon: Float64Array): Float64Array {
  const segmentCount = Math.max(1, lat.length - 1)
  const boxes = new Float64Array(Math.ceil(segmentCount / CHUNK_SEGMENTS) * BOX_NUMBERS)
  for (let box = 0; box < boxes.length; box += BOX_NUMBERS) {
    const first = (box / BOX_NUMBERS) * CHUNK_SEGMENTS
    const end = Math.min(first + CHUNK_SEGMENTS + 1, lat.length)
    boxes.set([Infinity, -Infinity, Infinity, -Infinity], box)
    for (let at = first; at < end; at++) {
      boxes[box] = Math.min(boxes[box], lat[at])
      boxes[box + 1] = Math.max(boxes[box + 1], lat[at])
      boxes[box + 2] = Math.min(boxes[box + 2], lon[at])
      boxes[box + 3] = Math.max(boxes[box + 3], lon[at])
    }
  }
  return boxes
}

/** Length of a path in meters. */
export function pathLength({ along }: GroundPath): number {
  return along[along.length - 1]
}

/**
 * The position at a distance from the start of the path. A distance beyond the path gives the nearer end of the path.
 */
export function placeAlong(path: GroundPath, meters: number): Place {
  const { lat, lon, along } = path
  const at = segmentAt(path, meters)
  if (at + 1 >= lat.length) return { lat: lat[at], lon: toLongitude(lon[at]) }
  const length = along[at + 1] - along[at]
  const part = length === 0 ? 0 : Math.min(1, Math.max(0, (meters - along[at]) / length))
  return {
    lat: lat[at] + part * (lat[at + 1] - lat[at]),
    lon: toLongitude(lon[at] + part * (lon[at + 1] - lon[at])),
  }
}

/**
 * The part of the path between two distances from its start: the positions at these distances, and the points of the
 * path between them.
 */
export function stretchOf(path: GroundPath, fromMeters: number, toMeters: number): Place[] {
  const { lat, lon, along } = path
  const places = [placeAlong(path, fromMeters)]
  for (let at = segmentAt(path, fromMeters) + 1; at < along.length && along[at] < toMeters; at++) {
    places.push({ lat: lat[at], lon: toLongitude(lon[at]) })
  }
  return [...places, placeAlong(path, toMeters)]
}

/**
 * Bearing of the path at a distance from its start, in degrees clockwise from north, 0 ≤ d < 360. At a point between
 * two segments, this is the bearing of the later segment. At the end of the path, it is the bearing of the last
 * segment. Undefined if the path has no length.
 */
export function bearingAlong(path: GroundPath, meters: number): number | undefined {
  const { lat, lon, along } = path
  const isLong = (at: number) => along[at + 1] > along[at]
  let at = segmentAt(path, meters)
  while (at + 1 < lat.length && !isLong(at)) at++
  if (at + 1 >= lat.length) {
    at = lat.length - 2
    while (at >= 0 && !isLong(at)) at--
  }
  if (at < 0) return undefined
  return bearingBetween({ lat: lat[at], lon: lon[at] }, { lat: lat[at + 1], lon: lon[at + 1] })
}

/** Initial bearing from one position to another in degrees clockwise from north, 0 ≤ d < 360; 0 if they are equal. */
export function bearingBetween(from: Place, to: Place): number {
  const fromLat = from.lat * RADIANS_PER_DEGREE
  const toLat = to.lat * RADIANS_PER_DEGREE
  const step = (to.lon - from.lon) * RADIANS_PER_DEGREE
  const east = Math.sin(step) * Math.cos(toLat)
  const north = Math.cos(fromLat) * Math.sin(toLat) - Math.sin(fromLat) * Math.cos(toLat) * Math.cos(step)
  return (Math.atan2(east, north) / RADIANS_PER_DEGREE + 360) % 360
}

/**
 * The approaches of the path to a point, in path order. A path that passes the point twice has two approaches.
 * Approaches that are more than `slackMeters` farther from the point than the nearest approach are left out. Checks all
 * boxes, but only the segments of boxes that are near enough.
 */
export function findApproaches(path: GroundPath, place: Place, slackMeters: number): Approach[] {
  const sight = new PathSight(path, place)
  return sight.approachesWithin(sight.nearestMeters() + slackMeters + ROUNDING_METERS)
}

/** A path on a flat map, with the given point at the center of the map. */
class PathSight {
  private readonly path: GroundPath
  private readonly lat: number
  private readonly lon: number
  private readonly lonScale: number
  private readonly lastSegment: number
  private readonly boxMeters: Float64Array
  /** The position of the nearest point on the segment checked last, as a fraction of the segment. */
  private part = 0

  constructor(path: GroundPath, place: Place) {
    this.path = path
    this.lat = place.lat
    // The path's longitudes may be beyond ±180. The point's longitude is moved into the same range.
    this.lon = place.lon + 360 * Math.round((path.lon[0] - place.lon) / 360)
    this.lonScale = Math.cos(place.lat * RADIANS_PER_DEGREE)
    this.lastSegment = Math.max(0, path.lat.length - 2)
    this.boxMeters = new Float64Array(path.boxes.length / BOX_NUMBERS)
  }

  /** Distance to the path. Searches the nearest box first, because its segments usually rule out all other boxes. */
  nearestMeters(): number {
    let nearestBox = 0
    for (let box = 0; box < this.boxMeters.length; box++) {
      const meters = this.metersToBox(box * BOX_NUMBERS)
      this.boxMeters[box] = meters
      if (meters < this.boxMeters[nearestBox]) nearestBox = box
    }
    let best = this.nearestInBox(nearestBox)
    for (let box = 0; box < this.boxMeters.length; box++) {
      if (this.boxMeters[box] < best && box !== nearestBox) best = Math.min(best, this.nearestInBox(box))
    }
    return best
  }

  private nearestInBox(box: number): number {
    const first = box * CHUNK_SEGMENTS
    const end = Math.min(first + CHUNK_SEGMENTS - 1, this.lastSegment)
    let best = Infinity
    for (let at = first; at <= end; at++) best = Math.min(best, this.metersToSegment(at))
    return best
  }

  /** All approaches whose distance from the given point is at most `limit` meters. Call `nearestMeters` first. */
  approachesWithin(limit: number): Approach[] {
    const found: Approach[] = []
    for (let box = 0; box < this.boxMeters.length; box++) {
      if (this.boxMeters[box] > limit) continue
      const first = box * CHUNK_SEGMENTS
      const end = Math.min(first + CHUNK_SEGMENTS - 1, this.lastSegment)
      for (let at = first; at <= end; at++) {
        const aside = this.metersToSegment(at)
        const { part } = this
        if (aside <= limit && this.isNearestThere(at, part)) found.push({ along: this.alongOf(at, part), aside })
      }
    }
    return found
  }

  /**
   * Whether the nearest point of a segment is a local minimum: before and after it, the path is farther from the given
   * point. A point that two segments share counts only once.
   */
  private isNearestThere(at: number, part: number): boolean {
    if (part === 0) return at === 0
    if (part < 1 || at + 2 >= this.path.lat.length) return true
    this.metersToSegment(at + 1)
    return this.part === 0
  }

  private alongOf(at: number, part: number): number {
    const { along } = this.path
    const start = along[at]
    return at + 1 < along.length ? start + part * (along[at + 1] - start) : start
  }

  private metersToSegment(at: number): number {
    const { lat, lon } = this.path
    const x = (lon[at] - this.lon) * this.lonScale
    const y = lat[at] - this.lat
    const hasEnd = at + 1 < lat.length
    const stepX = hasEnd ? (lon[at + 1] - lon[at]) * this.lonScale : 0
    const stepY = hasEnd ? lat[at + 1] - lat[at] : 0
    const square = stepX * stepX + stepY * stepY
    this.part = square === 0 ? 0 : Math.min(1, Math.max(0, -(x * stepX + y * stepY) / square))
    return length(x + this.part * stepX, y + this.part * stepY) * METERS_PER_DEGREE
  }

  private metersToBox(box: number): number {
    const { boxes } = this.path
    const north = Math.max(0, boxes[box] - this.lat, this.lat - boxes[box + 1])
    const east = Math.max(0, boxes[box + 2] - this.lon, this.lon - boxes[box + 3])
    return length(east * this.lonScale, north) * METERS_PER_DEGREE
  }
}

/** Length of a step on the flat map. `Math.hypot` would also guard against overflow, but takes five times as long. */
function length(x: number, y: number): number {
  return Math.sqrt(x * x + y * y)
}

/** The segment at a distance from the path's start: the last segment that starts at or before this distance. */
function segmentAt({ along }: GroundPath, meters: number): number {
  let low = 0
  let high = along.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (along[middle] <= meters) low = middle
    else high = middle - 1
  }
  return low
}

function toLongitude(lon: number): number {
  return lon > 180 ? lon - 360 : lon < -180 ? lon + 360 : lon
}
