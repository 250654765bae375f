// Makes a disk that soon fills up: a tmpfs of a few megabytes. If no tmpfs can be mounted, commands get a limit on file
// size instead. They then fail at the same point, but with another error.
import { closeSync, fstatSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder with limited space. */
export interface SmallDisk {
  readonly folder: string
  /** Whether the folder is a separate disk. If not, commands must be run with a limit. */
  readonly isMounted: boolean
  remove(): void
}

/** Creates a folder with limited space. */
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

/** Fills the disk with a file `filler`, and then shortens this file so that `freeBytes` are free. */
export function fillUp(folder: string, freeBytes: number): void {
  const file = openSync(join(folder, 'filler'), 'w')
  let block = new Uint8Array(1024 * 1024)
  try {
    while (block.length > 0) {
      try {
        writeSync(file, block)
      } catch {
        block = block.subarray(0, Math.floor(block.length / 2)) // the loop ends when not even one byte can be written
      }
    }
    ftruncateSync(file, fstatSync(file).size - freeBytes)
  } finally {
    closeSync(file)
  }
}
