// Bombs: response bodies that decode to gigabytes of zeros, one for each content coding. The compressed bodies are at
// least a thousand times smaller than the zeros that they decode to.
import { constants, crc32, createBrotliCompress, createZstdCompress, deflateRawSync } from 'node:zlib'
import { bySize } from '../size.ts'

/** The HTTP content codings of the bombs; `identity` means no coding. */
export const BOMB_CODINGS = ['gzip', 'deflate', 'br', 'zstd', 'identity'] as const
export type BombCoding = (typeof BOMB_CODINGS)[number]

const GIBIBYTE = 1024 ** 3
/** The size of every bomb after decoding. */
export const BOMB_BYTES: number = bySize({ quick: GIBIBYTE, ci: 2 * GIBIBYTE, full: 4 * GIBIBYTE })

const BLOCK = new Uint8Array(4 * 1024 * 1024)
const BLOCK_COUNT = BOMB_BYTES / BLOCK.length
const GZIP_HEADER = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
const ZLIB_HEADER = [0x78, 0x9c]

/** A response whose body is a bomb. */
export async function bombAnswer(coding: BombCoding): Promise<Response> {
  if (coding === 'identity') return new Response(plainPieces())
  return new Response(await packedBomb(coding), { headers: { 'content-encoding': coding } })
}

const packed = new Map<BombCoding, Promise<Uint8Array<ArrayBuffer>>>()

/** The bytes of a bomb, which are built at the first call and then kept. */
export function packedBomb(coding: Exclude<BombCoding, 'identity'>): Promise<Uint8Array<ArrayBuffer>> {
  const known = packed.get(coding)
  if (known !== undefined) return known
  const made = packBomb(coding)
  packed.set(coding, made)
  return made
}

async function packBomb(coding: Exclude<BombCoding, 'identity'>): Promise<Uint8Array<ArrayBuffer>> {
  switch (coding) {
    case 'gzip':
      return deflated(GZIP_HEADER, gzipEnd())
    case 'deflate':
      return deflated(ZLIB_HEADER, adler32End())
    case 'br':
      return await compressed(createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }))
    case 'zstd':
      return await compressed(createZstdCompress())
  }
}

/**
 * The header, one compressed block many times, and the end. The block ends with a full flush, so each copy of it refers
 * only to bytes within the copy.
 */
function deflated(header: readonly number[], end: Uint8Array): Uint8Array<ArrayBuffer> {
  const block = deflateRawSync(BLOCK, { level: 9, finishFlush: constants.Z_FULL_FLUSH })
  const lastBlock = Uint8Array.of(3, 0)
  return join([Uint8Array.from(header), ...Array.from({ length: BLOCK_COUNT }, () => block), lastBlock, end])
}

function gzipEnd(): Uint8Array {
  let checksum = 0
  for (let block = 0; block < BLOCK_COUNT; block++) checksum = crc32(BLOCK, checksum)
  const end = new DataView(new ArrayBuffer(8))
  end.setUint32(0, checksum, true)
  end.setUint32(4, BOMB_BYTES % 2 ** 32, true)
  return new Uint8Array(end.buffer)
}

/**
 * The Adler-32 checksum of BOMB_BYTES zeros: the low half is 1, and the high half is the number of zeros modulo 65 521.
 */
function adler32End(): Uint8Array {
  const end = new DataView(new ArrayBuffer(4))
  end.setUint16(0, BOMB_BYTES % 65_521)
  end.setUint16(2, 1)
  return new Uint8Array(end.buffer)
}

async function compressed(packer: ReturnType<typeof createBrotliCompress>): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  packer.on('data', (piece: Uint8Array) => pieces.push(piece))
  const ended = new Promise((resolve) => packer.once('end', resolve))
  for (let block = 0; block < BLOCK_COUNT; block++) {
    if (!packer.write(BLOCK)) await new Promise((resolve) => packer.once('drain', resolve))
  }
  packer.end()
  await ended
  return join(pieces)
}

function plainPieces(): ReadableStream<Uint8Array> {
  let sent = 0
  return new ReadableStream({
    pull(controller) {
      if (sent++ === BLOCK_COUNT) controller.close()
      else controller.enqueue(BLOCK.slice())
    },
  })
}

function join(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(pieces.reduce((bytes, piece) => bytes + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    joined.set(piece, at)
    at += piece.length
  }
  return joined
}
