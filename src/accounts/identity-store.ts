// What the store keeps of who somebody is: passwords, sessions and the links of mails, secrets as digests only.
import type { AccountEvent } from './account-event.ts'
import type { Account } from './account-store.ts'

/** Accounts that are pruned in one transaction. */
export const PRUNED_AT_ONCE = 500
/** What may be kept of an account that was never verified, beside its own row. */
export const TABLES_OF_ACCOUNT: readonly string[] = ['passwords', 'sessions', 'links', 'events']

/** A log-in that lasts. */
export interface Session {
  readonly accountId: string
  readonly createdAtMillis: number
  /** Written now and then, not at every request. */
  readonly lastSeenAtMillis: number
  /** First instant at which it has ended, however much it is used. */
  readonly expiresAtMillis: number
}

/** A session as it is stored. */
export interface StoredSession extends Session {
  /** SHA-256 of the session's token, 64 hexadecimal digits. */
  readonly digest: string
}

/** What a link in a mail is for. */
export type LinkPurpose = 'verify' | 'reset'

/** A link as it is stored. */
export interface StoredLink {
  /** SHA-256 of the link's token, 64 hexadecimal digits. */
  readonly digest: string
  readonly purpose: LinkPurpose
  /** Null where the address is nobody's: the row is written all the same, so that the work is the same. */
  readonly accountId: string | null
  /** A password that holds once the link is used, and not before; null where the link doesn't set one. */
  readonly passwordHash: string | null
  /** First instant at which it no longer works. */
  readonly expiresAtMillis: number
}

/** What a used link comes to. */
export interface LinkUse {
  readonly digest: string
  readonly purpose: LinkPurpose
  readonly nowMillis: number
  /** The new password of a reset; a verification brings its own. */
  readonly passwordHash: string | null
  /** The session that it begins; its account is the link's. */
  readonly session: Omit<StoredSession, 'accountId'>
  readonly events: readonly Omit<AccountEvent, 'accountId'>[]
}

/** An account that a sign-up opens. */
export interface OpenedAccount {
  readonly account: Account
  readonly event: AccountEvent
}

/**
 * Passwords, sessions and links. Every method is one transaction. Digests are looked up as they are; nothing here
 * tells a token.
 */
export interface IdentityStore {
  /**
   * Stores the link of a sign-up; its password is the account's once it is used. A new account is `opened` first: refused
   * as `already_exists` where its address is taken. False, and nothing is done, where the link's account no longer waits
   * for its verification. Expired links are forgotten.
   */
  signUp(link: StoredLink, opened: OpenedAccount | undefined, nowMillis: number): Promise<boolean>
  /** Stores a link, as one of nobody where its account is gone, and forgets those that have expired. */
  insertLink(link: StoredLink, nowMillis: number): Promise<void>
  /** Whether a link can be used: there is one, it has not expired, and its account is open and waits for what it does. */
  hasLink(link: Pick<LinkUse, 'digest' | 'purpose' | 'nowMillis'>): Promise<boolean>
  /**
   * Uses a link up, with all others of the account: sets its password, verifies its address, ends its sessions and
   * begins one. The account's id, or undefined where there is no such link, it has expired, or it verifies an account
   * that is verified, and nothing is done.
   */
  useLink(use: LinkUse): Promise<string | undefined>
  /** PHC string of an account's password, or undefined where it has none. */
  findPassword(accountId: string): Promise<string | undefined>
  /** Replaces a password, ends all sessions of the account, uses its links up and begins a session. */
  changePassword(passwordHash: string, session: StoredSession, event: AccountEvent): Promise<void>
  /** Begins a session; the one of `replacedDigest`, if there is one, ends. Those that have expired are forgotten. */
  insertSession(session: StoredSession, replacedDigest: string | undefined, event: AccountEvent): Promise<void>
  /** The session of a digest with its account, whether it has expired or not. */
  findSession(digest: string): Promise<{ readonly session: Session; readonly account: Account } | undefined>
  /** Notes that a session was used. */
  touchSession(digest: string, atMillis: number): Promise<void>
  deleteSession(digest: string): Promise<void>
  /** Ends all sessions of an account. */
  deleteSessions(accountId: string): Promise<void>
  /**
   * Removes accounts opened before an instant that were never verified, with what is kept of them: their addresses are
   * free again. Those that have a key, a statement or a link that still works stay, and those that the operator has
   * suspended or given another plan. How
   * many: PRUNED_AT_ONCE at most, and fewer where there are no more.
   */
  pruneUnverified(openedBeforeMillis: number, nowMillis: number): Promise<number>
  /** Forgets an account's password, sessions and links. */
  forget(accountId: string): Promise<void>
}
