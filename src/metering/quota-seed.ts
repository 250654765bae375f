// Initial values of a new process's cells, from the slots and the ledger.

import { monthNumber, QuotaCells } from './limit-cells.ts'
import type { LiveUsage } from './live-usage.ts'
import { periodOf, utcDayOf } from './utc-day.ts'

/** The units that were already counted, and the accounts to which they belong. */
export interface SeedParts {
  readonly accounts: readonly { readonly id: string; readonly cell: number }[]
  readonly keys: readonly { readonly id: string; readonly accountId: string }[]
  readonly usage: LiveUsage
  /** The last UTC day with charges. */
  readonly lastUtcDay: number
  readonly nowMillis: number
}

/** The last UTC day with charges of any current or retired writer. */
export function lastChargedDay(parts: {
  readonly segments: readonly { readonly lastUtcDay: number }[]
  readonly past: readonly { readonly utcDay: number }[]
}): number {
  let last = 0
  for (const { lastUtcDay } of parts.segments) last = Math.max(last, lastUtcDay)
  for (const { utcDay } of parts.past) last = Math.max(last, utcDay)
  return last
}

/**
 * Fills the accounts' cells. If the clock was set back over a month's end, the cells still count the later month.
 * Otherwise the units of that month could be used twice.
 */
export function seedCells(cells: { readonly quota: SharedArrayBuffer }, parts: SeedParts): void {
  const quota = new QuotaCells(cells.quota)
  quota.advanceTo(Math.max(parts.lastUtcDay, utcDayOf(parts.nowMillis)))
  const atMillis = quota.ledgerMillis(parts.nowMillis)
  const when = { period: periodOf(atMillis), utcDay: utcDayOf(atMillis) }
  const used = new Map<string, number>()
  for (const { id, accountId } of parts.keys) {
    used.set(accountId, (used.get(accountId) ?? 0) + parts.usage.totals(id, when).unitsInPeriod)
  }
  for (const { id, cell } of parts.accounts) quota.seed(cell, used.get(id) ?? 0, monthNumber(atMillis))
}
