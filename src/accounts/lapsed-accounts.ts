// Removes expired data: accounts that nobody verified, so that signing up with other people's addresses leaves no
// permanent data; and the addresses and names of deleted accounts.
import type { Clock } from '../system/clock.ts'
import type { InTurn } from '../system/turns.ts'
import type { AccountStore } from './account-store.ts'
import { PRUNED_AT_ONCE } from './identity-store.ts'

/** An unverified account is deleted at this age. */
export const UNVERIFIED_MILLIS = 7 * 86_400_000
/**
 * The address and names of a deleted account are erased this long after its deletion. Until then, the address stays
 * taken.
 */
export const ERASED_AFTER_MILLIS = 14 * 86_400_000
/** Interval of both removals. */
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

/** The expired accounts of one store. */
export class LapsedAccounts {
  private readonly parts: PruningParts
  private nextMillis = Number.NEGATIVE_INFINITY
  private isStopped = false
  private run: Promise<unknown> = Promise.resolve()

  constructor(parts: PruningParts) {
    this.parts = parts
  }

  /** Deletes unverified accounts older than a week; returns how many. */
  prune(): Promise<number> {
    const nowMillis = this.parts.clock.nowMillis()
    const { identity } = this.parts.store
    return this.inParts(() => identity.pruneUnverified(nowMillis - UNVERIFIED_MILLIS, nowMillis))
  }

  /** Erases the addresses and names of accounts that were deleted two weeks ago; returns how many accounts. */
  erase(): Promise<number> {
    const nowMillis = this.parts.clock.nowMillis()
    const { identity } = this.parts.store
    return this.inParts(() => identity.eraseDeleted(nowMillis - ERASED_AFTER_MILLIS, nowMillis))
  }

  private async inParts(removeSome: () => Promise<number>): Promise<number> {
    for (let removed = 0; ; ) {
      const count = await this.parts.inTurn(removeSome)
      removed += count
      if (count < PRUNED_AT_ONCE || this.isStopped) return removed
      await Bun.sleep(0) // let other work run between two transactions
    }
  }

  /** Runs both removals if the last run was at least an hour ago. */
  pruneInBackground(): void {
    if (performance.now() < this.nextMillis || this.isStopped) return
    this.nextMillis = performance.now() + PRUNING_MILLIS
    const run = async () => {
      await this.prune()
      await this.erase()
    }
    this.run = run().catch((error: unknown) => {
      this.parts.onProblem(
        `unverified accounts or the addresses of deleted accounts can't be removed: ${error}; trying again in an hour`,
      )
    })
  }

  /** Stops a running pruning after its current transaction; resolves when it has ended. */
  async stop(): Promise<void> {
    this.isStopped = true
    await this.run
  }
}
