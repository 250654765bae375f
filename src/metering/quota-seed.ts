// What the cells of a new process begin with: what the slots and the ledger know of the month that is charged to next.

import { monthNumber, QuotaCells } from './limit-cells.ts'
import type { LiveUsage, PastUsage } from './live-usage.ts'
import { periodOf, utcDayOf, utcDayStartMillis } from './utc-day.ts'

/** What is counted already, and by whom. */
export interface SeedParts {
  readonly accounts: readonly { readonly id: string; readonly cell: number }[]
  readonly keys: readonly { readonly id: string; readonly accountId: string }[]
  readonly usage: LiveUsage
  /** The last UTC day of each live writer. */
  readonly lastUtcDays: readonly number[]
  /** Of writers that are no more. */
  readonly past: readonly PastUsage[]
  readonly nowMillis: number
}

/**
 * Fills the accounts' cells. Days never go back: with a clock that was set back over a month's end, the month is still
 * the later one, whichever writer has charged to it; else its units would be granted a second time.
 */
export function seedQuotaCells(memory: SharedArrayBuffer, parts: SeedParts): void {
  const quota = new QuotaCells(memory)
  let lastDay = 0
  for (const utcDay of parts.lastUtcDays) lastDay = Math.max(lastDay, utcDay)
  for (const { utcDay } of parts.past) lastDay = Math.max(lastDay, utcDay)
  const atMillis = Math.max(parts.nowMillis, utcDayStartMillis(lastDay))
  const when = { period: periodOf(atMillis), utcDay: utcDayOf(atMillis) }
  const used = new Map<string, number>()
  for (const { id, accountId } of parts.keys) {
    used.set(accountId, (used.get(accountId) ?? 0) + parts.usage.totals(id, when).unitsInPeriod)
  }
  for (const { id, cell } of parts.accounts) quota.seed(cell, used.get(id) ?? 0, monthNumber(atMillis))
}
