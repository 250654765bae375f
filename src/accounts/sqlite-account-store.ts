// The account store in one SQLite file, in WAL mode and synced at every commit: a merged count survives a power cut.
import { Database } from 'bun:sqlite'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Account, type AccountStore, type StoredKey, StoreUnavailable, type UsageRow } from './account-store.ts'
import { DataDirUnusable } from './data-dir-lock.ts'
import { MIGRATIONS } from './migrations.ts'
import {
  type AccountRow,
  countsAsActive,
  foldEmail,
  isStorable,
  type KeyRow,
  type LedgerRow,
  refusals,
  requireStorable,
  toAccount,
  toStoredKey,
  toUsageRow,
} from './store-rows.ts'

/** How long a store that is opened waits for another process's lock: nothing else runs yet. */
const OPENING_MILLIS = 5_000
/** How long a statement is tried again while another process has the lock; between two tries everything else runs. */
const BUSY_MILLIS = 2_000
const BUSY_RETRY_MILLIS = 20
const UNIQUE_VIOLATION = 'SQLITE_CONSTRAINT_UNIQUE'
/** What a disk or another process does to a statement, as SQLite's result codes begin. */
const UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|PERM|NOMEM)/

/** Opens the store, making or bringing forward its file; refuses a file of a newer Quai. */
export function openSqliteStore(path: string): AccountStore {
  mkdirSync(dirname(path), { recursive: true })
  // Made for its owner only, and with it the files that SQLite puts beside it: it holds addresses.
  closeSync(openSync(path, 'a', 0o600))
  const database = new Database(path, { create: true, strict: true })
  try {
    database.run(`PRAGMA busy_timeout = ${OPENING_MILLIS}`)
    database.run('PRAGMA journal_mode = WAL')
    database.run('PRAGMA synchronous = FULL')
    database.run('PRAGMA foreign_keys = ON')
    migrate(database, path)
    database.run('PRAGMA busy_timeout = 0')
  } catch (error) {
    database.close()
    throw error
  }
  return new SqliteAccountStore(database, path)
}

function migrate(database: Database, path: string): void {
  database.run('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL) STRICT')
  const found = database.query<{ version: number }, []>('SELECT version FROM schema_version').get()
  const version = found?.version ?? 0
  if (version > MIGRATIONS.length) {
    throw new DataDirUnusable(`${path} is of version ${version}; this Quai knows versions up to ${MIGRATIONS.length}`)
  }
  for (const [step, sql] of MIGRATIONS.entries()) {
    if (step < version) continue
    database.transaction(() => {
      database.run(sql)
      database.run('DELETE FROM schema_version')
      database.query('INSERT INTO schema_version (version) VALUES (?)').run(step + 1)
    })()
  }
}

class SqliteAccountStore implements AccountStore {
  private readonly database: Database
  private readonly path: string

  constructor(database: Database, path: string) {
    this.database = database
    this.path = path
  }

  async insertAccount(account: Account): Promise<void> {
    requireStorable(account)
    const { id, ...values } = toAccountValues(account)
    const insert = this.database.query(
      `INSERT INTO accounts (id, email, email_folded, plan, verified, suspended_at, deleted_at, overage_enabled,
         spend_cap_cents, created_at)
       VALUES ($id, $email, $folded, $plan, $verified, $suspended, $deleted, $overage, $cap, $created)`,
    )
    await this.refusingTakenEmail(account, () => insert.run({ id, ...values, created: account.createdAtMillis }))
  }

  async findAccount(email: string): Promise<Account | undefined> {
    if (!isStorable(email)) return undefined
    const find = this.database.query<AccountRow, [string]>('SELECT * FROM accounts WHERE email_folded = ?')
    const row = await this.whenFree(() => find.get(foldEmail(email)))
    return row === null ? undefined : toAccount(row)
  }

  async listAccounts(): Promise<Account[]> {
    const list = this.database.query<AccountRow, []>('SELECT * FROM accounts ORDER BY created_at, id')
    return (await this.whenFree(() => list.all())).map(toAccount)
  }

  async updateAccount(account: Account): Promise<void> {
    requireStorable(account)
    const update = this.database.query(
      `UPDATE accounts SET email = $email, email_folded = $folded, plan = $plan, verified = $verified,
         suspended_at = $suspended, deleted_at = $deleted, overage_enabled = $overage, spend_cap_cents = $cap
       WHERE id = $id`,
    )
    const done = await this.refusingTakenEmail(account, () => update.run(toAccountValues(account)))
    if (done.changes === 0) throw refusals.noAccount(account.id)
  }

  async insertKey(key: StoredKey, activeLimit: number): Promise<void> {
    requireStorable(key)
    const insert = this.database.transaction(() => {
      const active = this.database
        .query<{ count: number }, [string, number]>(
          `SELECT count(*) AS count FROM keys
           WHERE account_id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
        )
        .get(key.accountId, key.createdAtMillis)
      if (countsAsActive(key) && (active?.count ?? 0) >= activeLimit) throw refusals.keyLimit(activeLimit)
      this.database
        .query(
          `INSERT INTO keys (id, account_id, name, scopes, audience, prefix, last_four, digest, pepper_id, created_at,
             expires_at, revoked_at)
           VALUES ($id, $account, $name, $scopes, $audience, $prefix, $lastFour, $digest, $pepper, $created, $expires,
             $revoked)`,
        )
        .run(toKeyValues(key))
    })
    await this.whenFree(() => insert.immediate())
  }

  async listKeys(accountId?: string): Promise<StoredKey[]> {
    const where = accountId === undefined ? '' : 'WHERE account_id = $accountId'
    const list = this.database.query<KeyRow, { accountId: string }[]>(
      `SELECT * FROM keys ${where} ORDER BY created_at, id`,
    )
    const values = accountId === undefined ? [] : [{ accountId }]
    return (await this.whenFree(() => list.all(...values))).map(toStoredKey)
  }

  async findKey(keyId: string): Promise<StoredKey | undefined> {
    const find = this.database.query<KeyRow, [string]>('SELECT * FROM keys WHERE id = ?')
    const row = await this.whenFree(() => find.get(keyId))
    return row === null ? undefined : toStoredKey(row)
  }

  async revokeKey(keyId: string, atMillis: number): Promise<void> {
    const revoke = this.database.query<unknown, [number, string]>(
      'UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?',
    )
    const done = await this.whenFree(() => revoke.run(atMillis, keyId))
    if (done.changes === 0) throw refusals.noKey(keyId)
  }

  async mergeUsage(rows: readonly UsageRow[]): Promise<void> {
    if (rows.length === 0) return
    const merge = this.database.query<unknown, [string, string, number, number, number, number]>(
      `INSERT INTO usage (writer_id, key_id, utc_day, units, calls, last_used) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (writer_id, key_id, utc_day) DO UPDATE SET
         units = max(units, excluded.units),
         calls = max(calls, excluded.calls),
         last_used = max(last_used, excluded.last_used)`,
    )
    const mergeAll = this.database.transaction(() => {
      for (const row of rows) {
        merge.run(row.writerId, row.keyId, row.utcDay, row.units, row.calls, row.lastUsedMillis)
      }
    })
    await this.whenFree(() => mergeAll.immediate())
  }

  async listUsage(writerId?: string): Promise<UsageRow[]> {
    const where = writerId === undefined ? '' : 'WHERE writer_id = $writerId'
    const list = this.database.query<LedgerRow, { writerId: string }[]>(
      `SELECT * FROM usage ${where} ORDER BY writer_id, key_id, utc_day`,
    )
    const values = writerId === undefined ? [] : [{ writerId }]
    return (await this.whenFree(() => list.all(...values))).map(toUsageRow)
  }

  async close(): Promise<void> {
    try {
      this.database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    } finally {
      this.database.close()
    }
  }

  /** Runs a statement; where another process has the file, again and again for some seconds, the thread left free. */
  private async whenFree<Result>(statement: () => Result): Promise<Result> {
    const giveUpAtMillis = performance.now() + BUSY_MILLIS
    for (;;) {
      try {
        return statement()
      } catch (error) {
        const code = resultCode(error)
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

  private async refusingTakenEmail<Result>(account: Account, statement: () => Result): Promise<Result> {
    try {
      return await this.whenFree(statement)
    } catch (error) {
      if (resultCode(error) === UNIQUE_VIOLATION) throw refusals.takenEmail(account)
      throw error
    }
  }
}

/** SQLite's name for what went wrong; empty where it is no error of SQLite. */
function resultCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function toAccountValues(account: Account) {
  return {
    id: account.id,
    email: account.email,
    folded: account.email === null ? null : foldEmail(account.email),
    plan: account.plan,
    verified: account.isVerified ? 1 : 0,
    suspended: account.suspendedAtMillis,
    deleted: account.deletedAtMillis,
    overage: account.isOverageEnabled ? 1 : 0,
    cap: account.spendCapCents,
  }
}

function toKeyValues(key: StoredKey) {
  return {
    id: key.id,
    account: key.accountId,
    name: key.name,
    scopes: key.scopes.join(' '),
    audience: key.audience,
    prefix: key.prefix,
    lastFour: key.lastFour,
    digest: key.digest,
    pepper: key.pepperId,
    created: key.createdAtMillis,
    expires: key.expiresAtMillis,
    revoked: key.revokedAtMillis,
  }
}
