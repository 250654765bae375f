// Events, changes to terms, and statements in the account store's PostgreSQL database.
import type { AccountEvent } from './account-event.ts'
import type { Account } from './account-store.ts'
import {
  type DailyUseRow,
  type EventRow,
  type StatementRow,
  type TermChangeRow,
  toDailyUse,
  toEvent,
  toStatementHead,
  toTermChange,
} from './billing-rows.ts'
import type {
  BillingStore,
  ChangeRecord,
  DailyUse,
  DayRange,
  PlansSince,
  StatementHead,
  StoredStatement,
  TermChange,
} from './billing-store.ts'
import type { PostgresSession, RunStatement } from './postgres-session.ts'
import { isStorable, needsTerms } from './store-rows.ts'

const STATEMENT_COLUMNS = `account_id, month, closed_at::float8 AS closed_at, plan, units,
  included_units::float8 AS included_units, overage_units, amount_cents::float8 AS amount_cents`

/** Writes events in the same transaction as the change that they record. */
export async function insertPostgresEvents(run: RunStatement, events: readonly AccountEvent[]): Promise<void> {
  for (const { id, accountId, atMillis, kind, keyId, actor, detail } of events) {
    await run(
      `INSERT INTO quai.events (id, account_id, at, kind, key_id, actor, detail)
       VALUES ($1, $2, $3::bigint, $4, $5, $6, $7)`,
      [id, accountId, atMillis, kind, keyId, actor, JSON.stringify(detail)],
    )
  }
}

/** If an account's new values change its terms, writes that change in the same transaction. */
export async function insertPostgresTermChange(
  run: RunStatement,
  account: Pick<Account, 'id' | 'plan' | 'isOverageEnabled'>,
  record: Pick<ChangeRecord, 'terms'>,
): Promise<void> {
  const found = await run<{ plan: string; overage_enabled: boolean }>(
    'SELECT plan, overage_enabled FROM quai.accounts WHERE id = $1 FOR UPDATE',
    [account.id],
  )
  const before = found.rows[0]
  if (before === undefined) return
  if (before.plan === account.plan && before.overage_enabled === account.isOverageEnabled) return
  const { atMillis, fromUnits } = needsTerms(account.id, record)
  await run(
    `INSERT INTO quai.term_changes
       (account_id, sequence, at, from_units, plan_before, overage_before, plan, overage_enabled)
     VALUES ($1, (SELECT coalesce(max(sequence), 0) + 1 FROM quai.term_changes WHERE account_id = $1), $2::bigint,
       $3::float8, $4, $5, $6, $7)`,
    [account.id, atMillis, fromUnits, before.plan, before.overage_enabled, account.plan, account.isOverageEnabled],
  )
}

/** The billing part of the account store. */
export class PostgresBillingStore implements BillingStore {
  private readonly session: PostgresSession

  constructor(session: PostgresSession) {
    this.session = session
  }

  async appendEvents(events: readonly AccountEvent[]): Promise<void> {
    await this.session.transaction((run) => insertPostgresEvents(run, events))
  }

  async listEvents(accountId: string, page: { limit: number; beforeId?: string }): Promise<AccountEvent[]> {
    const { limit, beforeId } = page
    if (!isStorable(accountId) || (beforeId !== undefined && !isStorable(beforeId))) return []
    const found = await this.session.query<EventRow>(
      `SELECT id, account_id, at::float8 AS at, kind, key_id, actor, detail FROM quai.events
       WHERE account_id = $1 AND ($2::text IS NULL OR id < $2::text) ORDER BY id DESC LIMIT $3::int`,
      [accountId, beforeId ?? null, limit],
    )
    return found.rows.map(toEvent)
  }

  async listTermChanges(accountId?: string): Promise<TermChange[]> {
    const found = await this.session.query<TermChangeRow>(
      `SELECT account_id, at::float8 AS at, from_units, plan_before, overage_before, plan, overage_enabled
       FROM quai.term_changes WHERE $1::text IS NULL OR account_id = $1::text ORDER BY account_id, sequence`,
      [accountId ?? null],
    )
    return found.rows.map(toTermChange)
  }

  async listDailyUse(accountId: string, { firstDay, endDay }: DayRange): Promise<DailyUse[]> {
    const found = await this.session.query<DailyUseRow>(
      `SELECT usage.key_id, utc_day, sum(units) AS units, sum(calls) AS calls
       FROM quai.keys JOIN quai.usage ON usage.key_id = keys.id
       WHERE keys.account_id = $1 AND utc_day >= $2::int AND utc_day < $3::int
       GROUP BY usage.key_id, utc_day ORDER BY utc_day, usage.key_id`,
      [accountId, firstDay, endDay],
    )
    return found.rows.map(toDailyUse)
  }

  async listUnitsByAccount({ firstDay, endDay }: DayRange): Promise<{ accountId: string; units: number }[]> {
    const found = await this.session.query<{ account_id: string; units: number }>(
      `SELECT account_id, sum(units) AS units FROM quai.usage JOIN quai.keys ON keys.id = usage.key_id
       WHERE utc_day >= $1::int AND utc_day < $2::int GROUP BY account_id ORDER BY account_id`,
      [firstDay, endDay],
    )
    return found.rows.map(({ account_id: accountId, units }) => ({ accountId, units }))
  }

  async findFirstUsedDay(): Promise<number | undefined> {
    const found = await this.session.query<{ day: number | null }>('SELECT min(utc_day) AS day FROM quai.usage')
    return found.rows[0]?.day ?? undefined
  }

  async appendPlans({ atMillis, plans }: PlansSince): Promise<void> {
    await this.session.query('INSERT INTO quai.plan_tables (at, plans) VALUES ($1::bigint, $2)', [atMillis, plans])
  }

  async listPlans(): Promise<PlansSince[]> {
    const found = await this.session.query<{ at: number; plans: string }>(
      'SELECT at::float8 AS at, plans FROM quai.plan_tables ORDER BY sequence',
    )
    return found.rows.map(({ at, plans }) => ({ atMillis: at, plans }))
  }

  async insertStatements(statements: readonly { statement: StoredStatement; event: AccountEvent }[]): Promise<void> {
    if (statements.length === 0) return
    await this.session.transaction(async (run) => {
      for (const { statement, event } of statements) {
        const done = await run(
          `INSERT INTO quai.statements (account_id, month, closed_at, plan, units, included_units, overage_units,
             amount_cents, document)
           VALUES ($1, $2, $3::bigint, $4, $5::float8, $6::bigint, $7::float8, $8::bigint, $9)
           ON CONFLICT (account_id, month) DO NOTHING`,
          toStatementValues(statement),
        )
        if (done.count > 0) await insertPostgresEvents(run, [event])
      }
    })
  }

  async closeMonth(month: string, atMillis: number): Promise<void> {
    await this.session.query(
      'INSERT INTO quai.closed_months (month, closed_at) VALUES ($1, $2::bigint) ON CONFLICT (month) DO NOTHING',
      [month, atMillis],
    )
  }

  async findLastClosedMonth(): Promise<string | undefined> {
    const found = await this.session.query<{ month: string | null }>(
      'SELECT max(month) AS month FROM quai.closed_months',
    )
    return found.rows[0]?.month ?? undefined
  }

  async listStatements(accountId: string): Promise<StatementHead[]> {
    const found = await this.session.query<StatementRow>(
      `SELECT ${STATEMENT_COLUMNS} FROM quai.statements WHERE account_id = $1 ORDER BY month DESC`,
      [accountId],
    )
    return found.rows.map(toStatementHead)
  }

  async listAllStatements(month?: string): Promise<StatementHead[]> {
    const found = await this.session.query<StatementRow>(
      `SELECT ${STATEMENT_COLUMNS} FROM quai.statements WHERE $1::text IS NULL OR month = $1::text
       ORDER BY month DESC, account_id`,
      [month ?? null],
    )
    return found.rows.map(toStatementHead)
  }

  async findStatement(accountId: string, month: string): Promise<StoredStatement | undefined> {
    if (!isStorable(accountId) || !isStorable(month)) return undefined
    const found = await this.session.query<StatementRow & { document: string }>(
      `SELECT ${STATEMENT_COLUMNS}, document FROM quai.statements WHERE account_id = $1 AND month = $2`,
      [accountId, month],
    )
    return found.rows.map((row) => ({ ...toStatementHead(row), document: row.document }))[0]
  }
}

function toStatementValues(statement: StoredStatement) {
  return [
    statement.accountId,
    statement.month,
    statement.closedAtMillis,
    statement.plan,
    statement.units,
    statement.includedUnits,
    statement.overageUnits,
    statement.amountCents,
    statement.document,
  ]
}
