// The pathways of a feed as a graph, and the shortest times from given locations to all locations that can be reached.
import { columnArray, NONE } from '../../loaders/columns.ts'
import type { Feed } from '../../loaders/gtfs/feed.ts'
import { walkMeters, walkSeconds } from '../spatial/walking.ts'
import { NO_WHEELCHAIRS, wheelchairAccess } from './wheelchair-access.ts'

/** The walking distance that takes as long as one stair, about half a second. */
const STEP_METERS = 0.6

/** Values of pathway_mode. */
const STAIRS = 2
const ESCALATOR = 4
/** A value of location_type. */
const ENTRANCE = 2

/** Edges of the graph, one for each direction in which a pathway can be used. */
export interface PathwayGraph {
  /** Row of stops.txt → its first outgoing edge; has one extra entry. */
  readonly offset: Uint32Array
  readonly to: Uint32Array
  readonly seconds: Uint32Array
}

/** Which pathways a graph includes. */
export interface PathwayChoice {
  /** Whether all pathways are reversed, to find times to a location instead of from it. */
  readonly isTurned: boolean
  /** Whether pathways that wheelchairs cannot use are left out. */
  readonly isStepFree: boolean
}

/** Builds the graph of the chosen pathways. */
export function buildPathwayGraph(feed: Feed, { isTurned, isStepFree }: PathwayChoice): PathwayGraph {
  const { pathways, stops } = feed
  const [from, to] = [columnArray(pathways.from), columnArray(pathways.to)]
  const [starts, ends] = isTurned ? [to, from] : [from, to]
  const isBidirectional = columnArray(pathways.isBidirectional)
  const rows = Array.from({ length: pathways.count }, (_, row) => row)
  const taken = isStepFree ? rows.filter(stepFreePathways(feed)) : rows
  const offset = new Uint32Array(stops.count + 1)
  const count = (place: number) => {
    offset[place + 1] = offset[place + 1] + 1
  }
  for (const row of taken) {
    count(starts[row])
    if (isBidirectional[row] === 1) count(ends[row])
  }
  for (let place = 0; place < stops.count; place++) {
    offset[place + 1] = offset[place + 1] + offset[place]
  }
  const graph = {
    offset,
    to: new Uint32Array(offset[stops.count]),
    seconds: new Uint32Array(offset[stops.count]),
  }
  const next = offset.slice()
  const add = (start: number, end: number, seconds: number) => {
    const at = next[start]
    next[start] = at + 1
    graph.to[at] = end
    graph.seconds[at] = seconds
  }
  for (const row of taken) {
    const seconds = pathwaySeconds(feed, row)
    add(starts[row], ends[row], seconds)
    if (isBidirectional[row] === 1) add(ends[row], starts[row], seconds)
  }
  return graph
}

/** Returns a function that checks whether a wheelchair can use a pathway, according to the feed. */
function stepFreePathways({ pathways, stops }: Feed): (row: number) => boolean {
  const [mode, from, to] = [pathways.mode, pathways.from, pathways.to].map(columnArray)
  const kinds = columnArray(stops.locationType)
  const access = wheelchairAccess(stops)
  const isShut = (place: number) => kinds[place] === ENTRANCE && access(place) === NO_WHEELCHAIRS
  return (row) => mode[row] !== STAIRS && mode[row] !== ESCALATOR && !isShut(from[row]) && !isShut(to[row])
}

/**
 * The time along a pathway, in seconds: its `traversal_time` or, if this is missing, the walking time for a distance.
 * The distance is its `length`, or else `STEP_METERS` for each of its stairs, or else the straight line between its
 * ends with the usual detour. 0 if the straight line is needed but an end has no position.
 */
function pathwaySeconds({ pathways, stops }: Feed, row: number): number {
  const seconds = columnArray(pathways.traversalSeconds)[row]
  if (seconds !== NONE) return seconds
  const meters = columnArray(pathways.lengthMeters)[row]
  if (!Number.isNaN(meters)) return walkSeconds(meters)
  const stairs = columnArray(pathways.stairCount)[row]
  if (stairs > 0) return walkSeconds(stairs * STEP_METERS)
  const place = (at: number) => ({ lat: columnArray(stops.lat)[at], lon: columnArray(stops.lon)[at] })
  const straight = walkMeters(place(columnArray(pathways.from)[row]), place(columnArray(pathways.to)[row]))
  return Number.isNaN(straight) ? 0 : walkSeconds(straight)
}

/** Seconds from the nearest start to each reachable location, including the starts (Dijkstra's algorithm). */
export function walkPathways(graph: PathwayGraph, starts: Iterable<number>): ReadonlyMap<number, number> {
  const reached = new Map<number, number>()
  const queue = new TimeQueue()
  for (const start of starts) {
    reached.set(start, 0)
    queue.add(start, 0)
  }
  for (let next = queue.take(); next !== undefined; next = queue.take()) {
    const [place, seconds] = next
    if (seconds > (reached.get(place) ?? 0)) continue
    for (let at = graph.offset[place]; at < graph.offset[place + 1]; at++) {
      const end = graph.to[at]
      const there = seconds + graph.seconds[at]
      if (there >= (reached.get(end) ?? Number.POSITIVE_INFINITY)) continue
      reached.set(end, there)
      queue.add(end, there)
    }
  }
  return reached
}

/** A queue of locations as a binary heap; the location with the shortest time comes first. */
class TimeQueue {
  private readonly entries: (readonly [place: number, seconds: number])[] = []

  add(place: number, seconds: number): void {
    const { entries } = this
    let at = entries.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = entries[parent]
      if (above[1] <= seconds) break
      entries[at] = above
      at = parent
    }
    entries[at] = [place, seconds]
  }

  take(): readonly [place: number, seconds: number] | undefined {
    const { entries } = this
    const [first] = entries
    const last = entries.pop()
    if (last === undefined || entries.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= entries.length) break
      const right = entries[child + 1]
      if (right !== undefined && right[1] < entries[child][1]) child++
      const below = entries[child]
      if (below[1] >= last[1]) break
      entries[at] = below
      at = child
    }
    entries[at] = last
    return first
  }
}
