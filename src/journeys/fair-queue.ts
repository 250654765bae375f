// What waits, key by key: each key's in its order, the keys in turn, so that one that asks for much delays itself alone.

/** Most that may wait. */
export interface QueueLimits {
  readonly ofKey: number
  readonly ofAll: number
}

/** A queue that is fair to its keys. */
export class FairQueue<Item> {
  private readonly limits: QueueLimits
  /** The keys that have something waiting, whose turn is next first. */
  private readonly waiting = new Map<string, Item[]>()
  private count = 0

  constructor(limits: QueueLimits) {
    this.limits = limits
  }

  get size(): number {
    return this.count
  }

  /** False where too much waits already. */
  add(key: string, item: Item): boolean {
    const ofKey = this.waiting.get(key)
    if (this.count >= this.limits.ofAll || (ofKey?.length ?? 0) >= this.limits.ofKey) return false
    if (ofKey === undefined) this.waiting.set(key, [item])
    else ofKey.push(item)
    this.count++
    return true
  }

  /** The next one; its key goes to the end of the row. */
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

  /** Takes back what waits; false where it does not any more. */
  remove(key: string, item: Item): boolean {
    const items = this.waiting.get(key)
    const at = items?.indexOf(item) ?? -1
    if (items === undefined || at < 0) return false
    items.splice(at, 1)
    this.count--
    if (items.length === 0) this.waiting.delete(key)
    return true
  }

  /** Takes what stands first of each key, as long as it fits. */
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
