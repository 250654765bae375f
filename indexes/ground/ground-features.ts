// Everything that the base map draws, as columns. Features have rings (or lines), and rings have points on the plane.
// There is no object per feature or point; this lets a region with several million buildings fit in memory.
import { ReusedArray } from '../../loaders/osm/reused-array.ts'
import { metersOfUnit } from './plane.ts'

export const IS_POINT = 1
export const IS_LINE = 2
export const IS_AREA = 3

/** How a feature is drawn. */
export interface FeatureLook {
  /** IS_POINT, IS_LINE or IS_AREA. */
  readonly shape: number
  /** Index in GROUND_KINDS. */
  readonly kind: number
  readonly isTunnel: boolean
  /** Index of the feature's name in the pool with all names. */
  readonly name: number
  readonly leastZoom: number
}

/** A line or a ring, as the numbers x, y, x, y …. The last point of a ring is the same as its first. */
export type PlaneLine = readonly number[]

/**
 * Below the highest zoom, an area is drawn only if it covers at least this many pixels. In MapLibre, a tile is 512
 * pixels wide.
 */
const LEAST_PIXELS = 20
const TILE_PIXELS = 512
const WORLD_METERS = 40_075_016.686

/** The features as columns, indexed by feature number. */
export interface GroundFeatures {
  readonly count: number
  /** Feature → the properties of its FeatureLook; `isTunnel` is 1 for a tunnel. */
  readonly shape: Uint8Array
  readonly kind: Uint8Array
  readonly isTunnel: Uint8Array
  readonly name: Uint32Array
  readonly leastZoom: Uint8Array
  /** Feature → minX, minY, maxX, maxY. */
  readonly boxes: Int32Array
  /**
   * Feature → its first ring; has one extra entry. The first ring of an area is its outer ring; the others are holes.
   */
  readonly rings: Uint32Array
  /** Ring → its first number in `points`; has one extra entry. */
  readonly starts: Uint32Array
  /** x, y, x, y … in units of the plane. */
  readonly points: Int32Array
}

/** Collects features and stores them as columns. */
export class FeatureCollector {
  private readonly columns = {
    shape: new ReusedArray(Uint8Array),
    kind: new ReusedArray(Uint8Array),
    isTunnel: new ReusedArray(Uint8Array),
    name: new ReusedArray(Uint32Array),
    leastZoom: new ReusedArray(Uint8Array),
    boxes: new ReusedArray(Int32Array),
    rings: new ReusedArray(Uint32Array),
    starts: new ReusedArray(Uint32Array),
    points: new ReusedArray(Int32Array),
  }
  private count = 0
  private ringCount = 0
  private numberCount = 0

  /** Adds a feature. The first ring of an area must be its outer ring; the others are holes. */
  add({ shape, kind, isTunnel, name, leastZoom }: FeatureLook, rings: readonly PlaneLine[]): void {
    const { columns } = this
    const feature = this.count++
    columns.shape.atLeast(this.count)[feature] = shape
    columns.kind.atLeast(this.count)[feature] = kind
    columns.isTunnel.atLeast(this.count)[feature] = isTunnel ? 1 : 0
    columns.name.atLeast(this.count)[feature] = name
    const zoom = shape === IS_AREA ? Math.max(leastZoom, zoomOfArea(rings[0])) : leastZoom
    columns.leastZoom.atLeast(this.count)[feature] = zoom
    const start = this.numberCount
    for (const ring of rings) this.addRing(ring)
    columns.rings.atLeast(this.count + 1)[this.count] = this.ringCount
    this.setBox(feature, start)
  }

  /** All features added so far, as views of the columns, not as copies. */
  seal(): GroundFeatures {
    const { columns, count, ringCount, numberCount } = this
    return {
      count,
      shape: columns.shape.array.subarray(0, count),
      kind: columns.kind.array.subarray(0, count),
      isTunnel: columns.isTunnel.array.subarray(0, count),
      name: columns.name.array.subarray(0, count),
      leastZoom: columns.leastZoom.array.subarray(0, count),
      boxes: columns.boxes.array.subarray(0, 4 * count),
      rings: columns.rings.array.subarray(0, count + 1),
      starts: columns.starts.array.subarray(0, ringCount + 1),
      points: columns.points.array.subarray(0, numberCount),
    }
  }

  private addRing(ring: PlaneLine): void {
    const points = this.columns.points.atLeast(this.numberCount + ring.length)
    for (let at = 0; at < ring.length; at++) points[this.numberCount++] = ring[at]
    this.ringCount++
    this.columns.starts.atLeast(this.ringCount + 1)[this.ringCount] = this.numberCount
  }

  /** Sets the bounding box of the feature that was added last. The feature's numbers in `points` begin at `start`. */
  private setBox(feature: number, start: number): void {
    const boxes = this.columns.boxes.atLeast(4 * feature + 4)
    const points = this.columns.points.array
    let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity]
    for (let at = start; at < this.numberCount; at += 2) {
      minX = Math.min(minX, points[at])
      minY = Math.min(minY, points[at + 1])
      maxX = Math.max(maxX, points[at])
      maxY = Math.max(maxY, points[at + 1])
    }
    boxes[4 * feature] = minX
    boxes[4 * feature + 1] = minY
    boxes[4 * feature + 2] = maxX
    boxes[4 * feature + 3] = maxY
  }
}

/**
 * Twice the signed area of a ring, in square units: positive if the ring is clockwise on the screen, where y points
 * down.
 */
export function twiceArea(ring: PlaneLine): number {
  let area = 0
  // All coordinates are taken relative to the first point, so that large coordinates lose no precision.
  const [x, y] = ring
  for (let at = 0; at + 3 < ring.length; at += 2) {
    area += (ring[at] - x) * (ring[at + 3] - y) - (ring[at + 2] - x) * (ring[at + 1] - y)
  }
  return area
}

/**
 * The lowest zoom at which an area covers LEAST_PIXELS; at most 14, so that every area is drawn at the highest zoom.
 */
function zoomOfArea(ring: PlaneLine): number {
  const squareMeters = (Math.abs(twiceArea(ring)) / 2) * metersOfUnit(ring[1]) ** 2
  const pixelMeters = WORLD_METERS / TILE_PIXELS
  return Math.min(14, Math.ceil(Math.log2((LEAST_PIXELS * pixelMeters ** 2) / Math.max(squareMeters, 1)) / 2))
}
