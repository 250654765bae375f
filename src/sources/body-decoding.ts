// Decodes the body of an answer piece by piece, no faster than it is read: what a body unpacks to is never in memory
// whole, and decoding stops with whoever reads it.
import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'

/** The coding that is asked for. The others below are decoded too, for servers that send them unasked. */
export const ACCEPTED_CODINGS = 'gzip'

/** How much is decoded at once, and of how much. */
const PIECE_BYTES = 64 * 1024
const SLICE_BYTES = 4 * 1024
const OPTIONS = { chunkSize: PIECE_BYTES, writableHighWaterMark: SLICE_BYTES }
/** The method of a zlib header (RFC 1950): the low half of its first byte. */
const DEFLATE_METHOD = 8

/** Makes the decoder of a body that begins with this byte. */
type MakeDecoder = (firstByte: number) => Transform

const gunzip: MakeDecoder = () => createGunzip(OPTIONS)
/** Some servers leave out the zlib header. */
const inflate: MakeDecoder = (firstByte) =>
  (firstByte & 15) === DEFLATE_METHOD ? createInflate(OPTIONS) : createInflateRaw(OPTIONS)
const unbrotli: MakeDecoder = () => createBrotliDecompress(OPTIONS)

/** Not zstd: Bun's decoder takes a body that was cut off for a whole one. */
const DECODERS: Readonly<Record<string, MakeDecoder>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: inflate,
  br: unbrotli,
}

/** A `Content-Encoding` in the form the functions below take: `identity` if there is none. */
export function codingOf(header: string | null): string {
  const coding = (header ?? '').trim().toLowerCase()
  return coding === '' ? 'identity' : coding
}

/** Whether bodies under a coding can be decoded. One coding within another cannot. */
export function isKnownCoding(coding: string): boolean {
  return coding === 'identity' || Object.hasOwn(DECODERS, coding)
}

/** How much of a body has been given to its decoder: little more than what its pieces so far were made of. */
export interface DecodingProgress {
  packedBytes: number
}

/** The decoded body. Throws what the decoder throws for a body that is damaged or ends early. */
export async function* decodeBody(
  body: AsyncGenerator<Uint8Array>,
  coding: string,
  progress: DecodingProgress,
): AsyncGenerator<Uint8Array, void, undefined> {
  const makeDecoder = DECODERS[coding]
  if (makeDecoder === undefined) {
    for await (const piece of body) {
      progress.packedBytes += piece.length
      yield piece
    }
    return
  }
  const first = await firstPiece(body)
  if (first === undefined) return
  const decoder = makeDecoder(first[0] ?? 0)
  // The decoder is destroyed with what the body throws, and the body with whoever stops reading the decoder.
  const source = Readable.from(inSlices(first, body, progress), { highWaterMark: 1 })
  pipeline(source, decoder, () => undefined)
  yield* decoder
}

/** The first piece that has bytes. */
async function firstPiece(body: AsyncGenerator<Uint8Array>): Promise<Uint8Array | undefined> {
  for (;;) {
    const { value, done } = await body.next()
    if (done === true) return undefined
    if (value.length > 0) return value
  }
}

/** In small slices, so that a decoder has never much more than it has decoded. */
async function* inSlices(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array>,
  progress: DecodingProgress,
): AsyncGenerator<Uint8Array> {
  for (let piece: Uint8Array | undefined = first; piece !== undefined; piece = await firstPiece(rest)) {
    for (let at = 0; at < piece.length; at += SLICE_BYTES) {
      const slice = piece.subarray(at, at + SLICE_BYTES)
      progress.packedBytes += slice.length
      yield slice
    }
  }
}
