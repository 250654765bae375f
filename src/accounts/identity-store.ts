// Stored identity data: passwords, sessions and emailed links. Secrets are stored only as digests.
import type { AccountEvent, EventKind } from './account-event.ts'
import type { Account } from './account-store.ts'

/** Maximum number of accounts that are pruned or erased in one transaction. */
export const PRUNED_AT_ONCE = 500
/** Tables with an owner's credentials, sessions, links and usage by route. */
export const TABLES_OF_OWNER: readonly string[] = [
  'passwords',
  'sessions',
  'links',
  'factors',
  'recovery_codes',
  'passkeys',
  'route_usage',
]
/** Tables that may hold data about an account that was never verified, in addition to the table `accounts`. */
export const TABLES_OF_ACCOUNT: readonly string[] = [...TABLES_OF_OWNER, 'events']

/** Kinds of events whose details contain key names. */
export const EVENTS_WITH_NAMES: readonly EventKind[] = ['key_created', 'key_renamed']

/** A login session. */
export interface Session {
  readonly accountId: string
  readonly createdAtMillis: number
  /** Updated from time to time, not on every request. */
  readonly lastSeenAtMillis: number
  /** The session ends at this time, even if it is in use. */
  readonly expiresAtMillis: number
  /** When the session started, or when the owner last gave the password to confirm a change, whichever is later. */
  readonly confirmedAtMillis: number
  /** Short description of the browser and operating system, such as "Firefox on Linux"; null if unknown. */
  readonly device: string | null
}

/** A session as stored. */
export interface StoredSession extends Session {
  /** SHA-256 of the session's token, 64 hexadecimal digits. */
  readonly digest: string
}

/** The purpose of an emailed link. `passkey` is for a passkey challenge, which is stored like a link. */
export type LinkPurpose = 'verify' | 'reset' | 'email' | 'passkey'

/** A link as stored. */
export interface StoredLink {
  /** SHA-256 of the link's token, 64 hexadecimal digits. */
  readonly digest: string
  readonly purpose: LinkPurpose
  /**
   * Null if no account has the address. The row is stored even then, so that the response time does not reveal this.
   */
  readonly accountId: string | null
  /** A password hash that takes effect when the link is used; null if the link does not set a password. */
  readonly passwordHash: string | null
  /** The address that the account gets when the link is used; only with the purpose `email`. */
  readonly newEmail?: string
  /** The link does not work from this time on. */
  readonly expiresAtMillis: number
}

/** The effects of using a link. */
export interface LinkUse {
  readonly digest: string
  readonly purpose: LinkPurpose
  readonly nowMillis: number
  /**
   * For a reset link, the hash of the new password; null for other links. A sign-up's password hash is stored with its
   * link.
   */
  readonly passwordHash: string | null
  /** The session to start for the link's account. */
  readonly session: Omit<StoredSession, 'accountId'>
  readonly events: readonly Omit<AccountEvent, 'accountId'>[]
}

/** A sign-up whose link has not been opened yet. */
export interface WaitingSignUp {
  readonly accountId: string
  /** Hash (PHC string) of the password that was given at sign-up; null if none was given. */
  readonly passwordHash: string | null
  /** The sign-up link does not work from this time on. */
  readonly expiresAtMillis: number
  /** When the first sign-up with the address created the account. */
  readonly openedAtMillis: number
  /** Number of other valid sign-up links for the address. */
  readonly rivalCount: number
}

/** A challenge that a passkey has answered. */
export interface Challenge {
  readonly digest: string
  /** The account to which a passkey is added; null for a login. */
  readonly accountId: string | null
  readonly nowMillis: number
}

/** The effects of using a link that was sent to an account's new address. */
export interface EmailChange {
  readonly digest: string
  readonly nowMillis: number
  readonly event: Omit<AccountEvent, 'accountId'>
}

/** An address change that has been made. */
export interface ChangedEmail {
  readonly accountId: string
  readonly former: string | null
}

/** A new account created by a sign-up. */
export interface OpenedAccount {
  readonly account: Account
  readonly event: AccountEvent
}

/**
 * Passwords, sessions and links. Every method is one transaction. Callers pass digests of tokens; no token is stored.
 */
export interface IdentityStore {
  /**
   * Stores a sign-up link. The password in the link takes effect when the link is used. If `opened` is given, first
   * creates this account, and refuses it as `already_exists` if its address is taken. Returns false and changes nothing
   * if the link's account is no longer waiting for verification. Deletes expired links.
   */
  signUp(link: StoredLink, opened: OpenedAccount | undefined, nowMillis: number): Promise<boolean>
  /** Stores a link and deletes expired links. If the link's account no longer exists, stores null instead of its id. */
  insertLink(link: StoredLink, nowMillis: number): Promise<void>
  /**
   * The account id of a usable link; undefined if the link is not usable. A link is usable if it exists and has not
   * expired, and if its account is neither deleted nor suspended. A sign-up link is no longer usable if its account is
   * already verified.
   */
  findLink(link: Pick<LinkUse, 'digest' | 'purpose' | 'nowMillis'>): Promise<string | undefined>
  /** The sign-up to which a usable link belongs; undefined if the link is not usable. */
  findSignUp(link: Pick<LinkUse, 'digest' | 'nowMillis'>): Promise<WaitingSignUp | undefined>
  /**
   * Uses a link: sets the password, verifies the address, ends all sessions and starts a new one. Also invalidates the
   * account's other links. Returns the account's id. Returns undefined and changes nothing if the link is not usable
   * (see `findLink`).
   */
  useLink(use: LinkUse): Promise<string | undefined>
  /**
   * Uses a link that was sent to a new address: changes the account's address and invalidates the account's other
   * links. Returns undefined and changes nothing if the link is not usable. Refuses the change as `already_exists` if
   * another account has taken the address.
   */
  changeEmail(change: EmailChange): Promise<ChangedEmail | undefined>
  /**
   * Uses up a passkey challenge. Returns false if the challenge does not exist, has expired, or is for another account.
   * A login challenge has no account.
   */
  takeChallenge(challenge: Challenge): Promise<boolean>
  /** PHC string of an account's password, or undefined if it has none. */
  findPassword(accountId: string): Promise<string | undefined>
  /** Replaces a password, ends all sessions of the account, invalidates its links and starts a session. */
  changePassword(passwordHash: string, session: StoredSession, event: AccountEvent): Promise<void>
  /** Starts a session and ends the session with `replacedDigest`, if there is one. Deletes expired sessions. */
  insertSession(session: StoredSession, replacedDigest: string | undefined, event: AccountEvent): Promise<void>
  /**
   * Records a failed login. If `accountId` is null, stores an expired link instead, so that the response time does not
   * reveal whether an account has the address.
   */
  recordFailure(event: AccountEvent, accountId: string | null): Promise<void>
  /** The session with this digest, and its account. The session may have expired. */
  findSession(digest: string): Promise<{ readonly session: Session; readonly account: Account } | undefined>
  /** Records that a session was used. */
  touchSession(digest: string, atMillis: number): Promise<void>
  /** Records that the owner gave the password again. */
  confirmSession(digest: string, atMillis: number): Promise<void>
  /** An account's sessions that have not been deleted, newest first, including expired ones. */
  listSessions(accountId: string): Promise<StoredSession[]>
  deleteSession(digest: string): Promise<void>
  /** Ends all sessions of an account except one; returns the number of ended sessions. */
  deleteOtherSessions(accountId: string, keptDigest: string): Promise<number>
  /** Ends all sessions of an account. */
  deleteSessions(accountId: string): Promise<void>
  /**
   * Deletes accounts that were created before a given time and never verified, with all their data. Their addresses
   * become available again. Keeps accounts that have a key, a statement or a valid link. Also keeps accounts that the
   * operator suspended or moved to another plan. Returns the number of deleted accounts, at most PRUNED_AT_ONCE. A
   * smaller number means that none are left.
   */
  pruneUnverified(openedBeforeMillis: number, nowMillis: number): Promise<number>
  /**
   * Erases the personal data of accounts that were deleted before a given time: their addresses and their key names,
   * including those in events. Each account is erased only once. Returns the number of accounts, at most
   * PRUNED_AT_ONCE. A smaller number means that none are left.
   */
  eraseDeleted(deletedBeforeMillis: number, nowMillis: number): Promise<number>
  /** Deletes an account's rows in all TABLES_OF_OWNER. */
  forget(accountId: string): Promise<void>
}
