// Makes the map of a large area in windows, one after the other, so that memory use does not grow with the area. A
// window consists of a few cells of zoom 8. For each window, the files are read as if they contained only the data in
// the window.
import type { KeptArea, KeptBox } from '../../loaders/osm/kept-area.ts'
import { loadGround } from '../../loaders/osm/load-ground.ts'
import { countNodes } from '../../loaders/osm/node-density.ts'
import type { NodeExtents } from '../../loaders/osm/node-extents.ts'
import type { ExtractBytes } from '../../loaders/osm/pbf.ts'
import { type BuiltGround, buildGround } from './build-ground.ts'
import { makeTiles } from './ground-tiles.ts'
import { planeX, planeY } from './plane.ts'
import { LEAST_ZOOM, sideAt, TILE_MARGIN } from './tile-grid.ts'

/** The options for making a map. */
export interface GroundMaking {
  readonly kept: KeptArea
  readonly hasBuildings: boolean
  /** Maximum number of nodes in a window, unless a single cell has more. Each node needs about 70 bytes of memory. */
  readonly mostNodes?: number
  /**
   * Called from time to time with the name of the current step.
   * @param part fraction of the step that is done
   */
  readonly onProgress?: ((step: string, part: number) => void) | undefined
}

/** Counts for operators, summed over all windows. */
export type GroundCounts = Omit<BuiltGround, 'features'>

/** A window: a part of the area whose tiles are made separately. */
interface GroundWindow {
  readonly kept: KeptArea
  /** Whether a tile belongs to the window; if undefined, all tiles belong to it. */
  readonly holds?: (zoom: number, x: number, y: number) => boolean
}

interface GroundPlan {
  readonly windows: readonly GroundWindow[]
  /** File → the extent of the nodes in each of its blocks; undefined if the nodes were not counted. */
  readonly extents?: readonly NodeExtents[]
}

const MOST_NODES = 16_000_000
/**
 * Minimum number of bytes that a node takes in a file. If the files are too small to contain more than `mostNodes`
 * nodes, the nodes are not counted.
 */
const LEAST_BYTES_OF_NODE = 2
const CELLS = 2 ** LEAST_ZOOM
const CELL_UNITS = sideAt(LEAST_ZOOM)

/**
 * Makes all tiles of the kept area. Throws ExtractRefused if a file cannot be used.
 * @param add called with each tile and its PMTiles id
 */
export function makeGroundTiles(
  sources: readonly ExtractBytes[],
  { kept, hasBuildings, mostNodes = MOST_NODES, onProgress = () => {} }: GroundMaking,
  add: (id: number, tile: Uint8Array<ArrayBuffer>) => void,
): GroundCounts {
  const { windows, extents } = planWindows(sources, kept, mostNodes)
  const counts = { openAreas: 0, brokenCoasts: 0, floodedSeas: 0 }
  for (const [at, window] of windows.entries()) {
    const label = windows.length === 1 ? '' : `, window ${at + 1} of ${windows.length}`
    const onPart = (step: string, part: number) => onProgress(`${step}${label}`, part)
    const loaded = loadGround(sources, { kept: window.kept, hasBuildings, extents, onProgress: onPart })
    const { features, ...found } = buildGround(loaded, window.kept)
    makeTiles({ features, names: loaded.names, kept, holds: window.holds }, add, (part) => onPart('tiles', part))
    counts.openAreas += found.openAreas
    counts.brokenCoasts += found.brokenCoasts
    counts.floodedSeas += found.floodedSeas
  }
  return counts
}

/**
 * Groups cells of zoom 8, row by row, into windows with at most `mostNodes` nodes. A cell with more nodes is a window
 * of its own.
 */
function planWindows(sources: readonly ExtractBytes[], kept: KeptArea, mostNodes: number): GroundPlan {
  const bytes = sources.reduce((sum, { byteLength }) => sum + byteLength, 0)
  if (bytes <= mostNodes * LEAST_BYTES_OF_NODE) return { windows: [{ kept }] }
  const nodesOfCell = new Map<number, number>()
  const count = (box: KeptBox, nodes: number) => {
    for (const cell of cellsOf(box)) nodesOfCell.set(cell, (nodesOfCell.get(cell) ?? 0) + nodes)
  }
  // Cells without nodes need tiles too, because they may be sea.
  kept.eachBox((box) => count(box, 0))
  const { squares, extents } = countNodes(sources, kept)
  for (const square of squares) count(square.box, square.count)
  const windows: Set<number>[] = []
  let nodes = Infinity
  for (const [cell, more] of [...nodesOfCell].sort(([a], [b]) => a - b)) {
    if (nodes + more > mostNodes) {
      windows.push(new Set())
      nodes = 0
    }
    windows[windows.length - 1].add(cell)
    nodes += more
  }
  return { windows: windows.length === 1 ? [{ kept }] : windows.map((cells) => toWindow(kept, cells)), extents }
}

function toWindow(kept: KeptArea, cells: ReadonlySet<number>): GroundWindow {
  return {
    kept: kept.within((box) => cellsOf(box).some((cell) => cells.has(cell))),
    holds: (zoom, x, y) => cells.has(cellOf(x, y, zoom)),
  }
}

/** The cells of zoom 8 that a box touches. The margin of a cell counts as part of the cell. */
function cellsOf({ south, west, north, east }: KeptBox): number[] {
  const margin = CELL_UNITS * TILE_MARGIN
  const at = (value: number) => Math.max(0, Math.min(CELLS - 1, Math.floor(value / CELL_UNITS)))
  const cells: number[] = []
  for (let y = at(planeY(north) - margin); y <= at(planeY(south) + margin); y++) {
    for (let x = at(planeX(west) - margin); x <= at(planeX(east) + margin); x++) cells.push(y * CELLS + x)
  }
  return cells
}

/** The cell of zoom 8 that contains a tile. */
function cellOf(x: number, y: number, zoom: number): number {
  const side = 2 ** (zoom - LEAST_ZOOM)
  return Math.floor(y / side) * CELLS + Math.floor(x / side)
}
