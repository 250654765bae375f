// The account store in one SQLite file. The file is in WAL mode and synced at every commit, so merged counts survive a
// power failure.
import { Database } from 'bun:sqlite'
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { UsageRow } from '../metering/usage-store.ts'
import { DataDirUnusable } from '../system/data-dir-lock.ts'
import type { Account, AccountStore, StoredKey } from './account-store.ts'
import type { BillingStore } from './billing-store.ts'
import type { FactorStore } from './factor-store.ts'
import type { IdentityStore } from './identity-store.ts'
import type { PasskeyStore } from './passkey-store.ts'
import type { RouteStore } from './route-store.ts'
import { insertSqliteEvents, insertSqliteTermChange, SqliteBillingStore } from './sqlite-billing-store.ts'
import { explainOpening, resultCode, SqliteConnection, UNIQUE_VIOLATION } from './sqlite-connection.ts'
import { SqliteFactorStore } from './sqlite-factor-store.ts'
import { SqliteIdentityStore } from './sqlite-identity-store.ts'
import { SqlitePasskeyStore } from './sqlite-passkey-store.ts'
import { SqliteRouteStore } from './sqlite-route-store.ts'
import { insertAccountRow, toAccountValues, toKeyValues } from './sqlite-rows.ts'
import { migrateSqlite } from './sqlite-schema.ts'
import {
  type AccountRow,
  countsAsActive,
  foldEmail,
  isStorable,
  type KeyRow,
  type LedgerRow,
  NO_RECORD,
  refusals,
  requireStorable,
  toAccount,
  toStoredKey,
  toUsageRow,
} from './store-rows.ts'

/** How long opening waits for another process's lock. The wait blocks the thread, but nothing else is running yet. */
const OPENING_MILLIS = 5_000

/**
 * Opens the store and creates or migrates its file. Refuses a file from a newer Quai. If a `refusal` is given, a
 * missing or empty file is refused with this message and left unchanged.
 */
export function openSqliteStore(path: string, refusal?: string): AccountStore {
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 }
  if (refusal !== undefined && size === 0) throw new DataDirUnusable(refusal)
  mkdirSync(dirname(path), { recursive: true })
  // The file contains email addresses, so only its owner can read it. SQLite gives its other files the same
  // permissions.
  closeSync(openSync(path, 'a', 0o600))
  const database = openDatabase(path)
  try {
    database.run(`PRAGMA busy_timeout = ${OPENING_MILLIS}`)
    database.run('PRAGMA journal_mode = WAL')
    database.run('PRAGMA synchronous = FULL')
    database.run('PRAGMA foreign_keys = ON')
    migrateSqlite(database, path, { refusal })
    database.run('PRAGMA busy_timeout = 0')
  } catch (error) {
    database.close()
    throw explainOpening(path, error)
  }
  return new SqliteAccountStore(database, path)
}

function openDatabase(path: string): Database {
  try {
    return new Database(path, { create: true, strict: true })
  } catch (error) {
    throw explainOpening(path, error)
  }
}

class SqliteAccountStore implements AccountStore {
  readonly identity: IdentityStore
  readonly factors: FactorStore
  readonly passkeys: PasskeyStore
  readonly billing: BillingStore
  readonly routes: RouteStore
  private readonly database: Database
  private readonly connection: SqliteConnection

  constructor(database: Database, path: string) {
    this.database = database
    this.connection = new SqliteConnection(database, path)
    this.identity = new SqliteIdentityStore(this.connection)
    this.factors = new SqliteFactorStore(this.connection)
    this.passkeys = new SqlitePasskeyStore(this.connection)
    this.billing = new SqliteBillingStore(this.connection)
    this.routes = new SqliteRouteStore(this.connection)
  }

  async insertAccount(account: Account, { events } = NO_RECORD): Promise<void> {
    await this.refusingTakenEmail(account, () => {
      insertAccountRow(this.database, account)
      insertSqliteEvents(this.database, events)
    })
  }

  async findAccount(email: string): Promise<Account | undefined> {
    if (!isStorable(email)) return undefined
    const find = this.database.query<AccountRow, [string]>('SELECT * FROM accounts WHERE email_folded = ?')
    const row = await this.connection.whenFree(() => find.get(foldEmail(email)))
    return row === null ? undefined : toAccount(row)
  }

  async findAccountById(id: string): Promise<Account | undefined> {
    const find = this.database.query<AccountRow, [string]>('SELECT * FROM accounts WHERE id = ?')
    const row = await this.connection.whenFree(() => find.get(id))
    return row === null ? undefined : toAccount(row)
  }

  async listAccounts(): Promise<Account[]> {
    const list = this.database.query<AccountRow, []>('SELECT * FROM accounts ORDER BY created_at, id')
    return (await this.connection.whenFree(() => list.all())).map(toAccount)
  }

  async updateAccount(account: Account, record = NO_RECORD): Promise<void> {
    requireStorable(account)
    const update = this.database.query(
      `UPDATE accounts SET email = $email, email_folded = $folded, plan = $plan, verified = $verified,
         suspended_at = $suspended, deleted_at = $deleted, overage_enabled = $overage, spend_cap_cents = $cap
       WHERE id = $id`,
    )
    await this.refusingTakenEmail(account, () => {
      insertSqliteTermChange(this.database, account, record)
      if (update.run(toAccountValues(account)).changes === 0) throw refusals.noAccount(account.id)
      insertSqliteEvents(this.database, record.events)
    })
  }

  async insertKey(key: StoredKey, activeLimit: number, { events } = NO_RECORD): Promise<void> {
    requireStorable(key)
    await this.connection.transaction(() => {
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
      insertSqliteEvents(this.database, events)
    })
  }

  async listKeys(accountId?: string): Promise<StoredKey[]> {
    const where = accountId === undefined ? '' : 'WHERE account_id = $accountId'
    const list = this.database.query<KeyRow, { accountId: string }[]>(
      `SELECT * FROM keys ${where} ORDER BY created_at, id`,
    )
    const values = accountId === undefined ? [] : [{ accountId }]
    return (await this.connection.whenFree(() => list.all(...values))).map(toStoredKey)
  }

  async findKey(keyId: string): Promise<StoredKey | undefined> {
    const find = this.database.query<KeyRow, [string]>('SELECT * FROM keys WHERE id = ?')
    const row = await this.connection.whenFree(() => find.get(keyId))
    return row === null ? undefined : toStoredKey(row)
  }

  async renameKey(keyId: string, name: string, { events } = NO_RECORD): Promise<void> {
    requireStorable({ name })
    const rename = this.database.query<unknown, [string, string]>('UPDATE keys SET name = ? WHERE id = ?')
    await this.connection.transaction(() => {
      if (rename.run(name, keyId).changes === 0) throw refusals.noKey(keyId)
      insertSqliteEvents(this.database, events)
    })
  }

  async revokeKey(keyId: string, atMillis: number, { events } = NO_RECORD): Promise<void> {
    const revoke = this.database.query<unknown, [number, string]>(
      'UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
    )
    const find = this.database.query<unknown, [string]>('SELECT id FROM keys WHERE id = ?')
    await this.connection.transaction(() => {
      if (revoke.run(atMillis, keyId).changes > 0) insertSqliteEvents(this.database, events)
      else if (find.get(keyId) === null) throw refusals.noKey(keyId)
    })
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
    await this.connection.transaction(() => {
      for (const row of rows) {
        merge.run(row.writerId, row.keyId, row.utcDay, row.units, row.calls, row.lastUsedMillis)
      }
    })
  }

  async listUsage(writerId?: string): Promise<UsageRow[]> {
    const where = writerId === undefined ? '' : 'WHERE writer_id = $writerId'
    const list = this.database.query<LedgerRow, { writerId: string }[]>(
      `SELECT * FROM usage ${where} ORDER BY writer_id, key_id, utc_day`,
    )
    const values = writerId === undefined ? [] : [{ writerId }]
    return (await this.connection.whenFree(() => list.all(...values))).map(toUsageRow)
  }

  async close(): Promise<void> {
    try {
      this.database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    } finally {
      this.database.close()
    }
  }

  private async refusingTakenEmail(account: Account, statements: () => void): Promise<void> {
    try {
      await this.connection.transaction(statements)
    } catch (error) {
      if (resultCode(error) === UNIQUE_VIOLATION) throw refusals.takenEmail(account)
      throw error
    }
  }
}
