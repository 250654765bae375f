// Finds the connected parts of the graph, and marks the pieces in small parts. Does this twice: once for all walkers,
// and once for walks without steps.
import { NONE } from '../../loaders/columns.ts'
import { NODE_NOT_STEP_FREE, STEP_FREE } from '../../loaders/osm/foot-access.ts'
import { DECIMETERS, IN_SMALL_PART, IN_SMALL_STEP_FREE_PART, PART_METERS } from './street-graph.ts'
import type { StreetCorners, StreetPieces } from './street-pieces.ts'

/**
 * Marks the pieces in parts that have less than PART_METERS of streets. Lines across squares do not count as streets.
 */
export function markSmallParts(corners: StreetCorners, pieces: StreetPieces): void {
  const flags = pieces.flags.view()
  const isAny = () => true
  const isStepFree = (piece: number) => (flags[piece] & STEP_FREE) !== 0
  const cornerFlags = corners.flags.view()
  const isPassable = (corner: number) => (cornerFlags[corner] & NODE_NOT_STEP_FREE) === 0
  mark(pieces, { count: corners.lat.length, isIn: isAny, isPassable: isAny, flag: IN_SMALL_PART })
  mark(pieces, { count: corners.lat.length, isIn: isStepFree, isPassable, flag: IN_SMALL_STEP_FREE_PART })
}

interface Profile {
  /** Number of corners. */
  readonly count: number
  readonly isIn: (piece: number) => boolean
  /** Whether walkers can pass a corner, so that the pieces that meet there are connected. */
  readonly isPassable: (corner: number) => boolean
  readonly flag: number
}

function mark(pieces: StreetPieces, { count, isIn, isPassable, flag }: Profile): void {
  const [from, to, length, way] = [pieces.from.view(), pieces.to.view(), pieces.length.view(), pieces.way.view()]
  const parts = new Parts(count)
  for (let piece = 0; piece < from.length; piece++) {
    if (isIn(piece) && isPassable(from[piece]) && isPassable(to[piece])) parts.join(from[piece], to[piece])
  }
  /** The part to which a piece belongs; undefined if neither of its corners is passable. */
  const partOf = (piece: number) => {
    if (isPassable(from[piece])) return parts.find(from[piece])
    return isPassable(to[piece]) ? parts.find(to[piece]) : undefined
  }
  const lengths = new Float64Array(count)
  for (let piece = 0; piece < from.length; piece++) {
    const part = isIn(piece) && way[piece] !== NONE ? partOf(piece) : undefined
    if (part !== undefined) lengths[part] += length[piece]
  }
  for (let piece = 0; piece < from.length; piece++) {
    if (!isIn(piece)) continue
    const part = partOf(piece)
    const decimeters = part === undefined ? length[piece] : lengths[part]
    if (decimeters < PART_METERS * DECIMETERS) pieces.flags.set(piece, pieces.flags.at(piece) | flag)
  }
}

/** Disjoint sets of corners. */
class Parts {
  private readonly parent: Uint32Array

  constructor(count: number) {
    this.parent = new Uint32Array(count)
    for (let corner = 0; corner < count; corner++) this.parent[corner] = corner
  }

  find(corner: number): number {
    const { parent } = this
    let at = corner
    while (parent[at] !== at) {
      parent[at] = parent[parent[at]]
      at = parent[at]
    }
    return at
  }

  join(a: number, b: number): void {
    const one = this.find(a)
    const other = this.find(b)
    // The smaller number represents the set, so that the result does not depend on the order of the pieces.
    if (one !== other) this.parent[Math.max(one, other)] = Math.min(one, other)
  }
}
