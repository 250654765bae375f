// Walking distances and times without a street graph: straight lines multiplied by a detour factor.
import type { Column } from '../../loaders/columns.ts'
import { greatCircleMeters } from './great-circle.ts'
import { findWithin, type PointTree } from './point-tree.ts'

/** Average ratio of the walked distance to the straight line. */
const DETOUR = 1.3
const METERS_PER_SECOND = 1.2
/** Lengths are rounded to whole meters, so before rounding, a walk may exceed the limit by up to half a meter. */
const ROUNDING_METERS = 0.5

/** A place in degrees. */
export interface WalkPlace {
  readonly lat: number
  readonly lon: number
}

/** A point within walking distance. */
export interface WalkHit<I extends number> {
  readonly index: I
  readonly meters: number
  readonly seconds: number
}

/** Walking distance between two positions, rounded to whole meters. */
export function walkMeters(from: WalkPlace, to: WalkPlace): number {
  return toWalkMeters(greatCircleMeters(from.lat, from.lon, to.lat, to.lon))
}

/** Walking distance for a straight line of the given length, rounded to whole meters. */
function toWalkMeters(straightMeters: number): number {
  return Math.round(straightMeters * DETOUR)
}

/** Duration of a walk of the given length, in seconds, rounded up. */
export function walkSeconds(meters: number): number {
  return Math.ceil(meters / METERS_PER_SECOND)
}

/** Length in meters of the longest walk that takes at most the given number of seconds. */
export function metersWalkedIn(seconds: number): number {
  return Math.floor(seconds * METERS_PER_SECOND)
}

/** The points within a walking distance, nearest first, then by number. */
export function findInWalk<I extends number>(
  tree: PointTree,
  points: { readonly lat: Column<I>; readonly lon: Column<I> },
  from: WalkPlace & { readonly maxMeters: number },
): WalkHit<I>[] {
  const radiusMeters = (from.maxMeters + ROUNDING_METERS) / DETOUR
  return findWithin(tree, points, { lat: from.lat, lon: from.lon, radiusMeters })
    .map(({ index, distanceMeters }) => {
      const meters = toWalkMeters(distanceMeters)
      return { index, meters, seconds: walkSeconds(meters) }
    })
    .filter(({ meters }) => meters <= from.maxMeters)
}
