// Everything that the base map draws, as columns: features have rings (or lines), and rings have points on the plane.
// No object per feature or point, so that a region with several million buildings fits into memory.
import { GrowingColumn } from '../../loaders/columns.ts'
import { metersOfUnit, type PlaneBox } from './plane.ts'

export const IS_POINT = 1
export const IS_LINE = 2
export const IS_AREA = 3

/** How a feature is drawn. */
export interface FeatureLook {
  /** IS_POINT, IS_LINE or IS_AREA. */
  readonly shape: number
  /** A row of GROUND_KINDS. */
  readonly kind: number
  readonly isTunnel: boolean
  /** Its number in the pool of names. */
  readonly name: number
  readonly leastZoom: number
}

/** A line or a ring as x, y, x, y … A ring ends at its first point. */
export type PlaneLine = readonly number[]

/** An area is drawn from the zoom at which it has this size, in pixels of MapLibre, whose tiles have 512. */
const LEAST_PIXELS = 20
const TILE_PIXELS = 512
const WORLD_METERS = 40_075_016.686

/** Features by number. */
export class GroundFeatures {
  private readonly shapes = new GrowingColumn(Uint8Array)
  private readonly kinds = new GrowingColumn(Uint8Array)
  private readonly tunnels = new GrowingColumn(Uint8Array)
  private readonly names = new GrowingColumn(Uint32Array)
  private readonly zooms = new GrowingColumn(Uint8Array)
  /** Feature → its first ring; ring → its first number in `points`. */
  private readonly firstRing = new GrowingColumn(Uint32Array)
  private readonly firstPoint = new GrowingColumn(Uint32Array)
  private readonly points = new GrowingColumn(Int32Array)
  /** Feature → minX, minY, maxX, maxY. */
  private readonly boxes = new GrowingColumn(Int32Array)

  get count(): number {
    return this.shapes.length
  }

  /** Adds a feature. An area has its outer ring first, then its holes. */
  add({ shape, kind, isTunnel, name, leastZoom }: FeatureLook, rings: readonly PlaneLine[]): void {
    const box = boxOf(rings)
    this.shapes.push(shape)
    this.kinds.push(kind)
    this.tunnels.push(isTunnel ? 1 : 0)
    this.names.push(name)
    this.zooms.push(shape === IS_AREA ? Math.max(leastZoom, zoomOfArea(rings[0])) : leastZoom)
    this.firstRing.push(this.firstPoint.length)
    for (const value of [box.minX, box.minY, box.maxX, box.maxY]) this.boxes.push(value)
    for (const ring of rings) {
      this.firstPoint.push(this.points.length)
      for (const value of ring) this.points.push(value)
    }
  }

  /** The look of a feature. */
  look(feature: number): FeatureLook {
    return {
      shape: this.shapes.at(feature),
      kind: this.kinds.at(feature),
      isTunnel: this.tunnels.at(feature) === 1,
      name: this.names.at(feature),
      leastZoom: this.zooms.at(feature),
    }
  }

  leastZoom(feature: number): number {
    return this.zooms.at(feature)
  }

  box(feature: number): PlaneBox {
    const at = 4 * feature
    const { boxes } = this
    return { minX: boxes.at(at), minY: boxes.at(at + 1), maxX: boxes.at(at + 2), maxY: boxes.at(at + 3) }
  }

  /** The rings of a feature, each as positions relative to a square with this corner and side. */
  rings(feature: number, square: { readonly x: number; readonly y: number; readonly side: number }): number[][][] {
    const rings: number[][][] = []
    const end = feature + 1 < this.count ? this.firstRing.at(feature + 1) : this.firstPoint.length
    for (let ring = this.firstRing.at(feature); ring < end; ring++) {
      const pointEnd = ring + 1 < this.firstPoint.length ? this.firstPoint.at(ring + 1) : this.points.length
      const positions: number[][] = []
      for (let at = this.firstPoint.at(ring); at < pointEnd; at += 2) {
        positions.push([
          (this.points.at(at) - square.x) / square.side,
          (this.points.at(at + 1) - square.y) / square.side,
        ])
      }
      rings.push(positions)
    }
    return rings
  }
}

function boxOf(rings: readonly PlaneLine[]): PlaneBox {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const ring of rings) {
    for (let at = 0; at < ring.length; at += 2) {
      minX = Math.min(minX, ring[at])
      maxX = Math.max(maxX, ring[at])
      minY = Math.min(minY, ring[at + 1])
      maxY = Math.max(maxY, ring[at + 1])
    }
  }
  return { minX, minY, maxX, maxY }
}

/** Twice the signed area in square units: positive if the ring is clockwise on the screen, where y points down. */
export function twiceArea(ring: PlaneLine): number {
  let area = 0
  // Relative to the first point, so that large coordinates lose no digits.
  const [x, y] = ring
  for (let at = 0; at + 3 < ring.length; at += 2) {
    area += (ring[at] - x) * (ring[at + 3] - y) - (ring[at + 2] - x) * (ring[at + 1] - y)
  }
  return area
}

/** The zoom at which an area is large enough to be seen. */
function zoomOfArea(ring: PlaneLine): number {
  const squareMeters = (Math.abs(twiceArea(ring)) / 2) * metersOfUnit(ring[1]) ** 2
  const pixelMeters = WORLD_METERS / TILE_PIXELS
  return Math.min(14, Math.ceil(Math.log2((LEAST_PIXELS * pixelMeters ** 2) / Math.max(squareMeters, 1)) / 2))
}
