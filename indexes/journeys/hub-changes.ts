// Changes to a hub that do not cover all of its points: some points are barred, or a rider rode out and back.
import type { Footpaths } from './footpaths.ts'
import type { PendingChanges } from './pending-changes.ts'
import type { SearchGround } from './search-ground.ts'
import { LABEL_SHIFT, type SearchLabels } from './search-labels.ts'

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
  private readonly labels: SearchLabels
  private readonly pending: PendingChanges
  /** Point → 1 while it is barred. */
  private readonly isBarred: Uint8Array

  constructor(labels: SearchLabels, pending: PendingChanges, pointCount: number) {
    this.labels = labels
    this.pending = pending
    this.isBarred = new Uint8Array(pointCount)
  }

  /** A change to the points of a hub where it is allowed. */
  change(ground: SearchGround, { here, hub, round, when, from, until, isPending }: HubChange): void {
    const { labels, pending, isBarred } = this
    const { firstHub, memberOffset, member } = ground.footpaths
    markBarred(ground.footpaths, here, { marks: isBarred, mark: 1 })
    const end = memberOffset[hub - firstHub + 1]
    for (let at = memberOffset[hub - firstHub]; at < end; at++) {
      const to = member[at]
      if (isBarred[to] === 1 || when >= labels.ready[(to << LABEL_SHIFT) | round]) continue
      if (isPending && pending.forbid(ground, to, when)) continue
      labels.change(to, round, when, from, until)
    }
    markBarred(ground.footpaths, here, { marks: isBarred, mark: 0 })
  }
}

function markBarred(
  { barOffset, barred }: Footpaths,
  from: number,
  { marks, mark }: { readonly marks: Uint8Array; readonly mark: 0 | 1 },
): void {
  for (let at = barOffset[from]; at < barOffset[from + 1]; at++) marks[barred[at]] = mark
}
