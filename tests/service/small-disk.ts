// A disk that is soon full: a tmpfs of a few megabytes if one can be mounted. Otherwise, commands get a limit on the
// size of files that they write, which stops them at the same place with another error.
import { closeSync, fstatSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder with limited space. */
export interface SmallDisk {
  readonly folder: string
  /** Whether the folder is a separate disk; otherwise commands must be limited. */
  readonly isMounted: boolean
  remove(): void
}

/** Makes one. */
export function makeSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'quai-disk-'))
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], {
    stderr: 'ignore',
  })
  const isMounted = mounted.success
  return {
    folder,
    isMounted,
    remove: () => {
      if (isMounted) Bun.spawnSync(['umount', '-l', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Writes a file `filler` until the disk is full, then frees a number of bytes. */
export function fillUp(folder: string, freeBytes: number): void {
  const file = openSync(join(folder, 'filler'), 'w')
  let block = new Uint8Array(1024 * 1024)
  try {
    while (block.length > 0) {
      try {
        writeSync(file, block)
      } catch {
        block = block.subarray(0, Math.floor(block.length / 2)) // ends when not even one byte fits
      }
    }
    ftruncateSync(file, fstatSync(file).size - freeBytes)
  } finally {
    closeSync(file)
  }
}
