// Walking as journeys count it, where no street graph is loaded: the straight line made longer by what streets add.
import type { Column } from '../../loaders/columns.ts'
import { greatCircleMeters } from './great-circle.ts'
import { findWithin, type PointTree } from './point-tree.ts'

/** What streets add to the straight line, on average. */
const DETOUR = 1.3
const METERS_PER_SECOND = 1.2
/** A walk is rounded to the meter: a straight line of half a meter more may still be within it. */
const ROUNDING_METERS = 0.5

/** A place in degrees. */
export interface WalkPlace {
  readonly lat: number
  readonly lon: number
}

/** A point in walking distance. */
export interface WalkHit<I extends number> {
  readonly index: I
  readonly meters: number
  readonly seconds: number
}

/** Meters walked between two places, rounded. */
export function walkMeters(from: WalkPlace, to: WalkPlace): number {
  return toWalkMeters(greatCircleMeters(from.lat, from.lon, to.lat, to.lon))
}

/** Meters walked for a straight line of so many meters. */
function toWalkMeters(straightMeters: number): number {
  return Math.round(straightMeters * DETOUR)
}

/** Seconds for meters walked, rounded up. */
export function walkSeconds(meters: number): number {
  return Math.ceil(meters / METERS_PER_SECOND)
}

/** Meters walked in so many seconds: as many as take that long, rounded up. */
export function metersWalkedIn(seconds: number): number {
  return Math.floor(seconds * METERS_PER_SECOND)
}

/** The points within a walk of so many meters, nearest first, then by number. */
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
