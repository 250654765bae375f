// Points or boxes that are replaced while the service runs, in an R-tree (rbush). Entries are identified by number.
import RBush, { type BBox } from 'rbush'
import type { BoxSearch, PointColumns } from './point-tree.ts'

/**
 * Maximum number of entries per node. Trees with 16 entries load faster than trees with rbush's default of 9, and are
 * as fast to search: 1 000 points load in 0.05 ms, 5 000 in 0.8 ms.
 */
const ENTRIES_PER_NODE = 16

/** The box around an item, and the item's number. */
export interface NumberedBox extends BBox {
  readonly index: number
}

/** Builds the tree of the points. */
export function openMovingPoints<I extends number>({ lat, lon }: PointColumns<I>): BoxSearch {
  const spots: NumberedBox[] = []
  for (let index = 0 as I; index < lat.length; index++) {
    const [x, y] = [lon[index], lat[index]]
    spots.push({ minX: x, minY: y, maxX: x, maxY: y, index })
  }
  return openBoxes(spots)
}

/** Builds a tree of boxes. */
export function openBoxes(boxes: readonly NumberedBox[]): BoxSearch {
  const tree = new RBush<NumberedBox>(ENTRIES_PER_NODE).load(boxes)
  return {
    search(minX, minY, maxX, maxY, visit) {
      for (const { index } of tree.search({ minX, minY, maxX, maxY })) visit(index)
    },
  }
}
