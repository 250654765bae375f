// Stores the texts of tags in a pool. Elements refer to texts by their number in the block, so each text is decoded
// only once per block.
import { EMPTY_STRING, type StringIndex, type StringPool, StringPoolBuilder } from '../strings.ts'
import type { TagReader } from './tag-reader.ts'

/** Collects texts of the elements that a TagReader reads. */
export class TagTexts {
  private readonly tags: TagReader
  private readonly pool = new StringPoolBuilder()
  /** Number of a text in the current block → its number in the pool. */
  private readonly known = new Map<number, StringIndex>()

  constructor(tags: TagReader) {
    this.tags = tags
  }

  /** Forgets the texts of the last block. Call it whenever the TagReader opens a block. */
  open(): void {
    this.known.clear()
  }

  /** The value of the current element's tag with this key; the empty text if the element does not have the key. */
  of(key: number): StringIndex {
    const text = this.tags.valueOf(key)
    if (text === undefined) return EMPTY_STRING
    return this.known.getOrInsertComputed(text, () => this.pool.internText(this.tags.text(key) ?? ''))
  }

  seal(): StringPool {
    return this.pool.seal()
  }
}
