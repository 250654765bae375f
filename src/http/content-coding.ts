// Compressed answers (RFC 8878). Which coding a client takes: request-head.ts.

/** What bodies are compressed with, the one to prefer first. */
export const CODINGS = ['zstd', 'gzip'] as const

/** A content coding. */
export type ContentCoding = (typeof CODINGS)[number]

/** Shorter bodies, in bytes, fit a packet or two either way: compressing one would cost more than it saves. */
export const COMPRESSED_FROM_BYTES = 1024
/** The lowest: a body of 6 kB takes some 10 µs, higher ones a multiple for a few percent. */
const LEVEL = 1

const encoder = new TextEncoder()

/** A body in a coding. */
export function encodeBody(body: string | Uint8Array<ArrayBuffer>, coding: ContentCoding): Uint8Array<ArrayBuffer> {
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  if (coding === 'gzip') return Bun.gzipSync(bytes, { level: LEVEL })
  return new Uint8Array(Bun.zstdCompressSync(bytes, { level: LEVEL }))
}
