// Compresses responses. The content coding is chosen in request-head.ts.

/** The supported content codings, in order of preference. */
export const CODINGS = ['zstd', 'gzip'] as const

/** A content coding. */
export type ContentCoding = (typeof CODINGS)[number]

/**
 * Shorter bodies are not compressed, because they fit into one or two packets, and compression would cost more than it
 * saves.
 */
export const COMPRESSED_FROM_BYTES = 1024
/**
 * The lowest compression level, at which 6 kB take about 10 µs. Higher levels take several times longer and save only a
 * few percent.
 */
const LEVEL = 1

const encoder = new TextEncoder()

/** Compresses a body. */
export function encodeBody(body: string | Uint8Array<ArrayBuffer>, coding: ContentCoding): Uint8Array<ArrayBuffer> {
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  if (coding === 'gzip') return Bun.gzipSync(bytes, { level: LEVEL })
  return new Uint8Array(Bun.zstdCompressSync(bytes, { level: LEVEL }))
}
