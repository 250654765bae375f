// Stores which nodes are corners of the graph, and numbers the corners. This takes one bit per node and one count per
// 32 nodes.

const WORD_BITS = 32

/** The corners among the nodes, numbered in the order of the node rows. */
export class CornerRanks {
  readonly count: number
  private readonly bits: Uint32Array
  /** Index of a 32-bit word in `bits` → number of corners in all words before it. */
  private readonly before: Uint32Array

  constructor(rowCount: number, isCorner: (row: number) => boolean) {
    const words = Math.ceil(rowCount / WORD_BITS)
    this.bits = new Uint32Array(words)
    this.before = new Uint32Array(words)
    let count = 0
    for (let row = 0; row < rowCount; row++) {
      if (row % WORD_BITS === 0) this.before[row / WORD_BITS] = count
      if (!isCorner(row)) continue
      this.bits[row >>> 5] |= 1 << (row & 31)
      count++
    }
    this.count = count
  }

  /** The number of the corner in a row; undefined if the row is not a corner. */
  rankOf(row: number): number | undefined {
    const word = this.bits[row >>> 5]
    const bit = row & 31
    if (((word >>> bit) & 1) === 0) return undefined
    return this.before[row >>> 5] + countBits(word & ((1 << bit) - 1))
  }
}

function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x5555_5555)
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}
