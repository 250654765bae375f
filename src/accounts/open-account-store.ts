// Chooses the store of accounts, keys and the ledger: PostgreSQL if configured, otherwise SQLite.
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
import { openSqliteStore } from './sqlite-account-store.ts'
import { findDamage } from './sqlite-restore.ts'

/** Path of the SQLite file in a data directory. */
export function accountDatabasePath(dataDir: string): string {
  return join(dataDir, 'quai.db')
}

/** The name that messages use for the configured database. */
export function databaseName({ dataDir, databaseUrl }: Pick<StorePlace, 'dataDir' | 'databaseUrl'>): string {
  if (databaseUrl === undefined) return accountDatabasePath(dataDir)
  const address = parsePostgresAddress(databaseUrl)
  return 'label' in address ? address.label : 'in database_url'
}

/**
 * Opens the configured store. The caller holds the data directory's lock. Throws DataDirUnusable if the store is
 * missing or empty although keys were used before. Throws StoreDamaged if the file can't be read.
 */
export async function openAccountStore(place: StorePlace): Promise<AccountStore> {
  const refusal = wasUsed(place) ? explainMissing(place, databaseName(place)) : undefined
  try {
    return await open(place, refusal)
  } catch (error) {
    throw error instanceof StoreDamaged ? explainDamage(error, place) : error
  }
}

/** The same error with a message that also says what the operator can do. */
export function explainDamage(error: StoreDamaged, place: StorePlace): StoreDamaged {
  return new StoreDamaged(`${error.message}: ${explainRemedy(place)}`)
}

/**
 * Opens the store, or creates a new one if it is missing, empty or damaged. A damaged database and the slot files of a
 * store without keys are moved; `onAside` gets the new path of each. A store with keys is opened unchanged.
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

/** Whether the SQLite file opens but has unreadable pages. */
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

async function open({ dataDir, databaseUrl, cluster }: StorePlace, refusal?: string): Promise<AccountStore> {
  if (databaseUrl !== undefined) {
    const use = { isShared: cluster !== undefined, isPooled: cluster?.hasPreparedStatements === false }
    return await openPostgresStore(databaseUrl, { refusal, use })
  }
  return openSqliteStore(accountDatabasePath(dataDir), refusal)
}
