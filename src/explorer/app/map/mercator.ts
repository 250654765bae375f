// Places on the map's plane: Web Mercator, the world from 0 to 1 both ways, north at 0.
import type { Coordinate } from '../contract.ts'

/** A point of the plane. */
export interface PlanePoint {
  readonly x: number
  readonly y: number
}

/** What of the plane is on the screen. The map is never turned or tilted. */
export interface Viewport {
  /** The plane's point in the middle. */
  readonly center: PlanePoint
  /** Of the whole plane, in CSS pixels. */
  readonly worldPixels: number
  readonly zoom: number
  readonly width: number
  readonly height: number
}

const TILE_PIXELS = 512
const EARTH_METERS = 40_075_016.686

/** A coordinate's point of the plane. */
export function toPlane([lon, lat]: Coordinate): PlanePoint {
  const sine = Math.sin((Math.max(-85, Math.min(85, lat)) * Math.PI) / 180)
  return { x: lon / 360 + 0.5, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) }
}

/** The coordinate of a point of the plane. */
export function toCoordinate({ x, y }: PlanePoint): Coordinate {
  return [(x - 0.5) * 360, (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI]
}

/** The whole plane's width at a zoom, in CSS pixels. */
export function worldPixelsAt(zoom: number): number {
  return TILE_PIXELS * 2 ** zoom
}

/** How many meters the plane's unit is at a height of it. */
export function metersPerUnit(y: number): number {
  return EARTH_METERS / Math.cosh(Math.PI * (1 - 2 * y))
}

/** Where a point is on the screen, in CSS pixels. */
export function toScreen(point: PlanePoint, view: Viewport): PlanePoint {
  return {
    x: (point.x - view.center.x) * view.worldPixels + view.width / 2,
    y: (point.y - view.center.y) * view.worldPixels + view.height / 2,
  }
}
