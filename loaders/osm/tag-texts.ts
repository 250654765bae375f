// Texts of tags in a pool. Elements refer to texts by their number in the block, so each text is decoded once per
// block.
import { EMPTY_STRING, type StringIndex, type StringPool, StringPoolBuilder } from '../strings.ts'
import type { TagReader } from './tag-reader.ts'

/** Collects the texts of the elements that a reader takes. */
export class TagTexts {
  private readonly tags: TagReader
  private readonly pool = new StringPoolBuilder()
  /** Text of the current block, by its number there → its number in the pool. */
  private readonly known = new Map<number, StringIndex>()

  constructor(tags: TagReader) {
    this.tags = tags
  }

  /** Begins a block, as the reader does. */
  open(): void {
    this.known.clear()
  }

  /** The value of a key of the element; the empty text if the element does not have it. */
  of(key: number): StringIndex {
    const text = this.tags.valueOf(key)
    if (text === undefined) return EMPTY_STRING
    return this.known.getOrInsertComputed(text, () => this.pool.internText(this.tags.text(key) ?? ''))
  }

  seal(): StringPool {
    return this.pool.seal()
  }
}
