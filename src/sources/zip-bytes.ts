// The bytes of a zip by their place in its file, for the zip reader: it follows places that the zip itself states, so each
// is checked here. Bytes behind the zip's end are not a part of it, and nothing is held in memory but what is being read.
import { close, fstatSync, open, read, readSync } from 'node:fs'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { RandomAccessReader } from 'yauzl'

/** How much of an entry is read at once. */
const CHUNK_BYTES = 256 * 1024
/** How far before a file's end the end of its directory is looked for. */
const TAIL_BYTES = 1024 * 1024
const END_OF_DIRECTORY = Buffer.from([0x50, 0x4b, 0x05, 0x06])
/** Length of the end-of-directory record without its comment, and where the comment's length stands in it. */
const END_RECORD_BYTES = 22
const COMMENT_LENGTH_AT = 20

const openFile = promisify(open)
const closeFile = promisify(close)

/** Fills a buffer from a place on; how many bytes there were. */
function readFile(file: number, buffer: Buffer, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(file, buffer, 0, buffer.length, position, (error, bytesRead) =>
      error === null ? resolve(bytesRead) : reject(error),
    )
  })
}

/** An open zip file: give it to the zip reader, which closes it. */
class ZipBytes extends RandomAccessReader {
  /** Where the zip ends. Some producers leave bytes behind it in the file: they are passed over, as `unzip` does. */
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
      setImmediate(callback, new Error(`points to byte ${position + length} of ${this.length}`))
      return
    }
    read(this.file, buffer, offset, length, position, callback)
  }

  /** Gives the file back where no zip reader took it. */
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
      if (bytesRead === 0) throw new Error(`ends at byte ${at}, before ${end}`)
      yield buffer.subarray(0, bytesRead)
      at += bytesRead
    }
  }
}

/** Opens a zip's file. What is no zip at all is opened too: its reader says so. */
export async function openZipBytes(path: string): Promise<ZipBytes> {
  const file = await openFile(path, 'r')
  try {
    return new ZipBytes(file, findLength(file))
  } catch (error) {
    await closeFile(file)
    throw error
  }
}

/** Where the zip in a file ends; the length of the file where it holds none. */
function findLength(file: number): number {
  const { size } = fstatSync(file)
  const tail = Buffer.alloc(Math.min(TAIL_BYTES, size))
  const bytesRead = readSync(file, tail, 0, tail.length, size - tail.length)
  let read = tail.subarray(0, bytesRead)
  for (;;) {
    const at = read.lastIndexOf(END_OF_DIRECTORY)
    if (at < 0) return size
    const record = tail.subarray(at, bytesRead)
    // One that goes on behind the file is no record, but four bytes that look like one.
    if (record.length >= END_RECORD_BYTES) {
      const length = END_RECORD_BYTES + record.readUInt16LE(COMMENT_LENGTH_AT)
      if (length <= record.length) return size - tail.length + at + length
    }
    read = read.subarray(0, at)
  }
}
