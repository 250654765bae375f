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
   * Email address as entered; unique regardless of case. Null after it has been erased: immediately if the operator
   * deletes the account, two weeks later if the owner deletes it (lapsed-accounts.ts).
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

/** A key as stored: with its digest, without the key itself. */
export interface StoredKey {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly scopes: readonly string[]
  /** API host for which the key was created. */
  readonly audience: string
  readonly prefix: string
  readonly lastFour: string
  /** HMAC-SHA-256 under the pepper `pepperId`, 64 hexadecimal digits. */
  readonly digest: string
  readonly pepperId: string
  readonly createdAtMillis: number
  /** When the key expires, in Unix milliseconds; null if it never expires. */
  readonly expiresAtMillis: number | null
  readonly revokedAtMillis: number | null
}

/** Thrown when an operation is refused for a reason that the caller can fix. The message is written for the caller. */
export class AccountRefusal extends Error {
  override readonly name = 'AccountRefusal'
  readonly reason: 'key_limit_reached' | 'already_exists' | 'not_found' | 'not_allowed' | 'invalid' | 'too_many_changes'
  /** How long to wait before trying again; undefined if waiting does not help. */
  readonly retryAfterSeconds: number | undefined

  /** @param message a sentence without an initial capital letter or a final period, printed after `quai:` */
  constructor(reason: AccountRefusal['reason'], message: string, retryAfterSeconds?: number) {
    super(message)
    this.reason = reason
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * The store is unreachable, is locked, or rejects writes; retrying later may help. A change that was in progress may or
 * may not have been made.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** The database file is damaged; retrying does not help. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged'
}

/**
 * Whether an error from the store may be temporary: the store is unreachable or locked. A session that this process has
 * lost can hold the lock until the database closes the session.
 */
export function mayPass(error: unknown): error is StoreUnavailable | DataDirBusy {
  return error instanceof StoreUnavailable || error instanceof DataDirBusy
}

/**
 * Accounts, keys and the ledger. Every method is one transaction. Strings must be well-formed Unicode without U+0000:
 * changes refuse any other string as `invalid`, and searches find nothing for it.
 */
export interface AccountStore extends UsageStore {
  /** Passwords, sessions and emailed links, in the same database. */
  readonly identity: IdentityStore
  /** Second factors, in the same database. */
  readonly factors: FactorStore
  /** Passkeys, in the same database. */
  readonly passkeys: PasskeyStore
  /** Events, changes to terms, and closed months, in the same database. */
  readonly billing: BillingStore
  /** Response counts by route, in the same database. */
  readonly routes: RouteStore
  /** Stores an account. Refuses it as `already_exists` if the address is taken. */
  insertAccount(account: Account, record?: ChangeRecord): Promise<void>
  /** Finds an account by address, ignoring case. */
  findAccount(email: string): Promise<Account | undefined>
  /** Finds an account by id. */
  findAccountById(id: string): Promise<Account | undefined>
  /** All accounts, deleted ones included, oldest first. */
  listAccounts(): Promise<Account[]>
  /**
   * Updates an account. A change of plan or overage requires the record's `terms`.
   * @param members the members to write; all if absent. In PostgreSQL, the other members keep their stored values,
   * which another process may have changed since `account` was read
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
