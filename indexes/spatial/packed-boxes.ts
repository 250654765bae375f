// Boxes around items that are numbered along a curve. There is one box per eight items (level 0), one per eight boxes
// of level 0 (level 1), and so on, up to one box for all. This takes about two bytes per item. A search finds the
// groups of eight items whose boxes touch a given box.
//
//   items   |0 … 7|8 … 15| …
//   boxes   south, west, north, east of each box; the boxes of level 0, then those of level 1, …
import { type Column, sealColumn } from '../../loaders/columns.ts'

/** Number of items, or of boxes, in a group. */
export const BOX_GROUP = 8
const BOX_NUMBERS = 4

/** A box in units of 1e-7 degrees. */
export interface UnitBox {
  readonly south: number
  readonly west: number
  readonly north: number
  readonly east: number
}

/** The boxes of all levels, starting with those around items. */
export type PackedBoxes = Column<number>

/**
 * Builds the boxes.
 * @param boxOf writes the southern, western, northern and eastern limits of an item to `box`
 */
export function buildPackedBoxes(count: number, boxOf: (thing: number, box: Int32Array) => void): PackedBoxes {
  const levels = levelSizes(count)
  const boxes = new Int32Array(levels.reduce((sum, size) => sum + size, 0) * BOX_NUMBERS)
  const own = new Int32Array(BOX_NUMBERS)
  let at = 0
  let below = 0
  for (const [level, size] of levels.entries()) {
    const belowSize = level === 0 ? count : levels[level - 1]
    for (let group = 0; group < size; group++, at += BOX_NUMBERS) {
      boxes.fill(2 ** 31 - 1, at, at + 2)
      boxes.fill(-(2 ** 31), at + 2, at + BOX_NUMBERS)
      const end = Math.min((group + 1) * BOX_GROUP, belowSize)
      for (let child = group * BOX_GROUP; child < end; child++) {
        if (level === 0) boxOf(child, own)
        else
          for (let number = 0; number < BOX_NUMBERS; number++)
            own[number] = boxes[(below + child) * BOX_NUMBERS + number]
        boxes[at] = Math.min(boxes[at], own[0])
        boxes[at + 1] = Math.min(boxes[at + 1], own[1])
        boxes[at + 2] = Math.max(boxes[at + 2], own[2])
        boxes[at + 3] = Math.max(boxes[at + 3], own[3])
      }
    }
    if (level > 0) below += belowSize
  }
  return sealColumn(boxes)
}

/** Number of boxes on each level, up to the level with a single box. */
function levelSizes(count: number): number[] {
  const sizes: number[] = []
  for (let size = count; size > 0; ) {
    size = Math.ceil(size / BOX_GROUP)
    sizes.push(size)
    if (size === 1) break
  }
  return sizes
}

/** Searches the boxes. The memory is reused, so only one search can run at a time. */
export class BoxSearch {
  private readonly boxes: PackedBoxes
  private readonly count: number
  private readonly levels: readonly number[]
  /** Level → its first box. */
  private readonly firstBox: readonly number[]
  private readonly waiting: number[] = []

  constructor(boxes: PackedBoxes, count: number) {
    this.boxes = boxes
    this.count = count
    this.levels = levelSizes(count)
    let first = 0
    this.firstBox = this.levels.map((size) => {
      first += size
      return first - size
    })
  }

  /** Calls `visit` with each group of items whose box touches the given box. */
  eachGroup({ south, west, north, east }: UnitBox, visit: (first: number, end: number) => void): void {
    const { boxes, levels, firstBox, waiting } = this
    if (levels.length === 0) return
    waiting.push(levels.length - 1, 0)
    while (waiting.length > 0) {
      const group = waiting.pop() ?? 0
      const level = waiting.pop() ?? 0
      const at = (firstBox[level] + group) * BOX_NUMBERS
      if (boxes[at] > north || boxes[at + 1] > east || boxes[at + 2] < south || boxes[at + 3] < west) continue
      const first = group * BOX_GROUP
      if (level === 0) {
        visit(first, Math.min(first + BOX_GROUP, this.count))
        continue
      }
      const end = Math.min(first + BOX_GROUP, levels[level - 1])
      for (let child = first; child < end; child++) waiting.push(level - 1, child)
    }
  }
}
