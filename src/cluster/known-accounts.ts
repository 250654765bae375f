// The accounts and keys that were published to the data threads, with the limits that the control thread needs when it
// requests units for them.
import type { RingAccount, RingChange } from '../access/key-ring.ts'
import { planLimitsOf, rateOf } from '../access/plan-limits.ts'
import { monthNumber, monthStartMillis, NO_LIMIT, type Rate } from '../metering/limit-cells.ts'
import type { LiveUsage } from '../metering/live-usage.ts'
import type { UsageRow } from '../metering/usage-store.ts'
import { periodOf, utcDayStartMillis } from '../metering/utc-day.ts'
import { DEFAULT_PLANS, type PlanTable } from '../plans/plans.ts'
import { includedUnitsOf, termsOf } from '../plans/terms.ts'
import type { UnitTerms } from './grants.ts'

/** Minimum number of units in an outage share, unless the share is 0. */
const LEAST_OUTAGE_UNITS = 100

/** The accounts, keys and plans that were published to the data threads. */
export class KnownAccounts {
  plans: PlanTable = DEFAULT_PLANS
  private readonly outageShare: number
  private readonly accounts = new Map<string, RingAccount>()
  private readonly accountOfKey = new Map<string, string>()
  private readonly keys = new Map<string, Set<string>>()

  /**
   * @param outageShare the part of an account's included units that it may use beyond its grants in an outage; 0 for
   * none
   */
  constructor(outageShare: number) {
    this.outageShare = outageShare
  }

  /** Applies a change that is being published to the data threads. */
  note({ accounts, keys, plans }: RingChange): void {
    if (plans !== undefined) this.plans = plans
    for (const account of accounts) this.accounts.set(account.id, account)
    for (const { id, accountId } of keys) {
      this.accountOfKey.set(id, accountId)
      this.keys.getOrInsertComputed(accountId, () => new Set()).add(id)
    }
  }

  /** Ids of an account's keys, including revoked keys. */
  keysOf(accountId: string): string[] {
    return [...(this.keys.get(accountId) ?? [])]
  }

  /** How many units an account may use; undefined if the account is unknown. */
  terms(accountId: string, termsMark: number): UnitTerms | undefined {
    const account = this.accounts.get(accountId)
    if (account === undefined) return undefined
    const { plans, outageShare } = this
    return {
      cell: account.cell,
      termsMark,
      cap(month) {
        const { unitLimit } = planLimitsOf(plans, account, month)
        return unitLimit >= NO_LIMIT ? null : Number(unitLimit)
      },
      outageUnits(month) {
        if (outageShare === 0) return 0
        return Math.max(LEAST_OUTAGE_UNITS, Math.floor(outageShare * includedUnitsOf(termsOf(account, month), plans)))
      },
    }
  }

  /** An account's cell and rate limit; undefined if the account is unknown or has no rate limit. */
  rateOf(accountId: string): { readonly cell: number; readonly rate: Rate } | undefined {
    const account = this.accounts.get(accountId)
    const rate = account && rateOf(this.plans[account.plan])
    return account && rate && { cell: account.cell, rate }
  }

  /** The units that an account used in a month, as counted in `slots`. */
  unitsCounted(slots: LiveUsage | undefined, accountId: string, month: number): number {
    if (slots === undefined) return 0
    const period = periodOf(monthStartMillis(BigInt(month)))
    let units = 0
    for (const keyId of this.keys.get(accountId) ?? []) {
      units += slots.totals(keyId, { period, utcDay: period.firstDay }).unitsInPeriod
    }
    return units
  }

  /** The accounts and months to which usage rows belong, without duplicates. */
  monthsOf(rows: readonly UsageRow[]): { readonly accountId: string; readonly month: number }[] {
    const found = new Map<string, { accountId: string; month: number }>()
    for (const { keyId, utcDay } of rows) {
      const accountId = this.accountOfKey.get(keyId)
      if (accountId === undefined) continue
      const month = Number(monthNumber(utcDayStartMillis(utcDay)))
      found.set(`${month} ${accountId}`, { accountId, month })
    }
    return [...found.values()]
  }
}
