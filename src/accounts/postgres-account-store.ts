// The account store in PostgreSQL: its statements. The session handles connecting, locking and failures.

import { parsePostgresAddress } from '../config/postgres-address.ts'
import type { UsageRow } from '../metering/usage-store.ts'
import { DataDirUnusable } from '../system/data-dir-lock.ts'
import { type Account, type AccountStore, mayPass, type StoredKey } from './account-store.ts'
import type { BillingStore } from './billing-store.ts'
import type { IdentityStore } from './identity-store.ts'
import { newerSchema } from './migrations.ts'
import { insertPostgresEvents, insertPostgresTermChange, PostgresBillingStore } from './postgres-billing-store.ts'
import { PostgresIdentityStore } from './postgres-identity-store.ts'
import { POSTGRES_MIGRATIONS } from './postgres-migrations.ts'
import { ACCOUNT_COLUMNS, insertAccountRow, toAccountValues, toKeyValues } from './postgres-rows.ts'
import { type Ask, brokenConstraint, PostgresSession, SESSION_LIMITS } from './postgres-session.ts'
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

/** Pause between two attempts to open. */
const RETRY_MILLIS = 250
/** Maximum rows per statement; all statements of a merge are one transaction. */
const ROWS_A_STATEMENT = 10_000

const KEY_COLUMNS = `id, account_id, name, scopes, audience, prefix, last_four, digest, pepper_id,
  created_at::float8 AS created_at, expires_at::float8 AS expires_at, revoked_at::float8 AS revoked_at`

/**
 * Opens the store at an address and creates or migrates its tables; refuses tables of a newer Quai. If a `refusal` is
 * given, a database without tables is refused with it and left unchanged.
 */
export async function openPostgresStore(
  databaseUrl: string,
  limits = SESSION_LIMITS,
  refusal?: string,
): Promise<AccountStore> {
  const address = parsePostgresAddress(databaseUrl)
  if ('problem' in address) throw new DataDirUnusable(`database_url ${address.problem}`)
  const session = new PostgresSession(address, (ask) => migrate(ask, address.label, refusal), limits)
  const giveUpAtMillis = performance.now() + limits.openingMillis
  for (;;) {
    try {
      await session.query('SELECT 1')
      return new PostgresAccountStore(session)
    } catch (error) {
      if (mayPass(error) && performance.now() < giveUpAtMillis) await Bun.sleep(RETRY_MILLIS)
      else {
        await session.close()
        throw error
      }
    }
  }
}

async function migrate(ask: Ask, label: string, refusal: string | undefined): Promise<void> {
  const schema = await ask<{ exists: boolean }>(`SELECT to_regnamespace('quai') IS NOT NULL AS exists`)
  const table = await ask<{ exists: boolean }>(`SELECT to_regclass('quai.schema_version') IS NOT NULL AS exists`)
  if (!table.rows[0].exists && refusal !== undefined) throw new DataDirUnusable(refusal)
  if (!schema.rows[0].exists) await ask('CREATE SCHEMA quai')
  if (!table.rows[0].exists) await ask('CREATE TABLE quai.schema_version (version integer NOT NULL)')
  const found = await ask<{ version: number }>('SELECT version FROM quai.schema_version')
  const version = found.rows[0]?.version ?? 0
  const known = POSTGRES_MIGRATIONS.length
  if (version > known) {
    throw new DataDirUnusable(newerSchema(`the database ${label}`, version, known))
  }
  for (const [step, statements] of POSTGRES_MIGRATIONS.entries()) {
    if (step < version) continue
    await ask('BEGIN') // a failure ends the session, and with it the transaction
    for (const statement of statements) await ask(statement)
    await ask('DELETE FROM quai.schema_version')
    await ask('INSERT INTO quai.schema_version (version) VALUES ($1)', [step + 1])
    await ask('COMMIT')
  }
}

class PostgresAccountStore implements AccountStore {
  readonly identity: IdentityStore
  readonly billing: BillingStore
  private readonly session: PostgresSession

  constructor(session: PostgresSession) {
    this.session = session
    this.identity = new PostgresIdentityStore(session)
    this.billing = new PostgresBillingStore(session)
  }

  async insertAccount(account: Account, { events } = NO_RECORD): Promise<void> {
    await this.refusingTakenEmail(account, async (ask) => {
      await insertAccountRow(ask, account)
      await insertPostgresEvents(ask, events)
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

  async updateAccount(account: Account, record = NO_RECORD): Promise<void> {
    requireStorable(account)
    await this.refusingTakenEmail(account, async (ask) => {
      await insertPostgresTermChange(ask, account, record)
      const done = await ask(
        `UPDATE quai.accounts SET email = $2, email_folded = $3, plan = $4, verified = $5, suspended_at = $6::bigint,
           deleted_at = $7::bigint, overage_enabled = $8, spend_cap_cents = $9::bigint
         WHERE id = $1`,
        toAccountValues(account),
      )
      if (done.count === 0) throw refusals.noAccount(account.id)
      await insertPostgresEvents(ask, record.events)
    })
  }

  async insertKey(key: StoredKey, activeLimit: number, { events } = NO_RECORD): Promise<void> {
    requireStorable(key)
    await this.session.transaction(async (ask) => {
      // Concurrent key creations for this account wait here, and then count this key.
      await ask('SELECT id FROM quai.accounts WHERE id = $1 FOR UPDATE', [key.accountId])
      const active = await ask<{ count: number }>(
        `SELECT count(*)::int AS count FROM quai.keys
         WHERE account_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2::bigint)`,
        [key.accountId, key.createdAtMillis],
      )
      if (countsAsActive(key) && active.rows[0].count >= activeLimit) throw refusals.keyLimit(activeLimit)
      await ask(
        `INSERT INTO quai.keys (id, account_id, name, scopes, audience, prefix, last_four, digest, pepper_id,
           created_at, expires_at, revoked_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::bigint, $11::bigint, $12::bigint)`,
        toKeyValues(key),
      )
      await insertPostgresEvents(ask, events)
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
    await this.session.transaction(async (ask) => {
      const done = await ask('UPDATE quai.keys SET name = $2 WHERE id = $1', [keyId, name])
      if (done.count === 0) throw refusals.noKey(keyId)
      await insertPostgresEvents(ask, events)
    })
  }

  async revokeKey(keyId: string, atMillis: number, { events } = NO_RECORD): Promise<void> {
    if (!isStorable(keyId)) throw refusals.noKey(keyId)
    const text = 'UPDATE quai.keys SET revoked_at = $2::bigint WHERE id = $1 AND revoked_at IS NULL'
    await this.session.transaction(async (ask) => {
      const done = await ask(text, [keyId, atMillis])
      if (done.count > 0) return await insertPostgresEvents(ask, events)
      const found = await ask('SELECT id FROM quai.keys WHERE id = $1', [keyId])
      if (found.rows.length === 0) throw refusals.noKey(keyId)
    })
  }

  async mergeUsage(rows: readonly UsageRow[]): Promise<void> {
    if (rows.length === 0) return
    await this.session.transaction(async (ask) => {
      for (let first = 0; first < rows.length; first += ROWS_A_STATEMENT) {
        await mergeRows(ask, rows.slice(first, first + ROWS_A_STATEMENT))
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

  private async refusingTakenEmail(account: Account, run: (ask: Ask) => Promise<void>): Promise<void> {
    try {
      await this.session.transaction(run)
    } catch (error) {
      if (brokenConstraint(error) === 'accounts_email_taken') throw refusals.takenEmail(account)
      throw error
    }
  }
}

/**
 * Merges by maximum; unchanged rows are not written. Rows are sent as one text, since a statement takes at most 65 535
 * values. Merges duplicates first: a statement must not contain any.
 */
async function mergeRows(ask: Ask, rows: readonly UsageRow[]): Promise<void> {
  await ask(
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
