// What an account may use: its plan and its own switches as the numbers that are compared at each call.
import { NO_LIMIT } from '../metering/quota-cells.ts'
import type { Rate } from '../metering/rate-cells.ts'
import type { RingAccount } from './key-ring.ts'
import { parseDecimal } from './money.ts'
import type { PlanSettings } from './plans.ts'

/** The limits of one account. */
export interface Allowance {
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

/** The limits that follow from a plan and an account's switches. */
export function allowanceOf(
  plan: PlanSettings,
  account: Pick<RingAccount, 'isOverageEnabled' | 'spendCapCents'>,
): Allowance {
  const isOverage = plan.overageAvailable && account.isOverageEnabled
  const included = BigInt(plan.includedUnits)
  const bought = isOverage ? buyableUnits(plan.overageUnitAmountDecimal, account.spendCapCents) : 0n
  const unitLimit = included + bought < NO_LIMIT ? included + bought : NO_LIMIT
  const { requestsPerSecond, burst } = plan
  const rate = requestsPerSecond === 0 ? undefined : { perSecond: requestsPerSecond, burst: Math.max(1, burst) }
  const units = `"units";q=${included};w=${MONTH_SECONDS}`
  return {
    unitLimit,
    beyond: isOverage ? 'spend_cap_reached' : 'quota_exhausted',
    rate,
    policyField: rate === undefined ? units : `"burst";q=${requestsPerSecond};w=1, ${units}`,
  }
}

/** How many units cost no more than the cap, exactly. Free ones have no end. */
function buyableUnits(unitAmountDecimal: string, capCents: number): bigint {
  const price = parseDecimal(unitAmountDecimal)
  if (price.digits === 0n) return NO_LIMIT
  return (BigInt(capCents) * 10n ** BigInt(price.decimals)) / price.digits
}
