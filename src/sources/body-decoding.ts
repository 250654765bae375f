// Decodes the body of an answer piece by piece, no faster than it is read: what a body unpacks to is never in memory
// whole, and decoding stops with whoever reads it.
import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'

/** The coding that is asked for. The others below are decoded too, for servers that send them unasked. */
export const ACCEPTED_CODINGS = 'gzip'

/** How much is decoded at once. */
const PIECE_BYTES = 64 * 1024
/** The method of a zlib header (RFC 1950): the low half of its first byte. */
const DEFLATE_METHOD = 8

/** Makes the decoder of a body that begins with this byte. */
type MakeDecoder = (firstByte: number) => Transform

const gunzip: MakeDecoder = () => createGunzip({ chunkSize: PIECE_BYTES })
/** Some servers leave out the zlib header. */
const inflate: MakeDecoder = (firstByte) =>
  (firstByte & 15) === DEFLATE_METHOD
    ? createInflate({ chunkSize: PIECE_BYTES })
    : createInflateRaw({ chunkSize: PIECE_BYTES })
const unbrotli: MakeDecoder = () => createBrotliDecompress({ chunkSize: PIECE_BYTES })

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

/** The decoded body. Throws what the decoder throws for a body that is damaged or ends early. */
export async function* decodeBody(
  body: AsyncGenerator<Uint8Array>,
  coding: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const makeDecoder = DECODERS[coding]
  if (makeDecoder === undefined) {
    yield* body
    return
  }
  const first = await firstPiece(body)
  if (first === undefined) return
  const decoder = makeDecoder(first[0] ?? 0)
  // The decoder is destroyed with what the body throws, and the body with whoever stops reading the decoder.
  pipeline(Readable.from(startingWith(first, body)), decoder, () => undefined)
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

async function* startingWith(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}
