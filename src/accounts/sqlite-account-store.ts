// The account store in one SQLite file, in WAL mode and synced at every commit: a merged count survives a power cut.
import { Database } from 'bun:sqlite'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { isPlan } from '../access/plans.ts'
import { type Account, AccountRefusal, type AccountStore, type StoredKey, type UsageRow } from './account-store.ts'
import { DataDirUnusable } from './data-dir-lock.ts'
import { MIGRATIONS } from './migrations.ts'

/** How long a statement waits for another process's lock. */
const BUSY_TIMEOUT_MILLIS = 5_000
const UNIQUE_VIOLATION = 'SQLITE_CONSTRAINT_UNIQUE'

interface AccountRow {
  readonly id: string
  readonly email: string | null
  readonly plan: string
  readonly verified: number
  readonly suspended_at: number | null
  readonly deleted_at: number | null
  readonly overage_enabled: number
  readonly spend_cap_cents: number
  readonly created_at: number
}

interface KeyRow {
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly scopes: string
  readonly audience: string
  readonly prefix: string
  readonly last_four: string
  readonly digest: string
  readonly pepper_id: string
  readonly created_at: number
  readonly expires_at: number | null
  readonly revoked_at: number | null
}

interface LedgerRow {
  readonly writer_id: string
  readonly key_id: string
  readonly utc_day: number
  readonly units: number
  readonly calls: number
  readonly last_used: number
}

/** Opens the store, making or bringing forward its file; refuses a file of a newer Quai. */
export function openSqliteStore(path: string): AccountStore {
  mkdirSync(dirname(path), { recursive: true })
  // Made for its owner only, and with it the files that SQLite puts beside it: it holds addresses.
  closeSync(openSync(path, 'a', 0o600))
  const database = new Database(path, { create: true, strict: true })
  try {
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MILLIS}`)
    database.run('PRAGMA journal_mode = WAL')
    database.run('PRAGMA synchronous = FULL')
    database.run('PRAGMA foreign_keys = ON')
    migrate(database, path)
  } catch (error) {
    database.close()
    throw error
  }
  return new SqliteAccountStore(database)
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

  constructor(database: Database) {
    this.database = database
  }

  async insertAccount(account: Account): Promise<void> {
    const { id, ...values } = toAccountValues(account)
    try {
      this.database
        .query(
          `INSERT INTO accounts (id, email, email_folded, plan, verified, suspended_at, deleted_at, overage_enabled,
             spend_cap_cents, created_at)
           VALUES ($id, $email, $folded, $plan, $verified, $suspended, $deleted, $overage, $cap, $created)`,
        )
        .run({ id, ...values, created: account.createdAtMillis })
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      throw new AccountRefusal('already_exists', `there is an account for ${account.email} already`)
    }
  }

  async findAccount(email: string): Promise<Account | undefined> {
    const row = this.database
      .query<AccountRow, [string]>('SELECT * FROM accounts WHERE email_folded = ?')
      .get(foldEmail(email))
    return row === null ? undefined : toAccount(row)
  }

  async listAccounts(): Promise<Account[]> {
    return this.database.query<AccountRow, []>('SELECT * FROM accounts ORDER BY created_at, id').all().map(toAccount)
  }

  async updateAccount(account: Account): Promise<void> {
    const done = this.database
      .query(
        `UPDATE accounts SET email = $email, email_folded = $folded, plan = $plan, verified = $verified,
           suspended_at = $suspended, deleted_at = $deleted, overage_enabled = $overage, spend_cap_cents = $cap
         WHERE id = $id`,
      )
      .run(toAccountValues(account))
    if (done.changes === 0) throw new AccountRefusal('not_found', `there is no account ${account.id}`)
  }

  async insertKey(key: StoredKey, activeLimit: number): Promise<void> {
    const insert = this.database.transaction(() => {
      const active = this.database
        .query<{ count: number }, [string, number]>(
          `SELECT count(*) AS count FROM keys
           WHERE account_id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
        )
        .get(key.accountId, key.createdAtMillis)
      const isActive = key.expiresAtMillis === null || key.expiresAtMillis > key.createdAtMillis
      if (isActive && (active?.count ?? 0) >= activeLimit) {
        throw new AccountRefusal('key_limit_reached', `the plan allows ${activeLimit} active keys, and all are in use`)
      }
      this.database
        .query(
          `INSERT INTO keys (id, account_id, name, scopes, audience, prefix, last_four, digest, pepper_id, created_at,
             expires_at, revoked_at)
           VALUES ($id, $account, $name, $scopes, $audience, $prefix, $lastFour, $digest, $pepper, $created, $expires,
             $revoked)`,
        )
        .run(toKeyValues(key))
    })
    insert.immediate()
  }

  async listKeys(accountId?: string): Promise<StoredKey[]> {
    const where = accountId === undefined ? '' : 'WHERE account_id = $accountId'
    return this.database
      .query<KeyRow, { accountId: string }[]>(`SELECT * FROM keys ${where} ORDER BY created_at, id`)
      .all(...(accountId === undefined ? [] : [{ accountId }]))
      .map(toStoredKey)
  }

  async findKey(keyId: string): Promise<StoredKey | undefined> {
    const row = this.database.query<KeyRow, [string]>('SELECT * FROM keys WHERE id = ?').get(keyId)
    return row === null ? undefined : toStoredKey(row)
  }

  async revokeKey(keyId: string, atMillis: number): Promise<void> {
    const done = this.database
      .query<unknown, [number, string]>('UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?')
      .run(atMillis, keyId)
    if (done.changes === 0) throw new AccountRefusal('not_found', `there is no key ${keyId}`)
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
    mergeAll.immediate()
  }

  async listUsage(writerId?: string): Promise<UsageRow[]> {
    const where = writerId === undefined ? '' : 'WHERE writer_id = $writerId'
    return this.database
      .query<LedgerRow, { writerId: string }[]>(`SELECT * FROM usage ${where} ORDER BY writer_id, key_id, utc_day`)
      .all(...(writerId === undefined ? [] : [{ writerId }]))
      .map(toUsageRow)
  }

  async close(): Promise<void> {
    this.database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    this.database.close()
  }
}

/** The form under which addresses are compared. */
export function foldEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase()
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION
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

function toAccount(row: AccountRow): Account {
  if (!isPlan(row.plan)) throw new Error(`account ${row.id} has the plan "${row.plan}", which does not exist`)
  return {
    id: row.id,
    email: row.email,
    plan: row.plan,
    isVerified: row.verified === 1,
    suspendedAtMillis: row.suspended_at,
    deletedAtMillis: row.deleted_at,
    isOverageEnabled: row.overage_enabled === 1,
    spendCapCents: row.spend_cap_cents,
    createdAtMillis: row.created_at,
  }
}

function toStoredKey(row: KeyRow): StoredKey {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    scopes: row.scopes.split(' '),
    audience: row.audience,
    prefix: row.prefix,
    lastFour: row.last_four,
    digest: row.digest,
    pepperId: row.pepper_id,
    createdAtMillis: row.created_at,
    expiresAtMillis: row.expires_at,
    revokedAtMillis: row.revoked_at,
  }
}

function toUsageRow(row: LedgerRow): UsageRow {
  return {
    writerId: row.writer_id,
    keyId: row.key_id,
    utcDay: row.utc_day,
    units: row.units,
    calls: row.calls,
    lastUsedMillis: row.last_used,
  }
}
