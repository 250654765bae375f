// The file descriptors of this process: how many it may have, how many it has, and some that are kept back for when there
// are no others. Only Linux tells.
import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { devNull } from 'node:os'
import { isErrno } from './errno.ts'

const FOLDER = '/proc/self/fd'
const LIMIT = /^Max open files\s+(\d+)/m

/** Most descriptors that this process may have; undefined if the system does not tell, or sets no limit. */
export function descriptorLimit(): number | undefined {
  try {
    const [, limit] = LIMIT.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return limit === undefined ? undefined : Number(limit)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
}

/** How many it has: the size of a folder, where the kernel tells it that way (Linux 6.2 and later). */
export function descriptorCount(limit: number): number {
  const { size } = statSync(FOLDER)
  if (size > 0) return size
  try {
    return readdirSync(FOLDER).length
  } catch (error) {
    if (isErrno(error, 'EMFILE')) return limit // there was none left to look with
    throw error
  }
}

/** Descriptors that nobody else gets as long as they are held here. */
export class SpareDescriptors {
  private readonly held: number[] = []

  /** Holds so many; fewer if there are not so many. */
  hold(count: number): void {
    try {
      while (this.held.length < count) this.held.push(openSync(devNull, 'r'))
    } catch (error) {
      if (!isErrno(error, 'EMFILE', 'ENFILE')) throw error
    }
  }

  release(): void {
    for (const descriptor of this.held.splice(0)) closeSync(descriptor)
  }

  get count(): number {
    return this.held.length
  }
}
