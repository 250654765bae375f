// Applies transfers to hubs, one point at a time. This is necessary if a transfer does not apply to all points of the
// hub because some points are barred, or because the rider could ride back to the stop of an earlier alighting.
import type { PendingChanges } from './pending-changes.ts'
import type { SearchGround } from './search-ground.ts'
import type { SearchState } from './search-state.ts'

/**
 * A transfer from the point `here` to a hub. The rider arrived with the label `from` (see search-state.ts) and can
 * board at the time `when`.
 */
export interface HubChange {
  readonly here: number
  readonly hub: number
  readonly round: number
  readonly when: number
  readonly from: number
  readonly until: number
  /** Whether earlier alightings of the rider still forbid boarding at some points. */
  readonly isPending: boolean
}

/** Applies transfers to the points of a hub one by one, for one search. */
export class HubChanges {
  private readonly state: SearchState
  private readonly pending: PendingChanges

  constructor(state: SearchState, pending: PendingChanges) {
    this.state = state
    this.pending = pending
  }

  /** Records the transfer for those points of the hub to which the transfer applies. */
  change(ground: SearchGround, { here, hub, round, when, from, until, isPending }: HubChange): void {
    const { state, pending } = this
    const { barOffset, barred: bars, firstHub, memberOffset, member } = ground.footpaths
    // Each transfer gets a new set, because a set that is cleared and reused leaves garbage in memory; see
    // word-sets.ts.
    const barred = new Set(bars.subarray(barOffset[here], barOffset[here + 1]))
    const end = memberOffset[hub - firstHub + 1]
    for (let at = memberOffset[hub - firstHub]; at < end; at++) {
      const to = member[at]
      const label = (to << state.shift) | (round & state.mask)
      if (barred.has(to) || when >= state.data[state.ready + label]) continue
      if (isPending && pending.forbid(ground, to, when)) continue
      state.change(to, round, when, from, until)
    }
  }
}
