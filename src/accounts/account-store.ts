// The store of accounts, keys and units: SQLite or PostgreSQL behind one interface.
import type { UsageStore } from '../metering/usage-store.ts'
import type { Plan } from '../plans/plans.ts'
import { DataDirBusy } from '../system/data-dir-lock.ts'
import type { BillingStore, ChangeRecord } from './billing-store.ts'
import type { FactorStore } from './factor-store.ts'
import type { IdentityStore } from './identity-store.ts'
import type { PasskeyStore } from './passkey-store.ts'
import type { RouteStore } from './route-store.ts'

/** An account. */
export interface Account {
  readonly id: string
  /**
   * E-mail address as entered; unique if case is ignored. Null after it was erased: at once if the operator deletes the
   * account, two weeks later if the owner deletes the account (lapsed-accounts.ts).
   */
  readonly email: string | null
  readonly plan: Plan
  readonly isVerified: boolean
  readonly suspendedAtMillis: number | null
  readonly deletedAtMillis: number | null
  readonly isOverageEnabled: boolean
  /** Maximum monthly overage in cents. */
  readonly spendCapCents: number
  readonly createdAtMillis: number
}

/** A stored key: its digest, never its text. */
export interface StoredKey {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly scopes: readonly string[]
  /** Host of the API for which the key was created. */
  readonly audience: string
  readonly prefix: string
  readonly lastFour: string
  /** HMAC-SHA-256 under the pepper `pepperId`, 64 hexadecimal digits. */
  readonly digest: string
  readonly pepperId: string
  readonly createdAtMillis: number
  /** The time, in Unix milliseconds, from which the key is expired; null if the key never expires. */
  readonly expiresAtMillis: number | null
  readonly revokedAtMillis: number | null
}

/** An operation was refused for a reason that the caller can change. The message is written for the caller. */
export class AccountRefusal extends Error {
  override readonly name = 'AccountRefusal'
  readonly reason: 'key_limit_reached' | 'already_exists' | 'not_found' | 'not_allowed' | 'invalid' | 'too_many_changes'
  /** When to retry; undefined if waiting does not help. */
  readonly retryAfterSeconds: number | undefined

  /** @param message a sentence without capital letter and full stop, printed after `quai:` */
  constructor(reason: AccountRefusal['reason'], message: string, retryAfterSeconds?: number) {
    super(message)
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * The store is unreachable, locked, or rejects writes: retrying later may help. A change in progress may still have
 * been made.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** The database file is damaged; retrying does not help. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged'
}

/**
 * Whether a store's error may be temporary. This is so if the store is unreachable or locked. A session that this
 * process has lost may still have the lock, until the database closes the session.
 */
export function mayPass(error: unknown): error is StoreUnavailable | DataDirBusy {
  return error instanceof StoreUnavailable || error instanceof DataDirBusy
}

/**
 * Accounts, keys and the ledger. Every method is one transaction. Texts must be well-formed Unicode without U+0000:
 * changes refuse any other text as `invalid`, and searches find nothing for it.
 */
export interface AccountStore extends UsageStore {
  /** Passwords, sessions and mail links, in the same database. */
  readonly identity: IdentityStore
  /** Second factors, in the same database. */
  readonly factors: FactorStore
  /** Passkeys, in the same database. */
  readonly passkeys: PasskeyStore
  /** Events, changes of terms and closed months, in the same database. */
  readonly billing: BillingStore
  /** Numbers of answers by route, in the same database. */
  readonly routes: RouteStore
  /** Stores an account; refused as `already_exists` if the address is taken. */
  insertAccount(account: Account, record?: ChangeRecord): Promise<void>
  /** Finds an account by address, ignoring case. */
  findAccount(email: string): Promise<Account | undefined>
  /** Finds an account by id. */
  findAccountById(id: string): Promise<Account | undefined>
  /** All accounts, deleted ones included, oldest first. */
  listAccounts(): Promise<Account[]>
  /**
   * Updates an account. A change of plan or overage requires the record's `terms`.
   * @param members the members to write; all if absent. In PostgreSQL, the other members keep their stored values.
   * Another process may have changed these since `account` was read
   */
  updateAccount(account: Account, record?: ChangeRecord, members?: Partial<Account>): Promise<void>
  /** Stores a key unless the account already has `activeLimit` keys that are neither revoked nor expired. */
  insertKey(key: StoredKey, activeLimit: number, record?: ChangeRecord): Promise<void>
  /** Keys of one account or of all accounts, revoked ones included, oldest first. */
  listKeys(accountId?: string): Promise<StoredKey[]>
  findKey(keyId: string): Promise<StoredKey | undefined>
  renameKey(keyId: string, name: string, record?: ChangeRecord): Promise<void>
  /** Revokes a key. If it is already revoked, keeps the earlier time and writes no record. */
  revokeKey(keyId: string, atMillis: number, record?: ChangeRecord): Promise<void>
  close(): Promise<void>
}
