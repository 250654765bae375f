// Events, changes to terms, and statements in the account store's SQLite file.
import type { Database } from 'bun:sqlite'
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
import type { SqliteConnection } from './sqlite-connection.ts'
import { needsTerms } from './store-rows.ts'

const STATEMENT_COLUMNS = 'account_id, month, closed_at, plan, units, included_units, overage_units, amount_cents'

/** Writes events in the same transaction as the change that they record. */
export function insertSqliteEvents(database: Database, events: readonly AccountEvent[]): void {
  const insert = database.query(
    `INSERT INTO events (id, account_id, at, kind, key_id, actor, detail)
     VALUES ($id, $accountId, $atMillis, $kind, $keyId, $actor, $detail)`,
  )
  for (const event of events) insert.run({ ...event, detail: JSON.stringify(event.detail) })
}

/** If an account's new values change its terms, writes that change in the same transaction. */
export function insertSqliteTermChange(
  database: Database,
  account: Pick<Account, 'id' | 'plan' | 'isOverageEnabled'>,
  record: Pick<ChangeRecord, 'terms'>,
): void {
  const before = database
    .query<{ plan: string; overage_enabled: number }, [string]>(
      'SELECT plan, overage_enabled FROM accounts WHERE id = ?',
    )
    .get(account.id)
  if (before === null) return
  const overage = account.isOverageEnabled ? 1 : 0
  if (before.plan === account.plan && before.overage_enabled === overage) return
  const { atMillis, fromUnits } = needsTerms(account.id, record)
  database
    .query(
      `INSERT INTO term_changes (account_id, sequence, at, from_units, plan_before, overage_before, plan, overage_enabled)
       VALUES ($id, (SELECT coalesce(max(sequence), 0) + 1 FROM term_changes WHERE account_id = $id), $atMillis,
         $fromUnits, $planBefore, $overageBefore, $plan, $overage)`,
    )
    .run({
      id: account.id,
      atMillis,
      fromUnits,
      planBefore: before.plan,
      overageBefore: before.overage_enabled,
      plan: account.plan,
      overage,
    })
}

/** The billing part of the account store. */
export class SqliteBillingStore implements BillingStore {
  private readonly connection: SqliteConnection
  private readonly database: Database

  constructor(connection: SqliteConnection) {
    this.connection = connection
    this.database = connection.database
  }

  async appendEvents(events: readonly AccountEvent[]): Promise<void> {
    await this.connection.transaction(() => insertSqliteEvents(this.database, events))
  }

  async listEvents(accountId: string, page: { limit: number; beforeId?: string }): Promise<AccountEvent[]> {
    const { limit, beforeId } = page
    const before = beforeId === undefined ? '' : 'AND id < $beforeId'
    const list = this.database.query<EventRow, Record<string, string | number>[]>(
      `SELECT * FROM events WHERE account_id = $accountId ${before} ORDER BY id DESC LIMIT $limit`,
    )
    const values = { accountId, limit, ...(beforeId === undefined ? {} : { beforeId }) }
    return (await this.connection.whenFree(() => list.all(values))).map(toEvent)
  }

  async listTermChanges(accountId?: string): Promise<TermChange[]> {
    const where = accountId === undefined ? '' : 'WHERE account_id = $accountId'
    const list = this.database.query<TermChangeRow, { accountId: string }[]>(
      `SELECT * FROM term_changes ${where} ORDER BY account_id, sequence`,
    )
    const values = accountId === undefined ? [] : [{ accountId }]
    return (await this.connection.whenFree(() => list.all(...values))).map(toTermChange)
  }

  async listDailyUse(accountId: string, { firstDay, endDay }: DayRange): Promise<DailyUse[]> {
    const list = this.database.query<DailyUseRow, [string, number, number]>(
      `SELECT usage.key_id, utc_day, sum(units) AS units, sum(calls) AS calls
       FROM keys JOIN usage ON usage.key_id = keys.id
       WHERE keys.account_id = ? AND utc_day >= ? AND utc_day < ?
       GROUP BY usage.key_id, utc_day ORDER BY utc_day, usage.key_id`,
    )
    return (await this.connection.whenFree(() => list.all(accountId, firstDay, endDay))).map(toDailyUse)
  }

  async listUnitsByAccount({ firstDay, endDay }: DayRange): Promise<{ accountId: string; units: number }[]> {
    const list = this.database.query<{ accountId: string; units: number }, [number, number]>(
      `SELECT account_id AS accountId, sum(units) AS units FROM usage JOIN keys ON keys.id = usage.key_id
       WHERE utc_day >= ? AND utc_day < ? GROUP BY account_id ORDER BY account_id`,
    )
    return await this.connection.whenFree(() => list.all(firstDay, endDay))
  }

  async findFirstUsedDay(): Promise<number | undefined> {
    const find = this.database.query<{ day: number | null }, []>('SELECT min(utc_day) AS day FROM usage')
    return (await this.connection.whenFree(() => find.get()))?.day ?? undefined
  }

  async appendPlans({ atMillis, plans }: PlansSince): Promise<void> {
    const insert = this.database.query<unknown, [number, string]>('INSERT INTO plan_tables (at, plans) VALUES (?, ?)')
    await this.connection.whenFree(() => insert.run(atMillis, plans))
  }

  async listPlans(): Promise<PlansSince[]> {
    const list = this.database.query<{ at: number; plans: string }, []>(
      'SELECT at, plans FROM plan_tables ORDER BY sequence',
    )
    return (await this.connection.whenFree(() => list.all())).map(({ at, plans }) => ({ atMillis: at, plans }))
  }

  async insertStatements(statements: readonly { statement: StoredStatement; event: AccountEvent }[]): Promise<void> {
    const insert = this.database.query(
      `INSERT INTO statements (${STATEMENT_COLUMNS}, document)
       VALUES ($accountId, $month, $closedAtMillis, $plan, $units, $includedUnits, $overageUnits, $amountCents, $document)
       ON CONFLICT (account_id, month) DO NOTHING`,
    )
    await this.connection.transaction(() => {
      for (const { statement, event } of statements) {
        if (insert.run({ ...statement }).changes > 0) insertSqliteEvents(this.database, [event])
      }
    })
  }

  async closeMonth(month: string, atMillis: number): Promise<void> {
    const insert = this.database.query<unknown, [string, number]>(
      'INSERT INTO closed_months (month, closed_at) VALUES (?, ?) ON CONFLICT (month) DO NOTHING',
    )
    await this.connection.whenFree(() => insert.run(month, atMillis))
  }

  async findLastClosedMonth(): Promise<string | undefined> {
    const find = this.database.query<{ month: string | null }, []>('SELECT max(month) AS month FROM closed_months')
    return (await this.connection.whenFree(() => find.get()))?.month ?? undefined
  }

  async listStatements(accountId: string): Promise<StatementHead[]> {
    const list = this.database.query<StatementRow, [string]>(
      `SELECT ${STATEMENT_COLUMNS} FROM statements WHERE account_id = ? ORDER BY month DESC`,
    )
    return (await this.connection.whenFree(() => list.all(accountId))).map(toStatementHead)
  }

  async listAllStatements(month?: string): Promise<StatementHead[]> {
    const where = month === undefined ? '' : 'WHERE month = $month'
    const list = this.database.query<StatementRow, { month: string }[]>(
      `SELECT ${STATEMENT_COLUMNS} FROM statements ${where} ORDER BY month DESC, account_id`,
    )
    const values = month === undefined ? [] : [{ month }]
    return (await this.connection.whenFree(() => list.all(...values))).map(toStatementHead)
  }

  async findStatement(accountId: string, month: string): Promise<StoredStatement | undefined> {
    const find = this.database.query<StatementRow & { document: string }, [string, string]>(
      'SELECT * FROM statements WHERE account_id = ? AND month = ?',
    )
    const row = await this.connection.whenFree(() => find.get(accountId, month))
    return row === null ? undefined : { ...toStatementHead(row), document: row.document }
  }
}
