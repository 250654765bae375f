// The part of the store that billing needs in addition to accounts and the ledger: events, changes to terms, past
// plans, and the statements of closed months.
import type { Plan } from '../plans/plans.ts'
import type { AccountEvent } from './account-event.ts'

/** A change of plan or overage. It includes the previous terms, so an account needs no row until its first change. */
export interface TermChange {
  readonly accountId: string
  readonly atMillis: number
  /** Units that the account had used in the same month before the change. */
  readonly fromUnits: number
  readonly before: Terms
  readonly after: Terms
}

/** The terms that set the price of an account's units. */
export interface Terms {
  readonly plan: Plan
  readonly isOverageEnabled: boolean
}

/** Rows that are written in the same transaction as a change to an account or key. */
export interface ChangeRecord {
  readonly events: readonly AccountEvent[]
  /** Only for a change of plan or overage: its time, and the units that the account has used in the month so far. */
  readonly terms?: { readonly atMillis: number; readonly fromUnits: number }
}

/** A key's usage on a UTC day, summed over all writers. */
export interface DailyUse {
  readonly keyId: string
  /** UTC days since 1970. */
  readonly utcDay: number
  readonly units: number
  readonly calls: number
}

/** A range of UTC days, counted from 1970-01-01. `endDay` is the first day after the range. */
export interface DayRange {
  readonly firstDay: number
  readonly endDay: number
}

/** Summary of an account's closed month. */
export interface StatementHead {
  readonly accountId: string
  /** `YYYY-MM`. */
  readonly month: string
  readonly closedAtMillis: number
  /** The plan at the month's end. */
  readonly plan: Plan
  readonly units: number
  readonly includedUnits: number
  readonly overageUnits: number
  /** Rounded to a whole cent; half a cent is rounded up. */
  readonly amountCents: number
}

/** A closed month of an account. Immutable. */
export interface StoredStatement extends StatementHead {
  /** The statement as JSON, byte for byte as it is sent. */
  readonly document: string
}

/** A plan table, with the time from which it applies. */
export interface PlansSince {
  readonly atMillis: number
  /** JSON of the plan table. */
  readonly plans: string
}

/** Events, changes to terms, past plans and statements. Every method is one transaction. */
export interface BillingStore {
  appendEvents(events: readonly AccountEvent[]): Promise<void>
  /** Events of an account, newest first; only those before `beforeId` if given. */
  listEvents(accountId: string, page: { readonly limit: number; readonly beforeId?: string }): Promise<AccountEvent[]>
  /** Changes to the terms of one account or of all accounts. Sorted by account, then in the order they were made. */
  listTermChanges(accountId?: string): Promise<TermChange[]>
  /** An account's usage in the ledger over a range of days, by day and key. */
  listDailyUse(accountId: string, days: DayRange): Promise<DailyUse[]>
  /** Units per account over a range of days, without accounts that have no usage. */
  listUnitsByAccount(days: DayRange): Promise<{ readonly accountId: string; readonly units: number }[]>
  /** The first UTC day with a row in the ledger; undefined if the ledger is empty. */
  findFirstUsedDay(): Promise<number | undefined>
  appendPlans(plans: PlansSince): Promise<void>
  /** All stored plan tables, in the order they were appended. */
  listPlans(): Promise<PlansSince[]>
  /** Stores statements, each with its event. An existing statement stays unchanged and does not get a second event. */
  insertStatements(statements: readonly { statement: StoredStatement; event: AccountEvent }[]): Promise<void>
  /** Records that every account has its statement for a month (`YYYY-MM`). */
  closeMonth(month: string, atMillis: number): Promise<void>
  /** The last closed month (`YYYY-MM`); undefined if none is closed. */
  findLastClosedMonth(): Promise<string | undefined>
  /** Statements of an account, newest month first. */
  listStatements(accountId: string): Promise<StatementHead[]>
  /** Statements of all accounts, for one month or for all months: newest month first, then by account id. */
  listAllStatements(month?: string): Promise<StatementHead[]>
  findStatement(accountId: string, month: string): Promise<StoredStatement | undefined>
}
