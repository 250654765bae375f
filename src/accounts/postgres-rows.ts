// The columns and values of accounts and keys in PostgreSQL.
import type { Account, StoredKey } from './account-store.ts'
import type { PostgresValue, RunStatement } from './postgres-session.ts'
import { foldEmail, requireStorable } from './store-rows.ts'

/** An account's columns, as in `AccountRow`. */
export const ACCOUNT_COLUMNS = `id, email, plan, verified, suspended_at::float8 AS suspended_at,
  deleted_at::float8 AS deleted_at, overage_enabled, spend_cap_cents::float8 AS spend_cap_cents,
  created_at::float8 AS created_at`

/** Inserts an account. */
export async function insertAccountRow(run: RunStatement, account: Account): Promise<void> {
  requireStorable(account)
  await run(
    `INSERT INTO quai.accounts (id, email, email_folded, plan, verified, suspended_at, deleted_at, overage_enabled,
       spend_cap_cents, created_at)
     VALUES ($1, $2, $3, $4, $5, $6::bigint, $7::bigint, $8, $9::bigint, $10::bigint)`,
    [...toAccountValues(account), account.createdAtMillis],
  )
}

/** An account's values, in table order up to `spend_cap_cents`. The address is followed by the folded address. */
export function toAccountValues(account: Account): PostgresValue[] {
  return [
    account.id,
    account.email,
    account.email === null ? null : foldEmail(account.email),
    account.plan,
    account.isVerified,
    account.suspendedAtMillis,
    account.deletedAtMillis,
    account.isOverageEnabled,
    account.spendCapCents,
  ]
}

/** A key's values, in the order of the table's columns. */
export function toKeyValues(key: StoredKey): PostgresValue[] {
  return [
    key.id,
    key.accountId,
    key.name,
    key.scopes.join(' '),
    key.audience,
    key.prefix,
    key.lastFour,
    key.digest,
    key.pepperId,
    key.createdAtMillis,
    key.expiresAtMillis,
    key.revokedAtMillis,
  ]
}
