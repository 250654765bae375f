// Decodes a response body in a stream, only as fast as the decoded body is read. The decoded body is never in memory as
// a whole, and decoding stops when the reader stops.
import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'

/** The requested coding. The others below are supported for servers that send them anyway. */
export const ACCEPTED_CODINGS = 'gzip'

/** Bytes per decoding step: output and input. */
const PIECE_BYTES = 64 * 1024
const SLICE_BYTES = 4 * 1024
const OPTIONS = { chunkSize: PIECE_BYTES, writableHighWaterMark: SLICE_BYTES }
/** Compression method of a zlib header (RFC 1950): the low half of its first byte. */
const DEFLATE_METHOD = 8

/** Creates the decoder of a body with this first byte. */
type MakeDecoder = (firstByte: number) => Transform

const gunzip: MakeDecoder = () => createGunzip(OPTIONS)
/** Some servers leave out the zlib header. */
const inflate: MakeDecoder = (firstByte) =>
  (firstByte & 15) === DEFLATE_METHOD ? createInflate(OPTIONS) : createInflateRaw(OPTIONS)
const unbrotli: MakeDecoder = () => createBrotliDecompress(OPTIONS)

/** No zstd: Bun's decoder accepts a truncated body. */
const DECODERS: Readonly<Record<string, MakeDecoder>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: inflate,
  br: unbrotli,
}

/** Normalizes a `Content-Encoding`; `identity` if there is none. */
export function codingOf(header: string | null): string {
  const coding = (header ?? '').trim().toLowerCase()
  return coding === '' ? 'identity' : coding
}

/** Whether bodies with this coding can be decoded. Nested codings are not supported. */
export function isKnownCoding(coding: string): boolean {
  return coding === 'identity' || Object.hasOwn(DECODERS, coding)
}

/** Number of bytes passed to the decoder so far. It is only a little ahead of what the decoded pieces needed. */
export interface DecodingProgress {
  packedBytes: number
}

/** The decoded body. Throws the decoder's error if the body is damaged or truncated. */
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
  // If the body fails, the decoder is destroyed. If the reader stops, the body is destroyed.
  const source = Readable.from(inSlices(first, body, progress), { highWaterMark: 1 })
  pipeline(source, decoder, () => undefined)
  yield* decoder
}

/** The first piece that is not empty. */
async function firstPiece(body: AsyncGenerator<Uint8Array>): Promise<Uint8Array | undefined> {
  for (;;) {
    const { value, done } = await body.next()
    if (done === true) return undefined
    if (value.length > 0) return value
  }
}

/** Splits into small slices, so that a decoder never runs far ahead. */
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
