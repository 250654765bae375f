// Divides the map into cells for loading vehicles. For each cell, the vehicles in the circle around it are requested.
import type { Bounds } from './map/mercator.ts'

/** A rectangle on the map. */
export interface Cell {
  readonly bounds: Bounds
}

/** The radius of the largest circle that the API accepts (5 000 m), minus a margin for rounding errors. */
const MOST_RADIUS_METERS = 4_990
/** A cell whose circle has at most this radius is not divided, even if the API does not return all vehicles in it. */
const LEAST_RADIUS_METERS = 200
/** Maximum number of cells. If the view needs more, only the cells in the middle of the map are requested. */
const MOST_CELLS = 36
const METERS_PER_DEGREE = 111_195

/** Covers a box with rectangles of equal size, as few as possible. The rectangles in the middle come first. */
export function coverOf(bounds: Bounds): Cell[] {
  const [west, south, east, north] = bounds
  const { width, height } = sizeOf(bounds)
  if (width <= 0 || height <= 0) return []
  const most = Math.ceil(Math.max(width, height) / MOST_RADIUS_METERS)
  let best = { columns: most, rows: most }
  for (let columns = 1; columns <= most; columns++) {
    // The smallest number of rows for which the circles are not too large.
    const side = (2 * MOST_RADIUS_METERS) ** 2 - (width / columns) ** 2
    if (side <= 0) continue
    const rows = Math.ceil(height / Math.sqrt(side))
    if (columns * rows < best.columns * best.rows) best = { columns, rows }
  }
  const { columns, rows } = best
  const cells = Array.from({ length: columns * rows }, (_, at): Cell => {
    const [column, row] = [at % columns, Math.floor(at / columns)]
    // Each edge is computed only from its number, so neighboring rectangles have exactly the same edge.
    const lonOf = (edge: number) => (edge === columns ? east : west + (edge * (east - west)) / columns)
    const latOf = (edge: number) => (edge === rows ? north : south + (edge * (north - south)) / rows)
    return { bounds: [lonOf(column), latOf(row), lonOf(column + 1), latOf(row + 1)] }
  })
  const [lon, lat] = middleOf(bounds)
  const distance = (cell: Cell) => Math.hypot(middleOf(cell.bounds)[0] - lon, middleOf(cell.bounds)[1] - lat)
  return cells.sort((one, other) => distance(one) - distance(other)).slice(0, MOST_CELLS)
}

/** The four quarters of a rectangle; an empty list if it is too small to be divided. */
export function quartersOf(cell: Cell): Cell[] {
  if (radiusOf(cell) <= LEAST_RADIUS_METERS) return []
  const [west, south, east, north] = cell.bounds
  const [lon, lat] = middleOf(cell.bounds)
  return [
    { bounds: [west, south, lon, lat] },
    { bounds: [lon, south, east, lat] },
    { bounds: [west, lat, lon, north] },
    { bounds: [lon, lat, east, north] },
  ]
}

/** The circle around a rectangle, as API parameters. */
export function circleOf(cell: Cell): { readonly near: string; readonly radius: number } {
  const [lon, lat] = middleOf(cell.bounds)
  return { near: `${lat.toFixed(6)},${lon.toFixed(6)}`, radius: Math.max(50, Math.ceil(radiusOf(cell)) + 1) }
}

/** Whether a position is in a rectangle. */
export function isInside({ bounds: [west, south, east, north] }: Cell, lon: number, lat: number): boolean {
  return west <= lon && lon <= east && south <= lat && lat <= north
}

/** The intersection of two boxes; undefined if it is empty. */
export function commonOf(one: Bounds, other: Bounds): Bounds | undefined {
  const [west, south] = [Math.max(one[0], other[0]), Math.max(one[1], other[1])]
  const [east, north] = [Math.min(one[2], other[2]), Math.min(one[3], other[3])]
  return west < east && south < north ? [west, south, east, north] : undefined
}

/** Returns a box extended by a margin on every side. */
export function widened([west, south, east, north]: Bounds, meters: number): Bounds {
  const up = meters / METERS_PER_DEGREE
  const across = up / Math.cos((Math.max(Math.abs(south), Math.abs(north)) * Math.PI) / 180)
  return [west - across, south - up, east + across, north + up]
}

/**
 * The radius of the circle around a rectangle: half its diagonal, measured where the rectangle is widest, in meters.
 */
function radiusOf({ bounds }: Cell): number {
  const { width, height } = sizeOf(bounds)
  return Math.hypot(width, height) / 2
}

function sizeOf([west, south, east, north]: Bounds): { readonly width: number; readonly height: number } {
  // A degree of longitude is widest near the equator.
  const widest = south < 0 && north > 0 ? 0 : Math.min(Math.abs(south), Math.abs(north))
  const width = (east - west) * METERS_PER_DEGREE * Math.cos((widest * Math.PI) / 180)
  return { width, height: (north - south) * METERS_PER_DEGREE }
}

function middleOf([west, south, east, north]: Bounds): readonly [lon: number, lat: number] {
  return [(west + east) / 2, (south + north) / 2]
}
