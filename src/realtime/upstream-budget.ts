// Counts the requests to an upstream in the current time window. Each request is counted before it is made, and the
// count survives a restart, so the limit is never exceeded.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { UpstreamBudget } from '../networks/network.ts'
import type { Clock } from '../system/clock.ts'
import { readJsonFile, writeFileWhole } from '../system/whole-file.ts'
import type { CallBudget } from './feed-source.ts'
import type { BudgetWindow } from './live-messages.ts'

/** Once this share of the limit is used, the remaining fetches are spread over the rest of the window. */
const SLOW_SHARE = 0.8
const FIXED_WINDOWS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

interface Count {
  /** Start of the window, in Unix milliseconds. */
  startMillis: number
  used: number
}

/** The request counts of all feeds, stored in one file in the data directory. */
export class BudgetBook {
  private readonly path: string
  private readonly clock: Clock
  private readonly counts: Record<string, Count>

  /** @param clock the actual time, not service time */
  constructor(dataDir: string, clock: Clock) {
    mkdirSync(dataDir, { recursive: true })
    this.path = join(dataDir, 'upstream-budgets.json')
    this.clock = clock
    this.counts = readJsonFile(this.path) ?? {}
  }

  /** The budget of a feed. */
  budgetOf(feed: string, { limit, window }: { limit: number; window: BudgetWindow }): FeedBudget {
    return new FeedBudget({ limit, window, clock: this.clock, count: this.countOf(feed), save: () => this.save() })
  }

  private countOf(feed: string): Count {
    const count = this.counts[feed] ?? { startMillis: 0, used: 0 }
    this.counts[feed] = count
    return count
  }

  private save(): void {
    writeFileWhole(this.path, JSON.stringify(this.counts))
  }
}

/**
 * Shortest wait before the next fetch, in milliseconds. It is 0 until SLOW_SHARE of the limit is used. From then on,
 * the remaining fetches are spread over the rest of the window.
 */
export function spreadMillis(count: {
  readonly used: number
  readonly limit: number
  readonly leftMillis: number
}): number {
  const { used, limit, leftMillis } = count
  if (used >= limit) return leftMillis
  return used >= limit * SLOW_SHARE ? leftMillis / (limit - used) : 0
}

interface BudgetParts {
  readonly limit: number
  readonly window: BudgetWindow
  readonly clock: Clock
  readonly count: Count
  readonly save: () => void
}

/** The budget of one feed. */
export class FeedBudget implements CallBudget {
  private readonly parts: BudgetParts

  constructor(parts: BudgetParts) {
    this.parts = parts
  }

  /** Counts one fetch. Returns false if the limit for this window is used up. */
  take(): boolean {
    const { count, limit, save } = this.parts
    this.turn()
    if (count.used >= limit) return false
    count.used++
    try {
      save()
    } catch (error) {
      count.used-- // the fetch could not be counted, so it is not made
      throw error
    }
    return true
  }

  /** Shortest wait that the budget allows before the next fetch, in milliseconds. */
  waitMillis(): number {
    const { count, limit, clock } = this.parts
    const leftMillis = this.turn() - clock.nowMillis()
    return spreadMillis({ used: count.used, limit, leftMillis })
  }

  status(): UpstreamBudget {
    const { count, limit } = this.parts
    const resetsAtMillis = this.turn()
    return { used: count.used, limit, resetsAtMillis }
  }

  /** Starts a new window if the last one is over. Returns the end of the current window, in Unix milliseconds. */
  private turn(): number {
    const { count, window, clock } = this.parts
    const { startMillis, endMillis } = windowAt(window, clock.nowMillis())
    // If the clock was set back, the current window and its count are kept.
    if (startMillis > count.startMillis) {
      count.startMillis = startMillis
      count.used = 0
    }
    return Math.max(endMillis, windowAt(window, count.startMillis).endMillis)
  }
}

/** The window that contains an instant. All times are in Unix milliseconds. */
export function windowAt(window: BudgetWindow, nowMillis: number): { startMillis: number; endMillis: number } {
  if (window === 'month') {
    const now = new Date(nowMillis)
    const startMillis = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)
    return { startMillis, endMillis: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) }
  }
  const length = FIXED_WINDOWS[window]
  const startMillis = Math.floor(nowMillis / length) * length
  return { startMillis, endMillis: startMillis + length }
}
