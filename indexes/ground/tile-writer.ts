// Writes vector tiles (https://github.com/mapbox/vector-tile-spec/tree/master/2.1). A tile contains the pieces of
// features that are in its square and are drawn at its zoom. Of each piece, it contains the points that are visible at
// this zoom.
import { ByteWriter } from '../../loaders/osm/byte-writer.ts'
import { GROUND_KINDS, GROUND_LAYERS } from '../../loaders/osm/ground-kinds.ts'
import { type CellTags, TAG_KEYS } from './cell-tags.ts'
import { type GroundFeatures, IS_AREA, IS_POINT } from './ground-features.ts'
import { POINT_NUMBERS } from './importance.ts'
import type { PieceStack, Pieces } from './piece-stack.ts'
import { EXTENT } from './tile-grid.ts'

const VERSION = 2

/** Protobuf field numbers in a tile, a layer and a feature. */
const LAYER = 3
const NAME = 1
const FEATURE = 2
const KEY = 3
const VALUE = 4
const LAYER_EXTENT = 5
const LAYER_VERSION = 15
const TAGS = 2
const SHAPE = 3
const GEOMETRY = 4

/**
 * Geometry commands. A command integer has the command in its lowest three bits, and the number of repetitions above
 * them.
 */
const MOVE_TO = 1
const LINE_TO = 2
const CLOSE_PATH = 7
const COMMAND_BITS = 3

/**
 * A tile to write. Its position is relative to the corner of its cell. Position, side and tolerance are in units of the
 * plane.
 */
export interface TileSquare {
  readonly zoom: number
  readonly x: number
  readonly y: number
  readonly side: number
  /**
   * Points that are not farther than this from the simplified line are left out. Lines that are shorter than this and
   * rings whose area is below the square of this are left out too.
   */
  readonly tolerance: number
  readonly tags: CellTags
}

/** Writes one tile after another. The arrays are reused for the next tile. */
export class TileWriter {
  private readonly features: GroundFeatures
  private readonly stack: PieceStack
  private readonly bytes = new ByteWriter()
  /** Index of a key in `TAG_KEYS` → its index in the layer. */
  private readonly keys = new Map<number, number>()
  /** Number of a value in `CellTags` → its index in the layer. */
  private readonly values = new Map<number, number>()
  /** x and y of those points of the current line that are drawn. */
  private readonly drawn: number[] = []
  /** The last position that was written, in tile units. */
  private x = 0
  private y = 0

  constructor(features: GroundFeatures, stack: PieceStack) {
    this.features = features
    this.stack = stack
  }

  /**
   * Returns the encoded tile, or undefined if it is empty.
   * @param pieces the pieces to draw, in drawing order
   */
  write({ from, to }: Pieces, square: TileSquare): Uint8Array<ArrayBuffer> | undefined {
    this.bytes.length = 0
    let next = from
    for (const name of GROUND_LAYERS) {
      const first = next
      while (next < to && this.layerOf(next) === name) next++
      if (first < next) this.writeLayer(name, { from: first, to: next }, square)
    }
    return this.bytes.length === 0 ? undefined : this.bytes.bytes()
  }

  private layerOf(piece: number): string {
    return GROUND_KINDS[this.features.kind[this.stack.feature.array[piece]]].layer
  }

  private writeLayer(name: string, { from, to }: Pieces, square: TileSquare): void {
    const { bytes, keys, values, stack } = this
    const before = bytes.length
    keys.clear()
    values.clear()
    const layer = bytes.open(LAYER)
    bytes.number(LAYER_VERSION, VERSION)
    bytes.text(NAME, name)
    bytes.number(LAYER_EXTENT, EXTENT)
    for (let piece = from; piece < to; piece++) {
      if (this.features.leastZoom[stack.feature.array[piece]] > square.zoom) continue
      if (this.isSeen(piece, square.tolerance)) this.writeFeature(piece, square)
    }
    if (keys.size === 0) {
      bytes.length = before
      return
    }
    for (const key of keys.keys()) bytes.text(KEY, TAG_KEYS[key])
    for (const value of values.keys()) bytes.message(VALUE, square.tags.value(value))
    bytes.close(layer)
  }

  private isSeen(piece: number, tolerance: number): boolean {
    const { stack } = this
    const least = leastSize(stack.shape.array[piece], tolerance)
    const end = stack.endLine.array[piece]
    for (let line = stack.firstLine.array[piece]; line < end; line++) if (stack.size.array[line] >= least) return true
    return false
  }

  private writeFeature(piece: number, square: TileSquare): void {
    const { bytes, stack } = this
    const shape = stack.shape.array[piece]
    const message = bytes.open(FEATURE)
    this.writeTags(square.tags.tagsOf(stack.feature.array[piece], square.zoom))
    bytes.number(SHAPE, shape)
    const geometry = bytes.open(GEOMETRY)
    const least = leastSize(shape, square.tolerance)
    const firstLine = stack.firstLine.array[piece]
    const endLine = stack.endLine.array[piece]
    this.x = 0
    this.y = 0
    for (let line = firstLine; line < endLine; line++) {
      if (stack.size.array[line] < least) continue
      this.chooseDrawn(line, square.tolerance)
      if (shape === IS_AREA && isClockwise(this.drawn) !== (line === firstLine)) reverse(this.drawn)
      this.writeLine(square, shape)
    }
    bytes.close(geometry)
    bytes.close(message)
  }

  private writeTags(tags: readonly number[]): void {
    const { bytes, keys, values } = this
    const list = bytes.open(TAGS)
    for (let at = 0; at < tags.length; at += 2) {
      bytes.varint(placeOf(keys, tags[at]))
      bytes.varint(placeOf(values, tags[at + 1]))
    }
    bytes.close(list)
  }

  /** Collects the points of a line that are important enough, and stores them in `drawn`. */
  private chooseDrawn(line: number, tolerance: number): void {
    const { drawn } = this
    const points = this.stack.points.array
    const least = tolerance === 0 ? -1 : tolerance * tolerance
    drawn.length = 0
    const end = this.stack.end.array[line]
    for (let at = this.stack.start.array[line]; at < end; at += POINT_NUMBERS) {
      if (points[at + 2] > least) drawn.push(points[at], points[at + 1])
    }
  }

  private writeLine({ x: left, y: top, side }: TileSquare, shape: number): void {
    const { bytes, drawn } = this
    const scale = EXTENT / side
    const last = drawn.length - 2
    const toX = (at: number) => Math.round((drawn[at] - left) * scale)
    const toY = (at: number) => Math.round((drawn[at + 1] - top) * scale)
    const isClosed = shape === IS_AREA && last > 0 && toX(0) === toX(last) && toY(0) === toY(last)
    const end = isClosed ? last : drawn.length
    bytes.varint((1 << COMMAND_BITS) + MOVE_TO)
    for (let at = 0; at < end; at += 2) {
      if (at === 2) bytes.varint(((end / 2 - 1) << COMMAND_BITS) + LINE_TO)
      const x = toX(at)
      const y = toY(at)
      bytes.zigzag(x - this.x)
      bytes.zigzag(y - this.y)
      this.x = x
      this.y = y
    }
    if (shape === IS_AREA) bytes.varint((1 << COMMAND_BITS) + CLOSE_PATH)
  }
}

/** Minimum size at which a line or ring is drawn: a length for lines, an area for rings. */
function leastSize(shape: number, tolerance: number): number {
  return shape === IS_POINT ? 0 : shape === IS_AREA ? tolerance * tolerance : tolerance
}

/** Returns the index of a number in `places`, a list without duplicates. Adds the number if it is not in the list. */
function placeOf(places: Map<number, number>, number: number): number {
  const place = places.get(number)
  if (place !== undefined) return place
  places.set(number, places.size)
  return places.size - 1
}

/** Whether a ring is clockwise on the screen, where y points down. Also true if the area of the ring is 0. */
function isClockwise(ring: readonly number[]): boolean {
  let area = 0
  let before = ring.length - 2
  for (let at = 0; at < ring.length; at += 2) {
    area += (ring[at] - ring[before]) * (ring[at + 1] + ring[before + 1])
    before = at
  }
  return area <= 0
}

function reverse(ring: number[]): void {
  for (let at = 0, other = ring.length - 2; at < other; at += 2, other -= 2) {
    const [x, y] = [ring[at], ring[at + 1]]
    ring[at] = ring[other]
    ring[at + 1] = ring[other + 1]
    ring[other] = x
    ring[other + 1] = y
  }
}
