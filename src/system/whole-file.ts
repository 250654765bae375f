// Files that are there whole or not at all: written aside, synced, renamed. What a killed process left aside is removed.
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writevSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isErrno } from './errno.ts'

/** How many pieces one `writev` takes (IOV_MAX is 1 024 on Linux). */
const PIECES_PER_WRITE = 512
const ASIDE = /\.(\d+)\.part$/

/**
 * Writes a file under its name once all of it is on the disk. `inspect` may look at it before that; what it throws
 * undoes the writing. A full disk throws ENOSPC and leaves what was there before.
 */
export function writeFileWhole(
  path: string,
  content: string | readonly Uint8Array[],
  inspect: (aside: string) => void = () => {},
): void {
  const aside = `${path}.${process.pid}.part`
  try {
    writeSynced(aside, typeof content === 'string' ? [new TextEncoder().encode(content)] : content)
    inspect(aside)
    renameSync(aside, path)
  } catch (error) {
    rmSync(aside, { force: true })
    throw error
  }
  syncPath(dirname(path))
}

/** What a JSON file says; undefined if there is none, or if somebody's hand has damaged it. */
export function readJsonFile(path: string) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (isErrno(error, 'ENOENT') || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Removes what processes that no longer live left aside in a folder. */
export function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = ASIDE.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { force: true })
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false // nothing of ours is aside between two writes: it was left under the same number
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isErrno(error, 'EPERM')
  }
}

function writeSynced(path: string, pieces: readonly Uint8Array[]): void {
  const file = openSync(path, 'w', 0o644)
  try {
    for (let first = 0; first < pieces.length; first += PIECES_PER_WRITE) {
      writeAll(file, pieces.slice(first, first + PIECES_PER_WRITE))
    }
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function writeAll(file: number, pieces: readonly Uint8Array[]): void {
  let rest = pieces.filter((piece) => piece.byteLength > 0)
  while (rest.length > 0) {
    let written = writevSync(file, rest)
    const left: Uint8Array[] = []
    for (const piece of rest) {
      if (written >= piece.byteLength) written -= piece.byteLength
      else {
        left.push(written > 0 ? piece.subarray(written) : piece)
        written = 0
      }
    }
    rest = left
  }
}

/** Has the disk hold what was written into a file, or which names a folder has. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
