// The convex hull of points, and the area within a given distance of the hull, on a locally flat map.
import { METERS_PER_DEGREE } from './great-circle.ts'

/**
 * Corners in counterclockwise order, in degrees. There are only one or two corners if all points are at one position or
 * on a straight line.
 */
export interface Hull {
  readonly lat: readonly number[]
  readonly lon: readonly number[]
}

/** A box in degrees. */
export interface Box {
  readonly minLat: number
  readonly minLon: number
  readonly maxLat: number
  readonly maxLon: number
}

interface Corner {
  readonly lat: number
  readonly lon: number
}

/** Computes the convex hull of points with Andrew's monotone chain algorithm. */
export function convexHull(points: readonly Corner[]): Hull {
  const sorted = [...points].sort((a, b) => a.lon - b.lon || a.lat - b.lat)
  const chain = (ordered: readonly Corner[]): Corner[] => {
    const corners: Corner[] = []
    for (const point of ordered) {
      while (corners.length >= 2 && turn(corners[corners.length - 2], corners[corners.length - 1], point) <= 0)
        corners.pop()
      corners.push(point)
    }
    return corners
  }
  const lower = chain(sorted)
  const upper = chain(sorted.reverse())
  const corners = sorted.length < 2 ? sorted : [...lower.slice(0, -1), ...upper.slice(0, -1)]
  return { lat: corners.map(({ lat }) => lat), lon: corners.map(({ lon }) => lon) }
}

/** Positive if the path from `a` through `b` to `c` turns left, negative if it turns right, 0 if it is straight. */
export function turn(a: Corner, b: Corner, c: Corner): number {
  return (b.lon - a.lon) * (c.lat - a.lat) - (b.lat - a.lat) * (c.lon - a.lon)
}

/** The box around a hull, extended by `marginMeters` on each side. */
export function boxOfHull({ lat, lon }: Hull, marginMeters: number): Box {
  const margin = marginMeters / METERS_PER_DEGREE
  const [minLat, maxLat] = [Math.min(...lat) - margin, Math.max(...lat) + margin]
  const lonScale = Math.cos((Math.min(89, Math.max(Math.abs(minLat), Math.abs(maxLat))) * Math.PI) / 180)
  return { minLat, maxLat, minLon: Math.min(...lon) - margin / lonScale, maxLon: Math.max(...lon) + margin / lonScale }
}

/** Whether a point is inside a hull, or at most `marginMeters` away from it. */
export function isNearHull(hull: Hull, point: Corner, marginMeters: number): boolean {
  const { lat, lon } = hull
  const lonScale = Math.cos((point.lat * Math.PI) / 180)
  let isInside = lat.length > 2
  let least = Infinity
  for (let at = 0; at < lat.length; at++) {
    const next = (at + 1) % lat.length
    // Eastward and northward offsets from the point, both in degrees of latitude.
    const [x1, y1] = [(lon[at] - point.lon) * lonScale, lat[at] - point.lat]
    const [x2, y2] = [(lon[next] - point.lon) * lonScale, lat[next] - point.lat]
    if (x1 * y2 - x2 * y1 < 0) isInside = false
    least = Math.min(least, squareToSegment([x1, y1], [x2, y2]))
  }
  return isInside || Math.sqrt(least) * METERS_PER_DEGREE <= marginMeters
}

/** The square of the distance between the origin and a line segment. */
function squareToSegment([x1, y1]: readonly [number, number], [x2, y2]: readonly [number, number]): number {
  const [dx, dy] = [x2 - x1, y2 - y1]
  const length = dx * dx + dy * dy
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, -(x1 * dx + y1 * dy) / length))
  return (x1 + share * dx) ** 2 + (y1 + share * dy) ** 2
}
