// Deletes accounts that were never verified, so that sign-ups with other people's addresses leave no permanent data.
import type { Clock } from '../system/clock.ts'
import type { InTurn } from '../system/turns.ts'
import type { AccountStore } from './account-store.ts'
import { PRUNED_AT_ONCE } from './identity-store.ts'

/** An unverified account is deleted after this. */
export const UNVERIFIED_MILLIS = 7 * 86_400_000
/** Pruning interval. */
const PRUNING_MILLIS = 3_600_000

/** Dependencies of pruning. */
export interface PruningParts {
  readonly store: AccountStore
  /** The system clock. */
  readonly clock: Clock
  /** The queue of all account changes. */
  readonly inTurn: InTurn
  /** Called when pruning fails. */
  onProblem(message: string): void
}

/** The unverified accounts of one store. */
export class UnverifiedAccounts {
  private readonly parts: PruningParts
  private nextMillis = Number.NEGATIVE_INFINITY
  private isStopped = false
  private run: Promise<unknown> = Promise.resolve()

  constructor(parts: PruningParts) {
    this.parts = parts
  }

  /** Deletes those older than a week; returns how many. */
  async prune(): Promise<number> {
    const { store, clock, inTurn } = this.parts
    const nowMillis = clock.nowMillis()
    for (let pruned = 0; ; ) {
      const count = await inTurn(() => store.identity.pruneUnverified(nowMillis - UNVERIFIED_MILLIS, nowMillis))
      pruned += count
      if (count < PRUNED_AT_ONCE || this.isStopped) return pruned
      await Bun.sleep(0) // let other work run between two transactions
    }
  }

  /** Prunes if the last run was at least an hour ago. */
  pruneInBackground(): void {
    if (performance.now() < this.nextMillis || this.isStopped) return
    this.nextMillis = performance.now() + PRUNING_MILLIS
    this.run = this.prune().catch((error: unknown) => {
      this.parts.onProblem(`unverified accounts cannot be removed: ${error}; retrying in an hour`)
    })
  }

  /** Stops a running pruning after its current transaction; resolves when it has ended. */
  async stop(): Promise<void> {
    this.isStopped = true
    await this.run
  }
}
