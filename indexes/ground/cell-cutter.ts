// Cuts the features of a cell into tiles. First, the lines of the features are simplified, once for all zooms. Then the
// cell is cut into quarters, these into quarters again, and so on, until the quarters are tiles of the last zoom. This
// is the method of geojson-vt. A test checks that the tiles are identical to those of geojson-vt, byte for byte.
import type { StringPool } from '../../loaders/strings.ts'
import { CellTags } from './cell-tags.ts'
import { clipPieces, type Strip } from './clip.ts'
import type { GroundFeatures } from './ground-features.ts'
import { PieceStack, type Pieces } from './piece-stack.ts'
import type { PlanePoint } from './plane.ts'
import { EXTENT, MOST_ZOOM, type Square, sideAt, TILE_MARGIN } from './tile-grid.ts'
import { TileWriter } from './tile-writer.ts'

/** Maximum distance between a point and the simplified line, in tile units (see EXTENT). */
const TOLERANCE = 3

/** The features to cut, and the options for cutting. */
export interface Cutting {
  readonly features: GroundFeatures
  readonly names: StringPool
  /** Whether to make a tile and the tiles within it. */
  readonly isKept: (tile: Square) => boolean
  readonly add: (tile: Square, bytes: Uint8Array<ArrayBuffer>) => void
}

/** Cuts one cell after another. The arrays are reused for the next cell. */
export class CellCutter {
  private readonly cutting: Cutting
  private readonly stack = new PieceStack(toleranceAt(MOST_ZOOM) ** 2)
  private readonly writer: TileWriter

  constructor(cutting: Cutting) {
    this.cutting = cutting
    this.writer = new TileWriter(cutting.features, this.stack)
  }

  /**
   * Makes the tiles of a cell, from the zoom of the cell to `mostZoom`.
   * @param numbers the numbers of the features in the cell, in drawing order
   */
  cut(cell: Square, numbers: readonly number[], mostZoom: number): void {
    const { stack } = this
    const { features, names } = this.cutting
    const side = sideAt(cell.zoom)
    const corner = { x: cell.x * side, y: cell.y * side }
    stack.clear()
    for (const feature of numbers) stack.addFeature(features, feature, corner)
    const tags = new CellTags(features, names)
    const all = { from: 0, to: stack.pieceCount }
    this.cutTile(
      { ...cell, corner, mostZoom, tags },
      this.clip(this.clip(all, stripOf(0, 0, side)), stripOf(1, 0, side)),
    )
  }

  /** Makes a tile from its pieces, then the tiles of its four quarters. */
  private cutTile(tile: CellTile, pieces: Pieces): void {
    const { zoom, x, y, corner, mostZoom, tags } = tile
    if (pieces.from === pieces.to || !this.cutting.isKept(tile)) return
    const side = sideAt(zoom)
    const [left, top] = [x * side - corner.x, y * side - corner.y]
    const tolerance = zoom === MOST_ZOOM ? 0 : toleranceAt(zoom)
    const bytes = this.writer.write(pieces, { zoom, x: left, y: top, side, tolerance, tags })
    if (bytes !== undefined) this.cutting.add(tile, bytes)
    if (zoom === mostZoom) return
    const half = side / 2
    for (const column of [0, 1]) {
      const { height } = this.stack
      const halves = this.clip(pieces, stripOf(0, left + column * half, half))
      for (const row of [0, 1]) {
        const { height: halfHeight } = this.stack
        const quarter = { ...tile, zoom: zoom + 1, x: 2 * x + column, y: 2 * y + row }
        this.cutTile(quarter, this.clip(halves, stripOf(1, top + row * half, half)))
        this.stack.dropTo(halfHeight)
      }
      this.stack.dropTo(height)
    }
  }

  private clip(pieces: Pieces, strip: Strip): Pieces {
    return clipPieces(this.stack, pieces, strip)
  }
}

/** A tile, and the data of the cell from which it is cut. */
interface CellTile extends Square {
  readonly tags: CellTags
  /** The upper left corner of the cell on the plane. */
  readonly corner: PlanePoint
  readonly mostZoom: number
}

/** The strip that contains a tile and its margin, along one axis. */
function stripOf(axis: 0 | 1, low: number, side: number): Strip {
  const margin = side * TILE_MARGIN
  return { axis, low: low - margin, high: low + side + margin }
}

/** The tolerance for simplification at a zoom, in units of the plane. */
function toleranceAt(zoom: number): number {
  return (TOLERANCE * sideAt(zoom)) / EXTENT
}
