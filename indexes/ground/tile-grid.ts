// The squares into which the map is divided. Each zoom has twice as many columns and rows as the zoom before it.
import { WORLD_UNITS } from './plane.ts'

/** The lowest zoom of tiles. */
export const LEAST_ZOOM = 8
/** The highest zoom of tiles. Beyond it, the map enlarges these tiles. */
export const MOST_ZOOM = 14
/** Length of a side of a tile, in tile units. */
export const EXTENT = 4_096
/** The width of the margin by which a tile extends into its neighbors, as a fraction of its side. */
export const TILE_MARGIN = 64 / EXTENT

/** A square of the grid at a zoom: `x` is its column and `y` its row. */
export interface Square {
  readonly zoom: number
  readonly x: number
  readonly y: number
}

/** Length of a side of a square, in units of the plane. */
export function sideAt(zoom: number): number {
  return WORLD_UNITS / 2 ** zoom
}
