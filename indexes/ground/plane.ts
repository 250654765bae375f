// The plane on which tiles lie: the square of the Web Mercator projection, in whole units of about two centimeters.
import type { KeptArea } from '../../loaders/osm/kept-area.ts'

/** Length of a side of the square, in units. A power of two, so that the corners of all tiles are at whole units. */
export const WORLD_UNITS = 2 ** 31
const UNITS_PER_DEGREE = 1e7
/** Latitude of the upper edge of the square. */
const MOST_LAT = 85.051_129
const WORLD_METERS = 40_075_016.686

/** A point on the plane. */
export interface PlanePoint {
  readonly x: number
  readonly y: number
}

/** A box on the plane. */
export interface PlaneBox {
  readonly minX: number
  readonly minY: number
  readonly maxX: number
  readonly maxY: number
}

/**
 * Distance from the west edge of the plane, in units of the plane.
 * @param lon longitude in units of 1e-7 degrees
 */
export function planeX(lon: number): number {
  return wholeUnits(lon / UNITS_PER_DEGREE / 360 + 0.5)
}

/**
 * Distance from the north edge of the plane, in units of the plane.
 * @param lat latitude in units of 1e-7 degrees
 */
export function planeY(lat: number): number {
  const degrees = Math.max(-MOST_LAT, Math.min(MOST_LAT, lat / UNITS_PER_DEGREE))
  const sine = Math.sin((degrees * Math.PI) / 180)
  return wholeUnits(0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI))
}

/**
 * Converts a fraction of a side of the square to whole units. The result is below 2^31, so it fits in an Int32Array.
 */
function wholeUnits(share: number): number {
  return Math.min(WORLD_UNITS - 1, Math.max(0, Math.round(share * WORLD_UNITS)))
}

/** Converts an x on the plane to a longitude in degrees. */
export function lonAt(x: number): number {
  return (x / WORLD_UNITS - 0.5) * 360
}

/** Converts a y on the plane to a latitude in degrees. */
export function latAt(y: number): number {
  return (Math.atan(Math.sinh((0.5 - y / WORLD_UNITS) * 2 * Math.PI)) * 180) / Math.PI
}

/** Meters per unit of the plane, at a given y. */
export function metersOfUnit(y: number): number {
  return (WORLD_METERS / WORLD_UNITS) * Math.cos((latAt(y) * Math.PI) / 180)
}

/** Whether the kept area includes any part of a box. */
export function touchesKept(kept: KeptArea, { minX, minY, maxX, maxY }: PlaneBox): boolean {
  const [west, east] = [lonAt(minX) * UNITS_PER_DEGREE, lonAt(maxX) * UNITS_PER_DEGREE]
  const [south, north] = [latAt(maxY) * UNITS_PER_DEGREE, latAt(minY) * UNITS_PER_DEGREE]
  return kept.touches({ south, west, north, east })
}
