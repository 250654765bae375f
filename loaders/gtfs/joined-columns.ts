// Concatenates columns of several feeds. If a column contains row numbers of a table, these numbers are increased by
// that table's number of rows in all earlier feeds.
import { type Column, columnArray, NONE, sealColumn, type TypedArray } from '../columns.ts'

const KINDS = [Uint8Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array] as const

/** The array type of a joined column, which must be the same in all feeds. */
export type ArrayKind = (typeof KINDS)[number]

/** Concatenates one or more columns. Throws if their array types differ. */
export function joinColumns<I extends number, Value extends number>(
  columns: readonly Column<I, Value>[],
): Column<I, Value> {
  const [first] = columns
  const kind = KINDS.find((each) => first !== undefined && columnArray(first) instanceof each)
  if (kind === undefined)
    throw new Error('the columns of the feeds cannot be joined: the array type of the first column is unknown')
  const joined = new kind(columns.reduce((length, column) => length + column.length, 0))
  let at = 0
  for (const column of columns) {
    joined.set(rowsOf(kind, column), at)
    at += column.length
  }
  return sealColumn(joined)
}

/**
 * Concatenates a column that some feeds do not have. The rows of those feeds get NaN. Returns undefined if no feed has
 * the column.
 * @param counts the number of rows in each feed
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
  return joinColumns(filled)
}

/**
 * Concatenates columns of row numbers. NONE stays NONE.
 * @param counts for each feed, the number of rows in the table to which the column refers
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

/**
 * Concatenates offset columns. Such a column contains the start of each group and one extra entry, the end of the last
 * group. The joined column also has only one extra entry.
 */
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

/** The array of a column. Throws if it is not of type `kind`, because values would be truncated without an error. */
function rowsOf(kind: ArrayKind, column: { readonly length: number }): TypedArray {
  const array = columnArray(column)
  if (!(array instanceof kind))
    throw new Error(`a column of type ${array.constructor.name} cannot be joined with columns of type ${kind.name}`)
  return array
}
