// A live feed that lies in a file: read whole, when it looks changed.
import type { Stats } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { DownloadFailed } from '../sources/download-failed.ts'

/** The file of one feed. */
export class FeedFile {
  private readonly path: string
  private readonly maxBytes: number
  private stamp = ''

  /** @param maxBytes of a larger file nothing is read */
  constructor(path: string, maxBytes: number) {
    this.path = path
    this.maxBytes = maxBytes
  }

  /** Its bytes, or undefined where it looks as it did when it was last read. Throws DownloadFailed. */
  async read(): Promise<Uint8Array | undefined> {
    try {
      // Asked before it is opened: to open a pipe is to wait for whoever writes into it.
      const { isFile, stamp } = lookOf(await stat(this.path))
      if (!isFile) throw new DownloadFailed('fetch_failed', 'its file is none')
      if (stamp === this.stamp) return undefined
      const file = await open(this.path)
      try {
        return await this.readOpen(file)
      } finally {
        await file.close()
      }
    } catch (error) {
      if (error instanceof DownloadFailed) throw error
      if (!(error instanceof Error && 'code' in error)) throw error
      // Whatever the system says (no such file, no right, a disk that fails) may be otherwise the next time.
      throw new DownloadFailed('fetch_failed', `its file cannot be read (${String(error.code)})`)
    }
  }

  /** Reads it the next time, however it looks. */
  forget(): void {
    this.stamp = ''
  }

  private async readOpen(file: FileHandle): Promise<Uint8Array> {
    const before = lookOf(await file.stat())
    if (before.size > this.maxBytes)
      throw new DownloadFailed('too_large', `its file has more than ${this.maxBytes} bytes`)
    const bytes = new Uint8Array(before.size)
    let length = 0
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    // Half of the old and half of the new might seem sound.
    const after = lookOf(await file.stat())
    if (after.stamp !== before.stamp) throw new DownloadFailed('fetch_failed', 'its file changed while it was read')
    this.stamp = before.stamp
    return bytes
  }
}

function lookOf(stats: Stats) {
  const { ino, size, mtimeMs, ctimeMs } = stats
  return { isFile: stats.isFile(), size, stamp: `${ino} ${size} ${mtimeMs} ${ctimeMs}` }
}
