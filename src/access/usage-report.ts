// The Usage object: an account's keys and its units in the current month, unflushed units included.

import { monthNumber } from '../metering/limit-cells.ts'
import type { LiveUsage } from '../metering/live-usage.ts'
import { periodOf, toUtcText, utcDayOf, utcDayStartMillis } from '../metering/utc-day.ts'
import { roundToCents } from '../plans/money.ts'
import type { PlanTable } from '../plans/plans.ts'
import { termsOf, toBill } from '../plans/terms.ts'
import type { KeyUsage, UsageReport } from './gate.ts'
import type { KeyRing, RingKey } from './key-ring.ts'

/** The inputs of a report. */
export interface ReportParts {
  readonly ring: KeyRing
  readonly usage: LiveUsage
  readonly plans: PlanTable
  readonly accountId: string
  /** System time in Unix milliseconds. */
  readonly nowMillis: number
}

/** An account's usage in a month. Keys revoked in that month are included, so that the sum is complete. */
export function toUsageReport(parts: ReportParts): UsageReport {
  const { ring, usage, nowMillis } = parts
  const account = ring.findAccount(parts.accountId)
  if (account === undefined) throw new Error(`account ${parts.accountId} was not loaded`)
  const plan = parts.plans[account.plan]
  const period = periodOf(nowMillis)
  const utcDay = utcDayOf(nowMillis)
  const periodStartMillis = utcDayStartMillis(period.firstDay)
  const keys: KeyUsage[] = []
  let units = 0
  for (const key of ring.listKeys(account.id)) {
    const totals = usage.totals(key.id, { period, utcDay })
    units += totals.unitsInPeriod
    const isListed =
      key.revokedAtMillis === null || key.revokedAtMillis >= periodStartMillis || totals.unitsInPeriod > 0
    if (isListed) keys.push(toKeyUsage(key, totals))
  }
  const { includedUnits, billableUnits, amount } = toBill(
    units,
    termsOf(account, Number(monthNumber(nowMillis))),
    parts.plans,
  )
  return {
    plan: account.plan,
    period: period.name,
    included_units: includedUnits,
    units,
    remaining: Math.max(0, includedUnits - units),
    overage_available: plan.overageAvailable,
    overage_enabled: plan.overageAvailable && account.isOverageEnabled,
    overage_unit_amount_decimal: plan.overageUnitAmountDecimal,
    billable_units: billableUnits,
    spent_cents: roundToCents(amount),
    spend_cap_cents: plan.overageAvailable ? account.spendCapCents : 0,
    resets_at: toUtcText(utcDayStartMillis(period.endDay)),
    keys,
  }
}

function toKeyUsage(
  key: RingKey,
  totals: { unitsToday: number; unitsInPeriod: number; lastUsedMillis: number },
): KeyUsage {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    last_four: key.lastFour,
    units_today: totals.unitsToday,
    units_period: totals.unitsInPeriod,
    last_used_at: totals.lastUsedMillis === 0 ? null : toUtcText(totals.lastUsedMillis),
  }
}
