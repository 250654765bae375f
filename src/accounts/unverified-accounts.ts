// Removes accounts that nobody verified: whoever signs up with addresses that aren't theirs leaves nothing for ever.
import type { Clock } from '../system/clock.ts'
import type { InTurn } from '../system/turns.ts'
import type { AccountStore } from './account-store.ts'
import { PRUNED_AT_ONCE } from './identity-store.ts'

/** An account whose address nobody confirmed is forgotten after this. */
export const UNVERIFIED_MILLIS = 7 * 86_400_000
/** How often they are looked for. */
const PRUNING_MILLIS = 3_600_000

/** What pruning works with. */
export interface PruningParts {
  readonly store: AccountStore
  /** True time. */
  readonly clock: Clock
  /** The queue of all changes of accounts. */
  readonly inTurn: InTurn
  /** Told of a pruning that failed. */
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

  /** Removes those that waited a week; how many. */
  async prune(): Promise<number> {
    const { store, clock, inTurn } = this.parts
    const nowMillis = clock.nowMillis()
    for (let pruned = 0; ; ) {
      const count = await inTurn(() => store.identity.pruneUnverified(nowMillis - UNVERIFIED_MILLIS, nowMillis))
      pruned += count
      if (count < PRUNED_AT_ONCE || this.isStopped) return pruned
      await Bun.sleep(0) // everything else runs between two transactions
    }
  }

  /** Prunes, where the last time is an hour ago. */
  pruneInBackground(): void {
    if (performance.now() < this.nextMillis || this.isStopped) return
    this.nextMillis = performance.now() + PRUNING_MILLIS
    this.run = this.prune().catch((error: unknown) => {
      this.parts.onProblem(`unverified accounts can't be removed: ${error}; tried again in an hour`)
    })
  }

  /** Has a pruning under way end after its present transaction; done when it has. */
  async stop(): Promise<void> {
    this.isStopped = true
    await this.run
  }
}
