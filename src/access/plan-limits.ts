// The limits of an account, derived from its plan and settings, as numbers that each call is checked against.
import { NO_LIMIT, type Rate } from '../metering/limit-cells.ts'
import { parseDecimal, unitsFor } from '../plans/money.ts'
import type { Plan, PlanTable } from '../plans/plans.ts'
import { includedUnitsOf, type MonthTerms, type TermHolder, termsOf, toBill } from '../plans/terms.ts'
import type { RingAccount } from './key-ring.ts'

/** The limits of one account. */
export interface PlanLimits {
  /** Maximum units per month, including overage. */
  readonly unitLimit: bigint
  /** Why a call beyond `unitLimit` is refused. */
  readonly beyond: 'quota_exhausted' | 'spend_cap_reached'
  /** The rate limit; undefined if requests are not limited. */
  readonly rate: Rate | undefined
  /** The RateLimit-Policy field. */
  readonly policyField: string
}

/** Length of a month in the RateLimit-Policy field, in seconds. */
const MONTH_SECONDS = 2_592_000

/**
 * An account's limits in a month, from the plans and the account's settings. `month` is counted in months since year 0.
 */
export function planLimitsOf(
  plans: PlanTable,
  account: TermHolder & Pick<RingAccount, 'spendCapCents'>,
  month: number,
): PlanLimits {
  const plan = plans[account.plan]
  const terms = termsOf(account, month)
  const included = includedUnitsOf(terms, plans)
  const isOverage = plan.overageAvailable && account.isOverageEnabled
  const unitLimit = isOverage ? boughtLimit(plans, account, terms) : BigInt(included)
  const { requestsPerSecond } = plan
  const rate = rateOf(plan)
  const units = `"units";q=${included};w=${MONTH_SECONDS}`
  return {
    unitLimit: unitLimit < NO_LIMIT ? unitLimit : NO_LIMIT,
    beyond: isOverage ? 'spend_cap_reached' : 'quota_exhausted',
    rate,
    policyField: rate === undefined ? units : `"burst";q=${requestsPerSecond};w=1, ${units}`,
  }
}

/** A plan's rate limit; undefined if it has none. */
export function rateOf({ requestsPerSecond, burst }: PlanTable[Plan]): Rate | undefined {
  return requestsPerSecond === 0 ? undefined : { perSecond: requestsPerSecond, burst: Math.max(1, burst) }
}

/**
 * The units that an account may use until its spend cap is reached. Part of the cap is already used up by the units
 * that were sold this month before the last change of the plan or of the overage setting.
 */
function boughtLimit(
  plans: PlanTable,
  account: TermHolder & Pick<RingAccount, 'spendCapCents'>,
  terms: MonthTerms['terms'],
): bigint {
  const soldBefore = Math.max(includedUnitsOf(terms, plans), terms[terms.length - 1].fromUnits)
  const price = parseDecimal(plans[account.plan].overageUnitAmountDecimal)
  const bought = unitsFor(account.spendCapCents, toBill(soldBefore, terms, plans).amount, price)
  return bought === undefined ? NO_LIMIT : BigInt(soldBefore) + bought
}
