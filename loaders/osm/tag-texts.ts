// Stores tag values in a string pool. Elements refer to strings by their numbers in the block, so each string is
// decoded only once per block.
import { EMPTY_STRING, type StringIndex, type StringPool, StringPoolBuilder } from '../strings.ts'
import type { TagReader } from './tag-reader.ts'

/** Collects tag values of the elements that a TagReader reads. */
export class TagTexts {
  private readonly tags: TagReader
  private readonly pool = new StringPoolBuilder()
  /** Number of a string in the current block → its number in the pool. */
  private readonly known = new Map<number, StringIndex>()

  constructor(tags: TagReader) {
    this.tags = tags
  }

  /** Forgets the strings of the previous block. Call it whenever the TagReader opens a block. */
  open(): void {
    this.known.clear()
  }

  /** The current element's value for this key; the empty string if the element does not have the key. */
  of(key: number): StringIndex {
    const text = this.tags.valueOf(key)
    if (text === undefined) return EMPTY_STRING
    return this.known.getOrInsertComputed(text, () => this.pool.internText(this.tags.text(key) ?? ''))
  }

  seal(): StringPool {
    return this.pool.seal()
  }
}
