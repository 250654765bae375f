// Rows in the form in which they are written to SQLite.
import type { Database } from 'bun:sqlite'
import type { Account, StoredKey } from './account-store.ts'
import { foldEmail, requireStorable } from './store-rows.ts'

/** Inserts an account. */
export function insertAccountRow(database: Database, account: Account): void {
  requireStorable(account)
  const { id, ...values } = toAccountValues(account)
  database
    .query(
      `INSERT INTO accounts (id, email, email_folded, plan, verified, suspended_at, deleted_at, overage_enabled,
         spend_cap_cents, created_at)
       VALUES ($id, $email, $folded, $plan, $verified, $suspended, $deleted, $overage, $cap, $created)`,
    )
    .run({ id, ...values, created: account.createdAtMillis })
}

/** An account's id and its values that can change. */
export function toAccountValues(account: Account) {
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

/** A key's values. */
export function toKeyValues(key: StoredKey) {
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
