// Clips the pieces of features to a strip of the map between two parallel lines. Clipping to two strips, one for each
// axis, gives a tile with its margin.
import { IS_AREA } from './ground-features.ts'
import { POINT_NUMBERS } from './importance.ts'
import type { PieceStack, Pieces } from './piece-stack.ts'

/** The part of the plane between two parallel lines. */
export interface Strip {
  /** The axis along which the strip is limited: 0 for x, 1 for y. */
  readonly axis: 0 | 1
  readonly low: number
  readonly high: number
}

/** Clips pieces to a strip. Adds the clipped pieces to the stack and returns them. */
export function clipPieces(stack: PieceStack, { from, to }: Pieces, strip: Strip): Pieces {
  const { axis, low, high } = strip
  const first = stack.pieceCount
  for (let piece = from; piece < to; piece++) {
    const least = stack.boxes.array[4 * piece + axis]
    const most = stack.boxes.array[4 * piece + axis + 2]
    if (most < low || least >= high) continue
    if (least >= low && most < high) stack.repeatPiece(piece)
    else clipPiece(stack, piece, strip)
  }
  return { from: first, to: stack.pieceCount }
}

function clipPiece(stack: PieceStack, piece: number, strip: Strip): void {
  const shape = stack.shape.array[piece]
  const endLine = stack.endLine.array[piece]
  const firstLine = stack.lineCount
  for (let line = stack.firstLine.array[piece]; line < endLine; line++) clipLine(stack, line, strip, shape === IS_AREA)
  stack.addPiece(stack.feature.array[piece], shape, firstLine)
}

/**
 * Clips a line or a ring. A line that leaves the strip and returns becomes several lines. A ring stays one ring; it may
 * then run along the edges of the strip.
 */
function clipLine(stack: PieceStack, line: number, { axis, low, high }: Strip, isRing: boolean): void {
  const first = stack.start.array[line]
  const last = stack.end.array[line] - POINT_NUMBERS
  // Each segment adds at most two points. One more point may end the line, and another may close the ring.
  const points = stack.reserve(2 * (last - first) + 2 * POINT_NUMBERS)
  const size = stack.size.array[line]
  let out = stack.numberCount
  for (let at = first; at < last; at += POINT_NUMBERS) {
    const a = points[at + axis]
    const b = points[at + POINT_NUMBERS + axis]
    if (a >= low && a <= high) out = copyPoint(points, at, out)
    else if (a < low && b >= low) out = crossEdge(points, { at, axis, edge: low }, out)
    else if (a > high && b <= high) out = crossEdge(points, { at, axis, edge: high }, out)
    const isBelow = b < low && a >= low
    if (!isBelow && !(b > high && a <= high)) continue
    out = crossEdge(points, { at, axis, edge: isBelow ? low : high }, out)
    if (!isRing) stack.addLine(out, size)
  }
  const end = points[last + axis]
  if (end >= low && end <= high) out = copyPoint(points, last, out)
  if (isRing) out = closeRing(points, stack.numberCount, out)
  if (out > stack.numberCount) stack.addLine(out, size)
}

function copyPoint(points: Float64Array, at: number, out: number): number {
  points[out] = points[at]
  points[out + 1] = points[at + 1]
  points[out + 2] = points[at + 2]
  return out + POINT_NUMBERS
}

/**
 * Writes at `out` the point where the segment from `at` to the next point crosses an edge of the strip. Returns the
 * index after that point.
 */
function crossEdge(
  points: Float64Array,
  { at, axis, edge }: { readonly at: number; readonly axis: number; readonly edge: number },
  out: number,
): number {
  const next = at + POINT_NUMBERS
  const along = 1 - axis
  const share = (edge - points[at + axis]) / (points[next + axis] - points[at + axis])
  points[out + axis] = edge
  points[out + along] = points[at + along] + (points[next + along] - points[at + along]) * share
  points[out + 2] = Infinity
  return out + POINT_NUMBERS
}

/** Closes a ring by repeating its first point at `out`. Returns the index after the ring. */
function closeRing(points: Float64Array, start: number, out: number): number {
  const last = out - POINT_NUMBERS
  if (last <= start || (points[last] === points[start] && points[last + 1] === points[start + 1])) return out
  return copyPoint(points, start, out)
}
