// Memory that is reused for one block after another. It grows to the size of the largest block.

type ReusedKind = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

/**
 * A typed array that never shrinks. If an earlier block was larger, the array still contains some of that block's
 * values, after those of the current block.
 */
export class ReusedArray<A extends ReusedKind> {
  array: A
  private readonly kind: new (
    length: number,
  ) => A

  constructor(kind: new (length: number) => A) {
    this.kind = kind
    this.array = new kind(1024)
  }

  /**
   * Returns the array, with room for at least `length` values. Existing values are kept. If the array had to grow,
   * arrays that were returned earlier are outdated.
   */
  atLeast(length: number): A {
    if (length > this.array.length) {
      const wider = new this.kind(Math.max(2 * this.array.length, Math.ceil(length)))
      wider.set(this.array)
      this.array = wider
    }
    return this.array
  }
}
