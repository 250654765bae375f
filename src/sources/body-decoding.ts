// Decodes a response body as a stream. Decoding goes no faster than the decoded body is read, so the decoded body is
// never in memory as a whole. If the reader stops, decoding stops too.
import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'

/**
 * The content coding that requests accept. The other codings in DECODERS are supported for servers that use them
 * anyway.
 */
export const ACCEPTED_CODINGS = 'gzip'

/** Number of bytes per decoding step: `PIECE_BYTES` after decoding, `SLICE_BYTES` before decoding. */
const PIECE_BYTES = 64 * 1024
const SLICE_BYTES = 4 * 1024
const OPTIONS = { chunkSize: PIECE_BYTES, writableHighWaterMark: SLICE_BYTES }
/** The compression method that a zlib header (RFC 1950) states in the low half of its first byte. */
const DEFLATE_METHOD = 8

/** Creates the decoder for a body with this first byte. */
type MakeDecoder = (firstByte: number) => Transform

const gunzip: MakeDecoder = () => createGunzip(OPTIONS)
/** Decodes `deflate` with and without the zlib header, because some servers leave it out. */
const inflate: MakeDecoder = (firstByte) =>
  (firstByte & 15) === DEFLATE_METHOD ? createInflate(OPTIONS) : createInflateRaw(OPTIONS)
const unbrotli: MakeDecoder = () => createBrotliDecompress(OPTIONS)

/** Content coding → its decoder. zstd is not included, because Bun's zstd decoder accepts a truncated body. */
const DECODERS: Readonly<Record<string, MakeDecoder>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: inflate,
  br: unbrotli,
}

/** The normalized value of a `Content-Encoding` header; `identity` if there is none. */
export function codingOf(header: string | null): string {
  const coding = (header ?? '').trim().toLowerCase()
  return coding === '' ? 'identity' : coding
}

/** Whether bodies with this coding can be decoded. Combinations of several codings are not supported. */
export function isKnownCoding(coding: string): boolean {
  return coding === 'identity' || Object.hasOwn(DECODERS, coding)
}

/**
 * Number of encoded bytes that the decoder has received. The bytes that it has decoded so far are only slightly fewer.
 */
export interface DecodingProgress {
  packedBytes: number
}

/** Yields the decoded body. Throws the decoder's error if the body is damaged or truncated. */
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
  // If reading the body fails, `pipeline` destroys the decoder. If the reader stops, `pipeline` destroys the body.
  const source = Readable.from(inSlices(first, body, progress), { highWaterMark: 1 })
  pipeline(source, decoder, () => undefined)
  yield* decoder
}

/** The next piece that is not empty; undefined at the end of the body. */
async function firstPiece(body: AsyncGenerator<Uint8Array>): Promise<Uint8Array | undefined> {
  for (;;) {
    const { value, done } = await body.next()
    if (done === true) return undefined
    if (value.length > 0) return value
  }
}

/** Splits the encoded body into small slices, so that the decoder is never far ahead of its reader. */
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
