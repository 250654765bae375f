// A queue that takes one item from each key in turn, so that a key with many items delays only itself.

/** Maximum number of waiting items: for one key, and for all keys together. */
export interface QueueLimits {
  readonly ofKey: number
  readonly ofAll: number
}

/** A queue that takes one item from each key in turn. */
export class FairQueue<Item> {
  private readonly limits: QueueLimits
  /** The waiting items of each key. The first key is the next one to be served. */
  private readonly waiting = new Map<string, Item[]>()
  private count = 0

  constructor(limits: QueueLimits) {
    this.limits = limits
  }

  get size(): number {
    return this.count
  }

  /** Adds an item. Returns false, and does not add it, if too many items are waiting already. */
  add(key: string, item: Item): boolean {
    const ofKey = this.waiting.get(key)
    if (this.count >= this.limits.ofAll || (ofKey?.length ?? 0) >= this.limits.ofKey) return false
    if (ofKey === undefined) this.waiting.set(key, [item])
    else ofKey.push(item)
    this.count++
    return true
  }

  /** Removes and returns the next item. Its key becomes the last one to be served. Undefined if no item is waiting. */
  take(): Item | undefined {
    const first = this.waiting.entries().next().value
    if (first === undefined) return undefined
    const [key, items] = first
    const item = items.shift()
    this.waiting.delete(key)
    if (items.length > 0) this.waiting.set(key, items)
    this.count--
    return item
  }

  /** Removes a waiting item. Returns false if the item is no longer waiting. */
  remove(key: string, item: Item): boolean {
    const items = this.waiting.get(key)
    const at = items?.indexOf(item) ?? -1
    if (items === undefined || at < 0) return false
    items.splice(at, 1)
    this.count--
    if (items.length === 0) this.waiting.delete(key)
    return true
  }

  /** For each key, removes and returns the items that wait before the first item for which `fits` is false. */
  takeWhile(fits: (item: Item) => boolean): Item[] {
    const taken: Item[] = []
    for (const [key, items] of this.waiting) {
      while (items[0] !== undefined && fits(items[0])) taken.push(items.shift() as Item)
      if (items.length === 0) this.waiting.delete(key)
    }
    this.count -= taken.length
    return taken
  }
}
