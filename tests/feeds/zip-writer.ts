// Zips for tests, written byte by byte, so that they can have faults that no ordinary zip program produces.
import { deflateRawSync } from 'node:zlib'

const encoder = new TextEncoder()
const STORED = 0
const DEFLATED = 8
const ENCRYPTED_FLAG = 1
const DESCRIPTOR_FLAG = 8
const UTF8_FLAG = 0x800
const LOCAL_SIGNATURE = 0x04034b50
const DESCRIPTOR_SIGNATURE = 0x08074b50
const CENTRAL_SIGNATURE = 0x02014b50
const END_SIGNATURE = 0x06054b50
const ZIP64_MARK = 0xffff_ffff
const ZIP64_EXTRA_ID = 1

/** One file in a zip, and its faults or peculiarities. */
export interface ZipFileEntry {
  readonly name: string
  readonly content: string | Uint8Array
  readonly isStored?: boolean
  /** Whether the encryption flag is set; the content is never encrypted. */
  readonly isEncrypted?: boolean
  /**
   * Whether the checksum and the sizes are stored after the content. Zip programs do this if they do not know these
   * values in advance.
   */
  readonly hasDescriptor?: boolean
  /** Whether sizes are stored in 64 bits. */
  readonly isZip64?: boolean
  /** Wrong values that the zip states instead of the real checksum and sizes. */
  readonly statedCrc?: number
  readonly statedBytes?: number
  readonly statedPackedBytes?: number
  /** Whether the entry has no content of its own: the directory points to the content of the first entry. */
  readonly isFirstAgain?: boolean
}

interface PlacedEntry {
  readonly entry: ZipFileEntry
  readonly name: Uint8Array
  readonly flags: number
  readonly method: number
  readonly crc: number
  readonly bytes: number
  readonly packedBytes: number
  readonly offset: number
}

/** The bytes of a zip. @param comment the zip comment */
export function writeZip(entries: readonly ZipFileEntry[], comment = ''): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = []
  const placed: PlacedEntry[] = []
  let length = 0
  const push = (piece: Uint8Array) => {
    pieces.push(piece)
    length += piece.length
  }
  for (const entry of entries) {
    const content = typeof entry.content === 'string' ? encoder.encode(entry.content) : entry.content
    const packed = entry.isStored === true ? content : new Uint8Array(deflateRawSync(content))
    const each: PlacedEntry = {
      entry,
      name: encoder.encode(entry.name),
      flags:
        UTF8_FLAG |
        (entry.isEncrypted === true ? ENCRYPTED_FLAG : 0) |
        (entry.hasDescriptor === true ? DESCRIPTOR_FLAG : 0),
      method: entry.isStored === true ? STORED : DEFLATED,
      crc: entry.statedCrc ?? Bun.hash.crc32(content),
      bytes: entry.statedBytes ?? content.length,
      packedBytes: entry.statedPackedBytes ?? packed.length,
      offset: entry.isFirstAgain === true ? 0 : length,
    }
    placed.push(each)
    if (entry.isFirstAgain === true) continue
    push(localHeader(each))
    push(packed)
    if (entry.hasDescriptor === true) push(fields([DESCRIPTOR_SIGNATURE, 4], ...sizes(each)))
  }
  const directory = length
  for (const each of placed) push(centralHeader(each))
  const [count, end] = [placed.length, length - directory]
  const text = encoder.encode(comment)
  push(fields([END_SIGNATURE, 4], [0, 4], [count, 2], [count, 2], [end, 4], [directory, 4], [text.length, 2]))
  push(text)
  return new Uint8Array(Buffer.concat(pieces))
}

type Field = readonly [value: number, bytes: 2 | 4 | 8]

/** The bytes of these integers, little-endian, one after the other. */
function fields(...values: readonly Field[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.reduce((length, [, bytes]) => length + bytes, 0)))
  let at = 0
  for (const [value, bytes] of values) {
    if (bytes === 2) view.setUint16(at, value, true)
    else if (bytes === 4) view.setUint32(at, value, true)
    else view.setBigUint64(at, BigInt(value), true)
    at += bytes
  }
  return new Uint8Array(view.buffer)
}

function sizes({ crc, packedBytes, bytes }: PlacedEntry): Field[] {
  return [
    [crc, 4],
    [packedBytes, 4],
    [bytes, 4],
  ]
}

function localHeader(placed: PlacedEntry): Uint8Array {
  const { name, flags, method, entry } = placed
  const known = entry.hasDescriptor === true ? { ...placed, crc: 0, packedBytes: 0, bytes: 0 } : placed
  const version: Field[] = [
    [20, 2],
    [flags, 2],
    [method, 2],
    [0, 4],
  ]
  return Buffer.concat([fields([LOCAL_SIGNATURE, 4], ...version, ...sizes(known), [name.length, 2], [0, 2]), name])
}

function centralHeader(placed: PlacedEntry): Uint8Array {
  const { name, flags, method, entry, offset } = placed
  const isZip64 = entry.isZip64 === true
  const stated = isZip64 ? { ...placed, packedBytes: ZIP64_MARK, bytes: ZIP64_MARK } : placed
  const extra = isZip64
    ? fields([ZIP64_EXTRA_ID, 2], [16, 2], [placed.bytes, 8], [placed.packedBytes, 8])
    : new Uint8Array(0)
  const version: Field[] = [
    [20, 2],
    [20, 2],
    [flags, 2],
    [method, 2],
    [0, 4],
  ]
  const rest: Field[] = [
    [name.length, 2],
    [extra.length, 2],
    [0, 2],
    [0, 4],
    [0, 4],
    [offset, 4],
  ]
  return Buffer.concat([fields([CENTRAL_SIGNATURE, 4], ...version, ...sizes(stated), ...rest), name, extra])
}
