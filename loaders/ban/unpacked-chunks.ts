// Reads the bytes of a file, and decompresses them if they start with the gzip magic number. Also finds the file's
// field separator.
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { FeedRefused } from '../feed-problems.ts'

const GZIP_MAGIC = [0x1f, 0x8b]
const COMMA = 0x2c
const SEMICOLON = 0x3b
const LINE_FEED = 0x0a

/** The uncompressed bytes of a file. Throws FeedRefused if a gzip file is damaged or truncated. */
export async function* unpackedChunks(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const [start, all] = await peek(chunks, GZIP_MAGIC.length)
  if (!GZIP_MAGIC.every((byte, at) => start[at] === byte)) {
    yield* all
    return
  }
  const source = Readable.from(all)
  const unpacked = createGunzip()
  source.on('error', (error) => unpacked.destroy(error))
  source.pipe(unpacked)
  try {
    yield* unpacked
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error
    const example = `the gzip is damaged: ${error.message}`
    throw new FeedRefused({ rule: 'unreadable_zip', file, line: 0, example, action: 'refused_feed' })
  } finally {
    source.destroy()
  }
}

/**
 * Finds the separator between the header's fields. Also returns the chunks of the whole file, including those that have
 * already been read.
 */
export async function readSeparator(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ separator: number; all: AsyncIterable<Uint8Array> }> {
  const [start, all] = await peek(chunks, HEADER_BYTES, LINE_FEED)
  const end = start.indexOf(LINE_FEED)
  const header = end < 0 ? start : start.subarray(0, end)
  const count = (wanted: number) => header.reduce((sum, byte) => sum + Number(byte === wanted), 0)
  return { separator: count(SEMICOLON) >= count(COMMA) ? SEMICOLON : COMMA, all }
}

/** Maximum number of bytes to read for the header, more than any header has. */
const HEADER_BYTES = 4096

/** Reads the start of a file, up to a given byte or a maximum length. Also returns the chunks of the whole file. */
async function peek(
  chunks: AsyncIterable<Uint8Array>,
  byteCount: number,
  endByte?: number,
): Promise<[Uint8Array, AsyncIterable<Uint8Array>]> {
  const iterator = chunks[Symbol.asyncIterator]()
  const held: Uint8Array[] = []
  let length = 0
  let isWhole = false
  while (length < byteCount) {
    const next = await iterator.next()
    if (next.done === true) {
      isWhole = true
      break
    }
    held.push(next.value)
    length += next.value.length
    if (endByte !== undefined && next.value.includes(endByte)) break
  }
  async function* again(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* held
      while (!isWhole) {
        const next = await iterator.next()
        if (next.done === true) return
        yield next.value
      }
    } finally {
      await iterator.return?.()
    }
  }
  return [Buffer.concat(held), again()]
}
