// Joins pieces of ways into lines and rings, and groups rings into outer rings and their holes. Rings are grouped by
// position; the roles of relation members are ignored.
import { type PlaneLine, twiceArea } from './ground-features.ts'

/** Lines that were joined at their ends as far as possible. */
export interface JoinedLines {
  /** Lines whose first node is also the last. */
  readonly rings: readonly (readonly number[])[]
  readonly open: readonly (readonly number[])[]
}

/**
 * Joins lines of nodes at their ends.
 * @param isDirected whether lines must keep their direction because their left and right sides differ
 */
export function joinLines(pieces: readonly (readonly number[])[], isDirected: boolean): JoinedLines {
  const rings: (readonly number[])[] = []
  const open: (readonly number[])[] = []
  const piecesAt = new Map<number, number[]>()
  for (const [at, piece] of pieces.entries()) {
    piecesAt.getOrInsertComputed(piece[0], () => []).push(at)
    if (!isDirected) piecesAt.getOrInsertComputed(piece[piece.length - 1], () => []).push(at)
  }
  const isUsed = new Uint8Array(pieces.length)
  const take = (node: number): readonly number[] | undefined => {
    const at = piecesAt.get(node)?.find((each) => isUsed[each] === 0)
    if (at === undefined) return undefined
    isUsed[at] = 1
    return pieces[at][0] === node ? pieces[at] : pieces[at].toReversed()
  }
  // Directed lines are extended only at their last node. A line at whose first node no other line ends is the first of
  // its chain. It must be extended before the other lines; otherwise, the chain would be split.
  const ends = new Set(isDirected ? pieces.map((piece) => piece[piece.length - 1]) : [])
  const order = [...pieces.keys()].sort((a, b) => Number(ends.has(pieces[a][0])) - Number(ends.has(pieces[b][0])))
  for (const at of order) {
    if (isUsed[at] === 1) continue
    isUsed[at] = 1
    let line = [...pieces[at]]
    for (let isTurned = false; line[0] !== line[line.length - 1]; ) {
      const next = take(line[line.length - 1])
      if (next !== undefined) for (let node = 1; node < next.length; node++) line.push(next[node])
      else if (isDirected || isTurned) break
      else {
        line = line.reverse()
        isTurned = true
      }
    }
    if (line[0] === line[line.length - 1] && line.length > 3) rings.push(line)
    else open.push(line)
  }
  return { rings, open }
}

/**
 * Groups rings: each group is an outer ring with the holes directly inside it. A ring inside a hole is an outer ring
 * again.
 */
export function groupRings(rings: readonly PlaneLine[]): PlaneLine[][] {
  const bySize = rings
    .map((ring) => ({ ring, area: Math.abs(twiceArea(ring)) }))
    .filter(({ area }) => area > 0)
    .sort((a, b) => b.area - a.area)
  const groups: PlaneLine[][] = []
  /** Ring → its group if it is an outer ring; undefined for a hole. */
  const groupOf: (PlaneLine[] | undefined)[] = []
  for (const [at, { ring }] of bySize.entries()) {
    let container: number | undefined
    let depth = 0
    for (let other = 0; other < at; other++) {
      if (!holdsRing(bySize[other].ring, ring)) continue
      depth++
      container = other
    }
    const around = container === undefined ? undefined : groupOf[container]
    if (depth % 2 === 1 && around !== undefined) {
      around.push(ring)
      groupOf.push(undefined)
    } else {
      const group = [ring]
      groups.push(group)
      groupOf.push(group)
    }
  }
  return groups
}

/**
 * Whether `ring` is inside `outer`. The rings may touch, so one corner is not enough: several corners are tested, and
 * the majority decides.
 */
function holdsRing(outer: PlaneLine, ring: PlaneLine): boolean {
  const corners = ring.length / 2 - 1
  let inside = 0
  const step = Math.max(1, Math.floor(corners / 5))
  let tried = 0
  for (let corner = 0; corner < corners; corner += step) {
    tried++
    if (holdsPoint(outer, ring[2 * corner], ring[2 * corner + 1])) inside++
  }
  return 2 * inside > tried
}

/** Whether a point is inside a ring. */
export function holdsPoint(ring: PlaneLine, x: number, y: number): boolean {
  let isInside = false
  for (let at = 0; at + 3 < ring.length; at += 2) {
    const [x1, y1, x2, y2] = [ring[at], ring[at + 1], ring[at + 2], ring[at + 3]]
    if (y1 > y === y2 > y) continue
    if (x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) isInside = !isInside
  }
  return isInside
}
