// Areas for feeds without stations: groups of nearby stops with the same name, such as the stops on the two sides of a
// street.
import { greatCircleMeters } from '../spatial/great-circle.ts'

/** Maximum distance between any two members of a generated area. */
export const AREA_SPAN_METERS = 150

const METERS_PER_DEGREE_LAT = 111_000
/**
 * Maximum number of comparisons between stops of the same name, as an average per stop. A stop is compared only with
 * stops of the same name at nearly the same latitude: in real feeds, with about ten. A name that needs more comparisons
 * than the maximum, such as "Stop", is not a place name and gets no areas, because comparing all pairs would take too
 * long.
 */
const MAX_NEAR_NAMESAKES = 256

/** The properties by which stops are grouped. All columns have one value per stop index. */
export interface GroupableStops {
  readonly count: number
  /** Stop → the number of its name. Stops with the same name have the same number. */
  readonly name: Uint32Array
  readonly lat: Float64Array
  readonly lon: Float64Array
  /** Stop → the directions (of lines) that serve the stop. */
  readonly directionsOf: readonly ReadonlySet<number>[]
}

/**
 * Groups of at least two stops with the same name. Any two stops in a group are at most 150 m apart, and no direction
 * of a line serves both. So each direction serves at most one stop in a group. The closest pairs are joined first; ties
 * are ordered by stop. The stops in a group are in ascending order; groups are ordered by their first stop. A name with
 * too many nearby stops gets no groups.
 */
export function groupNamesakes(stops: GroupableStops): number[][] {
  const namesakes = new Map<number, number[]>()
  for (let stop = 0; stop < stops.count; stop++) {
    const name = stops.name[stop]
    namesakes.getOrInsertComputed(name, () => []).push(stop)
  }
  const groups: number[][] = []
  for (const members of namesakes.values()) {
    if (members.length > 1) groups.push(...joinClosest(stops, members))
  }
  return groups.sort((a, b) => a[0] - b[0])
}

function joinClosest(stops: GroupableStops, members: readonly number[]): number[][] {
  const groupOf = new Map<number, number[]>(members.map((stop) => [stop, [stop]]))
  // Pairs of groups that cannot be joined. Groups only grow, so a pair that cannot be joined now can never be joined
  // later.
  const apart = new Map<number[], Set<number[]>>()
  for (const [a, b] of listClosePairs(stops, members)) {
    const left = groupOf.get(a)
    const right = groupOf.get(b)
    if (left === undefined || right === undefined || left === right || apart.get(left)?.has(right) === true) continue
    if (!canJoin(stops, left, right)) {
      keepApart(apart, left, right)
      keepApart(apart, right, left)
      continue
    }
    const joined = [...left, ...right].sort((x, y) => x - y)
    for (const stop of joined) groupOf.set(stop, joined)
  }
  return [...new Set(groupOf.values())].filter((group) => group.length > 1)
}

function keepApart(apart: Map<number[], Set<number[]>>, group: number[], other: number[]): void {
  apart.getOrInsertComputed(group, () => new Set()).add(other)
}

/**
 * Pairs of members that are at most `AREA_SPAN_METERS` apart, closest first; ties are ordered by stop. Only stops that
 * are close in latitude are compared. There are no pairs if this would need too many comparisons (see
 * MAX_NEAR_NAMESAKES).
 */
function listClosePairs(stops: GroupableStops, members: readonly number[]): (readonly [number, number])[] {
  const { lat } = stops
  const northward = [...members].sort((a, b) => lat[a] - lat[b] || a - b)
  const reachDegrees = AREA_SPAN_METERS / METERS_PER_DEGREE_LAT
  const pairs: { a: number; b: number; meters: number }[] = []
  let comparisonsLeft = MAX_NEAR_NAMESAKES * members.length
  for (const [i, south] of northward.entries()) {
    for (let j = i + 1; j < northward.length; j++) {
      const north = northward[j]
      if (lat[north] - lat[south] > reachDegrees) break
      if (comparisonsLeft-- === 0) return []
      const meters = metersBetween(stops, south, north)
      if (meters <= AREA_SPAN_METERS) pairs.push({ a: Math.min(south, north), b: Math.max(south, north), meters })
    }
  }
  pairs.sort((x, y) => x.meters - y.meters || x.a - y.a || x.b - y.b)
  return pairs.map(({ a, b }) => [a, b] as const)
}

function canJoin(stops: GroupableStops, left: readonly number[], right: readonly number[]): boolean {
  return left.every((a) =>
    right.every((b) => metersBetween(stops, a, b) <= AREA_SPAN_METERS && !shareDirection(stops, a, b)),
  )
}

function shareDirection(stops: GroupableStops, a: number, b: number): boolean {
  const [left, right] = [stops.directionsOf[a], stops.directionsOf[b]]
  return left !== undefined && right !== undefined && !left.isDisjointFrom(right)
}

function metersBetween({ lat, lon }: GroupableStops, a: number, b: number): number {
  const [from, to] = a < b ? [a, b] : [b, a]
  return greatCircleMeters(lat[from], lon[from], lat[to], lon[to])
}
