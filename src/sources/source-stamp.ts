// A stamp of local source files that changes when a file changes. The stamp is cheap, because the contents of files are
// not read.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isErrno } from '../system/errno.ts'

/**
 * Maximum depth of the files in a source folder that the stamp covers. Files directly in the folder have the depth 1.
 */
const STAMPED_DEPTH = 2
const WEB_ADDRESS = /^https?:\/\//i

/** Whether a source is a URL. */
export function isWebAddress(source: string): boolean {
  return WEB_ADDRESS.test(source)
}

/**
 * The inode, size and times of each local source file, as one string. A source can be a folder. The stamp then covers
 * the files in the folder and in its subfolders, as in `openFeedSource`, but no deeper files. Missing files are
 * included; URLs are left out.
 */
export function stampSources(sources: readonly string[]): string {
  return sources
    .filter((source) => !isWebAddress(source))
    .map((source) => `${source}\n${stampTree(source, STAMPED_DEPTH).join('\n')}`)
    .join('\n')
}

function stampTree(path: string, depth: number): string[] {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path)
    const entries = depth > 0 ? listFolder(path) : undefined
    if (entries === undefined) return [`${ino} ${size} ${mtimeMs} ${ctimeMs}`]
    return entries.flatMap((name) => stampTree(join(path, name), depth - 1).map((line) => `${name} ${line}`))
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES')) return ['absent']
    throw error
  }
}

/** Sorted names of the entries in a folder; undefined if the path is not a folder. */
function listFolder(path: string): string[] | undefined {
  try {
    return readdirSync(path).sort()
  } catch (error) {
    if (isErrno(error, 'ENOTDIR')) return undefined
    throw error
  }
}
