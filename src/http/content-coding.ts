// Compressed answers (RFC 9110, 12.5.3; RFC 8878): which coding a client takes, and bodies in it.

/** What bodies are compressed with, the one to prefer first. */
const CODINGS = ['zstd', 'gzip'] as const

/** A content coding. */
export type ContentCoding = (typeof CODINGS)[number]

/** Shorter bodies, in bytes, fit a packet or two either way: compressing one would cost more than it saves. */
export const COMPRESSED_FROM_BYTES = 1024
/** The lowest: a body of 6 kB takes some 10 µs, higher ones a multiple for a few percent. */
const LEVEL = 1
/** Headers whose choice is remembered. Clients send few different ones; more of them start it anew. */
const KEPT_HEADERS = 256

const encoder = new TextEncoder()
const chosen = new Map<string, ContentCoding | undefined>()

/** The coding to answer a client in; undefined where it names none that we have. */
export function chooseCoding(acceptEncoding: string | null): ContentCoding | undefined {
  if (acceptEncoding === null) return undefined
  if (chosen.has(acceptEncoding)) return chosen.get(acceptEncoding)
  if (chosen.size >= KEPT_HEADERS) chosen.clear()
  const coding = readChoice(acceptEncoding, CODINGS)
  chosen.set(acceptEncoding, coding)
  return coding
}

/** Whether a client takes what is kept under gzip alone. */
export function takesGzip(acceptEncoding: string | null): boolean {
  return acceptEncoding !== null && readChoice(acceptEncoding, ['gzip']) === 'gzip'
}

/** A body in a coding. */
export function encodeBody(body: string | Uint8Array<ArrayBuffer>, coding: ContentCoding): Uint8Array<ArrayBuffer> {
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  if (coding === 'gzip') return Bun.gzipSync(bytes, { level: LEVEL })
  return new Uint8Array(Bun.zstdCompressSync(bytes, { level: LEVEL }))
}

/** The one of some codings with the highest quality; of equal ones the first. One that is not named has that of `*`. */
function readChoice(acceptEncoding: string, codings: readonly ContentCoding[]): ContentCoding | undefined {
  const qualities = new Map<string, number>()
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    qualities.set(name, quality === undefined ? 1 : Number(quality.slice(2)))
  }
  let best: ContentCoding | undefined
  let highest = 0
  for (const coding of codings) {
    const quality = qualities.get(coding) ?? qualities.get('*') ?? 0
    if (quality > highest) [best, highest] = [coding, quality]
  }
  return highest >= (qualities.get('identity') ?? 0) ? best : undefined
}
