// One process owns a folder: the data directory, or a network's snapshots while they are imported. The lock is SQLite's own on an empty database: the kernel gives it back when the
// process ends, however it ends, and it works on every platform Quai runs on.
import { Database } from 'bun:sqlite'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Another process holds the data directory. */
export class DataDirBusy extends Error {
  override readonly name = 'DataDirBusy'
}

/** The data directory can't be used as it is; the message says why. */
export class DataDirUnusable extends Error {
  override readonly name = 'DataDirUnusable'
}

/** A held data directory. */
export interface DataDirLock {
  release(): void
}

/** Takes a folder, making it if needed; throws DataDirBusy at once where another process has it. */
export function lockFolder(folder: string): DataDirLock {
  mkdirSync(folder, { recursive: true })
  const pidPath = join(folder, 'lock.pid')
  // For its owner only: whoever can read a database can lock it too.
  closeSync(openSync(join(folder, 'lock'), 'a', 0o600))
  const database = new Database(join(folder, 'lock'), { create: true })
  try {
    database.run('PRAGMA busy_timeout = 0')
    database.run('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')) throw error
    throw new DataDirBusy(`another quai process${readHolder(pidPath)} is using the data directory ${folder}`)
  }
  try {
    writeFileSync(pidPath, `${process.pid}\n`)
  } catch (error) {
    database.close() // a lock that nobody knows of would never be given back
    throw error
  }
  return {
    release() {
      rmSync(pidPath, { force: true })
      database.close()
    },
  }
}

function readHolder(pidPath: string): string {
  try {
    return ` (${readFileSync(pidPath, 'utf8').trim()})`
  } catch {
    return '' // the number is a courtesy; without it the message still says what is wrong
  }
}
