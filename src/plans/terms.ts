// On which terms an account used the units of a month, and what it owes for them. A change of plan or of overage counts
// from the unit at which it was made; the included units are those of the largest plan of the month.

import { addAmounts, type Decimal, parseDecimal, timesUnits, ZERO } from './money.ts'
import type { Plan, PlanTable } from './plans.ts'

/** What held from one unit of a month on. */
export interface Term {
  readonly plan: Plan
  /** The owner's switch; it says nothing on a plan without overage. */
  readonly isOverageEnabled: boolean
  /** Units that the account had used in the month when it began. */
  readonly fromUnits: number
}

/** The terms of a month in which they changed. */
export interface MonthTerms {
  /** Counted from year 0, as quota cells do. */
  readonly month: number
  /** Oldest first, the present ones last. */
  readonly terms: readonly [Term, ...Term[]]
}

/** Whoever is on terms. */
export interface TermHolder {
  readonly plan: Plan
  readonly isOverageEnabled: boolean
  /** Of the month in which they last changed; absent where they never have. */
  readonly monthTerms?: MonthTerms | undefined
}

/** Units beyond the included ones, at one price. */
export interface Charge {
  readonly plan: Plan
  readonly units: number
  readonly unitAmountDecimal: string
  /** In cents, exactly. */
  readonly amount: Decimal
}

/** What a month's units cost. */
export interface Bill {
  readonly includedUnits: number
  /** Sum of the charges' units. */
  readonly billableUnits: number
  /** Oldest first. */
  readonly charges: readonly Charge[]
  /** Sum of the charges' amounts, in cents, exactly. */
  readonly amount: Decimal
}

/** The terms of an account in a month (from year 0), oldest first. */
export function termsOf(account: TermHolder, month: number): MonthTerms['terms'] {
  if (account.monthTerms?.month === month) return account.monthTerms.terms
  return [{ plan: account.plan, isOverageEnabled: account.isOverageEnabled, fromUnits: 0 }]
}

/** The included units of a month: a plan that was left in it still counts. */
export function includedUnitsOf(terms: readonly Term[], plans: PlanTable): number {
  return Math.max(...terms.map(({ plan }) => plans[plan].includedUnits))
}

/**
 * What units of a month cost. Those beyond the included ones cost the price of the last terms that sold any: what was
 * under way when overage was switched off is owed all the same. Units used before it was ever on are not.
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
