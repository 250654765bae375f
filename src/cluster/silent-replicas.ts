// Ends replicas that have been silent for too long, and releases the unused units of replicas that have ended. The
// first serving replica does this; it does no harm if two do it at once.
import type { FleetStore } from './fleet-store.ts'
import type { Pace } from './pace.ts'

/** Dependencies of the sweep. */
export interface SweepParts {
  readonly store: Pick<FleetStore, 'listReplicas' | 'end' | 'settle'>
  readonly pace: Pace
  readonly lostAfterMillis: number
  readonly ownId: string
  onLost(id: string): void
}

/** Measures for how long each other replica has not ticked. */
export class SilentReplicas {
  private readonly parts: SweepParts
  private readonly seen = new Map<string, { readonly look: string; readonly sinceMillis: number }>()

  constructor(parts: SweepParts) {
    this.parts = parts
  }

  /**
   * Called when the database did not respond for a while: other replicas could not tick, so their silence is measured
   * anew.
   */
  forget(): void {
    this.seen.clear()
  }

  /** Checks all other replicas. */
  async sweep(): Promise<void> {
    const { store, pace, lostAfterMillis, ownId, onLost } = this.parts
    const nowMillis = pace.nowMillis()
    for (const { id, state, why, seenAt, holdsUnits } of await store.listReplicas()) {
      if (id === ownId) continue
      const look = `${state} ${seenAt}`
      const before = this.seen.get(id)
      if (before?.look !== look) this.seen.set(id, { look, sinceMillis: nowMillis })
      const isSilent = before?.look === look && nowMillis - before.sinceMillis >= lostAfterMillis
      if (state !== 'ended') {
        if (isSilent && (await store.end(id, 'lost', seenAt))) onLost(id)
        continue
      }
      // A replica that replaced another first merges its counts, then settles it. If this is not done for long, it is
      // settled here.
      if (holdsUnits && (why !== 'replaced' || isSilent)) await store.settle(id, undefined)
    }
  }
}
