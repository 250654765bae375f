// Groups of columns in one shared buffer. The thread that builds the columns sends the buffer to the threads that serve
// them. The receiving threads neither copy nor build anything.
import { columnArray, type TypedArray } from '../../loaders/columns.ts'

/** Columns in shared memory, and the position of each column. */
export interface PackedColumns {
  readonly buffer: SharedArrayBuffer
  readonly directory: readonly (readonly [name: string, kind: number, offset: number, length: number])[]
}

/** Groups of columns, by name. The group '' has the columns without a group. */
export type ColumnGroups = Readonly<Record<string, object>>

const KINDS = [Uint8Array, Uint16Array, Int32Array, Uint32Array, Float64Array] as const
const ALIGNMENT_BYTES = 8

/** Packs groups of columns into shared memory. Column names must not contain a dot. */
export function packColumns(groups: ColumnGroups): PackedColumns {
  const columns = listColumns(groups)
  const directory: [string, number, number, number][] = []
  let offset = 0
  for (const [name, array] of columns) {
    const kind = KINDS.findIndex((each) => array instanceof each)
    if (kind < 0) throw new Error(`the column ${name} is of type ${array.constructor.name}, which cannot be packed`)
    directory.push([name, kind, offset, array.length])
    offset = Math.ceil((offset + array.byteLength) / ALIGNMENT_BYTES) * ALIGNMENT_BYTES
  }
  const buffer = new SharedArrayBuffer(offset)
  const bytes = new Uint8Array(buffer)
  for (const [row, [, array]] of columns.entries()) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), directory[row]?.[2] ?? 0)
  }
  return { buffer, directory }
}

function listColumns(groups: ColumnGroups): [string, TypedArray][] {
  return Object.entries(groups).flatMap(([group, members]) =>
    Object.entries(members).map(([name, column]): [string, TypedArray] => [`${group}.${name}`, columnArray(column)]),
  )
}

/** Opens packed columns as views of their shared memory, without copying them. */
export function openColumns({ buffer, directory }: PackedColumns): Record<string, Record<string, TypedArray>> {
  const groups: Record<string, Record<string, TypedArray>> = {}
  for (const [name, kind, offset, length] of directory) {
    const [group = '', member = ''] = name.split('.')
    const array = KINDS[kind]
    if (array === undefined)
      throw new Error(`the packed column ${name} has the type number ${kind}, which is not known`)
    groups[group] = { ...groups[group], [member]: new array(buffer as unknown as ArrayBuffer, offset, length) }
  }
  return groups
}
