// Column types: typed arrays that accept only indexes of one kind. Tables with thousands of rows are stored as columns,
// not as arrays of objects.

declare const brand: unique symbol

/** A zero-based row number in a table. `Of` is the kind of the index; it exists only at compile time. */
export type Index<Of extends string> = number & { readonly [brand]: Of }

/** A read-only typed array that accepts only indexes of one kind. */
export type Column<I extends number, Value extends number = number> = {
  readonly [index in I]: Value
} & { readonly length: number }

/** The array behind a column, in memory and in a snapshot file. */
export type TypedArray =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array

/** Stored in a column of unsigned 32-bit indexes if a row has no index. Never a valid row number. */
export const NONE = 0xffff_ffff

/** Stored in a column of unsigned 8-bit values if a row has no value. */
export const NONE_U8 = 0xff

/** The next index. In an offset column, the value at the next index is the end of the group that belongs to `index`. */
export function nextIndex<I extends number>(index: I): I {
  return (index + 1) as I
}

/** Binary search: the first index in [low, high) for which `isPast` is true, or `high` if there is none. */
export function firstWhere<I extends number>(low: I, high: I, isPast: (index: I) => boolean): I {
  while (low < high) {
    const middle = ((low + high) >>> 1) as I
    if (isPast(middle)) high = middle
    else low = nextIndex(middle)
  }
  return low
}

/** The values of one row. `offsets` contains the start of each row in `values`, and one extra entry for the end. */
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

/** Gives a filled array its index and value types. No other function casts arrays to columns. */
export function sealColumn<I extends number, Value extends number = number>(array: TypedArray): Column<I, Value> {
  return array as unknown as Column<I, Value>
}

/** The row numbers of a column, in order. */
export function rowsOf<I extends number>({ length }: Column<I>): Column<number, I> {
  return sealColumn(Uint32Array.from({ length }, (_, row) => row))
}

/** The array of a column, for code that writes files or copies ranges. Callers must not write to it. */
export function columnArray(column: { readonly length: number }): TypedArray {
  return column as TypedArray
}

type GrowingArray = Uint8Array | Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array

interface ArrayKind<A extends GrowingArray> {
  new (length: number): A
}

/**
 * Collects the rows of a column whose length is not known in advance. The array is doubled when it is full; `seal`
 * trims it to the number of rows.
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

  /** The rows so far, as a view. Do not use the view after the next `push`, which may reallocate the memory. */
  view(): A {
    return this.array.subarray(0, this.length) as A
  }

  /** Returns the rows so far. Afterwards, the column is empty and uses no memory. */
  take(): A {
    const rows = this.view()
    this.array = new this.kind(0)
    this.length = 0
    return rows
  }

  /** The rows as a column, in an array without unused elements. */
  seal<I extends number, Value extends number>(): Column<I, Value> {
    return sealColumn(this.array.length === this.length ? this.array : this.array.slice(0, this.length))
  }

  private grow(): void {
    const wider = new this.kind(Math.max(1, this.array.length * 2))
    wider.set(this.array)
    this.array = wider
  }
}

/** The columns of a table, sealed. */
export function sealColumns<Table>(columns: { readonly [Name in keyof Table]: GrowingColumn<GrowingArray> }): Table
export function sealColumns(columns: Readonly<Record<string, GrowingColumn<GrowingArray>>>) {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column.seal()]))
}

/** Maximum number of keys for which insertion sort is used. */
const FEW_KEYS = 24

/**
 * Sorts keys in an array that is reused. A new array for each of millions of short sorts would leave gigabytes of
 * garbage. One sorter can do only one sort at a time.
 */
export class KeySorter {
  keys = new Float64Array(1024)

  /** Makes `keys` long enough for `count` keys. Earlier keys may be lost. */
  open(count: number): void {
    if (count > this.keys.length) this.keys = new Float64Array(2 ** Math.ceil(Math.log2(count)))
  }

  /** Sorts the first `count` keys in ascending order. */
  sort(count: number): void {
    const { keys } = this
    if (count > FEW_KEYS) {
      keys.subarray(0, count).sort()
      return
    }
    for (let at = 1; at < count; at++) {
      const key = keys[at]
      let to = at
      for (; to > 0 && keys[to - 1] > key; to--) keys[to] = keys[to - 1]
      keys[to] = key
    }
  }
}

/** A chunk has 1 << CHUNK_BITS rows. */
const CHUNK_BITS = 18
const CHUNK_ROWS = 2 ** CHUNK_BITS

/**
 * Collects a column with tens of millions of rows. The column grows by chunks, so that no row is copied and only the
 * last chunk has unused memory.
 */
export class ChunkedColumn<A extends GrowingArray> {
  length = 0
  private chunks: A[] = []
  private readonly kind: ArrayKind<A>

  constructor(kind: ArrayKind<A>) {
    this.kind = kind
  }

  push(value: number): void {
    const chunk = this.length >>> CHUNK_BITS
    if (chunk === this.chunks.length) this.chunks.push(new this.kind(CHUNK_ROWS))
    this.chunks[chunk][this.length++ & (CHUNK_ROWS - 1)] = value
  }

  at(index: number): number {
    return this.chunks[index >>> CHUNK_BITS][index & (CHUNK_ROWS - 1)]
  }

  /** The values of the given rows in one array. Frees the column. */
  take(rows: Uint32Array): A {
    const taken = new this.kind(rows.length)
    for (let at = 0; at < rows.length; at++) taken[at] = this.at(rows[at])
    this.free()
    return taken
  }

  /** Frees the memory. */
  free(): void {
    this.chunks = []
    this.length = 0
  }
}
