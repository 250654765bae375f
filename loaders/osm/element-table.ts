// Elements of one kind from one block, with ids and tags as columns. pbf-elements.ts fills the table, and clears it
// for the next block.
import { ReusedArray } from './reused-array.ts'

/** Elements of one kind. Valid until the next block is opened. */
export interface ElementColumns {
  readonly count: number
  readonly id: Float64Array
  /** Element → its first index in `tags`; has one extra entry. */
  readonly tagOffset: Uint32Array
  /** Numbers of strings in the block: a key, its value, the next key, and so on. */
  readonly tags: Uint32Array
}

/** Collects elements in columns. */
export class ElementTable {
  count = 0
  readonly id = new ReusedArray(Float64Array)
  private readonly tagOffset = new ReusedArray(Uint32Array)
  private readonly tags = new ReusedArray(Uint32Array)
  private tagRows = 0

  clear(): void {
    this.count = 0
    this.tagRows = 0
  }

  /** Adds a tag to the current element. */
  addTag(key: number, value: number): void {
    const tags = this.tags.atLeast(this.tagRows + 2)
    tags[this.tagRows++] = key
    tags[this.tagRows++] = value
  }

  /** Ends the current element, whose id is already in `id`. */
  endElement(): void {
    this.tagOffset.atLeast(this.count + 2)[++this.count] = this.tagRows
  }

  columns(): ElementColumns {
    const tagOffset = this.tagOffset.array
    tagOffset[0] = 0
    return { count: this.count, id: this.id.array, tagOffset, tags: this.tags.array }
  }
}
