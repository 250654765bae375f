// An account's terms in a month, derived from the stored changes to its terms.

import { monthNumber } from '../metering/limit-cells.ts'
import type { MonthTerms, Term } from '../plans/terms.ts'
import type { TermChange, Terms } from './billing-store.ts'

/**
 * An account's terms in a month; `month` is a number from `monthNumber`. Changes apply in the order in which they were
 * made. If the clock was set back between two changes, the second change counts in the month of the first.
 */
export function termsOfMonth(changes: readonly TermChange[], present: Terms, month: number): MonthTerms['terms'] {
  const months = monthsOf(changes)
  const at = months.findIndex((one) => one >= month)
  let last: Term = { ...(at < 0 ? present : changes[at].before), fromUnits: 0 }
  const terms: [Term, ...Term[]] = [last]
  for (const [index, { after, fromUnits }] of changes.entries()) {
    if (months[index] !== month) continue
    last = { ...after, fromUnits: Math.max(last.fromUnits, fromUnits) }
    terms.push(last)
  }
  return terms
}

/**
 * The most recent month in which the account's terms changed, with all terms that applied in that month: those before
 * the month's first change, then those after each change. Undefined if the terms never changed.
 */
export function lastMonthTerms(changes: readonly TermChange[], present: Terms): MonthTerms | undefined {
  const month = monthsOf(changes).at(-1)
  return month === undefined ? undefined : { month, terms: termsOfMonth(changes, present, month) }
}

function monthsOf(changes: readonly TermChange[]): number[] {
  let latest = 0
  return changes.map(({ atMillis }) => {
    latest = Math.max(latest, Number(monthNumber(atMillis)))
    return latest
  })
}
