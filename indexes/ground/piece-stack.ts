// A square of the map is cut into quarters, and these into quarters again. This stack holds the pieces of features in
// the square that is being cut. The pieces of a quarter lie above the pieces of the whole square and are removed once
// the tiles of the quarter have been made. The pieces are stored in columns, not as objects.
import { ReusedArray } from '../../loaders/osm/reused-array.ts'
import { type GroundFeatures, IS_AREA } from './ground-features.ts'
import { POINT_NUMBERS, Simplifier } from './importance.ts'
import type { PlanePoint } from './plane.ts'

/** Consecutive pieces in the stack; `to` is exclusive. */
export interface Pieces {
  readonly from: number
  readonly to: number
}

/** A height in the stack: how many pieces, lines and values in `points` are below it. */
interface StackHeight {
  readonly pieces: number
  readonly lines: number
  readonly numbers: number
}

/**
 * A piece has lines, and a line has points. The first line of an area is its outer ring. The only line of a point
 * feature has a single point.
 */
export class PieceStack {
  /** Piece → its feature. */
  readonly feature = new ReusedArray(Uint32Array)
  /** Piece → IS_POINT, IS_LINE or IS_AREA. */
  readonly shape = new ReusedArray(Uint8Array)
  /** Piece → its first line. */
  readonly firstLine = new ReusedArray(Uint32Array)
  /** Piece → the line after its last one. */
  readonly endLine = new ReusedArray(Uint32Array)
  /** Piece → minX, minY, maxX, maxY. */
  readonly boxes = new ReusedArray(Float64Array)
  /** Line → index of its first value in `points`. */
  readonly start = new ReusedArray(Uint32Array)
  /** Line → index after its last value in `points`. */
  readonly end = new ReusedArray(Uint32Array)
  /** Line → length of the line, or area of the ring, before clipping. */
  readonly size = new ReusedArray(Float64Array)
  /** x, y and importance of each point. x and y are in units of the plane, relative to the corner of the cell. */
  readonly points = new ReusedArray(Float64Array)
  pieceCount = 0
  lineCount = 0
  /** Number of values in `points` that belong to lines. */
  numberCount = 0
  private readonly simplifier: Simplifier

  /** @param least an importance that is not above this value is stored as 0 */
  constructor(least: number) {
    this.simplifier = new Simplifier(least)
  }

  get height(): StackHeight {
    return { pieces: this.pieceCount, lines: this.lineCount, numbers: this.numberCount }
  }

  clear(): void {
    this.dropTo({ pieces: 0, lines: 0, numbers: 0 })
  }

  /** Removes everything above this height in the stack. */
  dropTo({ pieces, lines, numbers }: StackHeight): void {
    this.pieceCount = pieces
    this.lineCount = lines
    this.numberCount = numbers
  }

  /**
   * Adds a whole feature.
   * @param corner the point on the plane that becomes the origin of the coordinates in `points`
   */
  addFeature({ shape, rings, starts, points }: GroundFeatures, feature: number, corner: PlanePoint): void {
    const isArea = shape[feature] === IS_AREA
    const firstLine = this.lineCount
    for (let ring = rings[feature]; ring < rings[feature + 1]; ring++) {
      const own = this.reserve((starts[ring + 1] - starts[ring]) * POINT_NUMBERS)
      const start = this.numberCount
      let end = start
      for (let at = starts[ring]; at < starts[ring + 1]; at += 2) {
        own[end] = points[at] - corner.x
        own[end + 1] = points[at + 1] - corner.y
        own[end + 2] = 0
        end += POINT_NUMBERS
      }
      this.simplifier.setImportance(own, start, end - POINT_NUMBERS)
      this.addLine(end, isArea ? areaOf(own, start, end) : lengthOf(own, start, end))
    }
    this.addPiece(feature, shape[feature], firstLine)
  }

  /** Makes room for more values in `points` after `numberCount`. Returns the array of values. */
  reserve(more: number): Float64Array {
    return this.points.atLeast(this.numberCount + more)
  }

  /** Makes a line from the values in `points` between `numberCount` and `end`. */
  addLine(end: number, size: number): void {
    const line = this.lineCount++
    if (line === this.start.array.length) {
      for (const column of [this.start, this.end, this.size]) column.atLeast(line + 1)
    }
    this.start.array[line] = this.numberCount
    this.end.array[line] = end
    this.size.array[line] = size
    this.numberCount = end
  }

  /** Makes a piece from `firstLine` and all later lines. Does nothing if there are no such lines. */
  addPiece(feature: number, shape: number, firstLine: number): void {
    if (firstLine === this.lineCount) return
    const piece = this.pushPiece()
    this.feature.array[piece] = feature
    this.shape.array[piece] = shape
    this.firstLine.array[piece] = firstLine
    this.endLine.array[piece] = this.lineCount
    // Holes are inside the first ring, so the first ring alone determines the box.
    const boxed = shape === IS_AREA ? firstLine : this.lineCount - 1
    this.setBox(piece, this.start.array[firstLine], this.end.array[boxed])
  }

  /** Adds a copy of a piece. The copy shares the lines of the original. */
  repeatPiece(from: number): void {
    const piece = this.pushPiece()
    this.feature.array[piece] = this.feature.array[from]
    this.shape.array[piece] = this.shape.array[from]
    this.firstLine.array[piece] = this.firstLine.array[from]
    this.endLine.array[piece] = this.endLine.array[from]
    const boxes = this.boxes.array
    for (let side = 0; side < 4; side++) boxes[4 * piece + side] = boxes[4 * from + side]
  }

  private pushPiece(): number {
    const piece = this.pieceCount++
    if (piece === this.feature.array.length) {
      for (const column of [this.feature, this.shape, this.firstLine, this.endLine]) column.atLeast(piece + 1)
    }
    this.boxes.atLeast(4 * piece + 4)
    return piece
  }

  private setBox(piece: number, start: number, end: number): void {
    const points = this.points.array
    const boxes = this.boxes.array
    let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity]
    for (let at = start; at < end; at += POINT_NUMBERS) {
      minX = Math.min(minX, points[at])
      minY = Math.min(minY, points[at + 1])
      maxX = Math.max(maxX, points[at])
      maxY = Math.max(maxY, points[at + 1])
    }
    boxes[4 * piece] = minX
    boxes[4 * piece + 1] = minY
    boxes[4 * piece + 2] = maxX
    boxes[4 * piece + 3] = maxY
  }
}

function lengthOf(points: Float64Array, start: number, end: number): number {
  let length = 0
  for (let at = start + POINT_NUMBERS; at < end; at += POINT_NUMBERS) {
    const x = points[at] - points[at - POINT_NUMBERS]
    const y = points[at + 1] - points[at + 1 - POINT_NUMBERS]
    length += Math.sqrt(x * x + y * y)
  }
  return length
}

function areaOf(points: Float64Array, start: number, end: number): number {
  let area = 0
  for (let at = start + POINT_NUMBERS; at < end; at += POINT_NUMBERS) {
    const before = at - POINT_NUMBERS
    area += (points[before] * points[at + 1] - points[at] * points[before + 1]) / 2
  }
  return Math.abs(area)
}
