// The only connection to a SQLite file. A statement waits for another process's lock without blocking the thread.
import type { Database } from 'bun:sqlite'
import { StoreDamaged, StoreUnavailable } from './account-store.ts'

/** The result code for a violated UNIQUE constraint. */
export const UNIQUE_VIOLATION = 'SQLITE_CONSTRAINT_UNIQUE'

/** How long a statement is retried while another process holds the lock; the thread is free between retries. */
const BUSY_MILLIS = 2_000
const BUSY_RETRY_MILLIS = 20
/** Prefixes of SQLite result codes caused by the disk or another process. */
const UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|PERM|NOMEM)/

/** Result codes for a file that is damaged or is not a database. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/

/** Converts a SQLite error to an error that an operator can act on. Other errors are returned unchanged. */
export function explainOpening(path: string, error: unknown): unknown {
  const code = resultCode(error)
  if (DAMAGED.test(code)) return new StoreDamaged(`the database ${path} is damaged (${code})`)
  if (!UNAVAILABLE.test(code)) return error
  return new StoreUnavailable(`the database ${path}: ${error instanceof Error ? error.message : error} (${code})`)
}

/** A connection shared by several parts of the store. */
export class SqliteConnection {
  readonly database: Database
  private readonly path: string

  constructor(database: Database, path: string) {
    this.database = database
    this.path = path
  }

  /** Runs a statement. While another process holds the lock, retries for two seconds without blocking the thread. */
  async whenFree<Result>(statement: () => Result): Promise<Result> {
    const giveUpAtMillis = performance.now() + BUSY_MILLIS
    for (;;) {
      try {
        return statement()
      } catch (error) {
        const isBusy = resultCode(error).startsWith('SQLITE_BUSY')
        if (!isBusy || performance.now() > giveUpAtMillis) throw explainOpening(this.path, error)
      }
      await Bun.sleep(BUSY_RETRY_MILLIS)
    }
  }

  /** Runs statements as one transaction, which locks the file before the first statement. */
  transaction<Result>(statements: () => Result): Promise<Result> {
    const run = this.database.transaction(statements)
    return this.whenFree(() => run.immediate())
  }
}

/** The SQLite result code of an error; empty if the error has none. */
export function resultCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
