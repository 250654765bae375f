// Finds the cheapest path along the demo's streets, with A* on a graph of crossings. The caller defines the cost of
// each edge (a stretch of street).
import { metersBetween, type Point } from './terrain.ts'

/** Crossings and the stretches of street between them, both numbered from 0. */
export interface StreetGraph {
  /** Crossing → its position. */
  readonly nodes: Point[]
  /** Stretch → its two ends. */
  readonly edges: { readonly from: number; readonly to: number }[]
  /** Crossing → its stretches. */
  readonly edgesOf: number[][]
}

/** A path: crossings, and the stretches between them. */
export interface Way {
  readonly nodes: readonly number[]
  readonly edges: readonly number[]
}

/** Returns the other end of a stretch. `node` is one of its two ends. */
export function otherEnd(graph: StreetGraph, edge: number, node: number): number {
  const { from, to } = graph.edges[edge]
  return from === node ? to : from
}

/**
 * The cheapest path; undefined if there is no path. `costOf` returns the cost of a stretch, or Infinity if the stretch
 * is closed. If a stretch costs less than `minCostPerMeter` times its length, the path found may not be the cheapest.
 */
export function findWay(
  graph: StreetGraph,
  ends: { readonly from: number; readonly to: number },
  price: { readonly costOf: (edge: number) => number; readonly minCostPerMeter: number },
): Way | undefined {
  const goal = graph.nodes[ends.to]
  const queue = new CostQueue()
  const costs = new Map<number, number>([[ends.from, 0]])
  const cameBy = new Map<number, number>()
  const closed = new Set<number>()
  queue.push(ends.from, 0)
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    if (node === ends.to) return traceBack(graph, ends, cameBy)
    if (closed.has(node)) continue
    closed.add(node)
    const soFar = costs.get(node) ?? 0
    for (const edge of graph.edgesOf[node]) {
      const next = otherEnd(graph, edge, node)
      const cost = soFar + price.costOf(edge)
      if (cost === Number.POSITIVE_INFINITY || cost >= (costs.get(next) ?? Number.POSITIVE_INFINITY)) continue
      costs.set(next, cost)
      cameBy.set(next, edge)
      queue.push(next, cost + metersBetween(graph.nodes[next], goal) * price.minCostPerMeter)
    }
  }
  return undefined
}

function traceBack(
  graph: StreetGraph,
  ends: { readonly from: number; readonly to: number },
  cameBy: ReadonlyMap<number, number>,
): Way {
  const nodes = [ends.to]
  const edges: number[] = []
  for (let node = ends.to; node !== ends.from; ) {
    const edge = cameBy.get(node)
    if (edge === undefined) throw new Error('a path does not lead back to its start')
    node = otherEnd(graph, edge, node)
    nodes.push(node)
    edges.push(edge)
  }
  return { nodes: nodes.reverse(), edges: edges.reverse() }
}

/** The crossings that can be reached from `start` along open stretches. */
export function reachableFrom(graph: StreetGraph, start: number, isOpen: (edge: number) => boolean): Set<number> {
  const reached = new Set([start])
  const waiting = [start]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const edge of graph.edgesOf[node]) {
      const next = otherEnd(graph, edge, node)
      if (reached.has(next) || !isOpen(edge)) continue
      reached.add(next)
      waiting.push(next)
    }
  }
  return reached
}

/** A binary heap of crossings with the cheapest crossing first. Each search has its own instance. */
class CostQueue {
  private readonly nodes: number[] = []
  private readonly costs: number[] = []

  push(node: number, cost: number): void {
    const { nodes, costs } = this
    let at = nodes.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (costs[parent] <= cost) break
      nodes[at] = nodes[parent]
      costs[at] = costs[parent]
      at = parent
    }
    nodes[at] = node
    costs[at] = cost
  }

  pop(): number | undefined {
    const { nodes, costs } = this
    const first = nodes[0]
    const node = nodes.pop()
    const cost = costs.pop()
    if (node === undefined || cost === undefined || nodes.length === 0) return first
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= nodes.length) break
      if (child + 1 < nodes.length && costs[child + 1] < costs[child]) child++
      if (costs[child] >= cost) break
      nodes[at] = nodes[child]
      costs[at] = costs[child]
      at = child
    }
    nodes[at] = node
    costs[at] = cost
    return first
  }
}
