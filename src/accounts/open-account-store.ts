// Chooses where accounts, keys and the ledger are kept: PostgreSQL if the configuration names one, else SQLite.
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { parsePostgresAddress } from '../config/postgres-address.ts'
import { type AccountStore, StoreDamaged } from './account-store.ts'
import {
  explainMissing,
  explainRemedy,
  type StorePlace,
  setDatabaseAside,
  setSlotsAside,
  wasUsed,
} from './missing-store.ts'
import { openPostgresStore } from './postgres-account-store.ts'
import { SESSION_LIMITS } from './postgres-session.ts'
import { openSqliteStore } from './sqlite-account-store.ts'
import { findDamage } from './sqlite-restore.ts'

/** Where SQLite's file is in a data directory. */
export function accountDatabasePath(dataDir: string): string {
  return join(dataDir, 'quai.db')
}

/** The database of a configuration, as messages name it. */
export function databaseName({ dataDir, databaseUrl }: Pick<StorePlace, 'dataDir' | 'databaseUrl'>): string {
  if (databaseUrl === undefined) return accountDatabasePath(dataDir)
  const address = parsePostgresAddress(databaseUrl)
  return 'label' in address ? address.label : 'of database_url'
}

/**
 * Opens the store of a configuration; the caller has the data directory's lock. Throws DataDirUnusable if it would begin
 * an empty store where keys have been used before, StoreDamaged if the file can't be read.
 */
export async function openAccountStore(place: StorePlace): Promise<AccountStore> {
  const refusal = wasUsed(place) ? explainMissing(place, databaseName(place)) : undefined
  try {
    return await open(place, refusal)
  } catch (error) {
    throw error instanceof StoreDamaged ? explainDamage(error, place) : error
  }
}

/** What is damaged, with what the operator can do about it. */
export function explainDamage(error: StoreDamaged, place: StorePlace): StoreDamaged {
  return new StoreDamaged(`${error.message}: ${explainRemedy(place)}`)
}

/**
 * Opens the store, and begins a new one if it is missing, empty or damaged. What was there before is set aside, and named
 * to `onAside`; a store that has keys is opened as it is.
 */
export async function openNewStore(place: StorePlace, onAside: (path: string) => void): Promise<AccountStore> {
  const store = await openUndamaged(place, onAside)
  if ((await store.listKeys()).length === 0) {
    const aside = setSlotsAside(place.dataDir)
    if (aside !== undefined) onAside(aside)
  }
  return store
}

async function openUndamaged(place: StorePlace, onAside: (path: string) => void): Promise<AccountStore> {
  try {
    const store = await open(place)
    if (!hasDamagedPages(place)) return store
    await store.close()
    onAside(setDatabaseAside(accountDatabasePath(place.dataDir)))
    return await open(place)
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error
    onAside(setDatabaseAside(accountDatabasePath(place.dataDir)))
    return await open(place)
  }
}

/** Whether SQLite's file opens, but has pages that it cannot read. */
function hasDamagedPages({ dataDir, databaseUrl }: StorePlace): boolean {
  if (databaseUrl !== undefined) return false
  const database = new Database(accountDatabasePath(dataDir), { readonly: true })
  try {
    return findDamage(database) !== undefined
  } catch {
    return true
  } finally {
    database.close()
  }
}

async function open({ dataDir, databaseUrl }: StorePlace, refusal?: string): Promise<AccountStore> {
  if (databaseUrl !== undefined) return await openPostgresStore(databaseUrl, SESSION_LIMITS, refusal)
  return openSqliteStore(accountDatabasePath(dataDir), refusal)
}
