// The squares of the map: at each zoom, twice as many in both directions.
import { WORLD_UNITS } from './plane.ts'

/** Zooms of the tiles; beyond the last one, the map stretches its tiles. */
export const LEAST_ZOOM = 8
export const MOST_ZOOM = 14
/** Units of the side of a tile. */
export const EXTENT = 4_096
/** How far a tile extends into its neighbors, as a share of its side. */
export const TILE_MARGIN = 64 / EXTENT

/** A square by column and row. */
export interface Square {
  readonly zoom: number
  readonly x: number
  readonly y: number
}

/** The side of a square, in units of the plane. */
export function sideAt(zoom: number): number {
  return WORLD_UNITS / 2 ** zoom
}
