// Connects a place to the streets around it: finds the nearest edges, and the nearest point on each of them. Edges
// above or below the ground count as farther away, so that a place below a viaduct is not connected to the viaduct.
import { OFF_GROUND, STEP_FREE } from '../../loaders/osm/foot-access.ts'
import { EMPTY_STRING, textOf } from '../../loaders/strings.ts'
import { METERS_PER_DEGREE } from '../spatial/great-circle.ts'
import { BoxSearch, type UnitBox } from '../spatial/packed-boxes.ts'
import type { WalkPlace } from '../spatial/walking.ts'
import { EdgePoints } from './edge-geometry.ts'
import {
  DECIMETERS,
  edgeAt,
  IN_SMALL_PART,
  IN_SMALL_STEP_FREE_PART,
  type StreetEdgeIndex,
  type StreetGraph,
} from './street-graph.ts'

/** The kinds of walkers: everybody, or people who cannot use steps. */
export type WalkProfile = 'foot' | 'step_free'

/** Maximum distance in meters between a street and a place or stop. */
export const SNAP_METERS = 250
/**
 * Edges that are at most this much farther away than the best edge are used, too, because coordinates have errors of
 * about 5 m.
 */
export const SNAP_BAND_METERS = 5
/** Added to the distance of an edge above or below the ground, and subtracted from the distance of a preferred edge. */
export const RANK_METERS = 20
/**
 * Radii of the circles to search, one after another. Most places are near a street, so a small circle is searched
 * first.
 */
const RADII_METERS = [50, 150, SNAP_METERS]
const UNITS_PER_DEGREE = 1e7
const METERS_PER_UNIT = METERS_PER_DEGREE / UNITS_PER_DEGREE

/** A point where a place is connected to the streets. Lengths are in decimeters. */
export interface StreetStart {
  readonly edge: StreetEdgeIndex
  /** Distance along the edge from the point to the first corner of the edge. */
  readonly toFirst: number
  /** Distance along the edge from the point to the last corner of the edge. */
  readonly toLast: number
  /** Length of the straight line from the place to the point. */
  readonly off: number
}

/** The conditions of a search for the nearest edge. */
export interface SnapQuestion {
  readonly profile: WalkProfile
  /** Maximum distance to an edge. */
  readonly farthestMeters: number
  /** Whether an edge, such as the stop's own platform, counts as RANK_METERS nearer. */
  readonly isPreferred?: ((edge: StreetEdgeIndex) => boolean) | undefined
  /**
   * Whether the straight line to a point (in units of 1e-7 degrees) cannot be walked because it crosses rails or water.
   */
  readonly isBarred?: ((lat: number, lon: number) => boolean) | undefined
}

interface Candidate extends StreetStart {
  readonly rank: number
  readonly isSmall: boolean
}

/** A street near a place. */
export interface NamedStreet {
  readonly name: string
  readonly meters: number
}

/**
 * A place on a flat map, in units of 1e-7 degrees. `lonScale` is the length of a unit of longitude divided by that of a
 * unit of latitude.
 */
interface FlatPlace {
  readonly lat: number
  readonly lon: number
  readonly lonScale: number
}

/** Finds the streets near places. The memory is reused, so only one search can run at a time. */
export class StreetSnap {
  private readonly graph: StreetGraph
  private readonly boxes: BoxSearch
  private readonly points = new EdgePoints()
  /** Segment of `points` that contains the nearest point of the last checked edge. */
  private segment = 0
  /** Position of the nearest point on `segment`: 0 at the start of the segment, 1 at its end. */
  private part = 0

  constructor(graph: StreetGraph) {
    this.graph = graph
    this.boxes = new BoxSearch(graph.edgeBoxes, graph.edgeFrom.length)
  }

  /**
   * Finds the best edge for a place, and the edges that are at most SNAP_BAND_METERS farther away, best first. Empty if
   * no edge is near enough. Edges in small parts of the graph are used only if there are no other edges.
   */
  find(place: WalkPlace, question: SnapQuestion): StreetStart[] {
    const { farthestMeters, isPreferred } = question
    const margin = SNAP_BAND_METERS + (isPreferred === undefined ? 0 : RANK_METERS)
    let found: Candidate[] = []
    for (const radius of RADII_METERS) {
      const radiusMeters = Math.min(radius, farthestMeters)
      found = this.candidates(place, radiusMeters, question)
      if (bestRank(found, false) + margin <= radiusMeters || radius >= farthestMeters) break
    }
    const isSmall = bestRank(found, false) === Infinity
    const most = bestRank(found, isSmall) + SNAP_BAND_METERS
    const taken = found.filter((each) => each.isSmall === isSmall && each.rank <= most)
    return taken.sort((a, b) => a.rank - b.rank || a.edge - b.edge)
  }

  /** The nearest street that has a name; undefined if none is near enough. */
  nearestNamed(place: WalkPlace, farthestMeters: number): NamedStreet | undefined {
    const { edgeName } = this.graph
    const flat = flatten(place)
    let [meters, name] = [farthestMeters, EMPTY_STRING]
    this.boxes.eachGroup(boxAround(flat, farthestMeters), (first, end) => {
      for (let at = first; at < end; at++) {
        const edge = edgeAt(at)
        const distance = edgeName[edge] === EMPTY_STRING ? Infinity : this.metersTo(edge, flat)
        if (distance < meters) [meters, name] = [distance, edgeName[edge]]
      }
    })
    return name === EMPTY_STRING ? undefined : { name: textOf(this.graph.names, name), meters }
  }

  private candidates(place: WalkPlace, radiusMeters: number, question: SnapQuestion): Candidate[] {
    const { edgeFlags } = this.graph
    const { profile, isPreferred, isBarred } = question
    const isStepFree = profile === 'step_free'
    const smallPart = isStepFree ? IN_SMALL_STEP_FREE_PART : IN_SMALL_PART
    const flat = flatten(place)
    const found: Candidate[] = []
    this.boxes.eachGroup(boxAround(flat, radiusMeters), (first, end) => {
      for (let at = first; at < end; at++) {
        const edge = edgeAt(at)
        const flags = edgeFlags[edge]
        if (isStepFree && (flags & STEP_FREE) === 0) continue
        const meters = this.metersTo(edge, flat)
        if (meters > radiusMeters || (isBarred !== undefined && this.isBarred(isBarred))) continue
        const offGround = (flags & OFF_GROUND) === 0 ? 0 : RANK_METERS
        const rank = meters + offGround - (isPreferred?.(edge) === true ? RANK_METERS : 0)
        found.push({ ...this.startOn(edge, meters), rank, isSmall: (flags & smallPart) !== 0 })
      }
    })
    return found
  }

  /** Meters from a place to the nearest point of an edge. Sets `segment` and `part` to that point. */
  private metersTo(edge: StreetEdgeIndex, { lat, lon, lonScale }: FlatPlace): number {
    const { points } = this
    points.read(this.graph, edge)
    let best = Infinity
    for (let at = 0; at + 1 < points.count; at++) {
      const x = (points.lon[at] - lon) * lonScale
      const y = points.lat[at] - lat
      const stepX = (points.lon[at + 1] - points.lon[at]) * lonScale
      const stepY = points.lat[at + 1] - points.lat[at]
      const square = stepX * stepX + stepY * stepY
      const part = square === 0 ? 0 : Math.min(1, Math.max(0, -(x * stepX + y * stepY) / square))
      const nearX = x + part * stepX
      const nearY = y + part * stepY
      const distance = nearX * nearX + nearY * nearY
      if (distance >= best) continue
      best = distance
      this.segment = at
      this.part = part
    }
    return Math.sqrt(best) * METERS_PER_UNIT
  }

  private isBarred(isBarred: (lat: number, lon: number) => boolean): boolean {
    const { points, segment, part } = this
    const between = (all: Int32Array) => all[segment] + part * (all[segment + 1] - all[segment])
    return isBarred(between(points.lat), between(points.lon))
  }

  /** Creates the start at the nearest point of `edge`, which must be the edge checked last. */
  private startOn(edge: StreetEdgeIndex, meters: number): StreetStart {
    const { points, segment, part } = this
    const lonScale = Math.cos(((points.lat[0] / UNITS_PER_DEGREE) * Math.PI) / 180)
    let whole = 0
    let before = 0
    for (let at = 0; at + 1 < points.count; at++) {
      const x = (points.lon[at + 1] - points.lon[at]) * lonScale
      const y = points.lat[at + 1] - points.lat[at]
      const step = Math.sqrt(x * x + y * y)
      if (at === segment) before = whole + part * step
      whole += step
    }
    const length = this.graph.edgeLength[edge]
    const toFirst = whole === 0 ? 0 : Math.round((length * before) / whole)
    return { edge, toFirst, toLast: length - toFirst, off: Math.round(meters * DECIMETERS) }
  }
}

function boxAround({ lat, lon, lonScale }: FlatPlace, radiusMeters: number): UnitBox {
  const high = radiusMeters / METERS_PER_UNIT
  const wide = high / Math.max(lonScale, 1e-3)
  return { south: lat - high, north: lat + high, west: lon - wide, east: lon + wide }
}

function flatten({ lat, lon }: WalkPlace): FlatPlace {
  return { lat: lat * UNITS_PER_DEGREE, lon: lon * UNITS_PER_DEGREE, lonScale: Math.cos((lat * Math.PI) / 180) }
}

function bestRank(candidates: readonly Candidate[], isSmall: boolean): number {
  let best = Infinity
  for (const each of candidates) if (each.isSmall === isSmall && each.rank < best) best = each.rank
  return best
}
