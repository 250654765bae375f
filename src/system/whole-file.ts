// Writes files atomically: writes a temporary file, syncs it and renames it. Also removes the temporary files that
// killed processes left behind.
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writevSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { isErrno } from './errno.ts'

/** Maximum number of buffers per `writev` call (IOV_MAX is 1 024 on Linux). */
const PIECES_PER_WRITE = 512
const ASIDE = /\.(\d+)\.part$/

/**
 * Writes a file atomically. `inspect` may check the temporary file before the rename. If `inspect` throws, or if the
 * disk is full (ENOSPC), this function throws the same error, and the previous file stays.
 */
export function writeFileWhole(
  path: string,
  content: string | readonly Uint8Array[],
  inspect: (aside: string) => void = () => {},
): void {
  const aside = `${path}.${threadId}.${process.pid}.part`
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

/** The content of a JSON file; undefined if the file is missing or damaged. */
export function readJsonFile(path: string) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (isErrno(error, 'ENOENT') || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Removes temporary files of processes that have ended. */
export function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = ASIDE.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { force: true })
  }
}

function isAlive(pid: number): boolean {
  // This process has no temporary files between writes, so the file is from an earlier process with the same pid.
  if (pid === process.pid) return false
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

/** Syncs a file's content or a folder's entries to disk. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
