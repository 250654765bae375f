// Whether wheelchairs can board at a stop or pass an entrance, according to stops.txt. A stop inherits its station's
// value.
import { columnArray, NONE } from '../../loaders/columns.ts'
import type { StopTable } from '../../loaders/gtfs/feed.ts'

/** Values of wheelchair_boarding and wheelchair_accessible; 0 means unknown. */
const UNKNOWN = 0
export const WHEELCHAIRS = 1
export const NO_WHEELCHAIRS = 2

/**
 * Returns a function that maps a row of stops.txt to its wheelchair_boarding: the row's own value, or the value of its
 * station if the row has none.
 */
export function wheelchairAccess(stops: StopTable): (row: number) => number {
  const access = columnArray(stops.wheelchairBoarding)
  const parent = columnArray(stops.parent)
  return (row) => {
    const station = parent[row]
    return access[row] === UNKNOWN && station !== NONE ? access[station] : access[row]
  }
}
