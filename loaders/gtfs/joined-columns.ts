// Columns of several feeds made one: the rows of the first, then the second. A reference is a row number, so that it
// moves by the rows of the feeds before its own.
import { type Column, columnArray, NONE, sealColumn, type TypedArray } from '../columns.ts'

type JoinedArray = Uint8Array | Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array

/** What a joined column is made of; all that are joined must be made of the same. */
export type ArrayKind = new (length: number) => JoinedArray

/** The rows of all columns, one column after the other. */
export function joinColumns<I extends number, Value extends number>(
  kind: ArrayKind,
  columns: readonly Column<I, Value>[],
): Column<I, Value> {
  const joined = new kind(columns.reduce((length, column) => length + column.length, 0))
  let at = 0
  for (const column of columns) {
    joined.set(rowsOf(kind, column), at)
    at += column.length
  }
  return sealColumn(joined)
}

/**
 * The same for a column that a feed may lack as a whole: NaN for its rows. Undefined where all lack it.
 * @param counts the rows of each feed
 */
export function joinOptionalColumns<I extends number>(
  kind: ArrayKind,
  columns: readonly (Column<I> | undefined)[],
  counts: readonly number[],
): Column<I> | undefined {
  if (columns.every((column) => column === undefined)) return undefined
  const filled = columns.map((column, feed) => {
    if (column !== undefined) return column
    return sealColumn<I>(new kind(counts[feed]).fill(Number.NaN))
  })
  return joinColumns(kind, filled)
}

/**
 * Columns of row numbers; NONE stays NONE.
 * @param counts how many rows each feed has in the table that is referred to
 */
export function joinReferences<I extends number, Row extends number>(
  columns: readonly Column<I, Row>[],
  counts: readonly number[],
): Column<I, Row> {
  const joined = new Uint32Array(columns.reduce((length, column) => length + column.length, 0))
  let at = 0
  let offset = 0
  for (const [feed, column] of columns.entries()) {
    const rows = rowsOf(Uint32Array, column)
    for (let row = 0; row < rows.length; row++) {
      const reference = rows[row]
      joined[at++] = reference === NONE ? NONE : reference + offset
    }
    offset += counts[feed]
  }
  return sealColumn(joined)
}

/** Columns of offsets, each one longer than its groups: one column, one longer than all groups together. */
export function joinOffsets<I extends number, Row extends number>(columns: readonly Column<I, Row>[]): Column<I, Row> {
  const joined = new Uint32Array(columns.reduce((length, column) => length + column.length - 1, 1))
  let at = 0
  for (const column of columns) {
    const rows = rowsOf(Uint32Array, column)
    const start = joined[at]
    for (let row = 1; row < rows.length; row++) joined[++at] = start + rows[row]
  }
  return sealColumn(joined)
}

/** A value of another kind of array would be cut without a word. */
function rowsOf(kind: ArrayKind, column: { readonly length: number }): TypedArray {
  const array = columnArray(column)
  if (!(array instanceof kind)) throw new Error(`a column of ${array.constructor.name} was joined as ${kind.name}`)
  return array
}
