// The terms of an account in a month, and the cost of its units. A change of plan or overage setting applies from the
// next unit on. The units included in a month are those of the largest plan that the account had during the month.

import { addAmounts, type Decimal, parseDecimal, timesUnits, ZERO } from './money.ts'
import type { Plan, PlanTable } from './plans.ts'

/** The terms that apply to a month's usage beyond the first `fromUnits` units. */
export interface Term {
  readonly plan: Plan
  /** The owner's overage setting; ignored on plans without overage. */
  readonly isOverageEnabled: boolean
  /** Units used in the month before these terms took effect. */
  readonly fromUnits: number
}

/** All terms in a month during which the terms changed. */
export interface MonthTerms {
  /** Number of the month, as returned by `monthNumber` in metering/limit-cells.ts. */
  readonly month: number
  /** Oldest first; the last element is the current terms. */
  readonly terms: readonly [Term, ...Term[]]
}

/** The fields of an account that determine its terms. */
export interface TermHolder {
  readonly plan: Plan
  readonly isOverageEnabled: boolean
  /** The terms of the latest month in which the terms changed; absent if they never changed. */
  readonly monthTerms?: MonthTerms | undefined
}

/** Overage units that have the same price. */
export interface Charge {
  readonly plan: Plan
  readonly units: number
  readonly unitAmountDecimal: string
  /** In cents, exact. */
  readonly amount: Decimal
}

/** The cost of a month's units. */
export interface Bill {
  readonly includedUnits: number
  /** Sum of the charges' units. */
  readonly billableUnits: number
  /** Oldest first. */
  readonly charges: readonly Charge[]
  /** Sum of the charges' amounts, in cents, exact. */
  readonly amount: Decimal
}

/** An account's terms in a month, oldest first. @param month number of the month, as in MonthTerms */
export function termsOf(account: TermHolder, month: number): MonthTerms['terms'] {
  if (account.monthTerms?.month === month) return account.monthTerms.terms
  return [{ plan: account.plan, isOverageEnabled: account.isOverageEnabled, fromUnits: 0 }]
}

/**
 * The units included in a month: those of the largest plan in `terms`, even if the account left that plan during the
 * month.
 */
export function includedUnitsOf(terms: readonly Term[], plans: PlanTable): number {
  return Math.max(...terms.map(({ plan }) => plans[plan].includedUnits))
}

/**
 * The cost of a month's units. The price of an overage unit comes from the last terms up to its use that allowed
 * overage. The unit is charged even if overage was switched off before its use, because requests that were in progress
 * at that moment must still be paid for. Overage units that were used before overage was first allowed are free.
 */
export function toBill(units: number, terms: readonly Term[], plans: PlanTable): Bill {
  const includedUnits = includedUnitsOf(terms, plans)
  const charges: Charge[] = []
  let [amount, billableUnits, done] = [ZERO, 0, includedUnits]
  let seller: Plan | undefined
  for (const [at, term] of terms.entries()) {
    if (term.isOverageEnabled && plans[term.plan].overageAvailable) seller = term.plan
    const end = Math.min(units, terms[at + 1]?.fromUnits ?? units)
    const taken = end - done
    if (taken <= 0) continue
    done = end
    if (seller === undefined) continue
    const charge = toCharge(seller, taken, plans)
    const last = charges.at(-1)
    if (last?.plan === seller) charges[charges.length - 1] = toCharge(seller, last.units + taken, plans)
    else charges.push(charge)
    amount = addAmounts(amount, charge.amount)
    billableUnits += taken
  }
  return { includedUnits, billableUnits, charges, amount }
}

function toCharge(plan: Plan, units: number, plans: PlanTable): Charge {
  const { overageUnitAmountDecimal: unitAmountDecimal } = plans[plan]
  return { plan, units, unitAmountDecimal, amount: timesUnits(units, parseDecimal(unitAmountDecimal)) }
}
