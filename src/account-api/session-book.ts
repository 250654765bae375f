// Sessions. Each login creates a session with a new token. A session ends at logout, when its account is closed,
// when it has been idle for too long, and when it is too old.
import { makeEvent } from '../accounts/account-event.ts'
import type { Account, AccountStore } from '../accounts/account-store.ts'
import type { Session, StoredSession } from '../accounts/identity-store.ts'
import type { Clock } from '../system/clock.ts'
import type { Client, IdentityParts } from './identity-parts.ts'
import { makeToken, tokenDigest } from './secret-token.ts'

/** A session ends after being unused for this time. */
export const SESSION_IDLE_MILLIS = 8 * 3_600_000
/** A session ends after this time, even if it is in use. */
export const SESSION_LIFE_MILLIS = 7 * 86_400_000
/**
 * For this time after a login or a confirmation, changes that would help a session thief don't require the password.
 */
export const CONFIRMED_MILLIS = 15 * 60_000
const ID_DIGITS = 24
/** The time of the last use is written at most once in this interval. */
const TOUCH_MILLIS = 60_000

/** A session, with the id under which it is listed. */
export interface ListedSession extends StoredSession {
  readonly id: string
}

/** The sessions of all accounts, kept in the store so that they survive a restart. */
export class SessionBook {
  private readonly store: AccountStore
  private readonly clock: Clock
  private readonly idSecret: Uint8Array
  private readonly noteEvent: IdentityParts['noteEvent']

  /** @param idSecret the key that turns session digests into session ids */
  constructor(parts: IdentityParts, idSecret: Uint8Array) {
    this.store = parts.accounts.store
    this.clock = parts.clock
    this.noteEvent = (event, client) => parts.noteEvent(event, client)
    this.idSecret = idSecret
  }

  /** Prepares a session: its token, shown only once, and the row to store. */
  prepare(device: string | null): { readonly token: string; readonly session: Omit<StoredSession, 'accountId'> } {
    const token = makeToken()
    const createdAtMillis = this.clock.nowMillis()
    const expiresAtMillis = createdAtMillis + SESSION_LIFE_MILLIS
    const digest = tokenDigest(token)
    const times = {
      createdAtMillis,
      lastSeenAtMillis: createdAtMillis,
      confirmedAtMillis: createdAtMillis,
      expiresAtMillis,
    }
    return { token, session: { digest, ...times, device } }
  }

  /** Starts a session for an account and returns the session's token. Ends the session whose token is `replaced`. */
  async begin(
    accountId: string,
    by: { readonly replaced: string | undefined; readonly device: string | null; readonly client: Client },
  ): Promise<string> {
    const { replaced, device, client } = by
    const { token, session } = this.prepare(device)
    const replacedDigest = replaced === undefined ? undefined : tokenDigest(replaced)
    const about = { accountId, atMillis: session.createdAtMillis, actor: 'owner' } as const
    const event = makeEvent('logged_in', about, { device })
    await this.store.identity.insertSession({ ...session, accountId }, replacedDigest, event)
    this.noteEvent(event, client)
    return token
  }

  /**
   * The session that a token belongs to, and its account; undefined if the session has ended or the account is closed.
   */
  async find(token: string): Promise<{ readonly session: Session; readonly account: Account } | undefined> {
    const digest = tokenDigest(token)
    const found = await this.store.identity.findSession(digest)
    if (found === undefined) return undefined
    const { session, account } = found
    const nowMillis = this.clock.nowMillis()
    if (isOver(session, nowMillis) || account.suspendedAtMillis !== null || account.deletedAtMillis !== null) {
      await this.store.identity.deleteSession(digest)
      return undefined
    }
    if (nowMillis - session.lastSeenAtMillis >= TOUCH_MILLIS) await this.store.identity.touchSession(digest, nowMillis)
    return found
  }

  /** The open sessions of an account, newest first. */
  async list(accountId: string): Promise<ListedSession[]> {
    const nowMillis = this.clock.nowMillis()
    const sessions = await this.store.identity.listSessions(accountId)
    return sessions
      .filter((session) => !isOver(session, nowMillis))
      .map((session) => ({ ...session, id: this.idOf(session.digest) }))
  }

  /** Whether a token belongs to a session. */
  isOf({ digest }: StoredSession, token: string): boolean {
    return digest === tokenDigest(token)
  }

  /** Whether the owner logged in, or entered the password again, within the last 15 minutes. */
  isConfirmed({ confirmedAtMillis }: Session): boolean {
    const ageMillis = this.clock.nowMillis() - confirmedAtMillis
    return ageMillis >= 0 && ageMillis < CONFIRMED_MILLIS
  }

  /** Records that the owner entered the password again. */
  confirm(token: string): Promise<void> {
    return this.store.identity.confirmSession(tokenDigest(token), this.clock.nowMillis())
  }

  /** The id under which a session is listed. It reveals neither the token nor the stored digest. */
  private idOf(digest: string): string {
    const hash = new Bun.CryptoHasher('sha256', this.idSecret).update(digest).digest('hex')
    return `ses_${hash.slice(0, ID_DIGITS)}`
  }

  /** Ends all sessions of an account except the one with this token. */
  async endOthers(accountId: string, token: string): Promise<void> {
    const ended = await this.store.identity.deleteOtherSessions(accountId, tokenDigest(token))
    // Each ended session began with a login, so the limit on logins also limits these events.
    if (ended > 0) await this.recordEnd(accountId, 'others')
  }

  /** Ends one session. */
  end(token: string): Promise<void> {
    return this.store.identity.deleteSession(tokenDigest(token))
  }

  /** Ends all sessions of an account. */
  async endAll(accountId: string): Promise<void> {
    await this.store.identity.deleteSessions(accountId)
    await this.recordEnd(accountId, 'all')
  }

  private async recordEnd(accountId: string, ended: 'all' | 'others'): Promise<void> {
    const about = { accountId, atMillis: this.clock.nowMillis(), actor: 'owner' } as const
    const event = makeEvent('sessions_ended', about, { ended })
    await this.store.billing.appendEvents([event])
    this.noteEvent(event)
  }
}

function isOver(session: Session, nowMillis: number): boolean {
  return nowMillis >= session.expiresAtMillis || nowMillis - session.lastSeenAtMillis >= SESSION_IDLE_MILLIS
}
