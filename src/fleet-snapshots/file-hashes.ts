// SHA-256 of files, kept while the files stay as they are.
import { statSync } from 'node:fs'
import { isErrno } from '../system/errno.ts'

/** The hashes of one replica's files. */
export class FileHashes {
  private readonly known = new Map<string, { readonly stamp: string; readonly hash: string }>()

  /** The hash of a file in hex; undefined if there is none. */
  async of(path: string): Promise<string | undefined> {
    const stamp = stampOf(path)
    if (stamp === undefined) {
      this.known.delete(path)
      return undefined
    }
    const known = this.known.get(path)
    if (known?.stamp === stamp) return known.hash
    const hasher = new Bun.CryptoHasher('sha256')
    for await (const chunk of Bun.file(path).stream()) hasher.update(chunk)
    const hash = hasher.digest('hex')
    this.known.set(path, { stamp, hash })
    return hash
  }
}

function stampOf(path: string): string | undefined {
  try {
    const { ino, size, mtimeMs } = statSync(path)
    return `${ino} ${size} ${mtimeMs}`
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
}
