// Restores the account database from a backup. The caller holds the data directory's lock.
import { Database } from 'bun:sqlite'
import { closeSync, copyFileSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncPath } from '../system/whole-file.ts'
import { StoreUnavailable } from './account-store.ts'
import { MIGRATIONS } from './migrations.ts'
import { setDatabaseAside } from './missing-store.ts'
import { newerSchema } from './schema-steps.ts'

/**
 * Replaces the database with a copy of a backup, once the copy is fully on disk. Returns the path to which the old
 * database was moved, if there was one.
 */
export function restoreSqlite(backup: string, databasePath: string): string | undefined {
  if (!existsSync(backup)) throw new StoreUnavailable(`the backup ${backup} does not exist`)
  const part = `${databasePath}.${process.pid}.part`
  try {
    closeSync(openSync(part, 'wx', 0o600))
    copyFileSync(backup, part)
    checkBackup(part, backup)
    syncPath(part)
    const aside = existsSync(databasePath) ? setDatabaseAside(databasePath) : undefined
    for (const suffix of ['-wal', '-shm']) rmSync(databasePath + suffix, { force: true })
    renameSync(part, databasePath)
    syncPath(dirname(databasePath))
    return aside
  } catch (error) {
    rmSync(part, { force: true })
    throw new StoreUnavailable(`nothing was restored: ${error instanceof Error ? error.message : error}`)
  }
}

/**
 * Checks every page of an open database. Returns a description of the damage; undefined if the database is intact.
 * Reads the whole file.
 */
export function findDamage(database: Database): string | undefined {
  const [found] = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').all()
  return found?.integrity_check === 'ok' ? undefined : `${found?.integrity_check}`
}

/** Throws unless a file is an intact database that this version can read. */
export function checkBackup(path: string, name: string): void {
  const database = new Database(path, { readonly: true })
  try {
    const damage = findDamage(database)
    if (damage !== undefined) throw new Error(`${name} is damaged: ${damage}`)
    const version = database.query<{ version: number }, []>('SELECT version FROM schema_version').get()?.version ?? 0
    if (version > MIGRATIONS.length) throw new Error(newerSchema(name, version, MIGRATIONS.length))
    if (version === 0) throw new Error(`${name} is not a backup of accounts`)
  } finally {
    database.close()
  }
}
