// What the store keeps beside accounts and the ledger so that a month can be billed: events, changes of terms, the plans
// as they were, and the statements of closed months.
import type { Plan } from '../plans/plans.ts'
import type { AccountEvent } from './account-event.ts'

/** A change of plan or of overage. What held before is told too, so that an account needs no row until its first change. */
export interface TermChange {
  readonly accountId: string
  readonly atMillis: number
  /** Units that the account had used in the month. */
  readonly fromUnits: number
  readonly before: Terms
  readonly after: Terms
}

/** What an account's units are priced by. */
export interface Terms {
  readonly plan: Plan
  readonly isOverageEnabled: boolean
}

/** What is written in the same transaction as a change of an account or a key. */
export interface ChangeRecord {
  readonly events: readonly AccountEvent[]
  /** Where plan or overage change: when, and at which unit of the month. */
  readonly terms?: { readonly atMillis: number; readonly fromUnits: number }
}

/** A key's count of a UTC day, over all writers. */
export interface DailyUse {
  readonly keyId: string
  /** Days after 1970 (UTC). */
  readonly utcDay: number
  readonly units: number
  readonly calls: number
}

/** UTC days after 1970, the end not included. */
export interface DayRange {
  readonly firstDay: number
  readonly endDay: number
}

/** A closed month of an account, in short. */
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
  /** Rounded half up. */
  readonly amountCents: number
}

/** A closed month of an account. Never changed. */
export interface StoredStatement extends StatementHead {
  /** The statement as JSON, byte for byte as it is given out. */
  readonly document: string
}

/** The plans from an instant on. */
export interface PlansSince {
  readonly atMillis: number
  /** JSON of the plan table. */
  readonly plans: string
}

/** Every method is one transaction. */
export interface BillingStore {
  appendEvents(events: readonly AccountEvent[]): Promise<void>
  /** Events of an account, the newest first; those before `beforeId` where it is given. */
  listEvents(accountId: string, page: { readonly limit: number; readonly beforeId?: string }): Promise<AccountEvent[]>
  /** Changes of one account, or of all by account, in the order they were made. */
  listTermChanges(accountId?: string): Promise<TermChange[]>
  /** What an account's keys have in the ledger on some days, by day and key. */
  listDailyUse(accountId: string, days: DayRange): Promise<DailyUse[]>
  /** Units of all accounts on some days; those that used none are left out. */
  listUnitsByAccount(days: DayRange): Promise<{ readonly accountId: string; readonly units: number }[]>
  /** The first day that the ledger has a row of, or undefined. */
  findFirstUsedDay(): Promise<number | undefined>
  appendPlans(plans: PlansSince): Promise<void>
  /** In the order they were appended. */
  listPlans(): Promise<PlansSince[]>
  /** Stores statements, each with its event. One that is there already stays as it is, and gets no second event. */
  insertStatements(statements: readonly { statement: StoredStatement; event: AccountEvent }[]): Promise<void>
  /** Notes that every account has its statement of a month (`YYYY-MM`). */
  closeMonth(month: string, atMillis: number): Promise<void>
  /** The last month (`YYYY-MM`) that is closed, or undefined. */
  findLastClosedMonth(): Promise<string | undefined>
  /** Statements of an account, the newest month first. */
  listStatements(accountId: string): Promise<StatementHead[]>
  /** Statements of all accounts, of one month or of all: the newest month first, then by account id. */
  listAllStatements(month?: string): Promise<StatementHead[]>
  findStatement(accountId: string, month: string): Promise<StoredStatement | undefined>
}
