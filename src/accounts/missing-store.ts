// Handles an account database that is missing although its pepper and slot files exist. A service with a new database
// would answer every key with 401. Therefore, this module stops the start or, on request, renames the old files.
import { existsSync, renameSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { segmentFolder } from '../metering/segment.ts'
import { listOrdinals, readSegment } from '../metering/segment-recovery.ts'
import { DataDirUnusable } from '../system/data-dir-lock.ts'

/** Endings of SQLite's file names: for the database itself, its write-ahead log, and the index of that log. */
const DATABASE_SUFFIXES = ['', '-wal', '-shm']

/** The settings that locate an installation's persistent data. */
export type StorePlace = Pick<Config, 'dataDir' | 'databaseUrl' | 'pepperFile' | 'cluster'>

/** Whether a service has run here before, so that a new database would be wrong. */
export function wasUsed({ dataDir, pepperFile }: StorePlace): boolean {
  return existsSync(pepperFile) && listOrdinals(segmentFolder(dataDir)).length > 0
}

/** What the operator can do if the database does not contain its keys any more. */
export function explainRemedy({ databaseUrl }: Pick<Config, 'databaseUrl'>): string {
  const restore =
    databaseUrl === undefined
      ? 'a backup (made by `quai backup`) with `quai restore FILE`'
      : 'a dump of its schema (made by `pg_dump --schema=quai`) with `psql`'
  return `restore ${restore}, or start over without the old accounts and keys with \`quai serve --new-store\``
}

/** The message that says why an empty database is refused. */
export function explainMissing(place: StorePlace, database: string): string {
  const slots = segmentFolder(place.dataDir)
  return `the database ${database} is missing or empty, but ${place.pepperFile} and the slot files in ${slots} belong to keys that it contained: ${explainRemedy(place)}`
}

/** Refuses a store without keys if the slot files contain usage. */
export function refuseUsedSlots(place: StorePlace, database: string): void {
  if (hasUsedSlots(place.dataDir)) throw new DataDirUnusable(explainMissing(place, database))
}

/**
 * Renames the folder with the slot files if any slot is used. Call it if the keys of these slots are in no store.
 * Returns the new path, or undefined if no slot is used.
 */
export function setSlotsAside(dataDir: string): string | undefined {
  if (!hasUsedSlots(dataDir)) return undefined
  const aside = `${segmentFolder(dataDir)}.before-${stamp()}`
  renameSync(segmentFolder(dataDir), aside)
  return aside
}

/** Renames a database file and the other files that SQLite keeps for it; returns the new path. */
export function setDatabaseAside(path: string): string {
  const aside = `${path}.before-${stamp()}`
  for (const suffix of DATABASE_SUFFIXES) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
  }
  return aside
}

function hasUsedSlots(dataDir: string): boolean {
  const folder = segmentFolder(dataDir)
  return listOrdinals(folder).some((ordinal) => (readSegment(folder, ordinal)?.slots.length ?? 0) > 0)
}

/** A unique part of a file name. */
function stamp(): string {
  return crypto.randomUUID().slice(0, 8)
}
