// Joins coastlines into lines and rings, from which the sea is made. Tolerates errors that occur in OpenStreetMap:
// overlapping ways, several nodes at one place, and coastlines with the wrong direction.
import { joinLines } from './rings.ts'

/** Coastlines that have the land on their left. */
export interface CoastLines {
  readonly rings: readonly (readonly number[])[]
  readonly open: readonly (readonly number[])[]
  /** Number of coastlines that had the wrong direction and were reversed. */
  readonly turned: number
}

/** Node → its position. */
export interface NodePlaces {
  readonly lat: Int32Array
  readonly lon: Int32Array
}

/**
 * Joins pieces of coastlines.
 * @param pieces lines of node numbers
 */
export function joinCoasts(pieces: readonly (readonly number[])[], places: NodePlaces): CoastLines {
  const { rings, open } = joinLines(withoutCopies(withSameEnds(pieces, places)), true)
  const { lines, turned } = turnReversed(open)
  if (turned === 0) return { rings, open, turned }
  const again = joinLines(lines, true)
  return { rings: [...rings, ...again.rings], open: again.open, turned }
}

/** Replaces the end nodes of pieces, so that all ends at one position have the same node. */
function withSameEnds(pieces: readonly (readonly number[])[], { lat, lon }: NodePlaces): number[][] {
  const nodeAt = new Map<string, number>()
  const sameNode = (node: number) => nodeAt.getOrInsertComputed(`${lat[node]} ${lon[node]}`, () => node)
  return pieces.map((piece) => [sameNode(piece[0]), ...piece.slice(1, -1), sameNode(piece[piece.length - 1])])
}

function withoutCopies(pieces: readonly number[][]): number[][] {
  const piecesAt = new Map<number, number[][]>()
  return pieces.filter((piece) => {
    const others = piecesAt.getOrInsertComputed(piece[0], () => [])
    if (others.some((other) => isSame(piece, other))) return false
    others.push(piece)
    return true
  })
}

function isSame(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((node, at) => node === other[at])
}

/**
 * Reverses coastlines that have the wrong direction: another coastline starts where such a coastline starts, and
 * another one ends where it ends. Short coastlines are checked first, so of two coastlines that contradict each other,
 * the shorter one is reversed.
 */
function turnReversed(open: readonly (readonly number[])[]): { lines: readonly (readonly number[])[]; turned: number } {
  const lines = [...open].sort((a, b) => a.length - b.length)
  let turned = 0
  for (const [at, line] of lines.entries()) {
    const [first, last] = [line[0], line[line.length - 1]]
    const others = lines.filter((_, other) => other !== at)
    if (!others.some((other) => other[0] === first) || !others.some((other) => other[other.length - 1] === last)) {
      continue
    }
    lines[at] = line.toReversed()
    turned++
  }
  return { lines, turned }
}
