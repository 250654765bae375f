// Counts the nodes of extracts by squares of a tenth of a degree, which shows how much of the map is where.
import { BlockRanges } from './block-ranges.ts'
import type { KeptArea, KeptBox } from './kept-area.ts'
import { type ExtractBytes, PbfFile } from './pbf.ts'
import { HAS_NODES } from './pbf-block.ts'

/** Squares have sides of this many units of 1e-7 degrees. */
const SIDE_UNITS = 1_000_000
const ROWS = 1_800
const COLUMNS = 3_600

/** A square with nodes. */
export interface NodeSquare {
  readonly box: KeptBox
  readonly count: number
}

/** The squares that have nodes in the kept area, from south to north and from west to east. Throws ExtractRefused. */
export function countNodes(sources: readonly ExtractBytes[], kept: KeptArea): NodeSquare[] {
  const counts = new Uint32Array(ROWS * COLUMNS)
  for (const source of sources) {
    new BlockRanges(new PbfFile(source)).eachBlock(HAS_NODES, (block) => {
      const { count, lat, lon } = block.nodes()
      for (let node = 0; node < count; node++) {
        if (!kept.has(lat[node], lon[node])) continue
        const row = Math.min(ROWS - 1, Math.floor(lat[node] / SIDE_UNITS) + ROWS / 2)
        counts[row * COLUMNS + ((Math.floor(lon[node] / SIDE_UNITS) + COLUMNS / 2) % COLUMNS)]++
      }
    })
  }
  const squares: NodeSquare[] = []
  for (let at = 0; at < counts.length; at++) {
    if (counts[at] === 0) continue
    const south = (Math.floor(at / COLUMNS) - ROWS / 2) * SIDE_UNITS
    const west = ((at % COLUMNS) - COLUMNS / 2) * SIDE_UNITS
    squares.push({ box: { south, west, north: south + SIDE_UNITS, east: west + SIDE_UNITS }, count: counts[at] })
  }
  return squares
}
