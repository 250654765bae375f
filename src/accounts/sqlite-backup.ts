// A consistent copy of the account database, made while the service keeps writing.
import { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncPath } from '../system/whole-file.ts'
import { StoreUnavailable } from './account-store.ts'

/** How long the copy waits for a lock. */
const BUSY_MILLIS = 5_000

/**
 * Writes a copy that only its owner can read. The copy gets its final name when it is fully on disk. Never overwrites a
 * file.
 */
export function backUpSqlite(databasePath: string, target: string): void {
  if (!existsSync(databasePath)) throw new StoreUnavailable(`the database ${databasePath} does not exist`)
  if (existsSync(target)) throw new StoreUnavailable(`${target} already exists; choose another file`)
  const aside = `${target}.${process.pid}.part`
  try {
    closeSync(openSync(aside, 'wx', 0o600))
    const database = new Database(databasePath, { readonly: true })
    try {
      database.run(`PRAGMA busy_timeout = ${BUSY_MILLIS}`)
      database.run('VACUUM INTO ?', [aside])
    } finally {
      database.close()
    }
    syncPath(aside)
    renameSync(aside, target)
    syncPath(dirname(target))
  } catch (error) {
    rmSync(aside, { force: true })
    throw new StoreUnavailable(`no backup was made: ${error instanceof Error ? error.message : error}`)
  }
}
