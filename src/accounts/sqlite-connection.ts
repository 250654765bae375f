// The one connection to a SQLite file, and how a statement waits for another process without the thread waiting too.
import type { Database } from 'bun:sqlite'
import { StoreDamaged, StoreUnavailable } from './account-store.ts'

/** The result code of a value that must be unique and is there already. */
export const UNIQUE_VIOLATION = 'SQLITE_CONSTRAINT_UNIQUE'

/** How long a statement is tried again while another process has the lock; between two tries everything else runs. */
const BUSY_MILLIS = 2_000
const BUSY_RETRY_MILLIS = 20
/** What a disk or another process does to a statement, as SQLite's result codes begin. */
const UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|PERM|NOMEM)/

/** What SQLite says of a file that isn't, or is no longer, a database. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/

/** What an operator can act upon of what SQLite threw while a file was opened; the error itself otherwise. */
export function explainOpening(path: string, error: unknown): unknown {
  const code = resultCode(error)
  if (DAMAGED.test(code)) return damagedStore(path, code)
  if (!UNAVAILABLE.test(code)) return error
  return new StoreUnavailable(`the database ${path}: ${error instanceof Error ? error.message : error} (${code})`)
}

function damagedStore(path: string, code: string): StoreDamaged {
  return new StoreDamaged(`the database ${path} is damaged (${code})`)
}

/** A connection that several parts of the store share. */
export class SqliteConnection {
  readonly database: Database
  private readonly path: string

  constructor(database: Database, path: string) {
    this.database = database
    this.path = path
  }

  /** Runs a statement; where another process has the file, again and again for some seconds, the thread left free. */
  async whenFree<Result>(statement: () => Result): Promise<Result> {
    const giveUpAtMillis = performance.now() + BUSY_MILLIS
    for (;;) {
      try {
        return statement()
      } catch (error) {
        const code = resultCode(error)
        if (DAMAGED.test(code)) throw damagedStore(this.path, code)
        if (!UNAVAILABLE.test(code)) throw error
        if (!code.startsWith('SQLITE_BUSY') || performance.now() > giveUpAtMillis) {
          throw new StoreUnavailable(
            `the database ${this.path}: ${error instanceof Error ? error.message : error} (${code})`,
          )
        }
      }
      await Bun.sleep(BUSY_RETRY_MILLIS)
    }
  }

  /** Runs statements as one transaction that has the file from its first statement on. */
  transaction<Result>(statements: () => Result): Promise<Result> {
    const run = this.database.transaction(statements)
    return this.whenFree(() => run.immediate())
  }
}

/** SQLite's name for what went wrong; empty where it is no error of SQLite. */
export function resultCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
