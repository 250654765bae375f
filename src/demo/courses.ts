// The geometry of lines. A course is a polyline with a mark at each stop. It follows streets, runs in a tunnel between
// stations, or follows the river.
import type { StreetMap } from './street-map.ts'
import { findWay, type Way } from './street-path.ts'
import { metersBetween, type Point } from './terrain.ts'

/** A stop on a course. */
export interface Mark {
  /** Number of the crossing in the street map. On a course along the river, the index of the landing. */
  readonly node: number
  /** Index in the `points` of the course. */
  readonly pointIndex: number
}

/** A line's path in one direction. */
export interface Course {
  readonly points: readonly Point[]
  /** The stops in order, at least two. The first and the last are the ends of the course. */
  readonly marks: readonly Mark[]
}

/** The rules of a search for a course along streets. */
export interface StreetChoice {
  /** Cost per meter of a stretch (the street between two crossings), at least MIN_STREET_COST. */
  readonly costOf: (edge: number) => number
  /** Minimum meters between two stops. At crossings that already have a stop, slightly less is enough. */
  readonly spacingMeters: number
  /** Whether every course that passes through this crossing stops there. */
  readonly isMust: (node: number) => boolean
  /** Whether other courses of the same kind already stop at this crossing. */
  readonly isUsual: (node: number) => boolean
}

/** The lowest cost per meter that `StreetChoice.costOf` may return. */
export const MIN_STREET_COST = 0.8

/** The cost of a stretch is multiplied by this if the same course has already used the stretch. */
const BACKTRACK_COST = 5
const USUAL_SHARE = 0.7
/** Number of points that draw the tunnel's curve between two metro stations. */
const TUNNEL_STEPS = 8
const RIVER_STEP_METERS = 160

/** The course in the opposite direction. */
export function reversed(course: Course): Course {
  const last = course.points.length - 1
  return {
    points: course.points.toReversed(),
    marks: course.marks.toReversed().map(({ node, pointIndex }) => ({ node, pointIndex: last - pointIndex })),
  }
}

/** The part of a course between two marks, including both. */
export function partOf(course: Course, part: { readonly from: number; readonly to: number }): Course {
  const first = course.marks[part.from].pointIndex
  return {
    points: course.points.slice(first, course.marks[part.to].pointIndex + 1),
    marks: course.marks
      .slice(part.from, part.to + 1)
      .map(({ node, pointIndex }) => ({ node, pointIndex: pointIndex - first })),
  }
}

/**
 * Finds a course along streets that passes through all crossings in `through`. Also returns the stretches of the
 * course.
 */
export function findStreetCourse(
  map: StreetMap,
  through: readonly number[],
  choice: StreetChoice,
): { readonly course: Course; readonly edges: readonly number[] } {
  const nodes = [through[0]]
  const edges: number[] = []
  const used = new Set<number>()
  for (let i = 1; i < through.length; i++) {
    if (through[i] === through[i - 1]) continue
    const way = findLeg(map, { from: through[i - 1], to: through[i] }, { choice, used })
    for (const edge of way.edges) used.add(edge)
    nodes.push(...way.nodes.slice(1))
    edges.push(...way.edges)
  }
  const points: Point[] = [map.nodes[nodes[0]]]
  for (const [index, edge] of edges.entries()) points.push(map.edges[edge].middle, map.nodes[nodes[index + 1]])
  return { course: { points, marks: chooseMarks(map, nodes, edges, choice) }, edges }
}

function findLeg(
  map: StreetMap,
  ends: { from: number; to: number },
  given: { choice: StreetChoice; used: ReadonlySet<number> },
): Way {
  const costOf = (edge: number): number =>
    map.edges[edge].lengthMeters * given.choice.costOf(edge) * (given.used.has(edge) ? BACKTRACK_COST : 1)
  const way = findWay(map, ends, { costOf, minCostPerMeter: MIN_STREET_COST })
  if (way === undefined) throw new Error('the map has crossings that are not connected')
  return way
}

/**
 * Chooses the stops of a course: its two ends, all required crossings, and further crossings at the required spacing.
 * No crossing gets two stops, except the start of a loop, which is also its end.
 */
function chooseMarks(map: StreetMap, nodes: readonly number[], edges: readonly number[], choice: StreetChoice): Mark[] {
  const marks: Mark[] = [{ node: nodes[0], pointIndex: 0 }]
  const seen = new Set([nodes[0], nodes[nodes.length - 1]])
  let sinceLast = 0
  let toEnd = edges.reduce((sum, edge) => sum + map.edges[edge].lengthMeters, 0)
  for (let i = 1; i < nodes.length - 1; i++) {
    const node = nodes[i]
    const length = map.edges[edges[i - 1]].lengthMeters
    sinceLast += length
    toEnd -= length
    const spacing = choice.spacingMeters * (choice.isUsual(node) ? USUAL_SHARE : 1)
    const isFar = sinceLast >= spacing && toEnd >= spacing * USUAL_SHARE
    if (seen.has(node) || !(isFar || choice.isMust(node))) continue
    seen.add(node)
    marks.push({ node, pointIndex: i * 2 })
    sinceLast = 0
  }
  marks.push({ node: nodes[nodes.length - 1], pointIndex: edges.length * 2 })
  return marks
}

/** A gently curved tunnel from station to station. */
export function tunnelCourse(map: StreetMap, stations: readonly number[]): Course {
  const places = stations.map((node) => map.nodes[node])
  const points: Point[] = []
  for (let i = 0; i + 1 < places.length; i++) {
    for (let step = 0; step < TUNNEL_STEPS; step++) points.push(curveThrough(places, i + step / TUNNEL_STEPS))
  }
  points.push(places[places.length - 1])
  return { points, marks: stations.map((node, index) => ({ node, pointIndex: index * TUNNEL_STEPS })) }
}

/**
 * A point on the Catmull-Rom curve through `places`.
 * @param at position on the curve: 0 is the first point of `places`, 1 is the second, 0.5 is between these two
 */
export function curveThrough(places: readonly Point[], at: number): Point {
  const last = places.length - 1
  const i = Math.min(Math.floor(at), last - 1)
  const t = at - i
  const [p0, p1, p2, p3] = [places[Math.max(0, i - 1)], places[i], places[i + 1], places[Math.min(last, i + 2)]]
  const blend = (a: number, b: number, c: number, d: number): number =>
    b + (t / 2) * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
  return { x: blend(p0.x, p1.x, p2.x, p3.x), y: blend(p0.y, p1.y, p2.y, p3.y) }
}

/**
 * A course along the middle of the river, from landing to landing. The `node` of a mark is the landing's index in
 * `landings`.
 */
export function riverCourse(landings: readonly Point[], riverAt: (x: number) => number): Course {
  const points: Point[] = []
  const marks: Mark[] = []
  for (const [number, landing] of landings.entries()) {
    if (number > 0) {
      const before = landings[number - 1]
      const steps = Math.max(2, Math.round(metersBetween(before, landing) / RIVER_STEP_METERS))
      for (let step = 1; step < steps; step++) {
        const x = before.x + ((landing.x - before.x) * step) / steps
        points.push({ x, y: riverAt(x) })
      }
    }
    marks.push({ node: number, pointIndex: points.length })
    points.push(landing)
  }
  return { points, marks }
}
