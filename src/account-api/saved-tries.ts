// The file that keeps attempt counts across a restart, so that a restart doesn't give strangers new attempts.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isErrno } from '../system/errno.ts'
import { writeFileWhole } from '../system/whole-file.ts'
import type { Tries } from './tries.ts'

/** The file of attempt counts in a data directory. */
export class SavedTries {
  private readonly path: string
  private readonly onProblem: (message: string) => void

  /** @param onProblem called if the file can't be read or written; the service continues without the file */
  constructor(dataDir: string, onProblem: (message: string) => void) {
    this.path = join(dataDir, 'log-in-tries')
    this.onProblem = onProblem
  }

  /** Restores saved counts. The file is not removed, because after a crash, old counts are better than no counts. */
  load(tries: Tries): void {
    const fault = readTries(this.path, tries)
    if (fault !== undefined) this.onProblem(`${this.path} cannot be used: ${fault}; counting failed logins from 0`)
  }

  /** Saves the counts; removes the file if there are none. */
  save(tries: Tries): void {
    try {
      if (tries.heldBytes === 0) rmSync(this.path, { force: true })
      else writeFileWhole(this.path, [Bun.zstdCompressSync(tries.save())])
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      this.onProblem(
        `failed logins cannot be saved to ${this.path}: ${error.message}; after a restart, they are counted from 0`,
      )
    }
  }
}

/**
 * Restores counts from the file. Returns the reason if the file can't be used; undefined on success, or if there is no
 * file.
 */
function readTries(path: string, tries: Tries): string | undefined {
  try {
    const isRestored = tries.restore(Bun.zstdDecompressSync(readFileSync(path)))
    return isRestored ? undefined : 'the file was written with a different pepper or by another version'
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    return error instanceof Error ? error.message : String(error)
  }
}
