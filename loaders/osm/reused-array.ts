// Memory that is reused for one block after another, and grows to the size of the largest.

type ReusedKind = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

/** A typed array that never shrinks. Rows beyond those just written contain old data. */
export class ReusedArray<A extends ReusedKind> {
  array: A
  private readonly kind: new (
    length: number,
  ) => A

  constructor(kind: new (length: number) => A) {
    this.kind = kind
    this.array = new kind(1024)
  }

  /** The array with room for this many rows. Keeps the rows; arrays returned earlier may be outdated. */
  atLeast(length: number): A {
    if (length > this.array.length) {
      const wider = new this.kind(Math.max(2 * this.array.length, Math.ceil(length)))
      wider.set(this.array)
      this.array = wider
    }
    return this.array
  }
}
