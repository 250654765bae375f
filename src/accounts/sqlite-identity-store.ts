// Passwords, sessions and links in the account store's SQLite file.
import type { Database } from 'bun:sqlite'
import type { AccountEvent } from './account-event.ts'
import type { Account, AccountRefusal } from './account-store.ts'
import {
  type Challenge,
  type ChangedEmail,
  type EmailChange,
  EVENTS_WITH_NAMES,
  type IdentityStore,
  type LinkUse,
  type OpenedAccount,
  PRUNED_AT_ONCE,
  type Session,
  type StoredLink,
  type StoredSession,
  TABLES_OF_ACCOUNT,
  TABLES_OF_OWNER,
} from './identity-store.ts'
import { insertSqliteEvents } from './sqlite-billing-store.ts'
import { resultCode, type SqliteConnection, UNIQUE_VIOLATION } from './sqlite-connection.ts'
import { insertAccountRow } from './sqlite-rows.ts'
import {
  type AccountRow,
  CHANGED_EMAIL,
  type ChangedEmailRow,
  foldEmail,
  refusals,
  type SessionRow,
  type SignUpRow,
  toAccount,
  toSession,
  toWaitingSignUp,
} from './store-rows.ts'

const BEGIN_SESSION = `INSERT INTO sessions
  (digest, account_id, created_at, last_seen_at, expires_at, confirmed_at, device) VALUES (?, ?, ?, ?, ?, ?, ?)`
const PUT_LINK = `INSERT INTO links (digest, purpose, account_id, password_hash, expires_at, new_email)
  VALUES (?, ?, (SELECT id FROM accounts WHERE id = ?), ?, ?, ?)`
const USABLE_LINK = `FROM links JOIN accounts ON accounts.id = links.account_id
  WHERE digest = ? AND purpose = ? AND expires_at > ? AND deleted_at IS NULL AND suspended_at IS NULL
    AND (purpose <> 'verify' OR verified = 0)`
/** The columns of a sign-up that is found by its link. */
const SIGN_UP = `links.account_id, links.password_hash, links.expires_at, accounts.created_at AS opened_at,
  (SELECT count(*) - 1 FROM links AS every WHERE every.account_id = accounts.id AND every.purpose = 'verify'
    AND every.expires_at > ?) AS rivals`
/** Accounts that are waiting for verification. */
const WAITING = 'verified = 0 AND suspended_at IS NULL AND deleted_at IS NULL'
/** Accounts whose sign-up was abandoned. */
const ABANDONED = `${WAITING} AND created_at < $openedBefore
  AND NOT EXISTS (SELECT 1 FROM keys WHERE account_id = accounts.id)
  AND NOT EXISTS (SELECT 1 FROM term_changes WHERE account_id = accounts.id)
  AND NOT EXISTS (SELECT 1 FROM statements WHERE account_id = accounts.id)
  AND NOT EXISTS (SELECT 1 FROM links WHERE account_id = accounts.id AND expires_at > $now)`
/** Deleted accounts that have not been erased yet. The index accounts_to_erase contains only these. */
export const SQLITE_TO_ERASE = 'SELECT id FROM accounts WHERE deleted_at <= ? AND erased_at IS NULL LIMIT ?'
const SET_PASSWORD = `INSERT INTO passwords (account_id, hash) VALUES (?, ?)
  ON CONFLICT (account_id) DO UPDATE SET hash = excluded.hash`

/** The identity part of the account store. */
export class SqliteIdentityStore implements IdentityStore {
  private readonly connection: SqliteConnection
  private readonly database: Database

  constructor(connection: SqliteConnection) {
    this.connection = connection
    this.database = connection.database
  }

  async signUp(link: StoredLink, opened: OpenedAccount | undefined, nowMillis: number): Promise<boolean> {
    const findWaiting = this.database.query<unknown, [string]>(`SELECT id FROM accounts WHERE id = ? AND ${WAITING}`)
    try {
      return await this.connection.transaction(() => {
        if (opened !== undefined) {
          insertAccountRow(this.database, opened.account)
          insertSqliteEvents(this.database, [opened.event])
        } else if (link.accountId !== null && findWaiting.get(link.accountId) === null) return false
        this.putLink(link, nowMillis)
        return true
      })
    } catch (error) {
      if (opened !== undefined && resultCode(error) === UNIQUE_VIOLATION) throw refusals.takenEmail(opened.account)
      throw error
    }
  }

  async insertLink(link: StoredLink, nowMillis: number): Promise<void> {
    await this.connection.transaction(() => this.putLink(link, nowMillis))
  }

  async findLink({ digest, purpose, nowMillis }: Pick<LinkUse, 'digest' | 'purpose' | 'nowMillis'>) {
    const text = `SELECT links.account_id ${USABLE_LINK}`
    const find = this.database.query<{ account_id: string }, [string, string, number]>(text)
    return (await this.connection.whenFree(() => find.get(digest, purpose, nowMillis)))?.account_id
  }

  async findSignUp({ digest, nowMillis }: Pick<LinkUse, 'digest' | 'nowMillis'>) {
    const find = this.database.query<SignUpRow, [number, string, string, number]>(`SELECT ${SIGN_UP} ${USABLE_LINK}`)
    const row = await this.connection.whenFree(() => find.get(nowMillis, digest, 'verify', nowMillis))
    return row === null ? undefined : toWaitingSignUp(row)
  }

  async useLink(use: LinkUse): Promise<string | undefined> {
    const { digest, purpose, nowMillis, passwordHash, session, events } = use
    return await this.connection.transaction(() => {
      const link = this.database
        .query<{ account_id: string; password_hash: string | null }, [string, string, number]>(
          `SELECT links.account_id, links.password_hash ${USABLE_LINK}`,
        )
        .get(digest, purpose, nowMillis)
      if (link === null) return undefined
      const { account_id: accountId } = link
      const newHash = passwordHash ?? link.password_hash
      if (newHash !== null) this.run(SET_PASSWORD, accountId, newHash)
      this.run('UPDATE accounts SET verified = 1 WHERE id = ?', accountId)
      this.run('DELETE FROM links WHERE account_id = ?', accountId)
      this.run('DELETE FROM sessions WHERE account_id = ?', accountId)
      this.begin({ ...session, accountId })
      const recorded = events.map((event) => ({ ...event, accountId }))
      insertSqliteEvents(this.database, recorded)
      return accountId
    })
  }

  async changeEmail({ digest, nowMillis, event }: EmailChange): Promise<ChangedEmail | undefined> {
    const find = this.database.query<ChangedEmailRow, [string, string, number]>(
      `SELECT ${CHANGED_EMAIL} ${USABLE_LINK}`,
    )
    let taken: AccountRefusal | undefined
    try {
      return await this.connection.transaction(() => {
        const row = find.get(digest, 'email', nowMillis)
        if (row === null) return undefined
        const { account_id: accountId, new_email: email, former } = row
        taken = refusals.takenEmail({ email })
        const text = 'UPDATE accounts SET email = ?, email_folded = ? WHERE id = ?'
        this.run(text, email, foldEmail(email), accountId)
        this.run('DELETE FROM links WHERE account_id = ?', accountId)
        insertSqliteEvents(this.database, [{ ...event, accountId }])
        return { accountId, former }
      })
    } catch (error) {
      if (taken !== undefined && resultCode(error) === UNIQUE_VIOLATION) throw taken
      throw error
    }
  }

  async takeChallenge({ digest, accountId, nowMillis }: Challenge): Promise<boolean> {
    const text = `DELETE FROM links WHERE digest = ? AND purpose = 'passkey' AND account_id IS ? AND expires_at > ?`
    return (await this.connection.whenFree(() => this.run(text, digest, accountId, nowMillis))) > 0
  }

  async findPassword(accountId: string): Promise<string | undefined> {
    const find = this.database.query<{ hash: string }, [string]>('SELECT hash FROM passwords WHERE account_id = ?')
    return (await this.connection.whenFree(() => find.get(accountId)))?.hash
  }

  async changePassword(passwordHash: string, session: StoredSession, event: AccountEvent): Promise<void> {
    await this.connection.transaction(() => {
      this.run(SET_PASSWORD, session.accountId, passwordHash)
      this.run('DELETE FROM links WHERE account_id = ?', session.accountId)
      this.run('DELETE FROM sessions WHERE account_id = ?', session.accountId)
      this.begin(session)
      insertSqliteEvents(this.database, [event])
    })
  }

  async insertSession(session: StoredSession, replacedDigest: string | undefined, event: AccountEvent): Promise<void> {
    await this.connection.transaction(() => {
      this.run('DELETE FROM sessions WHERE expires_at <= ?', session.createdAtMillis)
      if (replacedDigest !== undefined) this.run('DELETE FROM sessions WHERE digest = ?', replacedDigest)
      this.begin(session)
      insertSqliteEvents(this.database, [event])
    })
  }

  async recordFailure(event: AccountEvent, accountId: string | null): Promise<void> {
    const { id: digest, atMillis } = event
    const nobodys = { digest, purpose: 'reset', accountId, passwordHash: null, expiresAtMillis: atMillis } as const
    await this.connection.transaction(() => {
      if (accountId === null) this.putLink(nobodys, atMillis)
      else insertSqliteEvents(this.database, [event])
    })
  }

  async findSession(digest: string): Promise<{ session: Session; account: Account } | undefined> {
    const find = this.database.query<SessionRow, [string]>('SELECT * FROM sessions WHERE digest = ?')
    const findAccount = this.database.query<AccountRow, [string]>('SELECT * FROM accounts WHERE id = ?')
    return await this.connection.whenFree(() => {
      const row = find.get(digest)
      const account = row === null ? null : findAccount.get(row.account_id)
      return row === null || account === null ? undefined : { session: toSession(row), account: toAccount(account) }
    })
  }

  async touchSession(digest: string, atMillis: number): Promise<void> {
    const text = 'UPDATE sessions SET last_seen_at = max(last_seen_at, ?) WHERE digest = ?'
    await this.connection.whenFree(() => this.run(text, atMillis, digest))
  }

  async confirmSession(digest: string, atMillis: number): Promise<void> {
    const text = 'UPDATE sessions SET confirmed_at = ? WHERE digest = ?'
    await this.connection.whenFree(() => this.run(text, atMillis, digest))
  }

  async listSessions(accountId: string): Promise<StoredSession[]> {
    const list = this.database.query<SessionRow, [string]>(
      'SELECT * FROM sessions WHERE account_id = ? ORDER BY created_at DESC, digest',
    )
    const rows = await this.connection.whenFree(() => list.all(accountId))
    return rows.map((row) => ({ ...toSession(row), digest: row.digest }))
  }

  async deleteOtherSessions(accountId: string, keptDigest: string): Promise<number> {
    const text = 'DELETE FROM sessions WHERE account_id = ? AND digest <> ?'
    return await this.connection.whenFree(() => this.run(text, accountId, keptDigest))
  }

  async deleteSession(digest: string): Promise<void> {
    await this.connection.whenFree(() => this.run('DELETE FROM sessions WHERE digest = ?', digest))
  }

  async deleteSessions(accountId: string): Promise<void> {
    await this.connection.whenFree(() => this.run('DELETE FROM sessions WHERE account_id = ?', accountId))
  }

  async pruneUnverified(openedBeforeMillis: number, nowMillis: number): Promise<number> {
    const list = this.database.query<{ id: string }, { openedBefore: number; now: number; most: number }[]>(
      `SELECT id FROM accounts WHERE ${ABANDONED} ORDER BY created_at LIMIT $most`,
    )
    return await this.connection.transaction(() => {
      const found = list.all({ openedBefore: openedBeforeMillis, now: nowMillis, most: PRUNED_AT_ONCE })
      for (const { id } of found) {
        for (const table of TABLES_OF_ACCOUNT) this.run(`DELETE FROM ${table} WHERE account_id = ?`, id)
        this.run('DELETE FROM accounts WHERE id = ?', id)
      }
      return found.length
    })
  }

  async eraseDeleted(deletedBeforeMillis: number, nowMillis: number): Promise<number> {
    const list = this.database.query<{ id: string }, [number, number]>(SQLITE_TO_ERASE)
    const eventKinds = EVENTS_WITH_NAMES.map((kind) => `'${kind}'`).join()
    return await this.connection.transaction(() => {
      const found = list.all(deletedBeforeMillis, PRUNED_AT_ONCE)
      for (const { id } of found) {
        for (const table of TABLES_OF_OWNER) this.run(`DELETE FROM ${table} WHERE account_id = ?`, id)
        this.run(`UPDATE events SET detail = '{}' WHERE account_id = ? AND kind IN (${eventKinds})`, id)
        this.run(`UPDATE keys SET name = '' WHERE account_id = ?`, id)
        this.run('UPDATE accounts SET email = NULL, email_folded = NULL, erased_at = ? WHERE id = ?', nowMillis, id)
      }
      return found.length
    })
  }

  async forget(accountId: string): Promise<void> {
    await this.connection.transaction(() => {
      for (const table of TABLES_OF_OWNER) {
        this.run(`DELETE FROM ${table} WHERE account_id = ?`, accountId)
      }
    })
  }

  private putLink(link: StoredLink, nowMillis: number): void {
    const { digest, purpose, accountId, passwordHash, expiresAtMillis, newEmail = null } = link
    this.run('DELETE FROM links WHERE expires_at <= ?', nowMillis)
    this.run(PUT_LINK, digest, purpose, accountId, passwordHash, expiresAtMillis, newEmail)
  }

  private begin(session: StoredSession): void {
    const { digest, accountId, createdAtMillis, lastSeenAtMillis, expiresAtMillis, confirmedAtMillis, device } = session
    const times = [createdAtMillis, lastSeenAtMillis, expiresAtMillis, confirmedAtMillis]
    this.run(BEGIN_SESSION, digest, accountId, ...times, device)
  }

  /** Runs a statement; returns the number of rows changed. */
  private run(text: string, ...values: (string | number | null)[]): number {
    return this.database.query(text).run(...values).changes
  }
}
