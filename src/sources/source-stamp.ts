// How the local files of a network's feeds look from outside: enough to notice that one was changed, cheap enough to
// be asked for every few seconds. What has changed is decided by the content, at the import.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isErrno } from '../system/errno.ts'

const WEB_ADDRESS = /^https?:\/\//i

/** Whether a source is an address on the web. */
export function isWebAddress(source: string): boolean {
  return WEB_ADDRESS.test(source)
}

/**
 * Name, size and times of every local file of the feeds, one deep in folders, as one text. What is not there is said
 * as such; addresses on the web are left out.
 */
export function stampSources(sources: readonly string[]): string {
  return sources
    .filter((source) => !isWebAddress(source))
    .map((source) => `${source}\n${stampTree(source, 2).join('\n')}`)
    .join('\n')
}

function stampTree(path: string, depth: number): string[] {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path)
    const entries = depth > 0 ? listFolder(path) : []
    if (entries === undefined) return [`${ino} ${size} ${mtimeMs} ${ctimeMs}`]
    return entries.flatMap((name) => stampTree(join(path, name), depth - 1).map((line) => `${name} ${line}`))
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES')) return ['absent']
    throw error
  }
}

/** The names in a folder, in order; undefined where it is none. */
function listFolder(path: string): string[] | undefined {
  try {
    return readdirSync(path).sort()
  } catch (error) {
    if (isErrno(error, 'ENOTDIR')) return undefined
    throw error
  }
}
