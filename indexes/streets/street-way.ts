// The path of a walk along streets, as recorded by a search: which edges the walk uses, and how far it follows each
// edge. Also computes the points of the path on the ground, and the steps of the walk.
import { IS_CROSSING, IS_ELEVATOR, IS_STEPS, TAGGED_ACCESSIBLE } from '../../loaders/osm/foot-access.ts'
import { type StringIndex, textOf } from '../../loaders/strings.ts'
import type { WalkPlace } from '../spatial/walking.ts'
import { EdgePoints } from './edge-geometry.ts'
import { FROM_START, type StreetBall } from './street-ball.ts'
import {
  DECIMETERS,
  edgeOfHalf,
  isTurned,
  type StreetEdgeIndex,
  type StreetGraph,
  type StreetNodeIndex,
} from './street-graph.ts'
import type { StreetStart } from './street-snap.ts'

/** A part of an edge that a walk follows. `from` and `to` are distances in decimeters from the edge's first corner. */
export interface Stretch {
  readonly edge: StreetEdgeIndex
  readonly from: number
  readonly to: number
}

/** A walk along the streets. Lengths are in decimeters. */
export interface StreetWay {
  /** The point where the walk enters the streets: one of the starts of the search. */
  readonly start: StreetStart
  readonly stretches: readonly Stretch[]
  /** Length of the straight line from the beginning of the walk to the first stretch. */
  readonly offStart: number
  /** Length of the straight line from the last stretch to the end of the walk. */
  readonly offEnd: number
}

/** What riders walk on or use in one WalkStep. */
export type StepKind = 'street' | 'steps' | 'elevator' | 'crossing'

/** The part of a walk that follows one street, staircase, elevator or crossing. */
export interface WalkStep {
  readonly name: string | undefined
  readonly kind: StepKind
  readonly meters: number
}

const UNITS_PER_DEGREE = 1e7

/**
 * The path of a walk from the place of the last search to another place. `end` is the point where the walk leaves the
 * streets for the other place.
 */
export function wayTo(graph: StreetGraph, ball: StreetBall, end: StreetStart): StreetWay {
  const { edgeFrom, edgeTo, edgeLength } = graph
  const { edge, toFirst, toLast, off } = end
  const byFirst = ball.distanceTo(edgeFrom[edge]) + toFirst
  const byLast = ball.distanceTo(edgeTo[edge]) + toLast
  const start = ball.startOn(end)
  if (start !== undefined && ball.alongEdge(end) <= Math.min(byFirst, byLast) + off) {
    return { start, stretches: [{ edge, from: start.toFirst, to: toFirst }], offStart: start.off, offEnd: off }
  }
  const isByFirst = byFirst <= byLast
  const stretches: Stretch[] = [{ edge, from: isByFirst ? 0 : edgeLength[edge], to: toFirst }]
  let node: StreetNodeIndex = isByFirst ? edgeFrom[edge] : edgeTo[edge]
  for (let half = ball.halfTo(node); half !== FROM_START; half = ball.halfTo(node)) {
    const taken = edgeOfHalf(half)
    const isBack = isTurned(half)
    const length = edgeLength[taken]
    stretches.push(isBack ? { edge: taken, from: length, to: 0 } : { edge: taken, from: 0, to: length })
    node = isBack ? edgeTo[taken] : edgeFrom[taken]
  }
  const { start: first, isByFirst: isToFirst } = ball.startAt(node)
  stretches.push({ edge: first.edge, from: first.toFirst, to: isToFirst ? 0 : edgeLength[first.edge] })
  // A place at a corner is on every edge that ends at this corner, so a stretch can have no length. Such stretches are
  // left out.
  const walked = stretches.filter(({ from, to }) => from !== to)
  return { start: first, stretches: walked.length > 0 ? walked.reverse() : stretches, offStart: first.off, offEnd: off }
}

/** The points of a path along the streets, in degrees, without the two places at its ends. */
export function pointsOf(graph: StreetGraph, { stretches }: StreetWay): WalkPlace[] {
  const points: WalkPlace[] = []
  const edge = new EdgePoints()
  for (const stretch of stretches) {
    edge.read(graph, stretch.edge)
    for (const point of edge.between(stretch.from, stretch.to, graph.edgeLength[stretch.edge])) {
      const last = points[points.length - 1]
      if (last === undefined || last.lat !== point.lat || last.lon !== point.lon) points.push(point)
    }
  }
  return points.map(({ lat, lon }) => ({ lat: lat / UNITS_PER_DEGREE, lon: lon / UNITS_PER_DEGREE }))
}

/** The steps of a path, street by street. The lengths of all steps add up to the length of the walk. */
export function stepsOf(graph: StreetGraph, way: StreetWay): WalkStep[] {
  const steps: { name: StringIndex; kind: StepKind; until: number }[] = []
  let walked = way.offStart
  for (const { edge, from, to } of way.stretches) {
    walked += Math.abs(to - from)
    const name = graph.edgeName[edge]
    const kind = kindOf(graph.edgeFlags[edge])
    const last = steps[steps.length - 1]
    if (last !== undefined && last.name === name && last.kind === kind) last.until = walked
    else steps.push({ name, kind, until: walked })
  }
  const last = steps[steps.length - 1]
  if (last !== undefined) last.until += way.offEnd
  let counted = 0
  const all = steps.map(({ name, kind, until }) => {
    const meters = Math.round(until / DECIMETERS) - counted
    counted += meters
    const text = textOf(graph.names, name)
    return { name: text === '' ? undefined : text, kind, meters }
  })
  const long = all.filter(({ meters }) => meters > 0)
  return long.length > 0 ? long : all.slice(0, 1)
}

/** Whether every edge of a path is tagged as accessible by wheelchair. */
export function isTaggedAccessible({ edgeFlags }: StreetGraph, { stretches }: StreetWay): boolean {
  return stretches.every(({ edge }) => (edgeFlags[edge] & TAGGED_ACCESSIBLE) !== 0)
}

function kindOf(flags: number): StepKind {
  if (flags & IS_STEPS) return 'steps'
  if (flags & IS_ELEVATOR) return 'elevator'
  return flags & IS_CROSSING ? 'crossing' : 'street'
}
