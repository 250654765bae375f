// SHA-256 hashes of files. The hashes are stored on disk, so that unchanged files are not read again, even after a
// restart.
import { statSync } from 'node:fs'
import { isErrno } from './errno.ts'
import { readJsonFile, writeFileWhole } from './whole-file.ts'

interface KnownHash {
  /** A string that changes if the file changes. */
  readonly stamp: string
  readonly hash: string
}

/** Caches the hashes of files. */
export class FileHashes {
  private readonly keptIn: string
  private readonly known: Map<string, KnownHash>

  /** @param keptIn path of the file in which the hashes are stored */
  constructor(keptIn: string) {
    this.keptIn = keptIn
    this.known = new Map(Object.entries(readJsonFile(keptIn) ?? {}))
  }

  /** The hash of a file, in hexadecimal; undefined if the file does not exist. */
  async of(path: string): Promise<string | undefined> {
    const stamp = stampOf(path)
    if (stamp === undefined) return undefined
    const known = this.known.get(path)
    if (known?.stamp === stamp) return known.hash
    const hash = await sha256OfFile(path)
    this.known.set(path, { stamp, hash })
    for (const other of this.known.keys()) if (stampOf(other) === undefined) this.known.delete(other)
    writeFileWhole(this.keptIn, JSON.stringify(Object.fromEntries(this.known)))
    return hash
  }
}

/** The SHA-256 hash of a file, in hexadecimal. Reads the file piece by piece. */
export async function sha256OfFile(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk)
  return hasher.digest('hex')
}

function stampOf(path: string): string | undefined {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path)
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
}
