// The account store's SQL statements for PostgreSQL. postgres-session.ts connects, locks and handles failures.

import type { UsageRow } from '../metering/usage-store.ts'
import { DataDirBusy } from '../system/data-dir-lock.ts'
import { type Account, type AccountStore, mayPass, type StoredKey } from './account-store.ts'
import type { BillingStore } from './billing-store.ts'
import type { FactorStore } from './factor-store.ts'
import type { IdentityStore } from './identity-store.ts'
import type { PasskeyStore } from './passkey-store.ts'
import { insertPostgresEvents, insertPostgresTermChange, PostgresBillingStore } from './postgres-billing-store.ts'
import { PostgresFactorStore } from './postgres-factor-store.ts'
import { PostgresIdentityStore } from './postgres-identity-store.ts'
import { PostgresPasskeyStore } from './postgres-passkey-store.ts'
import { PostgresRouteStore } from './postgres-route-store.ts'
import { ACCOUNT_COLUMNS, insertAccountRow, toAccountValues, toKeyValues } from './postgres-rows.ts'
import { migratePostgres } from './postgres-schema.ts'
import {
  brokenConstraint,
  PostgresSession,
  type RunStatement,
  SESSION_LIMITS,
  type SessionUse,
  toPostgresAddress,
} from './postgres-session.ts'
import type { RouteStore } from './route-store.ts'
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

/** Pause between two attempts to open a session. */
const RETRY_MILLIS = 250
/** Maximum number of rows that one statement merges. All statements of a merge are one transaction. */
const ROWS_A_STATEMENT = 10_000

const KEY_COLUMNS = `id, account_id, name, scopes, audience, prefix, last_four, digest, pepper_id,
  created_at::float8 AS created_at, expires_at::float8 AS expires_at, revoked_at::float8 AS revoked_at`

/** Options for opening a store. */
export interface PostgresOptions {
  readonly limits?: typeof SESSION_LIMITS
  /** If given, a database without tables is refused with this message and left unchanged. */
  readonly refusal?: string | undefined
  /** Default: no other Quai process uses the database, and there is no pooler. */
  readonly use?: SessionUse
}

/** Opens the store at an address and creates or migrates its tables. Refuses tables from a newer Quai. */
export async function openPostgresStore(databaseUrl: string, options: PostgresOptions = {}): Promise<AccountStore> {
  return new PostgresAccountStore(await openMigratedSession(databaseUrl, options))
}

/** Opens a session, and creates or migrates the tables for this version. */
export async function openMigratedSession(
  databaseUrl: string,
  options: PostgresOptions = {},
): Promise<PostgresSession> {
  const { limits = SESSION_LIMITS, use = { isShared: false, isPooled: false } } = options
  const address = toPostgresAddress(databaseUrl)
  const prepare = async (run: RunStatement) => {
    await migratePostgres(run, { label: address.label, refusal: options.refusal })
    if (!use.isShared) await takeAlone(run, address.label)
  }
  const session = new PostgresSession(address, { prepare, limits, use })
  const giveUpAtMillis = performance.now() + limits.openingMillis
  for (;;) {
    try {
      await session.query('SELECT 1')
      return session
    } catch (error) {
      if (mayPass(error) && performance.now() < giveUpAtMillis) await Bun.sleep(RETRY_MILLIS)
      else {
        await session.close()
        throw error
      }
    }
  }
}

/**
 * Prepares the database for a single service: fails if replicas are running, and turns off the change log for replicas.
 */
async function takeAlone(run: RunStatement, label: string): Promise<void> {
  const found = await run<{ names: string[] | null }>(
    `SELECT array_agg(r.name ORDER BY r.name) AS names FROM quai.replicas r JOIN quai.looks l ON l.replica = r.id
     WHERE r.state <> 'ended' AND l.seen_at > clock_timestamp() - interval '10 s'`,
  )
  const names = found.rows[0]?.names ?? []
  if (names.length > 0) {
    throw new DataDirBusy(
      `replicas of a cluster (${names.join(', ')}) are using the database ${label}; add [cluster] to the configuration to join them, or stop them and wait 10 seconds`,
    )
  }
  await run(`UPDATE quai.store SET mode = 'single' WHERE mode <> 'single'`)
}

class PostgresAccountStore implements AccountStore {
  readonly identity: IdentityStore
  readonly factors: FactorStore
  readonly passkeys: PasskeyStore
  readonly billing: BillingStore
  readonly routes: RouteStore
  private readonly session: PostgresSession

  constructor(session: PostgresSession) {
    this.session = session
    this.identity = new PostgresIdentityStore(session)
    this.factors = new PostgresFactorStore(session)
    this.passkeys = new PostgresPasskeyStore(session)
    this.billing = new PostgresBillingStore(session)
    this.routes = new PostgresRouteStore(session)
  }

  async insertAccount(account: Account, { events } = NO_RECORD): Promise<void> {
    await this.refusingTakenEmail(account, async (run) => {
      await insertAccountRow(run, account)
      await insertPostgresEvents(run, events)
    })
  }

  async findAccount(email: string): Promise<Account | undefined> {
    if (!isStorable(email)) return undefined
    const text = `SELECT ${ACCOUNT_COLUMNS} FROM quai.accounts WHERE email_folded = $1`
    return (await this.session.query<AccountRow>(text, [foldEmail(email)])).rows.map(toAccount)[0]
  }

  async findAccountById(id: string): Promise<Account | undefined> {
    if (!isStorable(id)) return undefined
    const text = `SELECT ${ACCOUNT_COLUMNS} FROM quai.accounts WHERE id = $1`
    return (await this.session.query<AccountRow>(text, [id])).rows.map(toAccount)[0]
  }

  async listAccounts(): Promise<Account[]> {
    const text = `SELECT ${ACCOUNT_COLUMNS} FROM quai.accounts ORDER BY accounts.created_at, accounts.id`
    return (await this.session.query<AccountRow>(text)).rows.map(toAccount)
  }

  async updateAccount(account: Account, record = NO_RECORD, members: Partial<Account> = account): Promise<void> {
    requireStorable(account)
    await this.refusingTakenEmail(account, async (run) => {
      await insertPostgresTermChange(run, account, record)
      const { text, values } = assign(account, members)
      const done = await run(`UPDATE quai.accounts SET ${text} WHERE id = $1`, [account.id, ...values])
      if (done.count === 0) throw refusals.noAccount(account.id)
      await insertPostgresEvents(run, record.events)
    })
  }

  async insertKey(key: StoredKey, activeLimit: number, { events } = NO_RECORD): Promise<void> {
    requireStorable(key)
    await this.session.transaction(async (run) => {
      // Other transactions that create a key for this account wait here until this transaction ends, so they count this
      // key.
      await run('SELECT id FROM quai.accounts WHERE id = $1 FOR UPDATE', [key.accountId])
      const active = await run<{ count: number }>(
        `SELECT count(*)::int AS count FROM quai.keys
         WHERE account_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2::bigint)`,
        [key.accountId, key.createdAtMillis],
      )
      if (countsAsActive(key) && active.rows[0].count >= activeLimit) throw refusals.keyLimit(activeLimit)
      await run(
        `INSERT INTO quai.keys (id, account_id, name, scopes, audience, prefix, last_four, digest, pepper_id,
           created_at, expires_at, revoked_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::bigint, $11::bigint, $12::bigint)`,
        toKeyValues(key),
      )
      await insertPostgresEvents(run, events)
    })
  }

  async listKeys(accountId?: string): Promise<StoredKey[]> {
    const where = accountId === undefined ? '' : 'WHERE account_id = $1'
    const text = `SELECT ${KEY_COLUMNS} FROM quai.keys ${where} ORDER BY keys.created_at, keys.id`
    if (accountId !== undefined && !isStorable(accountId)) return []
    return (await this.session.query<KeyRow>(text, accountId === undefined ? [] : [accountId])).rows.map(toStoredKey)
  }

  async findKey(keyId: string): Promise<StoredKey | undefined> {
    if (!isStorable(keyId)) return undefined
    const text = `SELECT ${KEY_COLUMNS} FROM quai.keys WHERE id = $1`
    return (await this.session.query<KeyRow>(text, [keyId])).rows.map(toStoredKey)[0]
  }

  async renameKey(keyId: string, name: string, { events } = NO_RECORD): Promise<void> {
    if (!isStorable(keyId)) throw refusals.noKey(keyId)
    requireStorable({ name })
    await this.session.transaction(async (run) => {
      const done = await run('UPDATE quai.keys SET name = $2 WHERE id = $1', [keyId, name])
      if (done.count === 0) throw refusals.noKey(keyId)
      await insertPostgresEvents(run, events)
    })
  }

  async revokeKey(keyId: string, atMillis: number, { events } = NO_RECORD): Promise<void> {
    if (!isStorable(keyId)) throw refusals.noKey(keyId)
    const text = 'UPDATE quai.keys SET revoked_at = $2::bigint WHERE id = $1 AND revoked_at IS NULL'
    await this.session.transaction(async (run) => {
      const done = await run(text, [keyId, atMillis])
      if (done.count > 0) return await insertPostgresEvents(run, events)
      const found = await run('SELECT id FROM quai.keys WHERE id = $1', [keyId])
      if (found.rows.length === 0) throw refusals.noKey(keyId)
    })
  }

  async mergeUsage(rows: readonly UsageRow[]): Promise<void> {
    if (rows.length === 0) return
    await this.session.transaction(async (run) => {
      for (let first = 0; first < rows.length; first += ROWS_A_STATEMENT) {
        await mergeRows(run, rows.slice(first, first + ROWS_A_STATEMENT))
      }
    })
  }

  async listUsage(writerId?: string): Promise<UsageRow[]> {
    const where = writerId === undefined ? '' : 'WHERE writer_id = $1'
    const text = `SELECT writer_id, key_id, utc_day, units, calls, last_used FROM quai.usage ${where}
      ORDER BY writer_id, key_id, utc_day`
    return (await this.session.query<LedgerRow>(text, writerId === undefined ? [] : [writerId])).rows.map(toUsageRow)
  }

  async close(): Promise<void> {
    await this.session.close()
  }

  private async refusingTakenEmail(account: Account, work: (run: RunStatement) => Promise<void>): Promise<void> {
    try {
      await this.session.transaction(work)
    } catch (error) {
      if (brokenConstraint(error) === 'accounts_email_taken') throw refusals.takenEmail(account)
      throw error
    }
  }
}

/** Account columns that can change, each with its member of Account and the type of its parameter. */
const CHANGEABLE: readonly (readonly [column: string, member: keyof Account, cast: string])[] = [
  ['email', 'email', ''],
  ['email_folded', 'email', ''],
  ['plan', 'plan', ''],
  ['verified', 'isVerified', ''],
  ['suspended_at', 'suspendedAtMillis', '::bigint'],
  ['deleted_at', 'deletedAtMillis', '::bigint'],
  ['overage_enabled', 'isOverageEnabled', ''],
  ['spend_cap_cents', 'spendCapCents', '::bigint'],
]

/** The assignments of an UPDATE that writes `members`, with their parameter values. Parameters are numbered from $2. */
function assign(account: Account, members: Partial<Account>) {
  const values = toAccountValues(account).slice(1)
  const columns = CHANGEABLE.map(([column, member, cast], at) => ({ column, member, cast, value: values[at] }))
  const changed = columns.filter(({ member }) => Object.hasOwn(members, member))
  return {
    text: changed.map(({ column, cast }, at) => `${column} = $${at + 2}${cast}`).join(', '),
    values: changed.map(({ value }) => value),
  }
}

/**
 * Merges rows: of each count, the larger value is stored. Rows that change nothing are not written. The rows are sent
 * as one JSON string, because a statement takes at most 65 535 values. Duplicates are merged first, because one
 * statement cannot update a row twice.
 */
async function mergeRows(run: RunStatement, rows: readonly UsageRow[]): Promise<void> {
  await run(
    `INSERT INTO quai.usage (writer_id, key_id, utc_day, units, calls, last_used)
     SELECT w, k, d, max(u), max(c), max(l)
     FROM jsonb_to_recordset($1::text::jsonb) AS row (w text, k text, d int, u float8, c float8, l float8)
     GROUP BY w, k, d ORDER BY w, k, d
     ON CONFLICT (writer_id, key_id, utc_day) DO UPDATE SET
       units = greatest(usage.units, excluded.units),
       calls = greatest(usage.calls, excluded.calls),
       last_used = greatest(usage.last_used, excluded.last_used)
     WHERE excluded.units > usage.units OR excluded.calls > usage.calls OR excluded.last_used > usage.last_used`,
    [
      JSON.stringify(
        rows.map((row) => ({
          w: row.writerId,
          k: row.keyId,
          d: row.utcDay,
          u: row.units,
          c: row.calls,
          l: row.lastUsedMillis,
        })),
      ),
    ],
  )
}
