// Changes to a hub that do not cover all of its points, because some points are barred or the rider rode out and back.
import type { PendingChanges } from './pending-changes.ts'
import type { SearchGround } from './search-ground.ts'
import type { SearchState } from './search-state.ts'

/** A change from a point to a hub, for a rider who arrived by the label `from` and can board at that time. */
export interface HubChange {
  readonly here: number
  readonly hub: number
  readonly round: number
  readonly when: number
  readonly from: number
  readonly until: number
  /** The rider's earlier changes still apply. */
  readonly isPending: boolean
}

/** Expands changes to the points of hubs, for one search. */
export class HubChanges {
  private readonly state: SearchState
  private readonly pending: PendingChanges
  /** The points that are barred. */
  private readonly barred = new Set<number>()

  constructor(state: SearchState, pending: PendingChanges) {
    this.state = state
    this.pending = pending
  }

  /** A change to the points of a hub, if it is allowed. */
  change(ground: SearchGround, { here, hub, round, when, from, until, isPending }: HubChange): void {
    const { state, pending, barred } = this
    const { barOffset, barred: bars, firstHub, memberOffset, member } = ground.footpaths
    for (let at = barOffset[here]; at < barOffset[here + 1]; at++) barred.add(bars[at])
    const end = memberOffset[hub - firstHub + 1]
    for (let at = memberOffset[hub - firstHub]; at < end; at++) {
      const to = member[at]
      const label = (to << state.shift) | (round & state.mask)
      if (barred.has(to) || when >= state.data[state.ready + label]) continue
      if (isPending && pending.forbid(ground, to, when)) continue
      state.change(to, round, when, from, until)
    }
    barred.clear()
  }
}
