// Web Mercator coordinates: x and y range from 0 to 1, and y is 0 in the north.
import type { Coordinate } from '../contract.ts'

/** A point on the Web Mercator plane. */
export interface PlanePoint {
  readonly x: number
  readonly y: number
}

/** [west, south, east, north], in degrees. */
export type Bounds = readonly [west: number, south: number, east: number, north: number]

/** The visible part of the plane. The map is never rotated or tilted. */
export interface Viewport {
  /** The point at the center of the screen. */
  readonly center: PlanePoint
  /** Width of the whole plane, in CSS pixels. */
  readonly worldPixels: number
  readonly zoom: number
  readonly width: number
  readonly height: number
}

const TILE_PIXELS = 512
const EARTH_METERS = 40_075_016.686

/** Projects a coordinate onto the plane. */
export function toPlane([lon, lat]: Coordinate): PlanePoint {
  const sine = Math.sin((Math.max(-85, Math.min(85, lat)) * Math.PI) / 180)
  return { x: lon / 360 + 0.5, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) }
}

/** Converts a point on the plane to a coordinate. */
export function toCoordinate({ x, y }: PlanePoint): Coordinate {
  return [(x - 0.5) * 360, (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI]
}

/** Width of the whole plane at a zoom, in CSS pixels. */
export function worldPixelsAt(zoom: number): number {
  return TILE_PIXELS * 2 ** zoom
}

/** Meters per unit length on the plane at a given y. */
export function metersPerUnit(y: number): number {
  return EARTH_METERS / Math.cosh(Math.PI * (1 - 2 * y))
}

/** Converts a point on the plane to screen coordinates, in CSS pixels. */
export function toScreen(point: PlanePoint, view: Viewport): PlanePoint {
  return {
    x: (point.x - view.center.x) * view.worldPixels + view.width / 2,
    y: (point.y - view.center.y) * view.worldPixels + view.height / 2,
  }
}
