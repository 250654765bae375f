// The file in which tries pass from one process to the next, so that a restart gives strangers no new ones.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isErrno } from '../system/errno.ts'
import { writeFileWhole } from '../system/whole-file.ts'
import type { Tries } from './tries.ts'

/** The file of a data directory. */
export class SavedTries {
  private readonly path: string
  private readonly onProblem: (message: string) => void

  /** @param onProblem told of a file that cannot be read or written: the service goes on without */
  constructor(dataDir: string, onProblem: (message: string) => void) {
    this.path = join(dataDir, 'log-in-tries')
    this.onProblem = onProblem
  }

  /** Brings back what was saved. The file stays: after a crash what it holds is better than nothing. */
  load(tries: Tries): void {
    const fault = readTries(this.path, tries)
    if (fault !== undefined) this.onProblem(`${this.path} cannot be used: ${fault}; failed log-ins are counted from 0`)
  }

  /** Writes what is counted; where nothing is, there is no file. */
  save(tries: Tries): void {
    try {
      if (tries.heldBytes === 0) rmSync(this.path, { force: true })
      else writeFileWhole(this.path, [Bun.zstdCompressSync(tries.save())])
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      this.onProblem(`failed log-ins cannot be saved to ${this.path}: ${error.message}; a restart forgets them`)
    }
  }
}

/** Why a file cannot be used, if it cannot. */
function readTries(path: string, tries: Tries): string | undefined {
  try {
    const isRestored = tries.restore(Bun.zstdDecompressSync(readFileSync(path)))
    return isRestored ? undefined : 'it is of another pepper or version'
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    return error instanceof Error ? error.message : String(error)
  }
}
