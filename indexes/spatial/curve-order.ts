// Sorts points along a Hilbert curve, so that points that are close on the ground are close in memory.
import type { Column } from '../../loaders/columns.ts'

/** Points in units of 1e-7 degrees. */
export interface UnitPoints {
  readonly lat: Column<number>
  readonly lon: Column<number>
}

const CURVE_BITS = 16
const CURVE_SIDE = 2 ** CURVE_BITS

/** Returns the numbers of the points in their order along the curve. Sorts them by counting sort, in two steps. */
export function sortAlongCurve({ lat, lon }: UnitPoints): Uint32Array {
  const count = lat.length
  let south = Infinity
  let west = Infinity
  let side = 1
  for (let point = 0; point < count; point++) {
    south = Math.min(south, lat[point])
    west = Math.min(west, lon[point])
  }
  for (let point = 0; point < count; point++) side = Math.max(side, lat[point] - south + 1, lon[point] - west + 1)
  const keys = new Uint32Array(count)
  for (let point = 0; point < count; point++) {
    const x = Math.floor(((lon[point] - west) / side) * CURVE_SIDE)
    const y = Math.floor(((lat[point] - south) / side) * CURVE_SIDE)
    keys[point] = curvePlace(x, y)
  }
  let order = new Uint32Array(count)
  for (let point = 0; point < count; point++) order[point] = point
  for (const shift of [0, CURVE_BITS]) {
    const start = new Uint32Array(CURVE_SIDE + 1)
    for (let point = 0; point < count; point++) {
      const value = (keys[point] >>> shift) & (CURVE_SIDE - 1)
      start[value + 1] = start[value + 1] + 1
    }
    for (let value = 0; value < CURVE_SIDE; value++) {
      start[value + 1] = start[value + 1] + start[value]
    }
    const sorted = new Uint32Array(count)
    for (let place = 0; place < count; place++) {
      const point = order[place]
      const value = (keys[point] >>> shift) & (CURVE_SIDE - 1)
      const at = start[value]
      sorted[at] = point
      start[value] = at + 1
    }
    order = sorted
  }
  return order
}

/** The position of a grid cell along the Hilbert curve. */
function curvePlace(cellX: number, cellY: number): number {
  let x = cellX
  let y = cellY
  let place = 0
  for (let side = CURVE_SIDE / 2; side >= 1; side /= 2) {
    const right = (x & side) > 0 ? 1 : 0
    const upper = (y & side) > 0 ? 1 : 0
    place += side * side * ((3 * right) ^ upper)
    if (upper === 0) {
      if (right === 1) {
        x = CURVE_SIDE - 1 - x
        y = CURVE_SIDE - 1 - y
      }
      const kept = x
      x = y
      y = kept
    }
  }
  return place
}
