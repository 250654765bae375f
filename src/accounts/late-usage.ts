// Units that arrived after their month was closed, because a replica reconnected more than three days after the month's
// end. They are billed only if an operator decides to bill them.
import { utcDayOf } from '../metering/utc-day.ts'
import { makeEvent } from './account-event.ts'
import { openReplicaSession, type PostgresSession } from './postgres-session.ts'
import { foldEmail } from './store-rows.ts'

/** An account's late units for a month. */
export interface LateMonth {
  readonly account_id: string
  /** Null if the address was erased because the account was deleted. */
  readonly email: string | null
  /** Formatted like `2026-10`. */
  readonly month: string
  readonly units: number
}

/** The decisions that an operator can make about late units. */
export type LateDecision = 'billed' | 'waived'

const LIST = `
  SELECT a.id AS account_id, a.email, l.month, sum(l.units)::float8 AS units
  FROM quai.late_open l JOIN quai.accounts a ON a.id = l.account_id
  GROUP BY a.id, a.email, l.month ORDER BY l.month, a.email, a.id`

/** The late units in a database. The methods throw StoreUnavailable if the database is unavailable. */
export class LateUsage {
  private readonly session: PostgresSession

  constructor(databaseUrl: string, isPooled: boolean) {
    this.session = openReplicaSession(databaseUrl, isPooled)
  }

  /** The late units that are waiting for a decision. */
  async list(): Promise<readonly LateMonth[]> {
    return (await this.session.query<LateMonth>(LIST)).rows
  }

  /** The id of the account whose email address or id is `name`; undefined if there is none. */
  async findAccount(name: string): Promise<string | undefined> {
    const text = 'SELECT id FROM quai.accounts WHERE id = $1 OR email_folded = $2'
    return (await this.session.query<{ id: string }>(text, [name, foldEmail(name)])).rows[0]?.id
  }

  /**
   * Bills or waives an account's undecided units for a month; returns their number. Billed units are charged to the
   * current day.
   */
  async decide(accountId: string, month: string, decision: LateDecision, atMillis: number): Promise<number> {
    const { id } = makeEvent(`late_usage_${decision}`, { accountId, atMillis, actor: 'operator' })
    const { rows } = await this.session.query<{ units: number }>(
      'SELECT quai.decide_late($1, $2, $3, $4::int, $5::bigint, $6) AS units',
      [accountId, month, decision, utcDayOf(atMillis), atMillis, id],
    )
    return rows[0].units
  }

  async close(): Promise<void> {
    await this.session.close()
  }
}
