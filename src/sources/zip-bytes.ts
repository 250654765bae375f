// Random access to the bytes of a zip. The offsets come from the zip itself, so each of them is checked. Bytes after
// the end of the zip are ignored. Only the part that is being read is in memory.
import { close, fstatSync, open, read, readSync } from 'node:fs'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { RandomAccessReader } from 'yauzl'

/** Number of bytes of an entry that are read at once. */
const CHUNK_BYTES = 256 * 1024
/** Number of bytes at the end of the file in which to search for the zip's end-of-directory record. */
const TAIL_BYTES = 1024 * 1024
const END_OF_DIRECTORY = Buffer.from([0x50, 0x4b, 0x05, 0x06])
/** Length of the end-of-directory record without its comment, and offset of the comment length. */
const END_RECORD_BYTES = 22
const COMMENT_LENGTH_AT = 20

const openFile = promisify(open)
const closeFile = promisify(close)

/** Fills a buffer from an offset in the file. Returns the number of bytes read. */
function readFile(file: number, buffer: Buffer, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(file, buffer, 0, buffer.length, position, (error, bytesRead) =>
      error === null ? resolve(bytesRead) : reject(error),
    )
  })
}

/** An open zip file. The zip reader reads it and closes it. */
class ZipBytes extends RandomAccessReader {
  /** Offset of the end of the zip. Bytes after it are ignored, as `unzip` does. */
  readonly length: number
  /** File descriptor. */
  private readonly file: number

  constructor(file: number, length: number) {
    super()
    this.file = file
    this.length = length
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.readRange(start, end), { objectMode: false })
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    if (position + length > this.length) {
      setImmediate(
        callback,
        new Error(`the zip refers to byte ${position + length}, but the file has only ${this.length} bytes`),
      )
      return
    }
    read(this.file, buffer, offset, length, position, callback)
  }

  /** Closes the file. Call this only for a file that has not been passed to a zip reader. */
  async release(): Promise<void> {
    await closeFile(this.file)
  }

  override close(callback: (error: Error | null) => void): void {
    close(this.file, (error) => callback(error ?? null))
  }

  private async *readRange(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at))
      const bytesRead = await readFile(this.file, buffer, at)
      if (bytesRead === 0)
        throw new Error(`the file ends at byte ${at}, but the data of an entry extends to byte ${end}`)
      yield buffer.subarray(0, bytesRead)
      at += bytesRead
    }
  }
}

/** Opens a zip file. Does not check that the file is a zip; if it is not, the zip reader reports that. */
export async function openZipBytes(path: string): Promise<ZipBytes> {
  const file = await openFile(path, 'r')
  try {
    return new ZipBytes(file, findLength(file))
  } catch (error) {
    await closeFile(file)
    throw error
  }
}

/** The offset at which the zip ends; the file's length if the file has no end-of-directory record. */
function findLength(file: number): number {
  const { size } = fstatSync(file)
  const tail = Buffer.alloc(Math.min(TAIL_BYTES, size))
  const bytesRead = readSync(file, tail, 0, tail.length, size - tail.length)
  let read = tail.subarray(0, bytesRead)
  for (;;) {
    const at = read.lastIndexOf(END_OF_DIRECTORY)
    if (at < 0) return size
    const record = tail.subarray(at, bytesRead)
    // If the record would extend past the end of the file, it is not a record. Its first four bytes only look like the
    // signature.
    if (record.length >= END_RECORD_BYTES) {
      const length = END_RECORD_BYTES + record.readUInt16LE(COMMENT_LENGTH_AT)
      if (length <= record.length) return size - tail.length + at + length
    }
    read = read.subarray(0, at)
  }
}
