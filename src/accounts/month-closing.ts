// Closes months: three days after a month's end, builds every account's statement from the ledger. Months that ended
// while no service was running are closed in order at the next start.

import { monthNumber } from '../metering/limit-cells.ts'
import { findPeriod, nextPeriod, type Period, periodOf, utcDayStartMillis } from '../metering/utc-day.ts'
import type { PlanTable } from '../plans/plans.ts'
import type { Clock } from '../system/clock.ts'
import { makeEvent } from './account-event.ts'
import type { Account, AccountStore } from './account-store.ts'
import { termsOfMonth } from './account-terms.ts'
import type { PlansSince, TermChange } from './billing-store.ts'
import { makeStatement } from './statement.ts'

/**
 * Time from a month's end to its closing. By then, the slots for its days have been recovered (segment-recovery.ts).
 */
const CLOSING_MILLIS = 3 * 86_400_000
/** Number of accounts whose statements are written in one transaction. Other work runs between transactions. */
const ACCOUNTS_A_TRANSACTION = 50

/** Dependencies of closing. */
export interface ClosingParts {
  readonly store: AccountStore
  /** The system clock. */
  readonly clock: Clock
  /** Currency of all amounts, ISO 4217. */
  readonly currency: string
  /** The currently configured plans. */
  readonly plans: () => PlanTable
  /**
   * Called before a month is closed. Resolves when all of the month's units are in the ledger and no more units can be
   * charged to the month.
   */
  beforeClosing(period: Period): Promise<void>
}

/**
 * Records the current plans if they have changed, because a month is billed under the plans at its end. Returns whether
 * they had changed.
 */
export async function notePlans(
  parts: Pick<ClosingParts, 'store' | 'clock'> & { readonly plans: PlanTable },
): Promise<boolean> {
  const { store, clock, plans } = parts
  const text = JSON.stringify(plans)
  const last = (await store.billing.listPlans()).at(-1)
  if (last?.plans === text) return false
  await store.billing.appendPlans({ atMillis: clock.nowMillis(), plans: text })
  return true
}

/** The first UTC day after all closed months; 0 if none is closed. Units are charged to this day or a later one. */
export async function findFirstOpenDay(store: AccountStore): Promise<number> {
  const last = await store.billing.findLastClosedMonth()
  return last === undefined ? 0 : (findPeriod(last)?.endDay ?? 0)
}

/** Closes the months of one store. */
export class MonthClosing {
  private readonly parts: ClosingParts
  /** The earliest time at which a month may be due. */
  private dueMillis = Number.NEGATIVE_INFINITY
  private isStopped = false

  constructor(parts: ClosingParts) {
    this.parts = parts
  }

  /** Whether a month may be due. Before `closeDue` is called, all of the month's counts must be in the ledger. */
  get isDue(): boolean {
    return this.parts.clock.nowMillis() >= this.dueMillis
  }

  /** Stops closing after the current transaction. The service continues to close months at its next start. */
  stop(): void {
    this.isStopped = true
  }

  /** Closes all months that are due; returns their names. */
  async closeDue(): Promise<string[]> {
    const closed: string[] = []
    if (!this.isDue) return closed
    for (let period = await this.findOpenPeriod(); ; period = nextPeriod(period)) {
      const dueMillis = utcDayStartMillis(period.endDay) + CLOSING_MILLIS
      if (this.parts.clock.nowMillis() < dueMillis) {
        this.dueMillis = dueMillis
        return closed
      }
      await this.parts.beforeClosing(period)
      if (!(await this.close(period))) return closed
      closed.push(period.name)
    }
  }

  /** The oldest month that is not closed. */
  private async findOpenPeriod(): Promise<Period> {
    const { store, clock } = this.parts
    const last = findPeriod((await store.billing.findLastClosedMonth()) ?? '')
    if (last !== undefined) return nextPeriod(last)
    const [oldest] = await store.listAccounts()
    const firstDay = await store.billing.findFirstUsedDay()
    const first = Math.min(
      clock.nowMillis(),
      oldest?.createdAtMillis ?? Number.POSITIVE_INFINITY,
      firstDay === undefined ? Number.POSITIVE_INFINITY : utcDayStartMillis(firstDay),
    )
    return periodOf(first)
  }

  /** Closes a month; returns false if `stop` was called before the end. */
  private async close(period: Period): Promise<boolean> {
    const { store, clock } = this.parts
    // Read the accounts before the changes to terms. If an account's terms change between the two reads, the change
    // contains the previous terms, which are those in `accounts`.
    const accounts = await store.listAccounts()
    const changes = groupByAccount(await store.billing.listTermChanges())
    const plans = findPlans(await store.billing.listPlans(), utcDayStartMillis(period.endDay)) ?? this.parts.plans()
    for (let first = 0; first < accounts.length; first += ACCOUNTS_A_TRANSACTION) {
      if (this.isStopped) return false
      const statements = []
      for (const account of accounts.slice(first, first + ACCOUNTS_A_TRANSACTION)) {
        const made = await this.make(account, { period, plans, changes: changes.get(account.id) ?? [] })
        if (made !== undefined) statements.push(made)
      }
      await store.billing.insertStatements(statements)
      await Bun.sleep(0)
    }
    await store.billing.closeMonth(period.name, clock.nowMillis())
    return true
  }

  /**
   * An account's statement, with its event; undefined if the account gets no statement. An account without usage in the
   * month gets a statement only if it is verified and existed in the month.
   */
  private async make(
    account: Account,
    { period, plans, changes }: { period: Period; plans: PlanTable; changes: readonly TermChange[] },
  ) {
    const { store, clock, currency } = this.parts
    const uses = await store.billing.listDailyUse(account.id, period)
    // Unverified accounts without usage owe nothing, and a statement would keep them from being pruned
    // (lapsed-accounts.ts).
    if (uses.length === 0 && (!account.isVerified || !existedIn(account, period))) return undefined
    const closedAtMillis = clock.nowMillis()
    const keyNames = new Map((await store.listKeys(account.id)).map((key) => [key.id, key.name]))
    const month = Number(monthNumber(utcDayStartMillis(period.firstDay)))
    const terms = termsOfMonth(changes, account, month)
    const statement = makeStatement({
      accountId: account.id,
      currency,
      period,
      closedAtMillis,
      uses,
      keyNames,
      terms,
      plans,
    })
    const { units, amountCents } = statement
    const about = { accountId: account.id, atMillis: closedAtMillis, actor: 'service' } as const
    const event = makeEvent('statement_closed', about, { month: period.name, units, amount_cents: amountCents })
    return { statement, event }
  }
}

/** Differences between statements and the ledger's rows for the same months, one sentence each. */
export async function findStatementFaults({ billing }: AccountStore): Promise<string[]> {
  const faults: string[] = []
  const months = Map.groupBy(await billing.listAllStatements(), ({ month }) => month)
  for (const [month, statements] of months) {
    const period = findPeriod(month)
    if (period === undefined) throw new Error(`there are statements for "${month}", which is not a valid month`)
    const counted = new Map((await billing.listUnitsByAccount(period)).map((one) => [one.accountId, one.units]))
    for (const { accountId, units } of statements) {
      const found = counted.get(accountId) ?? 0
      counted.delete(accountId)
      if (found !== units)
        faults.push(
          `the statement for account ${accountId} and month ${month} has ${units} units, but the ledger has ${found}`,
        )
    }
    for (const [accountId, units] of counted) {
      faults.push(`the ledger has ${units} units for account ${accountId} in ${month}, but there is no statement`)
    }
  }
  return faults
}

function existedIn(account: Account, period: Period): boolean {
  const { createdAtMillis, deletedAtMillis } = account
  if (createdAtMillis >= utcDayStartMillis(period.endDay)) return false
  return deletedAtMillis === null || deletedAtMillis >= utcDayStartMillis(period.firstDay)
}

/** The plans in force just before a given time. If all recorded plans are later, the oldest ones. */
function findPlans(history: readonly PlansSince[], beforeMillis: number): PlanTable | undefined {
  const found = history.findLast(({ atMillis }) => atMillis < beforeMillis) ?? history[0]
  return found === undefined ? undefined : JSON.parse(found.plans) // always valid, because `notePlans` wrote it
}

function groupByAccount(changes: readonly TermChange[]): Map<string, TermChange[]> {
  const groups = new Map<string, TermChange[]>()
  for (const change of changes) groups.getOrInsertComputed(change.accountId, () => []).push(change)
  return groups
}
