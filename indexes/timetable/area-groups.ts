// Areas for feeds without stations: groups of nearby stops with the same name, such as the two sides of a street.
import { greatCircleMeters } from '../spatial/great-circle.ts'

/** Members of a generated area are pairwise at most this far apart. */
export const AREA_SPAN_METERS = 150

const METERS_PER_DEGREE_LAT = 111_000
/**
 * Maximum number of stops of the same name near a stop's latitude, on average per name; real feeds have about ten. A
 * more frequent name, such as "Stop", is not a place name, and comparing all pairs would take too long.
 */
const MAX_NEAR_NAMESAKES = 256

/** The properties that stops are grouped by. All columns are by stop index. */
export interface GroupableStops {
  readonly count: number
  /** A number for each distinct name. */
  readonly name: Uint32Array
  readonly lat: Float64Array
  readonly lon: Float64Array
  /** Stop → the directions that call there. */
  readonly directionsOf: readonly ReadonlySet<number>[]
}

/**
 * Groups of at least two stops with the same name, pairwise at most 150 m apart, no two of them served by the same
 * direction: a line calls at an area once per direction. Closest pairs are joined first, ties by stop ids. Members
 * ascend; groups are ordered by first member. A name with too many nearby stops forms no group.
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
  // Groups only grow, so two groups that cannot be joined now can never be joined.
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

/** Pairs within the span, closest first, then by stops; none if there are too many. Sweeps by latitude. */
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
