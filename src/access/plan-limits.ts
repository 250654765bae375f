// What an account may use: its plan and its own switches as the numbers that are compared at each call.
import { NO_LIMIT, type Rate } from '../metering/limit-cells.ts'
import { parseDecimal, unitsFor } from '../plans/money.ts'
import type { PlanTable } from '../plans/plans.ts'
import { includedUnitsOf, type MonthTerms, type TermHolder, termsOf, toBill } from '../plans/terms.ts'
import type { RingAccount } from './key-ring.ts'

/** The limits of one account. */
export interface PlanLimits {
  /** Most units of a month, the bought ones included. */
  readonly unitLimit: bigint
  /** Why a call beyond it is refused. */
  readonly beyond: 'quota_exhausted' | 'spend_cap_reached'
  /** Undefined where there is no limit. */
  readonly rate: Rate | undefined
  /** The RateLimit-Policy field. */
  readonly policyField: string
}

/** A month, as the policy of units gives it, in seconds. */
const MONTH_SECONDS = 2_592_000

/** The limits that follow from the plans and an account's switches in a month (from year 0). */
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
  const { requestsPerSecond, burst } = plan
  const rate = requestsPerSecond === 0 ? undefined : { perSecond: requestsPerSecond, burst: Math.max(1, burst) }
  const units = `"units";q=${included};w=${MONTH_SECONDS}`
  return {
    unitLimit: unitLimit < NO_LIMIT ? unitLimit : NO_LIMIT,
    beyond: isOverage ? 'spend_cap_reached' : 'quota_exhausted',
    rate,
    policyField: rate === undefined ? units : `"burst";q=${requestsPerSecond};w=1, ${units}`,
  }
}

/** The unit at which the next one would cost more than the cap leaves. What earlier terms sold is spent already. */
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
