// The filter over all networks in a service. Networks are added, removed and replaced while the service runs. Each
// network has its own slot in the filter, so a change only requires reading the words of the new networks.
import { NetworkFilter, type NetworkFinder } from '../../indexes/places/network-filter.ts'
import type { WordBounds } from '../../indexes/places/word-bounds.ts'
import type { SnapshotView } from '../rendering/snapshot-view.ts'

/**
 * Number of slots divided by the number of networks. Spare slots make it rare that added networks need a larger filter.
 */
const SPARE_SHARE = 1.25

/** The filter over all networks. Only the finder that was made last is valid. */
export class ServedFilter {
  private readonly boundsOf: (view: SnapshotView) => WordBounds
  private filter = new NetworkFilter(0)
  /**
   * Slot → the view whose words are in the slot. The references are weak, so that the memory of replaced views can be
   * freed.
   */
  private slots: (WeakRef<SnapshotView> | undefined)[] = []
  /** The list of views for which the last finder was made, and that finder. */
  private last: { readonly views: WeakRef<readonly SnapshotView[]>; readonly finder: NetworkFinder } | undefined

  constructor(boundsOf: (view: SnapshotView) => WordBounds) {
    this.boundsOf = boundsOf
  }

  /** Makes the finder for a list of views. Reads the words of one new network per step. */
  *finderOf(views: readonly SnapshotView[]): Generator<void, NetworkFinder> {
    if (this.last?.views.deref() === views) return this.last.finder
    this.last = undefined
    const { slotOf, free } = this.assign(views)
    for (const view of views) {
      if (slotOf.has(view)) continue
      const slot = free.pop()
      if (slot === undefined) throw new Error(`the filter has no slot for the network ${view.slug}`)
      this.filter.set(slot, this.boundsOf(view))
      this.slots[slot] = new WeakRef(view)
      slotOf.set(view, slot)
      yield
    }
    const finder = this.finderWith(views, slotOf)
    this.last = { views: new WeakRef(views), finder }
    return finder
  }

  /**
   * Returns the slots of views that already have one, and the slots that are free for other views. If there are too few
   * slots, makes a larger, empty filter, in which all slots are free.
   */
  private assign(views: readonly SnapshotView[]) {
    const listed = new Set(views)
    const slotOf = new Map<SnapshotView, number>()
    const free: number[] = []
    for (const [slot, reference] of this.slots.entries()) {
      const view = reference?.deref()
      if (view !== undefined && listed.has(view)) slotOf.set(view, slot)
      else free.push(slot)
    }
    if (views.length - slotOf.size <= free.length) return { slotOf, free }
    const count = Math.ceil(views.length * SPARE_SHARE)
    this.filter = new NetworkFilter(count)
    this.slots = Array.from({ length: count })
    return { slotOf: new Map<SnapshotView, number>(), free: [...this.slots.keys()] }
  }

  private finderWith(views: readonly SnapshotView[], slotOf: ReadonlyMap<SnapshotView, number>): NetworkFinder {
    const { filter } = this
    /** Slot → index in the list of views; −1 if no view in the list has the slot. */
    const indexOf = new Int32Array(this.slots.length).fill(-1)
    for (const [index, view] of views.entries()) indexOf[slotOf.get(view) ?? raise()] = index
    return {
      find: (words, code) => filter.find(words, code).flatMap((slot) => (indexOf[slot] < 0 ? [] : indexOf[slot])),
    }
  }
}

function raise(): never {
  throw new Error('a network has no slot in the filter')
}
