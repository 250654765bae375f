// Removes expired data. Accounts that were never verified are deleted, so signing up with other people's addresses
// leaves no permanent data. The addresses and key names of deleted accounts are erased.
import type { Clock } from '../system/clock.ts'
import type { InTurn } from '../system/turns.ts'
import type { AccountStore } from './account-store.ts'
import { PRUNED_AT_ONCE } from './identity-store.ts'

/** Age at which an unverified account is deleted. */
export const UNVERIFIED_MILLIS = 7 * 86_400_000
/** Time from an account's deletion until its address and key names are erased. Until then, the address stays taken. */
export const ERASED_AFTER_MILLIS = 14 * 86_400_000
/** How often both removals run. */
const PRUNING_MILLIS = 3_600_000

/** Dependencies of pruning. */
export interface PruningParts {
  readonly store: AccountStore
  /** The system clock. */
  readonly clock: Clock
  /** The queue in which all account changes run. */
  readonly inTurn: InTurn
  /** Called when pruning fails. */
  onProblem(message: string): void
}

/** Removes the expired data in one store. */
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

  /**
   * Erases the addresses and key names of accounts that were deleted at least two weeks ago; returns the number of
   * accounts.
   */
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
        `cannot remove unverified accounts and the email addresses of deleted accounts: ${error}; trying again in an hour`,
      )
    })
  }

  /** Stops pruning after the current transaction; resolves when pruning has ended. */
  async stop(): Promise<void> {
    this.isStopped = true
    await this.run
  }
}
