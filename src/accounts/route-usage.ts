// Counts responses by route: sums the reports of the data threads and sends the sums to the store, in a batch every ten
// seconds. A batch that failed is sent again until the store has confirmed it.

import type { AnswerCounts, RouteReport } from '../metering/route-counts.ts'
import { makeWriterId } from '../metering/segment.ts'
import { utcDayOf } from '../metering/utc-day.ts'
import type { Clock } from '../system/clock.ts'
import type { RouteBatch, RouteRow, RouteStore } from './route-store.ts'

/** The time between two batches. */
const FLUSH_MILLIS = 10_000

/** Dependencies of RouteUsage. */
export interface RouteUsageParts {
  readonly store: RouteStore
  readonly clock: Clock
  onProblem(message: string): void
}

/** Counts that are not in the store yet, from all data threads of this process. */
export class RouteUsage {
  private readonly parts: RouteUsageParts
  private readonly writerId = makeWriterId()
  private sequence = 0
  /** Counts that are in no batch yet, by day, key and route. */
  private pending = new Map<string, RouteRow>()
  /** The batch that the store has not confirmed yet. */
  private sending: RouteBatch | undefined
  private timer: ReturnType<typeof setInterval> | undefined
  private flushing: Promise<void> = Promise.resolve()
  private isFailing = false

  constructor(parts: RouteUsageParts) {
    this.parts = parts
  }

  /** Adds a report from a data thread. */
  add({ utcDay, counts }: RouteReport): void {
    for (const { keyId, route, answers } of counts) {
      const id = `${utcDay} ${keyId} ${route}`
      const known = this.pending.get(id)?.answers
      this.pending.set(id, { keyId, utcDay, route, answers: known === undefined ? answers : sum(known, answers) })
    }
  }

  /** Flushes every ten seconds until `close`. If flushes fail repeatedly, only the first failure is reported. */
  start(): void {
    let isFlushing = false
    this.timer ??= setInterval(() => {
      if (isFlushing) return
      isFlushing = true
      this.flush()
        .catch((error: unknown) => {
          if (!this.isFailing)
            this.parts.onProblem(
              `request counts by route can't be written: ${error}; requests are still counted, and their counts will be written later`,
            )
          this.isFailing = true
        })
        .finally(() => {
          isFlushing = false
        })
    }, FLUSH_MILLIS)
  }

  /** Sends all counts to the store; flushes never overlap. */
  flush(): Promise<void> {
    const flush = this.flushing.then(async () => {
      if (this.sending !== undefined) await this.send(this.sending)
      if (this.pending.size === 0) return
      const today = utcDayOf(this.parts.clock.nowMillis())
      const rows = [...this.pending.values()]
      this.pending = new Map()
      await this.send({ writerId: this.writerId, sequence: ++this.sequence, today, rows })
    })
    this.flushing = flush.catch(() => undefined) // only the caller sees the failure; the next flush still runs
    return flush
  }

  /** Flushes once more. Call it after the data threads have stopped. */
  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.flush()
  }

  private async send(batch: RouteBatch): Promise<void> {
    this.sending = batch
    await this.parts.store.addRoutes(batch)
    this.sending = undefined
    this.isFailing = false
  }
}

function sum(one: AnswerCounts, other: AnswerCounts): AnswerCounts {
  return [one[0] + other[0], one[1] + other[1], one[2] + other[2], one[3] + other[3]]
}
