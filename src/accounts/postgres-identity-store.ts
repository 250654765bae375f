// Passwords, sessions and links in the account store's PostgreSQL database.
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
import { insertPostgresEvents } from './postgres-billing-store.ts'
import { ACCOUNT_COLUMNS, insertAccountRow } from './postgres-rows.ts'
import { brokenConstraint, type PostgresSession, type RunStatement } from './postgres-session.ts'
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

const USABLE_LINK = `FROM quai.links JOIN quai.accounts ON accounts.id = links.account_id
  WHERE digest = $1 AND purpose = $2 AND expires_at > $3::bigint AND deleted_at IS NULL AND suspended_at IS NULL
    AND (purpose <> 'verify' OR NOT verified)`
/** The columns of a sign-up that is found by its link; $3 is the current time. */
const SIGN_UP = `links.account_id, links.password_hash, links.expires_at::float8 AS expires_at,
  accounts.created_at::float8 AS opened_at,
  (SELECT count(*) - 1 FROM quai.links AS every WHERE every.account_id = accounts.id AND every.purpose = 'verify'
    AND every.expires_at > $3::bigint)::int AS rivals`
const SET_PASSWORD = `INSERT INTO quai.passwords (account_id, hash) VALUES ($1, $2)
  ON CONFLICT (account_id) DO UPDATE SET hash = excluded.hash`
/** Deleted accounts that have not been erased yet. The index accounts_to_erase contains only these. */
export const POSTGRES_TO_ERASE = `SELECT id FROM quai.accounts
  WHERE deleted_at <= $1::bigint AND erased_at IS NULL LIMIT $2::int`
/** Accounts that are waiting for verification. */
const WAITING = 'NOT verified AND suspended_at IS NULL AND deleted_at IS NULL'
/** Accounts whose sign-up was abandoned. They were created before $1; $2 is the current time. */
const ABANDONED = `${WAITING} AND created_at < $1::bigint
  AND NOT EXISTS (SELECT 1 FROM quai.keys WHERE account_id = accounts.id)
  AND NOT EXISTS (SELECT 1 FROM quai.term_changes WHERE account_id = accounts.id)
  AND NOT EXISTS (SELECT 1 FROM quai.statements WHERE account_id = accounts.id)
  AND NOT EXISTS (SELECT 1 FROM quai.links WHERE account_id = accounts.id AND expires_at > $2::bigint)`
const SESSION_COLUMNS = `digest, account_id, created_at::float8 AS created_at, last_seen_at::float8 AS last_seen_at,
  expires_at::float8 AS expires_at, confirmed_at::float8 AS confirmed_at, device`

/** The identity part of the account store. */
export class PostgresIdentityStore implements IdentityStore {
  private readonly database: PostgresSession

  constructor(database: PostgresSession) {
    this.database = database
  }

  async signUp(link: StoredLink, opened: OpenedAccount | undefined, nowMillis: number): Promise<boolean> {
    const { accountId } = link
    try {
      return await this.database.transaction(async (run) => {
        if (opened !== undefined) {
          await insertAccountRow(run, opened.account)
          await insertPostgresEvents(run, [opened.event])
        } else if (accountId !== null) {
          const waiting = await run(`SELECT id FROM quai.accounts WHERE id = $1 AND ${WAITING}`, [accountId])
          if (waiting.rows.length === 0) return false
        }
        await putLink(run, link, nowMillis)
        return true
      })
    } catch (error) {
      const isTaken = brokenConstraint(error) === 'accounts_email_taken'
      if (opened !== undefined && isTaken) throw refusals.takenEmail(opened.account)
      throw error
    }
  }

  async insertLink(link: StoredLink, nowMillis: number): Promise<void> {
    await this.database.transaction((run) => putLink(run, link, nowMillis))
  }

  async findLink({ digest, purpose, nowMillis }: Pick<LinkUse, 'digest' | 'purpose' | 'nowMillis'>) {
    const text = `SELECT links.account_id ${USABLE_LINK}`
    return (await this.database.query<{ account_id: string }>(text, [digest, purpose, nowMillis])).rows[0]?.account_id
  }

  async findSignUp({ digest, nowMillis }: Pick<LinkUse, 'digest' | 'nowMillis'>) {
    const { rows } = await this.database.query<SignUpRow>(`SELECT ${SIGN_UP} ${USABLE_LINK}`, [
      digest,
      'verify',
      nowMillis,
    ])
    return rows[0] && toWaitingSignUp(rows[0])
  }

  async useLink(use: LinkUse): Promise<string | undefined> {
    const { digest, purpose, nowMillis, passwordHash, session, events } = use
    return await this.database.transaction(async (run) => {
      const { rows } = await run<{ account_id: string; password_hash: string | null }>(
        `SELECT links.account_id, links.password_hash ${USABLE_LINK} FOR UPDATE`,
        [digest, purpose, nowMillis],
      )
      const link = rows[0]
      if (link === undefined) return undefined
      const { account_id: accountId } = link
      const newHash = passwordHash ?? link.password_hash
      if (newHash !== null) await run(SET_PASSWORD, [accountId, newHash])
      await run('UPDATE quai.accounts SET verified = true WHERE id = $1', [accountId])
      await run('DELETE FROM quai.links WHERE account_id = $1', [accountId])
      await run('DELETE FROM quai.sessions WHERE account_id = $1', [accountId])
      await begin(run, { ...session, accountId })
      const recorded = events.map((event) => ({ ...event, accountId }))
      await insertPostgresEvents(run, recorded)
      return accountId
    })
  }

  async changeEmail({ digest, nowMillis, event }: EmailChange): Promise<ChangedEmail | undefined> {
    const find = `SELECT ${CHANGED_EMAIL} ${USABLE_LINK} FOR UPDATE`
    let taken: AccountRefusal | undefined
    try {
      return await this.database.transaction(async (run) => {
        const row = (await run<ChangedEmailRow>(find, [digest, 'email', nowMillis])).rows[0]
        if (row === undefined) return undefined
        const { account_id: accountId, new_email: email, former } = row
        taken = refusals.takenEmail({ email })
        const text = 'UPDATE quai.accounts SET email = $2, email_folded = $3 WHERE id = $1'
        await run(text, [accountId, email, foldEmail(email)])
        await run('DELETE FROM quai.links WHERE account_id = $1', [accountId])
        await insertPostgresEvents(run, [{ ...event, accountId }])
        return { accountId, former }
      })
    } catch (error) {
      if (taken !== undefined && brokenConstraint(error) === 'accounts_email_taken') throw taken
      throw error
    }
  }

  async takeChallenge({ digest, accountId, nowMillis }: Challenge): Promise<boolean> {
    const text = `DELETE FROM quai.links WHERE digest = $1 AND purpose = 'passkey'
      AND account_id IS NOT DISTINCT FROM $2 AND expires_at > $3::bigint RETURNING 1`
    return (await this.database.query(text, [digest, accountId, nowMillis])).rows.length > 0
  }

  async findPassword(accountId: string): Promise<string | undefined> {
    const text = 'SELECT hash FROM quai.passwords WHERE account_id = $1'
    return (await this.database.query<{ hash: string }>(text, [accountId])).rows[0]?.hash
  }

  async changePassword(passwordHash: string, session: StoredSession, event: AccountEvent): Promise<void> {
    const { accountId } = session
    await this.database.transaction(async (run) => {
      await run(SET_PASSWORD, [accountId, passwordHash])
      await run('DELETE FROM quai.links WHERE account_id = $1', [accountId])
      await run('DELETE FROM quai.sessions WHERE account_id = $1', [accountId])
      await begin(run, session)
      await insertPostgresEvents(run, [event])
    })
  }

  async insertSession(session: StoredSession, replacedDigest: string | undefined, event: AccountEvent): Promise<void> {
    await this.database.transaction(async (run) => {
      await run('DELETE FROM quai.sessions WHERE expires_at <= $1::bigint', [session.createdAtMillis])
      if (replacedDigest !== undefined) await run('DELETE FROM quai.sessions WHERE digest = $1', [replacedDigest])
      await begin(run, session)
      await insertPostgresEvents(run, [event])
    })
  }

  async recordFailure(event: AccountEvent, accountId: string | null): Promise<void> {
    const { id: digest, atMillis } = event
    const nobodys = { digest, purpose: 'reset', accountId, passwordHash: null, expiresAtMillis: atMillis } as const
    await this.database.transaction((run) =>
      accountId === null ? putLink(run, nobodys, atMillis) : insertPostgresEvents(run, [event]),
    )
  }

  async findSession(digest: string): Promise<{ session: Session; account: Account } | undefined> {
    return await this.database.transaction(async (run) => {
      const sessions = await run<SessionRow>(`SELECT ${SESSION_COLUMNS} FROM quai.sessions WHERE digest = $1`, [digest])
      const row = sessions.rows[0]
      if (row === undefined) return undefined
      const text = `SELECT ${ACCOUNT_COLUMNS} FROM quai.accounts WHERE id = $1`
      const account = (await run<AccountRow>(text, [row.account_id])).rows[0]
      return account === undefined ? undefined : { session: toSession(row), account: toAccount(account) }
    })
  }

  async touchSession(digest: string, atMillis: number): Promise<void> {
    const text = 'UPDATE quai.sessions SET last_seen_at = greatest(last_seen_at, $2::bigint) WHERE digest = $1'
    await this.database.query(text, [digest, atMillis])
  }

  async confirmSession(digest: string, atMillis: number): Promise<void> {
    await this.database.query('UPDATE quai.sessions SET confirmed_at = $2::bigint WHERE digest = $1', [
      digest,
      atMillis,
    ])
  }

  async listSessions(accountId: string): Promise<StoredSession[]> {
    const text = `SELECT ${SESSION_COLUMNS} FROM quai.sessions WHERE account_id = $1
      ORDER BY sessions.created_at DESC, sessions.digest`
    const { rows } = await this.database.query<SessionRow>(text, [accountId])
    return rows.map((row) => ({ ...toSession(row), digest: row.digest }))
  }

  async deleteOtherSessions(accountId: string, keptDigest: string): Promise<number> {
    const text = 'DELETE FROM quai.sessions WHERE account_id = $1 AND digest <> $2 RETURNING 1'
    return (await this.database.query(text, [accountId, keptDigest])).rows.length
  }

  async deleteSession(digest: string): Promise<void> {
    await this.database.query('DELETE FROM quai.sessions WHERE digest = $1', [digest])
  }

  async deleteSessions(accountId: string): Promise<void> {
    await this.database.query('DELETE FROM quai.sessions WHERE account_id = $1', [accountId])
  }

  async pruneUnverified(openedBeforeMillis: number, nowMillis: number): Promise<number> {
    const list = `SELECT id FROM quai.accounts WHERE ${ABANDONED} ORDER BY created_at LIMIT ${PRUNED_AT_ONCE}`
    const these = '(SELECT jsonb_array_elements_text($1::text::jsonb))'
    return await this.database.transaction(async (run) => {
      const { rows } = await run<{ id: string }>(list, [openedBeforeMillis, nowMillis])
      const ids = JSON.stringify(rows.map(({ id }) => id))
      for (const table of TABLES_OF_ACCOUNT) await run(`DELETE FROM quai.${table} WHERE account_id IN ${these}`, [ids])
      await run(`DELETE FROM quai.accounts WHERE id IN ${these}`, [ids])
      return rows.length
    })
  }

  async eraseDeleted(deletedBeforeMillis: number, nowMillis: number): Promise<number> {
    const these = '(SELECT jsonb_array_elements_text($1::text::jsonb))'
    const eventKinds = EVENTS_WITH_NAMES.map((kind) => `'${kind}'`).join()
    return await this.database.transaction(async (run) => {
      const { rows } = await run<{ id: string }>(POSTGRES_TO_ERASE, [deletedBeforeMillis, PRUNED_AT_ONCE])
      const ids = JSON.stringify(rows.map(({ id }) => id))
      for (const table of TABLES_OF_OWNER) await run(`DELETE FROM quai.${table} WHERE account_id IN ${these}`, [ids])
      await run(`UPDATE quai.events SET detail = '{}' WHERE account_id IN ${these} AND kind IN (${eventKinds})`, [ids])
      await run(`UPDATE quai.keys SET name = '' WHERE account_id IN ${these}`, [ids])
      const erase = `UPDATE quai.accounts SET email = NULL, email_folded = NULL, erased_at = $2::bigint WHERE id IN ${these}`
      await run(erase, [ids, nowMillis])
      return rows.length
    })
  }

  async forget(accountId: string): Promise<void> {
    await this.database.transaction(async (run) => {
      for (const table of TABLES_OF_OWNER) {
        await run(`DELETE FROM quai.${table} WHERE account_id = $1`, [accountId])
      }
    })
  }
}

async function putLink(run: RunStatement, link: StoredLink, nowMillis: number): Promise<void> {
  const { digest, purpose, accountId, passwordHash, expiresAtMillis, newEmail = null } = link
  await run('DELETE FROM quai.links WHERE expires_at <= $1::bigint', [nowMillis])
  await run(
    `INSERT INTO quai.links (digest, purpose, account_id, password_hash, expires_at, new_email)
     VALUES ($1, $2, (SELECT id FROM quai.accounts WHERE id = $3), $4, $5::bigint, $6)`,
    [digest, purpose, accountId, passwordHash, expiresAtMillis, newEmail],
  )
}

async function begin(run: RunStatement, session: StoredSession): Promise<void> {
  const { digest, accountId, createdAtMillis, lastSeenAtMillis, expiresAtMillis, confirmedAtMillis, device } = session
  await run(
    `INSERT INTO quai.sessions (digest, account_id, created_at, last_seen_at, expires_at, confirmed_at, device)
     VALUES ($1, $2, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7)`,
    [digest, accountId, createdAtMillis, lastSeenAtMillis, expiresAtMillis, confirmedAtMillis, device],
  )
}
