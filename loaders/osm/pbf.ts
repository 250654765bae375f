// Reads `.osm.pbf` files (https://wiki.openstreetmap.org/wiki/PBF_Format). A file consists of blobs. The first contains
// the header of the file, and each of the others a block of several thousand elements. When a file is opened, only the
// file's header and the headers of the blobs are read. Blocks are unpacked one at a time, when they are requested.
import { inflateSync, zstdDecompressSync } from 'node:zlib'
import { ExtractRefused, type RefusalReason } from './extract-refused.ts'
import { PbfBlock } from './pbf-block.ts'
import { bytesTag, varintTag, WireBroken, WireCursor } from './pbf-wire.ts'

/** Maximum lengths according to the format. */
const MAX_BLOB_HEADER_BYTES = 64 * 1024
export const MAX_BLOB_BYTES = 32 * 1024 * 1024
/** Number of bytes to read at each blob header. A longer header is read again in full. */
const HEADER_CHUNK_BYTES = 128
const LENGTH_BYTES = 4
const KNOWN_FEATURES: readonly string[] = ['OsmSchema-V0.6', 'DenseNodes']
const SORTED = 'Sort.Type_then_ID'

/** The bytes of a file. */
export interface ExtractBytes {
  /** File name, used in messages. */
  readonly name: string
  readonly byteLength: number
  /** The bytes `[start, end)`, valid until `read` is called again. Fewer bytes if the file has become shorter. */
  read(start: number, end: number): Uint8Array
}

/** The content of a file's header. */
export interface PbfHeader {
  /** Whether the file claims that nodes come before ways and ways before relations, each in ascending order of ids. */
  readonly isSorted: boolean
  /** The time up to which changes are included, in seconds after 1970; undefined if the header does not have it. */
  readonly timestampSeconds: number | undefined
}

/** Where the data of a blob is in the file. */
interface BlobPlace {
  /** Where the header of the blob starts. */
  readonly byte: number
  readonly start: number
  readonly end: number
}

/** The first bytes of files in other formats, with an error message for each. */
const OTHER_FORMATS: readonly (readonly [prefix: string, advice: string])[] = [
  ['<?xml', 'the file is OSM XML; convert it: osmium cat in.osm -o out.osm.pbf'],
  ['<osm', 'the file is OSM XML; convert it: osmium cat in.osm -o out.osm.pbf'],
  ['BZh', 'the file is compressed with bzip2; convert it: osmium cat in.osm.bz2 -o out.osm.pbf'],
  ['\x1f\x8b', 'the file is compressed with gzip; convert it: osmium cat in.osm.gz -o out.osm.pbf'],
  ['PK', 'the file is a zip; unpack the .osm.pbf in it'],
]

/** An open file. Blocks are numbered from 0 in file order; the header does not count. */
export class PbfFile {
  readonly name: string
  readonly byteLength: number
  readonly header: PbfHeader
  private readonly source: ExtractBytes
  private readonly blobs: BlobPlace[]
  private readonly block = new PbfBlock()

  /** Reads the header, and finds all blobs. Throws ExtractRefused if the file cannot be used. */
  constructor(source: ExtractBytes) {
    this.source = source
    this.name = source.name
    this.byteLength = source.byteLength
    const places = findBlobs(source)
    this.blobs = places.slice(1)
    const { required, ...header } = this.within(places[0], () => readHeader(this.unpack(places[0])))
    const missing = required.find((feature) => !KNOWN_FEATURES.includes(feature))
    if (missing !== undefined)
      throw this.refused('unknown_feature', 0, `the file requires the feature "${missing}", which is not supported`)
    this.header = header
  }

  get blockCount(): number {
    return this.blobs.length
  }

  /**
   * Unpacks a block. Its memory is reused for the next block. Throws ExtractRefused if the block cannot be read.
   * @param block number of the block, from 0
   */
  readBlock(block: number): PbfBlock {
    return this.within(this.blobs[block], () => {
      this.block.open(this.unpack(this.blobs[block]))
      return this.block
    })
  }

  /** Where the blob of a block starts in the file. */
  byteOf(block: number): number {
    return this.blobs[block].byte
  }

  /**
   * Runs a function that reads the elements of a block. Turns a WireBroken into an ExtractRefused that states the file
   * and the byte.
   */
  reading<T>(block: number, read: () => T): T {
    return this.within(this.blobs[block], read)
  }

  private within<T>({ byte }: BlobPlace, read: () => T): T {
    try {
      return read()
    } catch (error) {
      if (error instanceof WireBroken) throw this.refused('damaged', byte, error.message)
      throw error
    }
  }

  private refused(reason: RefusalReason, byte: number, what: string): ExtractRefused {
    return new ExtractRefused(reason, { file: this.name, byte, what })
  }

  private unpack({ byte, start, end }: BlobPlace): Uint8Array {
    const blob = this.source.read(start, end)
    if (blob.length < end - start) throw this.refused('truncated', byte, 'the file became shorter while being read')
    const { kind, from, to, rawBytes } = readBlob(blob)
    const bytes = blob.subarray(from, to)
    if (kind === 'raw') return bytes
    if (kind === 'unknown') {
      throw this.refused(
        'unknown_compression',
        byte,
        'a block is compressed with LZMA, LZ4 or bzip2; only zlib and zstd are supported',
      )
    }
    if (rawBytes > MAX_BLOB_BYTES)
      throw this.refused('too_large', byte, `a block has more than ${MAX_BLOB_BYTES} bytes`)
    const unpacked = inflate(kind, bytes, rawBytes)
    if (unpacked === undefined) throw this.refused('damaged', byte, 'a block cannot be decompressed')
    if (unpacked.length !== rawBytes)
      throw this.refused('damaged', byte, `a block has ${unpacked.length} bytes, but its blob states ${rawBytes}`)
    return unpacked
  }
}

/** Unpacks bytes to at most `rawBytes` bytes, and verifies the checksum. Returns undefined if the bytes are damaged. */
function inflate(kind: 'zlib' | 'zstd', bytes: Uint8Array, rawBytes: number): Uint8Array | undefined {
  const most = { chunkSize: Math.max(64, rawBytes), maxOutputLength: Math.max(1, rawBytes) }
  try {
    return kind === 'zlib' ? inflateSync(bytes, most) : zstdDecompressSync(bytes, most)
  } catch {
    // The caller reports that the blob is damaged. zlib's own message would not help users.
    return undefined
  }
}

interface Blob {
  readonly kind: 'raw' | 'zlib' | 'zstd' | 'unknown'
  /** Where the data starts in the bytes of the blob. */
  readonly from: number
  readonly to: number
  /** Size of the data when unpacked. */
  readonly rawBytes: number
}

function readBlob(bytes: Uint8Array): Blob {
  const cursor = new WireCursor(bytes)
  let data: Omit<Blob, 'rawBytes'> | undefined
  let rawBytes: number | undefined
  for (let tag = cursor.tag(); tag !== 0; tag = cursor.tag()) {
    if (tag === varintTag(2)) rawBytes = cursor.unsigned()
    else if ((tag & 7) !== 2) cursor.skip(tag)
    else {
      const to = cursor.fieldEnd()
      data = { kind: KIND_OF_FIELD[tag >>> 3] ?? 'unknown', from: cursor.at, to }
      cursor.at = to
    }
  }
  if (data === undefined) throw new WireBroken('a blob has no data')
  if (data.kind === 'raw') return { ...data, rawBytes: data.to - data.from }
  if (rawBytes === undefined) throw new WireBroken('a blob does not state the length of its block')
  return { ...data, rawBytes }
}

/** Field of a blob → the compression of the data in it. */
const KIND_OF_FIELD: Readonly<Record<number, Blob['kind']>> = { 1: 'raw', 3: 'zlib', 7: 'zstd' }

/** Finds all blobs. The first one contains the header of the file. */
function findBlobs(source: ExtractBytes): BlobPlace[] {
  const { name: file, byteLength } = source
  const places: BlobPlace[] = []
  for (let byte = 0; byte < byteLength; byte = places[places.length - 1].end) {
    const refused = (reason: RefusalReason, what: string) => new ExtractRefused(reason, { file, byte, what })
    const chunk = source.read(byte, Math.min(byte + HEADER_CHUNK_BYTES, byteLength))
    const headerBytes =
      chunk.length < LENGTH_BYTES ? undefined : new DataView(chunk.buffer, chunk.byteOffset).getUint32(0)
    if (headerBytes === undefined || headerBytes > MAX_BLOB_HEADER_BYTES) {
      if (places.length === 0) throw refused('not_an_extract', otherFormat(chunk))
      throw headerBytes === undefined
        ? refused('truncated', 'the file ends within a blob')
        : refused('too_large', `a blob header has more than ${MAX_BLOB_HEADER_BYTES} bytes`)
    }
    const start = byte + LENGTH_BYTES + headerBytes
    if (start > byteLength) throw refused('truncated', 'the file ends within a blob header')
    const isWhole = LENGTH_BYTES + headerBytes <= chunk.length
    const header = isWhole
      ? chunk.subarray(LENGTH_BYTES, LENGTH_BYTES + headerBytes)
      : source.read(byte + LENGTH_BYTES, start)
    const { type, dataBytes } = readBlobHeader(header, refused)
    if (type !== (places.length === 0 ? 'OSMHeader' : 'OSMData')) {
      throw places.length === 0
        ? refused('not_an_extract', otherFormat(chunk))
        : refused('damaged', 'a blob after the header is not of type OSMData')
    }
    if (dataBytes > MAX_BLOB_BYTES) throw refused('too_large', `a blob has more than ${MAX_BLOB_BYTES} bytes`)
    if (start + dataBytes > byteLength) throw refused('truncated', 'the file ends within a blob')
    places.push({ byte, start, end: start + dataBytes })
  }
  if (places.length === 0) throw new ExtractRefused('not_an_extract', { file, byte: 0, what: 'the file is empty' })
  return places
}

function otherFormat(chunk: Uint8Array): string {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
  return OTHER_FORMATS.find(([prefix]) => text.startsWith(prefix))?.[1] ?? 'the file is not an .osm.pbf'
}

function readBlobHeader(
  bytes: Uint8Array,
  refused: (reason: RefusalReason, what: string) => ExtractRefused,
): { readonly type: string; readonly dataBytes: number } {
  const cursor = new WireCursor(bytes)
  let type = ''
  let dataBytes: number | undefined
  try {
    for (let tag = cursor.tag(); tag !== 0; tag = cursor.tag()) {
      if (tag === bytesTag(1)) type = readText(cursor)
      else if (tag === varintTag(3)) dataBytes = cursor.unsigned()
      else cursor.skip(tag)
    }
  } catch (error) {
    if (error instanceof WireBroken) throw refused('damaged', `a blob header is damaged: ${error.message}`)
    throw error
  }
  if (dataBytes === undefined) throw refused('damaged', 'a blob header does not state the length of its blob')
  return { type, dataBytes }
}

function readHeader(bytes: Uint8Array): PbfHeader & { readonly required: readonly string[] } {
  const cursor = new WireCursor(bytes)
  const required: string[] = []
  const optional: string[] = []
  let timestampSeconds: number | undefined
  for (let tag = cursor.tag(); tag !== 0; tag = cursor.tag()) {
    if (tag === bytesTag(4)) required.push(readText(cursor))
    else if (tag === bytesTag(5)) optional.push(readText(cursor))
    else if (tag === varintTag(32)) timestampSeconds = cursor.signed()
    else cursor.skip(tag)
  }
  return { isSorted: optional.includes(SORTED), timestampSeconds, required }
}

function readText(cursor: WireCursor): string {
  const end = cursor.fieldEnd()
  const text = Buffer.from(cursor.bytes.buffer, cursor.bytes.byteOffset + cursor.at, end - cursor.at).toString('utf8')
  cursor.at = end
  return text
}
