// Finds the point on a line's path that is nearest to a position, and cuts parts out of a path. Vehicles move along
// paths, and the rides of a journey are drawn as parts of paths.
import type { Coordinate, Geometry } from '../contract.ts'
import { metersPerUnit, type PlanePoint, toPlane } from './mercator.ts'

/** A polyline on the plane, with the cumulative length at each point, in the plane's units. */
export interface Path {
  readonly x: Float64Array
  readonly y: Float64Array
  readonly along: Float64Array
}

/** The nearest point on a path to a place: its position along the path, and its distance from the place in meters. */
export interface Foot {
  readonly along: number
  readonly besideMeters: number
}

/** Returns the paths of a geometry: one for each line string that has at least two points. */
export function pathsOf(geometry: Geometry): readonly Path[] {
  const strings = geometry.type === 'LineString' ? [geometry.coordinates] : geometry.coordinates
  return strings.filter((string) => string.length > 1).map(toPath)
}

function toPath(coordinates: readonly Coordinate[]): Path {
  const x = new Float64Array(coordinates.length)
  const y = new Float64Array(coordinates.length)
  const along = new Float64Array(coordinates.length)
  coordinates.forEach((coordinate, index) => {
    const point = toPlane(coordinate)
    x[index] = point.x
    y[index] = point.y
    if (index > 0) along[index] = along[index - 1] + Math.hypot(point.x - x[index - 1], point.y - y[index - 1])
  })
  return { x, y, along }
}

/**
 * Finds the point nearest to `place` on the part of a path that starts at the position `from`. Takes time in proportion
 * to the number of points on the path.
 */
export function footOn(path: Path, place: PlanePoint, from = 0): Foot {
  let best = Number.POSITIVE_INFINITY
  let bestAlong = 0
  for (let index = 1; index < path.x.length; index++) {
    const end = path.along[index]
    if (end < from) continue
    const startX = path.x[index - 1]
    const startY = path.y[index - 1]
    const deltaX = path.x[index] - startX
    const deltaY = path.y[index] - startY
    const length = end - path.along[index - 1]
    const squared = deltaX * deltaX + deltaY * deltaY
    const least = length === 0 ? 0 : Math.max(0, (from - path.along[index - 1]) / length)
    const raw = squared === 0 ? 0 : ((place.x - startX) * deltaX + (place.y - startY) * deltaY) / squared
    const share = Math.min(1, Math.max(least, raw))
    const distance = Math.hypot(place.x - startX - share * deltaX, place.y - startY - share * deltaY)
    if (distance < best) {
      best = distance
      bestAlong = path.along[index - 1] + share * length
    }
  }
  return { along: bestAlong, besideMeters: best * metersPerUnit(place.y) }
}

/** Returns the part of a path between two positions, both ends included. */
export function stretchOf(path: Path, start: number, end: number): readonly PlanePoint[] {
  const points: PlanePoint[] = [pointAt(path, start)]
  for (let index = 0; index < path.x.length; index++) {
    if (path.along[index] > start && path.along[index] < end) points.push({ x: path.x[index], y: path.y[index] })
  }
  points.push(pointAt(path, end))
  return points
}

/** Returns the point at a position along a path. */
export function pointAt(path: Path, along: number): PlanePoint {
  let low = 1
  let high = path.along.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (path.along[middle] < along) low = middle + 1
    else high = middle
  }
  const length = path.along[low] - path.along[low - 1]
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, (along - path.along[low - 1]) / length))
  return {
    x: path.x[low - 1] + share * (path.x[low] - path.x[low - 1]),
    y: path.y[low - 1] + share * (path.y[low] - path.y[low - 1]),
  }
}
