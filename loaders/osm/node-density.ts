// Counts the nodes of extracts in squares of a tenth of a degree, to find out which squares have the most nodes. Also
// records the bounding box and the range of ids of the nodes in each block.
import { BlockRanges } from './block-ranges.ts'
import type { KeptArea, KeptBox } from './kept-area.ts'
import { NodeExtents } from './node-extents.ts'
import { type ExtractBytes, PbfFile } from './pbf.ts'
import { HAS_NODES } from './pbf-block.ts'

/** Side of a square, in units of 1e-7 degrees. */
const SIDE_UNITS = 1_000_000
const ROWS = 1_800
const COLUMNS = 3_600

/** A square that contains nodes. */
export interface NodeSquare {
  readonly box: KeptBox
  readonly count: number
}

/** The number of nodes in each square, and the bounding box of the nodes in each block. */
export interface NodeDensity {
  /** The squares that have nodes in the kept area, from south to north and from west to east. */
  readonly squares: readonly NodeSquare[]
  /** For each file: the bounding box of the nodes in each of its blocks. */
  readonly extents: readonly NodeExtents[]
}

/** Counts the nodes in the kept area. Throws ExtractRefused if an extract cannot be used. */
export function countNodes(sources: readonly ExtractBytes[], kept: KeptArea): NodeDensity {
  const counts = new Uint32Array(ROWS * COLUMNS)
  const extents = sources.map((source) => {
    const file = new PbfFile(source)
    const extent = new NodeExtents(file.blockCount)
    new BlockRanges(file).eachBlock(HAS_NODES, (block, number) => {
      const nodes = block.nodes()
      extent.note(number, nodes)
      const { count, lat, lon } = nodes
      for (let node = 0; node < count; node++) {
        if (!kept.has(lat[node], lon[node])) continue
        const row = Math.min(ROWS - 1, Math.floor(lat[node] / SIDE_UNITS) + ROWS / 2)
        counts[row * COLUMNS + ((Math.floor(lon[node] / SIDE_UNITS) + COLUMNS / 2) % COLUMNS)]++
      }
    })
    return extent
  })
  return { squares: listSquares(counts), extents }
}

function listSquares(counts: Uint32Array): NodeSquare[] {
  const squares: NodeSquare[] = []
  for (let at = 0; at < counts.length; at++) {
    if (counts[at] === 0) continue
    const south = (Math.floor(at / COLUMNS) - ROWS / 2) * SIDE_UNITS
    const west = ((at % COLUMNS) - COLUMNS / 2) * SIDE_UNITS
    squares.push({ box: { south, west, north: south + SIDE_UNITS, east: west + SIDE_UNITS }, count: counts[at] })
  }
  return squares
}
