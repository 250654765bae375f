// Reads a live feed from a file. The whole file is read whenever its metadata changes.
import type { Stats } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { DownloadFailed } from '../sources/download-failed.ts'

/** The file that contains one feed. */
export class FeedFile {
  private readonly path: string
  private readonly maxBytes: number
  private stamp = ''

  /** @param maxBytes size limit: a larger file is not read */
  constructor(path: string, maxBytes: number) {
    this.path = path
    this.maxBytes = maxBytes
  }

  /**
   * The file's bytes; undefined if its metadata is unchanged since the last read. Throws DownloadFailed if the file
   * cannot be read.
   */
  async read(): Promise<Uint8Array | undefined> {
    try {
      // The file is checked before it is opened, because opening a pipe would block until the pipe has a writer.
      const { isFile, stamp } = lookOf(await stat(this.path))
      if (!isFile) throw new DownloadFailed('fetch_failed', 'its path is not a file')
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
      // Any system error (no such file, no permission, a failing disk) may be gone at the next read.
      throw new DownloadFailed('fetch_failed', `its file cannot be read (${String(error.code)})`)
    }
  }

  /** Makes the next `read` return the file's bytes even if the file is unchanged. */
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
    // Rejects a file that changed during the read: a mix of old and new content might look valid.
    const after = lookOf(await file.stat())
    if (after.stamp !== before.stamp) throw new DownloadFailed('fetch_failed', 'its file changed while being read')
    this.stamp = before.stamp
    return bytes
  }
}

function lookOf(stats: Stats) {
  const { ino, size, mtimeMs, ctimeMs } = stats
  return { isFile: stats.isFile(), size, stamp: `${ino} ${size} ${mtimeMs} ${ctimeMs}` }
}
