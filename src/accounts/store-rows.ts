// Rows of accounts, keys and the ledger, in the form that both databases use. Also checks whether both databases can
// store a string.

import type { UsageRow } from '../metering/usage-store.ts'
import { isPlan } from '../plans/plans.ts'
import { type Account, AccountRefusal, type StoredKey } from './account-store.ts'
import type { ChangeRecord } from './billing-store.ts'
import type { StoredFactor } from './factor-store.ts'
import type { Session, WaitingSignUp } from './identity-store.ts'
import type { StoredPasskey } from './passkey-store.ts'

/** A row of `accounts`; times in Unix milliseconds. */
export interface AccountRow {
  readonly id: string
  readonly email: string | null
  readonly plan: string
  /** 0 or 1 if the database has no booleans. */
  readonly verified: number | boolean
  readonly suspended_at: number | null
  readonly deleted_at: number | null
  readonly overage_enabled: number | boolean
  readonly spend_cap_cents: number
  readonly created_at: number
}

/** A row of `keys`; times in Unix milliseconds. */
export interface KeyRow {
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

/** A row of `usage`. The day is counted in UTC days since 1970; the time is in Unix milliseconds. */
export interface LedgerRow {
  readonly writer_id: string
  readonly key_id: string
  readonly utc_day: number
  readonly units: number
  readonly calls: number
  readonly last_used: number
}

/** A row of `sessions`; times in Unix milliseconds. */
export interface SessionRow {
  readonly digest: string
  readonly account_id: string
  readonly created_at: number
  readonly last_seen_at: number
  readonly expires_at: number
  /**
   * When the owner last entered the password. Null if an older version of the program started the session; in that
   * case, the password was last entered at login.
   */
  readonly confirmed_at: number | null
  readonly device: string | null
}

/** A row of `factors`, with the number of unused recovery codes; times in Unix milliseconds. */
export interface FactorRow {
  readonly secret: string
  readonly enabled_at: number | null
  readonly code_count: number
}

/** A row of `passkeys`; times in Unix milliseconds. */
export interface PasskeyRow {
  readonly id: string
  readonly account_id: string
  readonly public_key: string
  readonly counter: number
  readonly name: string
  readonly created_at: number
  readonly used_at: number | null
}

/** The columns to select for a link that changes an account's email address, joined with the account. */
export const CHANGED_EMAIL = 'links.account_id, links.new_email, accounts.email AS former'

/** A link that changes an email address, and the account's current address. */
export interface ChangedEmailRow {
  readonly account_id: string
  readonly new_email: string
  readonly former: string | null
}

/**
 * A sign-up whose link has not been opened yet, and the number of the account's other sign-up links that are still
 * valid.
 */
export interface SignUpRow {
  readonly account_id: string
  readonly password_hash: string | null
  readonly expires_at: number
  readonly opened_at: number
  readonly rivals: number
}

/** Converts a row to a waiting sign-up. */
export function toWaitingSignUp(row: SignUpRow): WaitingSignUp {
  return {
    accountId: row.account_id,
    passwordHash: row.password_hash,
    expiresAtMillis: row.expires_at,
    openedAtMillis: row.opened_at,
    rivalCount: row.rivals,
  }
}

/** The normalized form of an email address, for comparing addresses. */
export function foldEmail(email: string): string {
  return email.trim().normalize('NFC').toLowerCase()
}

/** Whether every store returns a string unchanged. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** Refuses records with strings that a store cannot return unchanged. */
export function requireStorable(record: Account | StoredKey | Pick<StoredKey, 'name'>): void {
  for (const [member, value] of Object.entries(record)) {
    const texts: unknown[] = Array.isArray(value) ? value : [value]
    if (texts.every((text) => typeof text !== 'string' || isStorable(text))) continue
    throw new AccountRefusal(
      'invalid',
      `the ${member} contains a NUL character or a lone surrogate, which cannot be stored`,
    )
  }
}

export function toAccount(row: AccountRow): Account {
  if (!isPlan(row.plan)) throw new Error(`account ${row.id} has the plan "${row.plan}", which does not exist`)
  return {
    id: row.id,
    email: row.email,
    plan: row.plan,
    isVerified: Boolean(row.verified),
    suspendedAtMillis: row.suspended_at,
    deletedAtMillis: row.deleted_at,
    isOverageEnabled: Boolean(row.overage_enabled),
    spendCapCents: row.spend_cap_cents,
    createdAtMillis: row.created_at,
  }
}

export function toStoredKey(row: KeyRow): StoredKey {
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

export function toSession(row: SessionRow): Session {
  return {
    accountId: row.account_id,
    createdAtMillis: row.created_at,
    lastSeenAtMillis: row.last_seen_at,
    expiresAtMillis: row.expires_at,
    confirmedAtMillis: row.confirmed_at ?? row.created_at,
    device: row.device,
  }
}

export function toFactor(row: FactorRow): StoredFactor {
  return { sealedSecret: row.secret, enabledAtMillis: row.enabled_at, recoveryCodeCount: row.code_count }
}

export function toPasskey(row: PasskeyRow): StoredPasskey {
  return {
    id: row.id,
    accountId: row.account_id,
    publicKey: row.public_key,
    counter: row.counter,
    name: row.name,
    createdAtMillis: row.created_at,
    usedAtMillis: row.used_at,
  }
}

export function toUsageRow(row: LedgerRow): UsageRow {
  return {
    writerId: row.writer_id,
    keyId: row.key_id,
    utcDay: row.utc_day,
    units: row.units,
    calls: row.calls,
    lastUsedMillis: row.last_used,
  }
}

/** The refusals that have the same message in every store. */
export const refusals = {
  takenEmail: ({ email }: Pick<Account, 'email'>) =>
    new AccountRefusal('already_exists', `an account for ${email} already exists`),
  noAccount: (id: string) => new AccountRefusal('not_found', `there is no account ${id}`),
  noKey: (id: string) => new AccountRefusal('not_found', `there is no key ${id}`),
  keyLimit: (limit: number) =>
    new AccountRefusal(
      'key_limit_reached',
      `the plan allows ${limit} active keys, and the account has ${limit}; revoke one first`,
    ),
}

/** The default change record: no events. */
export const NO_RECORD: ChangeRecord = { events: [] }

/**
 * The `terms` of a change record. Throws if the record has none: without them, a month in which the plan or overage
 * changed cannot be billed.
 */
export function needsTerms(accountId: string, { terms }: Pick<ChangeRecord, 'terms'>) {
  if (terms === undefined)
    throw new Error(
      `a change to the plan or overage of account ${accountId} needs "terms" (the time of the change, and the units used before it), but they are missing`,
    )
  return terms
}

/** Whether a new key counts toward its account's key limit. */
export function countsAsActive(key: StoredKey): boolean {
  return key.revokedAtMillis === null && (key.expiresAtMillis === null || key.expiresAtMillis > key.createdAtMillis)
}
