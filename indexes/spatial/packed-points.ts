// A spatial index of millions of points that takes about five bytes per point. The points are sorted along a Hilbert
// curve. There is one box per sixteen points (level 0), one per sixteen boxes of level 0 (level 1), and so on, up to
// one box for all.
//
//   order   points along the curve: |0 … 15|16 … 31| …
//   boxes   south, west, north, east of each box; the boxes of level 0, then those of level 1, …
import { type Column, sealColumn } from '../../loaders/columns.ts'
import { sortAlongCurve, type UnitPoints } from './curve-order.ts'
import { boxAround, greatCircleMeters } from './great-circle.ts'
import type { PointHit } from './point-tree.ts'

/** The index. Coordinates are in units of 1e-7 degrees. */
export interface PackedPoints {
  /** Position on the curve → point. */
  readonly order: Column<number>
  /** Four numbers per box: south, west, north and east. Sorted by level. */
  readonly boxes: Column<number>
}

const GROUP = 16
const BOX_NUMBERS = 4
const UNITS_PER_DEGREE = 1e7
/** The searched box is extended by this margin, in units of 1e-7 degrees, because boxes and coordinates are rounded. */
const SLACK_UNITS = 2

/** Builds the index. */
export function buildPackedPoints({ lat, lon }: UnitPoints): PackedPoints {
  const order = sortAlongCurve({ lat, lon })
  const levels = levelSizes(order.length)
  const boxes = new Int32Array(levels.reduce((sum, size) => sum + size, 0) * BOX_NUMBERS)
  let below = 0
  let at = 0
  for (const [level, size] of levels.entries()) {
    const belowSize = level === 0 ? order.length : levels[level - 1]
    for (let group = 0; group < size; group++, at += BOX_NUMBERS) {
      boxes.fill(2 ** 31 - 1, at, at + 2)
      boxes.fill(-(2 ** 31), at + 2, at + BOX_NUMBERS)
      const end = Math.min((group + 1) * GROUP, belowSize)
      for (let child = group * GROUP; child < end; child++) {
        if (level === 0) {
          const point = order[child]
          widen(boxes, at, lat[point], lon[point])
        } else {
          const from = (below + child) * BOX_NUMBERS
          widen(boxes, at, boxes[from], boxes[from + 1])
          widen(boxes, at, boxes[from + 2], boxes[from + 3])
        }
      }
    }
    if (level > 0) below += belowSize
  }
  return { order: sealColumn(order), boxes: sealColumn(boxes) }
}

function widen(boxes: Int32Array, at: number, lat: number, lon: number): void {
  boxes[at] = Math.min(boxes[at], lat)
  boxes[at + 1] = Math.min(boxes[at + 1], lon)
  boxes[at + 2] = Math.max(boxes[at + 2], lat)
  boxes[at + 3] = Math.max(boxes[at + 3], lon)
}

/** Number of boxes on each level, up to the level with a single box. */
function levelSizes(pointCount: number): number[] {
  const sizes: number[] = []
  for (let size = pointCount; size > 0; ) {
    size = Math.ceil(size / GROUP)
    sizes.push(size)
    if (size === 1) break
  }
  return sizes
}

/** The nearest point within a great-circle distance. If several are equally near, the one with the smallest number. */
export function findNearestPoint(
  { order, boxes }: PackedPoints,
  points: UnitPoints,
  circle: { readonly lat: number; readonly lon: number; readonly radiusMeters: number },
): PointHit | undefined {
  const search = new NearestSearch(circle)
  const levels = levelSizes(order.length)
  const firstBox: number[] = []
  levels.reduce((sum, size) => {
    firstBox.push(sum)
    return sum + size
  }, 0)
  const visit = (level: number, group: number): void => {
    if (!search.mayHold(boxes, (firstBox[level] + group) * BOX_NUMBERS)) return
    const belowSize = level === 0 ? order.length : levels[level - 1]
    const first = group * GROUP
    const end = Math.min(first + GROUP, belowSize)
    if (level === 0) {
      for (let at = first; at < end; at++) search.look(order[at], points)
      return
    }
    const from = firstBox[level - 1]
    const children = Array.from({ length: end - first }, (_, child) => {
      const group = first + child
      return { group, apart: search.apart(boxes, (from + group) * BOX_NUMBERS) }
    })
    children.sort((a, b) => a.apart - b.apart)
    for (const child of children) visit(level - 1, child.group)
  }
  if (levels.length > 0) visit(levels.length - 1, 0)
  return search.found
}

/** The best point so far, and the box in which a better one must be. */
class NearestSearch {
  found: PointHit | undefined
  private readonly lat: number
  private readonly lon: number
  private best: number
  private south = 0
  private north = 0
  private halfWidth = 0

  constructor({ lat, lon, radiusMeters }: { lat: number; lon: number; radiusMeters: number }) {
    this.lat = lat
    this.lon = lon
    this.best = radiusMeters
    this.narrow()
  }

  look(point: number, { lat, lon }: UnitPoints): void {
    const meters = greatCircleMeters(this.lat, this.lon, lat[point] / UNITS_PER_DEGREE, lon[point] / UNITS_PER_DEGREE)
    const isBetter =
      meters < this.best || (meters === this.best && (this.found === undefined || point < this.found.index))
    if (!isBetter) return
    this.found = { index: point, distanceMeters: meters }
    this.best = meters
    this.narrow()
  }

  mayHold(boxes: Column<number>, at: number): boolean {
    if (boxes[at] > this.north || boxes[at + 2] < this.south) return false
    if (this.halfWidth >= 180 * UNITS_PER_DEGREE) return true
    return this.lonApart(boxes, at) <= this.halfWidth
  }

  /** Square of the distance to a box on a flat map, in units of 1e-7 degrees; used to search the nearest box first. */
  apart(boxes: Column<number>, at: number): number {
    const lat = this.lat * UNITS_PER_DEGREE
    const north = Math.max(0, boxes[at] - lat, lat - boxes[at + 2])
    const east = this.lonApart(boxes, at) * Math.cos((this.lat * Math.PI) / 180)
    return north * north + east * east
  }

  /** Units of longitude from the point to a box, in the shorter direction. */
  private lonApart(boxes: Column<number>, at: number): number {
    const west = boxes[at + 1]
    const east = boxes[at + 3]
    const turn = 360 * UNITS_PER_DEGREE
    let least = Infinity
    for (const lon of [
      this.lon * UNITS_PER_DEGREE,
      this.lon * UNITS_PER_DEGREE - turn,
      this.lon * UNITS_PER_DEGREE + turn,
    ]) {
      least = Math.min(least, Math.max(0, west - lon, lon - east))
    }
    return least
  }

  private narrow(): void {
    const box = boxAround(this.lat, this.best)
    this.south = box.minLat * UNITS_PER_DEGREE - SLACK_UNITS
    this.north = box.maxLat * UNITS_PER_DEGREE + SLACK_UNITS
    this.halfWidth = box.halfWidthLon * UNITS_PER_DEGREE + SLACK_UNITS
  }
}
