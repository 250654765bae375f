// `quai restore`: restores accounts, keys and the ledger from a `quai backup` file. The service must be stopped.
import { resolve } from 'node:path'
import { StoreUnavailable } from '../accounts/account-store.ts'
import { accountDatabasePath, openAccountStore } from '../accounts/open-account-store.ts'
import { loadUsedPeppers } from '../accounts/open-accounts.ts'
import { restoreSqlite } from '../accounts/sqlite-restore.ts'
import type { Config } from '../config/config.ts'
import { awaitHolder, lockFolder } from '../system/data-dir-lock.ts'
import type { CommandIo } from './command-io.ts'

/** Installs the backup, keeps what it replaces, and checks that its keys work. */
export async function runRestore(config: Config, options: { file: string }, io: CommandIo): Promise<number> {
  if (config.databaseUrl !== undefined) {
    throw new StoreUnavailable('accounts and ledger are in PostgreSQL; restore a dump of the schema quai with psql')
  }
  await awaitHolder(config.dataDir)
  const lock = lockFolder(config.dataDir)
  try {
    const path = accountDatabasePath(config.dataDir)
    const aside = restoreSqlite(resolve(options.file), path)
    io.stdout(`${path}\n`)
    if (aside !== undefined) io.stderr(`quai: the previous database was moved to ${aside}\n`)
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
