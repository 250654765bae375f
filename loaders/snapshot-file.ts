// The snapshot file: named columns and a small packed section, in an immutable file that is read in place through a
// memory map. This module handles only bytes; src/networks/snapshot-store.ts writes and maps files.
//
//   0   magic "QUAISNAP"            8 bytes
//   8   format version              u32
//   12  length of the packed section u32
//   16  length of the file          f64
//   24  CRC-32 of the packed section u32
//   28  CRC-32 of bytes 0–27        u32
//   32  zeros
//   64  packed section: { meta, directory: [name, kind, offset, byte length, CRC-32][] }
//   …   columns, each at an offset that is a multiple of 64
//
// The import below is msgpackr without its native string decoder, which would take 3 MB of memory to read a few hundred
// bytes.
import { pack, unpack } from 'msgpackr/pack'
import type { TypedArray } from './columns.ts'

/**
 * Must be increased when the meaning of a column changes. Networks whose snapshot has another version are then imported
 * again. A new column does not need a new version: checkColumns reports it by name if it is missing.
 */
export const SNAPSHOT_FORMAT_VERSION = 7

const MAGIC = 0x50414e5349415551n // "QUAISNAP", little-endian
const HEADER_BYTES = 64
/** Number of bytes at the start of the header that the header's checksum covers. */
const CHECKED_BYTES = 28
const ALIGNMENT_BYTES = 64

const KINDS = {
  u8: Uint8Array,
  i8: Int8Array,
  u16: Uint16Array,
  i16: Int16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const
type Kind = keyof typeof KINDS

type DirectoryRow = readonly [name: string, kind: Kind, offset: number, byteLength: number, crc: number]

/** The columns of a snapshot by name, in file order. */
export type NamedColumns = ReadonlyMap<string, TypedArray>

/** Thrown if a file is not a usable snapshot. */
export class SnapshotUnusable extends Error {
  readonly reason: 'not_a_snapshot' | 'other_version' | 'corrupt'

  constructor(reason: SnapshotUnusable['reason'], message: string) {
    super(message)
    this.name = 'SnapshotUnusable'
    this.reason = reason
  }
}

/** The array types that a column can have. */
export type ColumnTypes = readonly Kind[]

/** The array types that each column of a group can have, by column name. */
export type ColumnGroup<Name extends string> = Readonly<Record<Name, ColumnTypes>>

/** Array types of columns that hold string bytes, flags or small numbers. */
export const U8: ColumnTypes = ['u8']
export const U16: ColumnTypes = ['u16']
/** Array types of columns that hold indexes, offsets or seconds. */
export const U32: ColumnTypes = ['u32']
export const I32: ColumnTypes = ['i32']
export const F64: ColumnTypes = ['f64']

/** The names of a group's columns, in order. */
export function namesOf<Name extends string>(group: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(group) as Name[]
}

/** An open snapshot. Its arrays are views of the file's bytes. */
export interface OpenedSnapshot {
  readonly meta: unknown
  /** 12 hexadecimal digits that change if anything in the file changes. */
  readonly fingerprint: string
  readonly columns: NamedColumns
  readonly directory: readonly DirectoryRow[]
  /** All bytes of the file. */
  readonly file: Uint8Array
  /** Offset in the file at which the directory ends. */
  readonly directoryEnd: number
  /** Offset in the file at which the columns start. */
  readonly firstColumn: number
}

/** The name that is reported if bytes outside the columns are not zero. */
const GAPS = '(between the columns)'

const KIND_OF = new Map<unknown, Kind>(namesOf(KINDS).map((kind) => [KINDS[kind], kind]))

function kindOf(array: TypedArray): Kind {
  const kind = KIND_OF.get(array.constructor) ?? (array instanceof Uint8Array ? 'u8' : undefined) // a Buffer
  if (kind === undefined) throw new Error(`a snapshot cannot contain a column of type ${array.constructor.name}`)
  return kind
}

function bytesOf(array: TypedArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

function alignUp(offset: number): number {
  return Math.ceil(offset / ALIGNMENT_BYTES) * ALIGNMENT_BYTES
}

/** The bytes of a snapshot file, as pieces to be written in order. Large arrays are not copied. */
export function encodeSnapshot(meta: unknown, columns: NamedColumns): Uint8Array[] {
  // The directory stores offsets relative to the first column. Offsets from the start of the file would depend on the
  // packed length of the directory itself.
  const directory: DirectoryRow[] = []
  let offset = 0
  for (const [name, array] of columns) {
    const bytes = bytesOf(array)
    directory.push([name, kindOf(array), offset, bytes.byteLength, Bun.hash.crc32(bytes)])
    offset = alignUp(offset + bytes.byteLength)
  }
  const packed = pack({ meta, directory })
  const firstColumn = alignUp(HEADER_BYTES + packed.byteLength)
  const pieces: Uint8Array[] = [encodeHeader(packed, firstColumn + offset), packed]
  let written = HEADER_BYTES + packed.byteLength
  let row = 0
  for (const [, array] of columns) {
    const at = firstColumn + directory[row++][2]
    pieces.push(new Uint8Array(at - written), bytesOf(array))
    written = at + array.byteLength
  }
  pieces.push(new Uint8Array(firstColumn + offset - written))
  return pieces.filter((piece) => piece.byteLength > 0)
}

function encodeHeader(packed: Uint8Array, fileBytes: number): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES)
  const view = new DataView(header.buffer)
  view.setBigUint64(0, MAGIC, true)
  view.setUint32(8, SNAPSHOT_FORMAT_VERSION, true)
  view.setUint32(12, packed.byteLength, true)
  view.setFloat64(16, fileBytes, true)
  view.setUint32(24, Bun.hash.crc32(packed), true)
  view.setUint32(CHECKED_BYTES, Bun.hash.crc32(header.subarray(0, CHECKED_BYTES)), true)
  return header
}

/**
 * Opens a snapshot: checks the header and the directory, and creates views of the columns without reading them. Throws
 * SnapshotUnusable if a check fails.
 */
export function openSnapshot(file: Uint8Array): OpenedSnapshot {
  if (file.byteLength < HEADER_BYTES)
    throw new SnapshotUnusable('not_a_snapshot', 'the file is shorter than a snapshot header')
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  if (view.getBigUint64(0, true) !== MAGIC)
    throw new SnapshotUnusable('not_a_snapshot', 'the file does not begin like a snapshot')
  if (view.getUint32(CHECKED_BYTES, true) !== Bun.hash.crc32(file.subarray(0, CHECKED_BYTES))) {
    throw new SnapshotUnusable('corrupt', 'the header checksum does not match')
  }
  if (file.subarray(CHECKED_BYTES + 4, HEADER_BYTES).some((byte) => byte !== 0)) {
    throw new SnapshotUnusable('corrupt', 'the unused bytes at the end of the header are not zero')
  }
  const version = view.getUint32(8, true)
  if (version !== SNAPSHOT_FORMAT_VERSION) {
    throw new SnapshotUnusable(
      'other_version',
      `the snapshot has format ${version}; this program reads format ${SNAPSHOT_FORMAT_VERSION}`,
    )
  }
  const packedBytes = view.getUint32(12, true)
  if (view.getFloat64(16, true) !== file.byteLength || HEADER_BYTES + packedBytes > file.byteLength) {
    throw new SnapshotUnusable('corrupt', 'the file length differs from the length in its header')
  }
  const directoryEnd = HEADER_BYTES + packedBytes
  const packed = file.subarray(HEADER_BYTES, directoryEnd)
  if (view.getUint32(24, true) !== Bun.hash.crc32(packed)) {
    throw new SnapshotUnusable('corrupt', 'the directory checksum does not match')
  }
  const { meta, directory } = unpack(packed) as { meta: unknown; directory: DirectoryRow[] }
  const firstColumn = alignUp(directoryEnd)
  const columns = new Map<string, TypedArray>()
  for (const [name, kind, offset, byteLength] of directory) {
    if (!Object.hasOwn(KINDS, kind))
      throw new SnapshotUnusable('other_version', `column ${name} has the unknown type ${kind}`)
    const array = KINDS[kind]
    columns.set(
      name,
      new array(
        file.buffer as ArrayBuffer,
        file.byteOffset + firstColumn + offset,
        byteLength / array.BYTES_PER_ELEMENT,
      ),
    )
  }
  const fingerprint = Bun.hash(packed).toString(16).padStart(16, '0').slice(0, 12)
  return { meta, fingerprint, columns, directory, file, directoryEnd, firstColumn }
}

/** Throws SnapshotUnusable if columns are missing, unknown or of the wrong type. The message names all of them. */
export function checkColumns(columns: NamedColumns, needed: ReadonlyMap<string, ColumnTypes>): void {
  const missing: string[] = []
  const unknown: string[] = []
  const otherwise: string[] = []
  for (const name of needed.keys()) if (!columns.has(name)) missing.push(name)
  for (const [name, array] of columns) {
    const [kind, types] = [kindOf(array), needed.get(name)]
    if (types === undefined) unknown.push(name)
    else if (!types.includes(kind)) otherwise.push(`${name} is ${kind}, not ${types.join(' or ')}`)
  }
  const faults = Object.entries({ missing, unknown, 'of the wrong type': otherwise })
    .filter(([, names]) => names.length > 0)
    .map(([fault, names]) => `columns ${fault}: ${names.join(', ')}`)
  if (faults.length > 0) throw new SnapshotUnusable('other_version', faults.join('; '))
}

/** A range of bytes in a snapshot file: a column with its checksum, or a gap, whose bytes should all be zero. */
export interface SnapshotPart {
  /** The name of the column; GAPS for a gap. */
  readonly name: string
  readonly start: number
  readonly end: number
  /** CRC-32; undefined for a gap. */
  readonly crc: number | undefined
}

/** All bytes of a snapshot file from the end of the directory on, in order. */
export function partsOf({ directory, directoryEnd, firstColumn, file }: OpenedSnapshot): SnapshotPart[] {
  const parts: SnapshotPart[] = []
  let end = directoryEnd
  const addGap = (start: number) => parts.push({ name: GAPS, start: end, end: start, crc: undefined })
  for (const [name, , offset, byteLength, crc] of directory) {
    const start = firstColumn + offset
    addGap(start)
    end = start + byteLength
    parts.push({ name, start, end, crc })
  }
  addGap(file.byteLength)
  return parts
}

/**
 * The names of the columns whose checksum is wrong, and GAPS if bytes outside the columns are not zero. Reads the whole
 * file.
 */
export function findCorruptColumns(snapshot: OpenedSnapshot): string[] {
  const isIntact = ({ start, end, crc }: SnapshotPart) => {
    const bytes = snapshot.file.subarray(start, end)
    return crc === undefined ? bytes.every((byte) => byte === 0) : Bun.hash.crc32(bytes) === crc
  }
  const corrupt = partsOf(snapshot).filter((part) => !isIntact(part))
  return [...new Set(corrupt.map(({ name }) => name))]
}
