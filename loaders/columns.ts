// The column types of the whole house: typed arrays that take only their own kind of index.
// A relation between things that come in thousands is a column here, never an array of objects.

declare const brand: unique symbol

/** An integer that numbers one kind of thing, from 0. Free at run time. */
export type Index<Of extends string> = number & { readonly [brand]: Of }

/** A read-only typed array that takes only its own kind of index. */
export type Column<I extends number, Value extends number = number> = {
  readonly [index in I]: Value
} & { readonly length: number }

/** What a column is made of in memory and in a snapshot file. */
export type TypedArray =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array

/** "None" in a column of unsigned 32-bit indexes: no row is ever numbered so. */
export const NONE = 0xffff_ffff

/** "None" in a column of unsigned 8-bit values. */
export const NONE_U8 = 0xff

/** The index after another: of the next row, and of where this row's group ends in a column of offsets. */
export function nextIndex<I extends number>(index: I): I {
  return (index + 1) as I
}

/** The first index from `low` on that is past some limit, as all behind it are; `high` if none before it is. Found by halving. */
export function firstWhere<I extends number>(low: I, high: I, isPast: (index: I) => boolean): I {
  while (low < high) {
    const middle = ((low + high) >>> 1) as I
    if (isPast(middle)) high = middle
    else low = nextIndex(middle)
  }
  return low
}

/** The values of a row, where lists of lists are two columns: offsets, one longer than the rows, and values. */
export function valuesOf<I extends number, Value extends number>(
  row: I,
  offsets: Column<I>,
  values: Column<number, Value>,
): Value[] {
  const list: Value[] = []
  const end = offsets[nextIndex(row)]
  for (let at = offsets[row]; at < end; at++) list.push(values[at])
  return list
}

/** Gives a filled array its index and value types. The one place where a column is cast. */
export function sealColumn<I extends number, Value extends number = number>(array: TypedArray): Column<I, Value> {
  return array as unknown as Column<I, Value>
}

/** The array beneath a column, for code that writes files or copies ranges. Never to be written to. */
export function columnArray(column: { readonly length: number }): TypedArray {
  return column as TypedArray
}

type GrowingArray = Uint8Array | Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array

interface ArrayKind<A extends GrowingArray> {
  new (length: number): A
}

/**
 * A column under construction, for rows whose number is not known beforehand.
 * Doubles its array when full; `seal` trims it to length once.
 */
export class GrowingColumn<A extends GrowingArray> {
  length = 0
  private array: A
  private readonly kind: ArrayKind<A>

  constructor(kind: ArrayKind<A>, capacity = 1024) {
    this.kind = kind
    this.array = new kind(capacity)
  }

  push(value: number): void {
    if (this.length === this.array.length) this.grow()
    this.array[this.length++] = value
  }

  at(index: number): number {
    return this.array[index]
  }

  set(index: number, value: number): void {
    this.array[index] = value
  }

  /** The rows so far, as a view that a later push may leave behind. */
  view(): A {
    return this.array.subarray(0, this.length) as A
  }

  /** The rows as a column, in an array of exactly their number. */
  seal<I extends number, Value extends number>(): Column<I, Value> {
    return sealColumn(this.array.length === this.length ? this.array : this.array.slice(0, this.length))
  }

  private grow(): void {
    const wider = new this.kind(this.array.length * 2)
    wider.set(this.array)
    this.array = wider
  }
}
