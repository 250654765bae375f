// Distances on a locally flat map from one point to the places and towns of a set. Within a region, the error of a
// distance is below 0.1%, which is accurate enough for ranking.
import { type Column, nextIndex } from '../../loaders/columns.ts'
import { METERS_PER_DEGREE } from '../spatial/great-circle.ts'
import type { EntryIndex, PlaceSet } from './place-set.ts'

const METERS_PER_UNIT = METERS_PER_DEGREE * 1e-7
const RADIANS_PER_UNIT = (Math.PI / 180) * 1e-7
const HALF_TURN_UNITS = 180e7
const BOX = 4

/** A point in degrees. */
export interface NearPoint {
  readonly lat: number
  readonly lon: number
}

/** Meters from a point to the places of a set. */
export type PlaceMeters = ReturnType<typeof metersFrom>

/** If a name has more places than this, they are not searched for the nearest one. */
const MOST_COMPARED = 32

export function metersFrom({ lat, lon }: PlaceSet, near: NearPoint) {
  const latUnits = near.lat * 1e7
  const lonUnits = near.lon * 1e7
  const lonScale = Math.cos(latUnits * RADIANS_PER_UNIT)
  const squared = (entry: EntryIndex) => {
    const north = lat[entry] - latUnits
    const east = shorterWay(Math.abs(lon[entry] - lonUnits)) * lonScale
    return north * north + east * east
  }
  return {
    to: (entry: EntryIndex) => Math.sqrt(squared(entry)) * METERS_PER_UNIT,
    /**
     * A lower bound for the distance in meters to the places from `first` up to, but not including, `end`. For at most
     * MOST_COMPARED places, this is the exact minimum distance; for more places, it is 0.
     */
    leastOf: (first: EntryIndex, end: EntryIndex) => {
      if (end - first > MOST_COMPARED) return 0
      let nearest = Infinity
      for (let entry = first; entry < end; entry = nextIndex(entry)) nearest = Math.min(nearest, squared(entry))
      return Math.sqrt(nearest) * METERS_PER_UNIT
    },
  }
}

/** For each town, the distance in meters from a point to the box around the town's places. */
export function metersToTowns({ townBox }: PlaceSet, near: NearPoint): Float64Array {
  const metersTo = boxDistance(near)
  const meters = new Float64Array(townBox.length / BOX)
  for (let town = 0; town < meters.length; town++) meters[town] = metersTo(townBox, town * BOX)
  return meters
}

/**
 * Returns a function that computes the minimum distance in meters from a point to a box. A box is four consecutive
 * numbers in a column: south, west, north and east.
 */
export function boxDistance(near: NearPoint): (boxes: Column<number>, at: number) => number {
  const latUnits = near.lat * 1e7
  const lonUnits = near.lon * 1e7
  const lonScale = Math.cos(latUnits * RADIANS_PER_UNIT)
  return (boxes, at) => {
    const north = Math.max(boxes[at] - latUnits, 0, latUnits - boxes[at + 2])
    const west = boxes[at + 1]
    const east = boxes[at + 3]
    const isBetween = lonUnits >= west && lonUnits <= east
    const across = isBetween
      ? 0
      : Math.min(shorterWay(Math.abs(west - lonUnits)), shorterWay(Math.abs(east - lonUnits)))
    return Math.hypot(north, across * lonScale) * METERS_PER_UNIT
  }
}

function shorterWay(lonUnits: number): number {
  return lonUnits > HALF_TURN_UNITS ? 2 * HALF_TURN_UNITS - lonUnits : lonUnits
}
