// Chooses where accounts, keys and the ledger are kept: PostgreSQL where the configuration names one, else SQLite.
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { AccountStore } from './account-store.ts'
import { openPostgresStore } from './postgres-account-store.ts'
import { openSqliteStore } from './sqlite-account-store.ts'

/** Where SQLite's file is in a data directory. */
export function accountDatabasePath(dataDir: string): string {
  return join(dataDir, 'quai.db')
}

/** Opens the store of a configuration; the caller has the data directory's lock. */
export async function openAccountStore(config: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<AccountStore> {
  if (config.databaseUrl !== undefined) return openPostgresStore(config.databaseUrl)
  return openSqliteStore(accountDatabasePath(config.dataDir))
}
