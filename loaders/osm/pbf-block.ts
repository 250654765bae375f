// One block of an extract: its strings, and its elements as columns. There is no object per element, and the memory is
// reused for the next block.
//
//   strings         0 ""   1 highway   2 footway …
//   ways().id         4711       4712 …
//   ways().tagOffset  0          4      …
//   ways().tags       1 2  5 9 | 1 7 …            (key, value)
import type { ElementColumns } from './element-table.ts'
import {
  GROUP_DENSE,
  GROUP_NODE,
  GROUP_RELATION,
  GROUP_WAY,
  type MemberColumns,
  type NodeColumns,
  NodeReader,
  RelationReader,
  WayReader,
} from './pbf-elements.ts'
import { BYTES, bytesTag, varintTag, WireBroken, WireCursor } from './pbf-wire.ts'
import { ReusedArray } from './reused-array.ts'
import type { WordTable } from './word-table.ts'

/** The kinds of elements in a block, as bits. */
export const HAS_NODES = 1
export const HAS_WAYS = 2
export const HAS_RELATIONS = 4

const CONTENTS: Readonly<Record<number, number>> = {
  [GROUP_NODE]: HAS_NODES,
  [GROUP_DENSE]: HAS_NODES,
  [GROUP_WAY]: HAS_WAYS,
  [GROUP_RELATION]: HAS_RELATIONS,
}
const DEFAULT_GRANULARITY = 100

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** A block. The object is reused for each block of a file. Methods throw WireBroken if the bytes violate the format. */
export class PbfBlock {
  /** Sum of HAS_NODES, HAS_WAYS and HAS_RELATIONS. */
  contents = 0
  stringCount = 0
  cursor = new WireCursor(new Uint8Array(0))
  /** In nanodegrees: coordinate = offset + granularity × stored number. */
  granularity = DEFAULT_GRANULARITY
  latOffset = 0
  lonOffset = 0
  private readonly stringStart = new ReusedArray(Uint32Array)
  private readonly stringEnd = new ReusedArray(Uint32Array)
  /** Start and end of each group of elements. */
  private readonly groups: number[] = []
  private readonly words = new ReusedArray(Uint16Array)
  private readonly nodeReader = new NodeReader(this)
  private readonly wayReader = new WayReader(this)
  private readonly relationReader = new RelationReader(this)

  /** Opens a block from its unpacked bytes. */
  open(bytes: Uint8Array): void {
    const cursor = new WireCursor(bytes)
    this.cursor = cursor
    this.contents = 0
    this.stringCount = 0
    this.groups.length = 0
    this.granularity = DEFAULT_GRANULARITY
    this.latOffset = 0
    this.lonOffset = 0
    for (let tag = cursor.tag(); tag !== 0; tag = cursor.tag()) {
      if (tag === bytesTag(1)) this.readStrings()
      else if (tag === bytesTag(2)) this.readGroup()
      else if (tag === varintTag(17)) this.granularity = cursor.unsigned()
      else if (tag === varintTag(19)) this.latOffset = cursor.signed()
      else if (tag === varintTag(20)) this.lonOffset = cursor.signed()
      else cursor.skip(tag)
    }
  }

  /** The string with this number. */
  text(string: number): string {
    return decoder.decode(this.textBytes(string))
  }

  /** The bytes of the string with this number. Valid until the next block is opened. */
  textBytes(string: number): Uint8Array {
    return this.cursor.bytes.subarray(this.stringStart.array[string], this.stringEnd.array[string])
  }

  /**
   * Number of a string → its number in a word table; 0 if the table does not contain the string. Valid until `wordsOf`
   * is called again.
   */
  wordsOf(table: WordTable): Uint16Array {
    const words = this.words.atLeast(this.stringCount)
    const [start, end] = [this.stringStart.array, this.stringEnd.array]
    for (let string = 0; string < this.stringCount; string++) {
      words[string] = table.find(this.cursor.bytes, start[string], end[string])
    }
    return words
  }

  nodes(): NodeColumns {
    return this.nodeReader.read()
  }

  ways(): ElementColumns {
    return this.wayReader.read()
  }

  /** The ids of a way's nodes: the first `count` values of `id`. Valid until `refsOf` is called again. */
  refsOf(way: number): { readonly id: Float64Array; readonly count: number } {
    return this.wayReader.refsOf(way)
  }

  /** The ids that `refsOf` returns, as packed bytes for callers that store them. Valid until the next block is opened. */
  refBytes(way: number): Uint8Array {
    return this.wayReader.refBytes(way)
  }

  relations(): ElementColumns {
    return this.relationReader.read()
  }

  /** The members of a relation in `relations()`. Valid until `membersOf` is called again. */
  membersOf(relation: number): MemberColumns {
    return this.relationReader.membersOf(relation)
  }

  /** Returns its argument, the number of a string. Throws WireBroken if the block has no such string. */
  checked(string: number): number {
    if (string >= this.stringCount)
      throw new WireBroken(`an element refers to string ${string}, but its block has only ${this.stringCount} strings`)
    return string
  }

  /**
   * Calls `read` with the tag of every element or list of elements. While `read` runs, `cursor.end` is the end of that
   * element or list.
   */
  eachElement(read: (tag: number) => void): void {
    const { cursor, groups } = this
    for (let group = 0; group < groups.length; group += 2) {
      cursor.moveTo(groups[group], groups[group + 1])
      for (let tag = cursor.tag(); tag !== 0; tag = cursor.tag()) {
        if ((tag & 7) !== BYTES) {
          cursor.skip(tag)
          continue
        }
        const end = cursor.fieldEnd()
        cursor.end = end
        read(tag)
        cursor.moveTo(end, groups[group + 1])
      }
    }
  }

  private readStrings(): void {
    const { cursor } = this
    const outer = cursor.end
    const end = cursor.fieldEnd()
    cursor.end = end
    // Every string takes at least two bytes, so the number of strings is at most half the number of bytes.
    const room = this.stringCount + (end - cursor.at) / 2
    const [starts, ends] = [this.stringStart.atLeast(room), this.stringEnd.atLeast(room)]
    for (let tag = cursor.tag(); tag !== 0; tag = cursor.tag()) {
      if (tag !== bytesTag(1)) {
        cursor.skip(tag)
        continue
      }
      const stringEnd = cursor.fieldEnd()
      starts[this.stringCount] = cursor.at
      ends[this.stringCount++] = stringEnd
      cursor.at = stringEnd
    }
    cursor.end = outer
  }

  private readGroup(): void {
    const { cursor } = this
    const outer = cursor.end
    const end = cursor.fieldEnd()
    this.groups.push(cursor.at, end)
    cursor.end = end
    for (let tag = cursor.tag(); tag !== 0; tag = cursor.tag()) {
      this.contents |= CONTENTS[tag] ?? 0
      cursor.skip(tag)
    }
    cursor.end = outer
  }
}
