// The file descriptors of this process: the limit, the number in use, and a reserve. Linux only.
import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { devNull } from 'node:os'
import { isErrno } from './errno.ts'

const FOLDER = '/proc/self/fd'
const LIMIT = /^Max open files\s+(\d+)/m

/** The descriptor limit of this process; undefined if unknown or unlimited. */
export function descriptorLimit(): number | undefined {
  try {
    const [, limit] = LIMIT.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return limit === undefined ? undefined : Number(limit)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
}

/**
 * Number of open descriptors: the size of the folder /proc/self/fd on Linux 6.2 and later, otherwise the number of
 * entries in that folder.
 */
export function descriptorCount(limit: number): number {
  const { size } = statSync(FOLDER)
  if (size > 0) return size
  try {
    return readdirSync(FOLDER).length
  } catch (error) {
    if (isErrno(error, 'EMFILE')) return limit // no descriptor was left for this check
    throw error
  }
}

/** A reserve of open descriptors. They are closed when this process needs descriptors. */
export class SpareDescriptors {
  private readonly held: number[] = []

  /** Opens descriptors until the reserve has `count` of them, or until the process can open no more. */
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
