// Finds the blocks of an extract that contain nodes, ways or relations. In a file that is marked as sorted, these
// blocks are found by bisection, so that only the needed blocks are unpacked. The order is checked while blocks are
// read.
import { firstWhere } from '../columns.ts'
import { ExtractRefused } from './extract-refused.ts'
import type { PbfFile } from './pbf.ts'
import { HAS_NODES, HAS_RELATIONS, HAS_WAYS, type PbfBlock } from './pbf-block.ts'

/** Reads only the blocks of a file that contain one kind of element. */
export class BlockRanges {
  private readonly file: PbfFile
  /** The first block with ways or relations; the number of blocks if there is none or the file is not sorted. */
  private readonly firstWays: number
  /** The first block with relations; the number of blocks if there is none or the file is not sorted. */
  private readonly firstRelations: number

  constructor(file: PbfFile) {
    this.file = file
    this.firstWays = this.find(HAS_WAYS | HAS_RELATIONS)
    this.firstRelations = this.find(HAS_RELATIONS)
  }

  /**
   * Reads every block that contains elements of a kind, in order. The memory of a block is reused for the next one.
   * @param kind HAS_NODES, HAS_WAYS or HAS_RELATIONS
   * @param isNeeded whether to read a block; if absent, all blocks are read
   */
  eachBlock(
    kind: number,
    read: (block: PbfBlock, number: number) => void,
    isNeeded: (number: number) => boolean = () => true,
  ): void {
    const { file } = this
    const [first, end] = this.rangeOf(kind)
    for (let number = first; number < end; number++) {
      if (!isNeeded(number)) continue
      const block = file.readBlock(number)
      if (file.header.isSorted) this.checkPlace(block, number)
      if (block.contents & kind) file.reading(number, () => read(block, number))
    }
  }

  private find(kinds: number): number {
    const { file } = this
    const { blockCount } = file
    if (!file.header.isSorted) return blockCount
    return firstWhere<number>(0, blockCount, (number) => (file.readBlock(number).contents & kinds) !== 0)
  }

  /**
   * The range of blocks that may contain a kind of element. A block may contain the last elements of one kind and the
   * first of the next.
   */
  private rangeOf(kind: number): [first: number, end: number] {
    const { file, firstWays, firstRelations } = this
    const all = file.blockCount
    if (!file.header.isSorted) return [0, all]
    if (kind === HAS_NODES) return [0, Math.min(firstWays + 1, all)]
    return kind === HAS_WAYS ? [firstWays, Math.min(firstRelations + 1, all)] : [firstRelations, all]
  }

  /**
   * Throws if a block has elements of a kind that its position in the file does not allow. Nodes, ways and relations
   * are read in separate passes. Together, these passes read every block, so every such error is found.
   */
  private checkPlace({ contents }: PbfBlock, number: number): void {
    const { file, firstWays, firstRelations } = this
    const isNodeLate = number > firstWays && (contents & HAS_NODES) !== 0
    const isWayEarly = number < firstWays && (contents & (HAS_WAYS | HAS_RELATIONS)) !== 0
    const isWayLate = number > firstRelations && (contents & HAS_WAYS) !== 0
    const isRelationEarly = number < firstRelations && (contents & HAS_RELATIONS) !== 0
    if (!isNodeLate && !isWayEarly && !isWayLate && !isRelationEarly) return
    const what = 'the file is marked as sorted, but is not; sort it: osmium sort in.osm.pbf -o out.osm.pbf'
    throw new ExtractRefused('damaged', { file: file.name, byte: file.byteOf(number), what })
  }
}
