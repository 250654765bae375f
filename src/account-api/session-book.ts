// Sessions. Each log-in creates a session with a new token. A session ends if it is idle for too long or too old, at
// log-out, and when its account is closed.
import { makeEvent } from '../accounts/account-event.ts'
import type { Account, AccountStore } from '../accounts/account-store.ts'
import type { Session, StoredSession } from '../accounts/identity-store.ts'
import type { Clock } from '../system/clock.ts'
import type { Client, IdentityParts } from './identity-parts.ts'
import { makeToken, tokenDigest } from './secret-token.ts'

/** A session ends after this long without use. */
export const SESSION_IDLE_MILLIS = 8 * 3_600_000
/** A session ends after this long even if used. */
export const SESSION_LIFE_MILLIS = 7 * 86_400_000
/** For this long after a log-in or a confirmation, changes that would help a session thief don't require the password. */
export const CONFIRMED_MILLIS = 15 * 60_000
const ID_DIGITS = 24
/** The time of the last use is written at most once in this interval. */
const TOUCH_MILLIS = 60_000

/** A session with the id that lists show. */
export interface ListedSession extends StoredSession {
  readonly id: string
}

/** The sessions of all accounts, kept in the store so that they survive a restart. */
export class SessionBook {
  private readonly store: AccountStore
  private readonly clock: Clock
  private readonly idSecret: Uint8Array
  private readonly noteEvent: IdentityParts['noteEvent']

  /** @param idSecret derives the ids of sessions from their digests */
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

  /** Starts a session for an account and returns its token. Ends the session of the token `replaced`. */
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

  /** The session of a token and its account; undefined if the session has ended or the account is closed. */
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

  /** Whether a session belongs to a token. */
  isOf({ digest }: StoredSession, token: string): boolean {
    return digest === tokenDigest(token)
  }

  /** Whether the owner logged in, or gave the password again, within the last 15 minutes. */
  isConfirmed({ confirmedAtMillis }: Session): boolean {
    const ageMillis = this.clock.nowMillis() - confirmedAtMillis
    return ageMillis >= 0 && ageMillis < CONFIRMED_MILLIS
  }

  /** Records that the owner gave the password again. */
  confirm(token: string): Promise<void> {
    return this.store.identity.confirmSession(tokenDigest(token), this.clock.nowMillis())
  }

  /** The id of a session in lists: it reveals neither the token nor the stored digest. */
  private idOf(digest: string): string {
    const hash = new Bun.CryptoHasher('sha256', this.idSecret).update(digest).digest('hex')
    return `ses_${hash.slice(0, ID_DIGITS)}`
  }

  /** Ends all sessions of an account except the session of the token. */
  async endOthers(accountId: string, token: string): Promise<void> {
    const ended = await this.store.identity.deleteOtherSessions(accountId, tokenDigest(token))
    // Each ended session needed a log-in, so the limit on log-ins also limits these events.
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
