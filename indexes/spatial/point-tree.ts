// A packed R-tree (Flatbush) of points, read from a snapshot without being copied. Points are identified by number.
import Flatbush from 'flatbush'
import { type Column, columnArray } from '../../loaders/columns.ts'
import { boxAround, greatCircleMeters } from './great-circle.ts'

/** The bytes of a Flatbush tree with longitude as x and latitude as y, in degrees; empty if there are no points. */
export type PointTree = Column<number>

/** A point within the searched distance. */
export interface PointHit<I extends number = number> {
  readonly index: I
  /** Great-circle distance in meters, not rounded. */
  readonly distanceMeters: number
}

/** The positions of the points, in degrees. */
export interface PointColumns<I extends number> {
  readonly lat: Column<I>
  readonly lon: Column<I>
}

/** A circle on the ground. Its center is in degrees. */
export interface Circle {
  readonly lat: number
  readonly lon: number
  readonly radiusMeters: number
}

/** Finds the points in a box, in any order. */
export interface BoxSearch {
  /** Calls `visit` with the number of each point in the box, edges included. `visit` must return false. */
  search(minLon: number, minLat: number, maxLon: number, maxLat: number, visit: (index: number) => boolean): unknown
}

/** A box in degrees, edges included. */
export interface GeoBox {
  readonly minLat: number
  readonly maxLat: number
  readonly minLon: number
  readonly maxLon: number
}

/** The searched box is extended by this margin, about a centimeter, because the box is rounded. */
const BOX_SLACK_DEGREES = 1e-7

const opened = new WeakMap<PointTree, Flatbush>()

function openTree(tree: PointTree): Flatbush | undefined {
  if (tree.length === 0) return undefined
  const known = opened.get(tree)
  if (known !== undefined) return known
  const bytes = columnArray(tree)
  // Flatbush reads its bytes as 8-byte numbers. A tree that is not aligned to 8 bytes is copied once.
  const flatbush =
    bytes.byteOffset % 8 === 0
      ? Flatbush.from(bytes.buffer, bytes.byteOffset)
      : Flatbush.from(new Uint8Array(bytes).buffer)
  opened.set(tree, flatbush)
  return flatbush
}

/** The smallest box around all points; undefined if there are none. Read from the tree's root. */
export function boxOfTree(tree: PointTree): GeoBox | undefined {
  const flatbush = openTree(tree)
  if (flatbush === undefined) return undefined
  const { minX, minY, maxX, maxY } = flatbush
  return { minLat: minY, maxLat: maxY, minLon: minX, maxLon: maxX }
}

/** The points within a distance, nearest first, then by number. Correct at the poles and the antimeridian. */
export function findWithin<I extends number>(tree: PointTree, points: PointColumns<I>, circle: Circle): PointHit<I>[] {
  const flatbush = openTree(tree)
  return flatbush === undefined ? [] : findWithinBy(flatbush, points, circle)
}

/**
 * Calls `visit` once for each point in the boxes around a circle, with the number of the point. `visit` must return
 * false.
 */
export function visitTreeAround(tree: PointTree, circle: Circle, visit: (index: number) => boolean): void {
  const flatbush = openTree(tree)
  if (flatbush !== undefined) visitAround(flatbush, circle, visit)
}

/** Like `findWithin`, but with any BoxSearch instead of a tree. */
export function findWithinBy<I extends number>(
  boxes: BoxSearch,
  points: PointColumns<I>,
  circle: Circle,
): PointHit<I>[] {
  const hits: PointHit<I>[] = []
  const visit = (index: I, distanceMeters: number) => {
    hits.push({ index, distanceMeters })
  }
  visitWithinBy(boxes, points, { ...circle, visit })
  return hits.sort((left, right) => left.distanceMeters - right.distanceMeters || left.index - right.index)
}

function visitWithinBy<I extends number>(
  boxes: BoxSearch,
  points: PointColumns<I>,
  on: Circle & { readonly visit: (index: I, distanceMeters: number) => void },
): void {
  const { lat, lon, radiusMeters } = on
  visitAround(boxes, on, (found) => {
    const index = found as I
    const distanceMeters = greatCircleMeters(lat, lon, points.lat[index], points.lon[index])
    if (distanceMeters <= radiusMeters) on.visit(index, distanceMeters)
    return false
  })
}

/**
 * Visits every item in the boxes around a circle. There are two boxes if the circle crosses the antimeridian. A point
 * is visited once; a larger item may be visited twice.
 */
export function visitAround(
  boxes: BoxSearch,
  { lat, lon, radiusMeters }: Circle,
  visit: (index: number) => boolean,
): void {
  const box = boxAround(lat, radiusMeters)
  const minLat = box.minLat - BOX_SLACK_DEGREES
  const maxLat = box.maxLat + BOX_SLACK_DEGREES
  const halfWidth = box.halfWidthLon + BOX_SLACK_DEGREES
  if (halfWidth >= 180) {
    boxes.search(-180, minLat, 180, maxLat, visit)
  } else {
    const west = lon - halfWidth
    const east = lon + halfWidth
    boxes.search(Math.max(west, -180), minLat, Math.min(east, 180), maxLat, visit)
    // The part of the circle beyond the antimeridian. The two parts never overlap, so no point is found twice.
    if (west < -180) boxes.search(Math.max(west + 360, east), minLat, 180, maxLat, visit)
    if (east > 180) boxes.search(-180, minLat, Math.min(east - 360, west), maxLat, visit)
  }
}
