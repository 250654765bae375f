// `quai backup`: writes accounts, keys and the ledger to one file. The service may be running.
import { resolve } from 'node:path'
import { StoreUnavailable } from '../accounts/account-store.ts'
import { accountDatabasePath } from '../accounts/open-account-store.ts'
import { backUpSqlite } from '../accounts/sqlite-backup.ts'
import type { Config } from '../config/config.ts'
import type { CommandIo } from './command-io.ts'

/** Writes the backup, and reminds the operator to back up the pepper file too. */
export async function runBackup(config: Config, options: { file: string }, io: CommandIo): Promise<number> {
  if (config.databaseUrl !== undefined) {
    throw new StoreUnavailable('accounts and ledger are in PostgreSQL; back up the schema with pg_dump --schema=quai')
  }
  const target = resolve(options.file)
  backUpSqlite(accountDatabasePath(config.dataDir), target)
  io.stdout(`${target}\n`)
  io.stderr(`quai: back up ${config.pepperFile} too: without it, no key works after a restore\n`)
  return 0
}
