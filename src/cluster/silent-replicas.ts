// Ends replicas that have been silent for too long, and releases the unused units of replicas that have ended. Only the
// first serving replica does this, but two replicas may do it at the same time without harm.
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

/** Measures how long each other replica has been silent, that is, has not ticked. */
export class SilentReplicas {
  private readonly parts: SweepParts
  private readonly seen = new Map<string, { readonly look: string; readonly sinceMillis: number }>()

  constructor(parts: SweepParts) {
    this.parts = parts
  }

  /**
   * Called when the database did not respond for a while. Other replicas may have been unable to tick, so the
   * measurement of their silence starts again.
   */
  forget(): void {
    this.seen.clear()
  }

  /** Ends replicas that have been silent for too long, and releases units of ended replicas. */
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
      // If a replica was replaced, its successor adds the old replica's counts to the database and then releases the
      // old replica's units. If the successor does not do so for a long time, the units are released here.
      if (holdsUnits && (why !== 'replaced' || isSilent)) await store.settle(id, undefined)
    }
  }
}
