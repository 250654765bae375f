// Sets the initial values of the quota cells in a new process, from the slots and the ledger.

import { monthNumber, QuotaCells } from './limit-cells.ts'
import type { LiveUsage } from './live-usage.ts'
import { periodOf, utcDayOf } from './utc-day.ts'

/** The units that were already counted, and the accounts to which they belong. */
export interface SeedParts {
  readonly accounts: readonly { readonly id: string; readonly cell: number }[]
  readonly keys: readonly { readonly id: string; readonly accountId: string }[]
  readonly usage: LiveUsage
  /** Units are charged to this UTC day or a later one. */
  readonly lastUtcDay: number
  readonly nowMillis: number
}

/** The UTC day before which no units may be charged: the latest day of any current or retired writer. */
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
 * Fills the accounts' quota cells. If the clock was set back to an earlier month, the cells still count the later
 * month. Otherwise the later month's units could be used twice.
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
