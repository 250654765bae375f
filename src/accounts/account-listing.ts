// Listings of accounts, keys and events, for commands and the account API.

import { toUtcText } from '../metering/utc-day.ts'
import { ACTIVE_KEY_LIMITS } from '../plans/plans.ts'
import type { AccountEvent } from './account-event.ts'
import type { AccountListing, EventListing, KeyListing, StatementListing } from './account-operations.ts'
import type { Account, StoredKey } from './account-store.ts'
import type { StatementHead } from './billing-store.ts'

/** An account as it appears in listings, with its number of active keys. */
export function toAccountListing(account: Account, keys: readonly StoredKey[], nowMillis: number): AccountListing {
  const active = keys.filter((key) => key.accountId === account.id && isActive(key, nowMillis))
  return {
    id: account.id,
    email: account.email,
    plan: account.plan,
    state: accountState(account),
    active_keys: active.length,
    key_limit: ACTIVE_KEY_LIMITS[account.plan],
    overage_enabled: account.isOverageEnabled,
    spend_cap_cents: account.spendCapCents,
    created_at: toUtcText(account.createdAtMillis),
  }
}

/** A key as it appears in listings. Its `account` is null if the account's address has been erased. */
export function toKeyListing(key: StoredKey, account: Account | undefined, nowMillis: number): KeyListing {
  return {
    id: key.id,
    account: account?.email ?? null,
    name: key.name,
    prefix: key.prefix,
    last_four: key.lastFour,
    state: keyState(key, account, nowMillis),
    scopes: key.scopes,
    audience: key.audience,
    created_at: toUtcText(key.createdAtMillis),
    expires_at: key.expiresAtMillis === null ? null : toUtcText(key.expiresAtMillis),
    revoked_at: key.revokedAtMillis === null ? null : toUtcText(key.revokedAtMillis),
  }
}

/** An event as it appears in listings. */
export function toEventListing(event: AccountEvent): EventListing {
  const { id, kind, actor, detail } = event
  return { id, at: toUtcText(event.atMillis), kind, key_id: event.keyId, actor, detail }
}

/** A closed month as it appears in listings. */
export function toStatementListing(statement: StatementHead): StatementListing {
  return {
    month: statement.month,
    closed_at: toUtcText(statement.closedAtMillis),
    units: statement.units,
    included_units: statement.includedUnits,
    overage_units: statement.overageUnits,
    amount_cents: statement.amountCents,
    plan: statement.plan,
  }
}

/** Whether a key is neither revoked nor expired. */
export function isActive(key: StoredKey, nowMillis: number): boolean {
  return key.revokedAtMillis === null && (key.expiresAtMillis === null || key.expiresAtMillis > nowMillis)
}

function keyState(key: StoredKey, account: Account | undefined, nowMillis: number): KeyListing['state'] {
  if (key.revokedAtMillis !== null) return 'revoked'
  if (!isActive(key, nowMillis)) return 'expired'
  return account?.suspendedAtMillis === null ? 'active' : 'suspended'
}

function accountState(account: Account): AccountListing['state'] {
  if (account.deletedAtMillis !== null) return 'deleted'
  if (account.suspendedAtMillis !== null) return 'suspended'
  return account.isVerified ? 'active' : 'unverified'
}
