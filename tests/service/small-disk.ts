// A disk that is soon full: a tmpfs of a few megabytes where one may be mounted. Elsewhere a command is given a limit
// on the size of the files it writes, which ends its writing at the same place by another error.
import { closeSync, fstatSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that takes only so much. */
export interface SmallDisk {
  readonly folder: string
  /** Whether it is a disk of its own; else commands have to be limited. */
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

/** Writes a file `filler` until nothing more fits, and then takes so many bytes of it away again. */
export function fillUp(folder: string, freeBytes: number): void {
  const file = openSync(join(folder, 'filler'), 'w')
  let block = new Uint8Array(1024 * 1024)
  try {
    while (block.length > 0) {
      try {
        writeSync(file, block)
      } catch {
        block = block.subarray(0, Math.floor(block.length / 2)) // until not even one byte fits
      }
    }
    ftruncateSync(file, fstatSync(file).size - freeBytes)
  } finally {
    closeSync(file)
  }
}
