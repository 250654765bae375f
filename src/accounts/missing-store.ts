// An account database that is gone while its keys' pepper and slot files are still there: starting without it would
// answer every key with 401. It is refused, or left behind deliberately.
import { existsSync, renameSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { segmentFolder } from '../metering/segment.ts'
import { listOrdinals, readSegment } from '../metering/segment-recovery.ts'
import { DataDirUnusable } from '../system/data-dir-lock.ts'

/** The files of the database, its log and its index, as SQLite names them. */
const DATABASE_SUFFIXES = ['', '-wal', '-shm']

/** Where an installation keeps what outlives its processes. */
export type StorePlace = Pick<Config, 'dataDir' | 'databaseUrl' | 'pepperFile'>

/** Whether a service has run here before: a new database would be one too many. */
export function wasUsed({ dataDir, pepperFile }: StorePlace): boolean {
  return existsSync(pepperFile) && listOrdinals(segmentFolder(dataDir)).length > 0
}

/** What the operator can do about a database that lacks its keys. */
export function explainRemedy({ databaseUrl }: Pick<Config, 'databaseUrl'>): string {
  const restore = databaseUrl === undefined ? 'a backup with `quai restore FILE`' : 'a dump of its schema with `psql`'
  return `restore ${restore} (${databaseUrl === undefined ? '`quai backup`' : '`pg_dump --schema=quai`'} makes them), or start over without the old accounts and keys with \`quai serve --new-store\``
}

/** Why a database that has nothing in it is refused. */
export function explainMissing(place: StorePlace, database: string): string {
  const slots = segmentFolder(place.dataDir)
  return `the database ${database} is missing or empty, but ${place.pepperFile} and the slot files in ${slots} belong to keys that it held: ${explainRemedy(place)}`
}

/** Refuses a store without any key if slots hold what keys have used. */
export function refuseUsedSlots(place: StorePlace, database: string): void {
  if (hasUsedSlots(place.dataDir)) throw new DataDirUnusable(explainMissing(place, database))
}

/** Leaves the slot files of keys that no store knows behind; where they are then, or undefined if they hold nothing. */
export function setSlotsAside(dataDir: string): string | undefined {
  if (!hasUsedSlots(dataDir)) return undefined
  const aside = `${segmentFolder(dataDir)}.before-${stamp()}`
  renameSync(segmentFolder(dataDir), aside)
  return aside
}

/** Moves a database file away with what SQLite keeps beside it; its new path. */
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

/** A part of a file name that no two calls share. */
function stamp(): string {
  return crypto.randomUUID().slice(0, 8)
}
