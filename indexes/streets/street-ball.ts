// Finds all corners within walking distance of a place, by Dijkstra's algorithm with buckets in typed arrays. Distances
// are in decimeters. A bucket holds the corners whose distances are in the same range of eight decimeters. The memory
// is reused, so only one search can run at a time.
import { type Column, NONE, nextIndex, sealColumn } from '../../loaders/columns.ts'
import { NODE_NOT_STEP_FREE, STEP_FREE } from '../../loaders/osm/foot-access.ts'
import { DECIMETERS, edgeOfHalf, type HalfEdgeIndex, type StreetGraph, type StreetNodeIndex } from './street-graph.ts'
import type { StreetStart, WalkProfile } from './street-snap.ts'

/** Stored as the distance of corners that were not reached. */
const UNREACHED = NONE
/** A bucket covers 1 << BUCKET_BITS decimeters. */
const BUCKET_BITS = 3
/** Marks the end of a bucket's list. */
const END = -1
/** Initial length of the lists. They grow if needed. */
const FIRST_SIZE = 1024
/**
 * Stored instead of a half edge for a corner that was reached directly from a start. Such a corner is an end of the
 * start's edge.
 */
export const FROM_START = NONE

/** The kind of walker, and the maximum length of the walks. */
export interface BallQuestion {
  readonly profile: WalkProfile
  readonly maxMeters: number
  /** Whether to record the half edge by which each corner was reached, as `halfTo` requires. */
  readonly keepsWays?: boolean
}

/** Searches the corners around a place, and stores the result of the last search. */
export class StreetBall {
  /** Number of corners that the last search reached. `reached` lists them in the order in which they were found. */
  reachedCount = 0
  reached: Column<number, StreetNodeIndex>
  private reachedNodes: Uint32Array
  private readonly graph: StreetGraph
  /** Corner → decimeters from the place. */
  private readonly distances: Uint32Array
  /** Corner → the half edge by which it was reached; undefined before the first search with `keepsWays`. */
  private halves: Uint32Array | undefined
  /** Bucket → its first entry. */
  private heads = new Int32Array(FIRST_SIZE).fill(END)
  private entryCount = 0
  private entryNode: Column<number, StreetNodeIndex>
  private entryNodes: Uint32Array
  private entryNext = new Int32Array(FIRST_SIZE)
  private starts: readonly StreetStart[] = []
  private profile: WalkProfile = 'foot'
  private most = 0

  constructor(graph: StreetGraph) {
    this.graph = graph
    this.distances = new Uint32Array(graph.nodeLat.length).fill(UNREACHED)
    this.reachedNodes = new Uint32Array(FIRST_SIZE)
    this.reached = sealColumn(this.reachedNodes)
    this.entryNodes = new Uint32Array(FIRST_SIZE)
    this.entryNode = sealColumn(this.entryNodes)
  }

  /** Finds all corners within walking distance. */
  search(starts: readonly StreetStart[], { profile, maxMeters, keepsWays = false }: BallQuestion): void {
    this.forget()
    this.starts = starts
    this.profile = profile
    // Lengths of walks are rounded to whole meters, so the search goes half a meter beyond `maxMeters`.
    this.most = maxMeters * DECIMETERS + DECIMETERS / 2
    if (keepsWays) this.halves ??= new Uint32Array(this.distances.length)
    const halves = keepsWays ? this.halves : undefined
    const buckets = (this.most >>> BUCKET_BITS) + 1
    if (buckets > this.heads.length) this.heads = new Int32Array(2 * buckets).fill(END)
    const { edgeFrom, edgeTo } = this.graph
    for (const { edge, toFirst, toLast, off } of starts) {
      this.reach(edgeFrom[edge], off + toFirst)
      this.reach(edgeTo[edge], off + toLast)
    }
    for (let bucket = 0; bucket < buckets; bucket++) this.empty(bucket, halves)
  }

  /**
   * Decimeters from the place to a corner. UNREACHED if the corner was not reached; this is larger than any distance.
   */
  distanceTo(node: StreetNodeIndex): number {
    return this.distances[node]
  }

  /** The half edge by which a corner was reached, or FROM_START. Requires a search with `keepsWays`. */
  halfTo(node: StreetNodeIndex): number {
    return this.halves === undefined ? FROM_START : this.halves[node]
  }

  /**
   * Finds the shortest walk to another place, and the element of `ends` where this walk arrives. Undefined if the place
   * is out of reach.
   */
  walkTo(ends: readonly StreetStart[]): { readonly decimeters: number; readonly end: StreetStart } | undefined {
    const { edgeFrom, edgeTo } = this.graph
    let best = this.most + 1
    let found: StreetStart | undefined
    for (const end of ends) {
      const { edge, toFirst, toLast, off } = end
      const by = Math.min(this.distances[edgeFrom[edge]] + toFirst, this.distances[edgeTo[edge]] + toLast)
      const decimeters = Math.min(by + off, this.alongEdge(end))
      if (decimeters >= best) continue
      best = decimeters
      found = end
    }
    return found && { decimeters: best, end: found }
  }

  /**
   * Length in decimeters of the walk to `end` that stays on one edge and passes no corner; Infinity if no start is on
   * this edge.
   */
  alongEdge(end: StreetStart): number {
    const start = this.startOn(end)
    return start === undefined ? Infinity : lengthAlong(start, end)
  }

  /** The nearest start on the same edge as `end`; undefined if there is none. */
  startOn(end: StreetStart): StreetStart | undefined {
    let best: StreetStart | undefined
    for (const start of this.starts) {
      if (start.edge !== end.edge) continue
      if (best === undefined || lengthAlong(start, end) < lengthAlong(best, end)) best = start
    }
    return best
  }

  /**
   * The start from which a corner was reached directly, and whether the corner is the first one of the start's edge.
   */
  startAt(node: StreetNodeIndex): { readonly start: StreetStart; readonly isByFirst: boolean } {
    const { edgeFrom, edgeTo } = this.graph
    for (const start of this.starts) {
      const { edge, toFirst, toLast, off } = start
      if (edgeFrom[edge] === node && off + toFirst === this.distances[node]) return { start, isByFirst: true }
      if (edgeTo[edge] === node && off + toLast === this.distances[node]) return { start, isByFirst: false }
    }
    throw new Error(`the search reached corner ${node}, but this corner is not a start, and no edge leads to it`)
  }

  /**
   * Settles the corners in a bucket. This may add corners to the same bucket. An entry is skipped if its corner has
   * since moved to an earlier bucket, because a shorter path was found.
   */
  private empty(bucket: number, halves: Uint32Array | undefined): void {
    const { distances, heads, most } = this
    const { halfOffset, halfTarget, halfLength, halfEdge } = this.graph
    const isStepFree = this.profile === 'step_free'
    let { entryNode, entryNodes, entryNext, reachedNodes, entryCount, reachedCount } = this
    for (let entry = heads[bucket]; entry !== END; entry = heads[bucket]) {
      heads[bucket] = entryNext[entry]
      const node = entryNode[entry]
      const distance = distances[node]
      if (distance >>> BUCKET_BITS !== bucket) continue
      const first = halfOffset[node]
      const end = halfOffset[nextIndex(node)]
      if (entryCount + end - first > entryNext.length) {
        this.growLists(entryCount + end - first)
        ;({ entryNode, entryNodes, entryNext, reachedNodes } = this)
      }
      for (let half = first; half < end; half = nextIndex(half)) {
        const target = halfTarget[half]
        const farther = distance + halfLength[half]
        const known = distances[target]
        if (farther > most || farther >= known) continue
        if (isStepFree && !this.isStepFree(half)) continue
        if (halves !== undefined) halves[target] = halfEdge[half]
        if (known === UNREACHED) reachedNodes[reachedCount++] = target
        distances[target] = farther
        const to = farther >>> BUCKET_BITS
        entryNodes[entryCount] = target
        entryNext[entryCount] = heads[to]
        heads[to] = entryCount++
      }
    }
    this.entryCount = entryCount
    this.reachedCount = reachedCount
  }

  private isStepFree(half: HalfEdgeIndex): boolean {
    const { halfTarget, halfEdge, edgeFlags, nodeFlags } = this.graph
    const isEdgeStepFree = (edgeFlags[edgeOfHalf(halfEdge[half])] & STEP_FREE) !== 0
    return isEdgeStepFree && (nodeFlags[halfTarget[half]] & NODE_NOT_STEP_FREE) === 0
  }

  /** Records the distance of a corner that is reached directly from a start. */
  private reach(node: StreetNodeIndex, distance: number): void {
    const known = this.distances[node]
    if (distance > this.most || distance >= known) return
    if (this.profile === 'step_free' && (this.graph.nodeFlags[node] & NODE_NOT_STEP_FREE) !== 0) return
    if (this.halves !== undefined) this.halves[node] = FROM_START
    this.growLists(this.entryCount + 1)
    if (known === UNREACHED) this.reachedNodes[this.reachedCount++] = node
    this.distances[node] = distance
    const bucket = distance >>> BUCKET_BITS
    this.entryNodes[this.entryCount] = node
    this.entryNext[this.entryCount] = this.heads[bucket]
    this.heads[bucket] = this.entryCount++
  }

  /** Enlarges all lists so that they hold at least `count` entries. */
  private growLists(count: number): void {
    if (count <= this.entryNext.length) return
    const size = 2 * count
    this.reachedNodes = widen(this.reachedNodes, new Uint32Array(size))
    this.reached = sealColumn(this.reachedNodes)
    this.entryNodes = widen(this.entryNodes, new Uint32Array(size))
    this.entryNode = sealColumn(this.entryNodes)
    this.entryNext = widen(this.entryNext, new Int32Array(size))
  }

  /** Forgets the corners that the last search reached. All buckets are empty at this point. */
  private forget(): void {
    for (let at = 0; at < this.reachedCount; at++) this.distances[this.reached[at]] = UNREACHED
    this.reachedCount = 0
    this.entryCount = 0
  }
}

function lengthAlong(start: StreetStart, end: StreetStart): number {
  return start.off + Math.abs(start.toFirst - end.toFirst) + end.off
}

function widen<Wide extends Uint32Array | Int32Array>(array: Uint32Array | Int32Array, wide: Wide): Wide {
  wide.set(array)
  return wide
}
