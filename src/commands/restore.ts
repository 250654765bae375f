// `quai restore`: restores accounts, keys and the ledger from a `quai backup` file, into SQLite or an empty PostgreSQL
// database. The service must be stopped.
import { resolve } from 'node:path'
import { accountDatabasePath, databaseName, openAccountStore } from '../accounts/open-account-store.ts'
import { loadUsedPeppers } from '../accounts/open-accounts.ts'
import { restoreIntoPostgres } from '../accounts/postgres-restore.ts'
import { restoreSqlite } from '../accounts/sqlite-restore.ts'
import type { Config } from '../config/config.ts'
import { countText } from '../system/count-text.ts'
import { awaitHolder, lockFolder } from '../system/data-dir-lock.ts'
import { refuseOtherOwner } from '../system/folder-owner.ts'
import type { CommandIo } from './command-io.ts'

/** Installs the backup, and checks that the keys in the backup work. The replaced database is not deleted. */
export async function runRestore(config: Config, options: { file: string }, io: CommandIo): Promise<number> {
  refuseOtherOwner(config.dataDir)
  await awaitHolder(config.dataDir)
  const lock = lockFolder(config.dataDir)
  try {
    if (config.databaseUrl === undefined) installSqlite(config, options.file, io)
    else {
      const accounts = await restoreIntoPostgres(resolve(options.file), config.databaseUrl)
      io.stdout(`${databaseName(config)}\n`)
      io.stderr(`quai: copied ${countText(accounts, 'account')} to PostgreSQL\n`)
    }
    const store = await openAccountStore(config)
    try {
      await loadUsedPeppers(store, config)
    } finally {
      await store.close()
    }
    return 0
  } finally {
    lock.release()
  }
}

function installSqlite(config: Config, file: string, io: CommandIo): void {
  const path = accountDatabasePath(config.dataDir)
  const aside = restoreSqlite(resolve(file), path)
  io.stdout(`${path}\n`)
  if (aside !== undefined) io.stderr(`quai: the previous database was moved to ${aside}\n`)
}
