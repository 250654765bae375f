// Sessions. Each log-in creates one with a new token; it ends when idle, too old, logged out, or with its account.
import { makeEvent } from '../accounts/account-event.ts'
import type { Account, AccountStore } from '../accounts/account-store.ts'
import type { Session, StoredSession } from '../accounts/identity-store.ts'
import type { Clock } from '../system/clock.ts'
import { makeToken, tokenDigest } from './secret-token.ts'

/** A session ends after this long without use. */
export const SESSION_IDLE_MILLIS = 8 * 3_600_000
/** A session ends after this long even if used. */
export const SESSION_LIFE_MILLIS = 7 * 86_400_000
/** Last use is written at most once per this interval. */
const TOUCH_MILLIS = 60_000

/** The sessions of all accounts, kept in the store so that they survive a restart. */
export class SessionBook {
  private readonly store: AccountStore
  private readonly clock: Clock

  /** @param clock the system clock */
  constructor(store: AccountStore, clock: Clock) {
    this.store = store
    this.clock = clock
  }

  /** Prepares a session: its token, shown only once, and the row to store. */
  prepare(): { readonly token: string; readonly session: Omit<StoredSession, 'accountId'> } {
    const token = makeToken()
    const createdAtMillis = this.clock.nowMillis()
    const expiresAtMillis = createdAtMillis + SESSION_LIFE_MILLIS
    const digest = tokenDigest(token)
    return { token, session: { digest, createdAtMillis, lastSeenAtMillis: createdAtMillis, expiresAtMillis } }
  }

  /** Starts a session for an account and returns its token. Ends the session `replaced`. */
  async begin(accountId: string, replaced: string | undefined): Promise<string> {
    const { token, session } = this.prepare()
    const replacedDigest = replaced === undefined ? undefined : tokenDigest(replaced)
    const event = makeEvent('logged_in', { accountId, atMillis: session.createdAtMillis, actor: 'owner' })
    await this.store.identity.insertSession({ ...session, accountId }, replacedDigest, event)
    return token
  }

  /** The session of a token and its account; undefined if the session has ended or the account is closed. */
  async find(token: string): Promise<{ readonly session: Session; readonly account: Account } | undefined> {
    const digest = tokenDigest(token)
    const found = await this.store.identity.findSession(digest)
    if (found === undefined) return undefined
    const { session, account } = found
    const nowMillis = this.clock.nowMillis()
    const isOver = nowMillis >= session.expiresAtMillis || nowMillis - session.lastSeenAtMillis >= SESSION_IDLE_MILLIS
    if (isOver || account.suspendedAtMillis !== null || account.deletedAtMillis !== null) {
      await this.store.identity.deleteSession(digest)
      return undefined
    }
    if (nowMillis - session.lastSeenAtMillis >= TOUCH_MILLIS) await this.store.identity.touchSession(digest, nowMillis)
    return found
  }

  /** Ends one session. */
  end(token: string): Promise<void> {
    return this.store.identity.deleteSession(tokenDigest(token))
  }

  /** Ends all sessions of an account. */
  endAll(accountId: string): Promise<void> {
    return this.store.identity.deleteSessions(accountId)
  }
}
