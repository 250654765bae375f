// A PMTiles file (version 3) with one tile: the whole world as one image. For tests of code that reads such files.
import { deflateSync } from 'node:zlib'

const HEADER_BYTES = 127
const PICTURE_PIXELS = 8

/** The bytes of a PMTiles file with one PNG at zoom 0 and this attribution. */
export function oneTilePmtiles(attribution: string): Uint8Array {
  const tile = plainPng()
  // A directory with one entry: tile 0, run length 1, the length of the tile, and its offset plus one.
  const directory = Buffer.from([1, 0, 1, ...varint(tile.length), 1])
  const metadata = Buffer.from(JSON.stringify({ name: 'one tile', attribution }))
  const metadataAt = HEADER_BYTES + directory.length
  const tilesAt = metadataAt + metadata.length
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('PMTiles')
  header[7] = 3
  const places = [
    HEADER_BYTES,
    directory.length,
    metadataAt,
    metadata.length,
    tilesAt,
    0,
    tilesAt,
    tile.length,
    1,
    1,
    1,
  ]
  for (const [index, place] of places.entries()) header.writeBigUInt64LE(BigInt(place), 8 + 8 * index)
  // From byte 96 on, the header says: tiles are clustered, the directory and the tiles are not compressed, tiles are
  // PNG, and the minimum and maximum zooms are 0.
  header.set([1, 1, 1, 2, 0, 0], 96)
  const edges = [-1_800_000_000, -850_000_000, 1_800_000_000, 850_000_000]
  for (const [index, edge] of edges.entries()) header.writeInt32LE(edge, 102 + 4 * index)
  return Buffer.concat([header, directory, metadata, tile])
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]
}

function plainPng(): Buffer {
  const size = Buffer.alloc(13)
  size.writeUInt32BE(PICTURE_PIXELS, 0)
  size.writeUInt32BE(PICTURE_PIXELS, 4)
  size.set([8, 2], 8)
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(PICTURE_PIXELS * 3, 0xcc)])
  const pixels = Buffer.concat(Array.from({ length: PICTURE_PIXELS }, () => row))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', size),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(body, 4)
  framed.writeUInt32BE(Bun.hash.crc32(body), body.length + 4)
  return framed
}
