// The bounding box and the range of ids of the nodes in each block of a file. With these, a loader that needs only a
// small area skips the blocks whose nodes are all outside the area.
import type { KeptArea, KeptBox } from './kept-area.ts'
import type { NodeColumns } from './pbf-elements.ts'

/** 180° in units of 1e-7 degrees. The antimeridian counts as the westernmost longitude, as in KeptArea. */
const ANTIMERIDIAN = 1_800_000_000

/** The bounding box and the range of ids of the nodes in each block of a file. */
export class NodeExtents {
  /** Block → south, west, north, east, in units of 1e-7 degrees. */
  private readonly boxes: Int32Array
  /** Block → lowest and highest id. In a block without nodes, the lowest is above the highest. */
  private readonly ids: Float64Array

  constructor(blockCount: number) {
    this.boxes = new Int32Array(4 * blockCount)
    this.ids = new Float64Array(2 * blockCount)
    for (let block = 0; block < blockCount; block++) this.ids.set([Infinity, -Infinity], 2 * block)
  }

  note(block: number, { count, id, lat, lon }: NodeColumns): void {
    if (count === 0) return
    let [south, west, north, east] = [Infinity, Infinity, -Infinity, -Infinity]
    let [first, last] = [Infinity, -Infinity]
    for (let node = 0; node < count; node++) {
      const x = lon[node] === ANTIMERIDIAN ? -ANTIMERIDIAN : lon[node]
      south = Math.min(south, lat[node])
      north = Math.max(north, lat[node])
      west = Math.min(west, x)
      east = Math.max(east, x)
      first = Math.min(first, id[node])
      last = Math.max(last, id[node])
    }
    this.boxes.set([south, west, north, east], 4 * block)
    this.ids.set([first, last], 2 * block)
  }

  /**
   * Whether a block may have nodes in an area.
   * @param box bounding box of the area
   */
  touches(block: number, area: KeptArea, box: KeptBox): boolean {
    const { first, last } = this.idsOf(block)
    if (first > last) return false
    const [south, west, north, east] = this.boxes.subarray(4 * block, 4 * block + 4)
    const both = {
      south: Math.max(south, box.south),
      west: Math.max(west, box.west),
      north: Math.min(north, box.north),
      east: Math.min(east, box.east),
    }
    return both.south <= both.north && both.west <= both.east && area.touches(both)
  }

  /** The lowest and the highest id in a block. */
  idsOf(block: number): { readonly first: number; readonly last: number } {
    return { first: this.ids[2 * block], last: this.ids[2 * block + 1] }
  }
}
