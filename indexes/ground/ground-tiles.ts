// Makes vector tiles from features, one cell of the map after another. The cell with the most features determines how
// much memory is needed. Zoom-8 cells are cut into the tiles of zooms 8 to 10, and zoom-11 cells into the tiles of
// zooms 11 to 14.
import { zxyToTileId } from 'pmtiles'
import { GROUND_KINDS, GROUND_LAYERS } from '../../loaders/osm/ground-kinds.ts'
import type { KeptArea } from '../../loaders/osm/kept-area.ts'
import type { StringPool } from '../../loaders/strings.ts'
import { CellCutter } from './cell-cutter.ts'
import type { GroundFeatures } from './ground-features.ts'
import { touchesKept } from './plane.ts'
import { MOST_ZOOM, type Square, sideAt, TILE_MARGIN } from './tile-grid.ts'

/**
 * `cellZoom` is the zoom of the cells and of the first tiles made from them. `mostZoom` is the zoom of the last tiles.
 */
const CELLS = [
  { cellZoom: 8, mostZoom: 10 },
  { cellZoom: 11, mostZoom: MOST_ZOOM },
]
/** Number of features after which progress is reported. */
const FEATURES_A_STEP = 100_000

/** The input for `makeTiles`. */
export interface TileSource {
  readonly features: GroundFeatures
  readonly names: StringPool
  /** The area in which tiles are made; everywhere if undefined. */
  readonly kept: KeptArea | undefined
  /**
   * Whether to make the tiles of the cell at this zoom, column and row. If undefined, the tiles of all cells are made.
   */
  readonly holds?: ((zoom: number, x: number, y: number) => boolean) | undefined
}

/**
 * Makes all tiles that are not empty.
 * @param add called with each tile and its PMTiles id
 * @param onStep called from time to time with the fraction that is done
 */
export function makeTiles(
  { features, names, kept, holds }: TileSource,
  add: (id: number, tile: Uint8Array<ArrayBuffer>) => void,
  onStep: (part: number) => void = () => {},
): void {
  const cutter = new CellCutter({
    features,
    names,
    isKept: (tile) => kept === undefined || touchesKept(kept, boxOf(tile)),
    add: ({ zoom, x, y }, bytes) => add(zxyToTileId(zoom, x, y), bytes),
  })
  const order = drawingOrder(features)
  for (const [round, { cellZoom, mostZoom }] of CELLS.entries()) {
    const cells = listCells(features, order, { cellZoom, mostZoom })
    const count = cells.size
    let since = 0
    for (const [id, numbers] of cells) {
      const cell = { zoom: cellZoom, x: id % 2 ** cellZoom, y: Math.floor(id / 2 ** cellZoom) }
      if (holds?.(cell.zoom, cell.x, cell.y) !== false) cutter.cut(cell, numbers, mostZoom)
      cells.delete(id)
      since += numbers.length
      if (since < FEATURES_A_STEP) continue
      since = 0
      onStep((round + 1 - cells.size / count) / CELLS.length)
    }
  }
}

function boxOf({ zoom, x, y }: Square) {
  const side = sideAt(zoom)
  return { minX: x * side, minY: y * side, maxX: (x + 1) * side, maxY: (y + 1) * side }
}

/**
 * The features in drawing order: by layer, then by the lowest zoom at which they are drawn. Large areas are drawn from
 * a lower zoom on, so they end up below small ones.
 */
function drawingOrder(features: GroundFeatures): number[] {
  const ranks: number[][] = []
  for (let feature = 0; feature < features.count; feature++) {
    const layer = GROUND_LAYERS.indexOf(GROUND_KINDS[features.kind[feature]].layer)
    const rank = layer * (MOST_ZOOM + 1) + features.leastZoom[feature]
    ranks[rank] ??= []
    ranks[rank].push(feature)
  }
  return ranks.flat()
}

/** Cell → the features in it, in drawing order. A cell has the number row × columns + column. */
function listCells(
  { leastZoom, boxes }: GroundFeatures,
  order: readonly number[],
  { cellZoom, mostZoom }: (typeof CELLS)[number],
): Map<number, number[]> {
  const cells = new Map<number, number[]>()
  const count = 2 ** cellZoom
  const side = sideAt(cellZoom)
  const cellAt = (value: number) => Math.max(0, Math.min(count - 1, Math.floor(value)))
  for (const feature of order) {
    if (leastZoom[feature] > mostZoom) continue
    const box = 4 * feature
    const lastX = cellAt(boxes[box + 2] / side + TILE_MARGIN)
    const lastY = cellAt(boxes[box + 3] / side + TILE_MARGIN)
    for (let y = cellAt(boxes[box + 1] / side - TILE_MARGIN); y <= lastY; y++) {
      for (let x = cellAt(boxes[box] / side - TILE_MARGIN); x <= lastX; x++) {
        cells.getOrInsertComputed(y * count + x, () => []).push(feature)
      }
    }
  }
  return cells
}
