// What the control thread keeps of accounts, keys and units: in SQLite, or in PostgreSQL behind the same interface.
import type { UsageStore } from '../metering/usage-store.ts'
import type { Plan } from '../plans/plans.ts'
import { DataDirBusy } from '../system/data-dir-lock.ts'
import type { BillingStore, ChangeRecord } from './billing-store.ts'
import type { IdentityStore } from './identity-store.ts'

/** Whoever holds keys. */
export interface Account {
  readonly id: string
  /** As it was given; unique without regard to case. Null once the account is deleted. */
  readonly email: string | null
  readonly plan: Plan
  readonly isVerified: boolean
  readonly suspendedAtMillis: number | null
  readonly deletedAtMillis: number | null
  readonly isOverageEnabled: boolean
  /** Most that overage may cost in a month, in cents. */
  readonly spendCapCents: number
  readonly createdAtMillis: number
}

/** A key as it is stored: its digest, never its text. */
export interface StoredKey {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly scopes: readonly string[]
  /** Host of the API it was made for. */
  readonly audience: string
  readonly prefix: string
  readonly lastFour: string
  /** HMAC-SHA-256 under the pepper of `pepperId`, 64 hexadecimal digits. */
  readonly digest: string
  readonly pepperId: string
  readonly createdAtMillis: number
  /** First instant at which it no longer works; null is never. */
  readonly expiresAtMillis: number | null
  readonly revokedAtMillis: number | null
}

/** A refusal that the asker can act upon; its message is meant for them. */
export class AccountRefusal extends Error {
  override readonly name = 'AccountRefusal'
  readonly reason: 'key_limit_reached' | 'already_exists' | 'not_found' | 'not_allowed' | 'invalid' | 'too_many_changes'
  /** When it is worth asking again; undefined where waiting doesn't help. */
  readonly retryAfterSeconds: number | undefined

  /** @param message a sentence without its capital and its full stop, as it stands behind `quai:` */
  constructor(reason: AccountRefusal['reason'], message: string, retryAfterSeconds?: number) {
    super(message)
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * The store can't be reached, is held by something else, or takes nothing: asking again later may do. A change that was
 * under way may have been made all the same.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** The database file is damaged: no asking again helps. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged'
}

/**
 * Whether what a store threw is a state that may pass: it can't be reached, or is held, which it also is by our own lost
 * session until the database notices.
 */
export function mayPass(error: unknown): error is StoreUnavailable | DataDirBusy {
  return error instanceof StoreUnavailable || error instanceof DataDirBusy
}

/**
 * Accounts, keys and the ledger. Every method is one transaction. Texts are well-formed Unicode without U+0000; others
 * are refused as `invalid`, and never found.
 */
export interface AccountStore extends UsageStore {
  /** Passwords, sessions and links in mails, in the same database. */
  readonly identity: IdentityStore
  /** Events, changes of terms and closed months, in the same database. */
  readonly billing: BillingStore
  /** Refused as `already_exists` where the address is taken. */
  insertAccount(account: Account, record?: ChangeRecord): Promise<void>
  /** By address, without regard to case. */
  findAccount(email: string): Promise<Account | undefined>
  /** By id. */
  findAccountById(id: string): Promise<Account | undefined>
  /** All accounts, deleted ones included, oldest first. */
  listAccounts(): Promise<Account[]>
  /** Writes an account's present values. A change of its plan or overage needs the record's `terms`. */
  updateAccount(account: Account, record?: ChangeRecord): Promise<void>
  /** Stores a key unless the account already has `activeLimit` keys that are neither revoked nor expired at its creation. */
  insertKey(key: StoredKey, activeLimit: number, record?: ChangeRecord): Promise<void>
  /** Keys of one account or of all, revoked ones included, oldest first. */
  listKeys(accountId?: string): Promise<StoredKey[]>
  findKey(keyId: string): Promise<StoredKey | undefined>
  renameKey(keyId: string, name: string, record?: ChangeRecord): Promise<void>
  /** Revokes a key; the first revocation's instant stays, and the record of another is not written. */
  revokeKey(keyId: string, atMillis: number, record?: ChangeRecord): Promise<void>
  close(): Promise<void>
}
