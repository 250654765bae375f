// The memory budget for the laid-out days of all networks of a planner. If the budget is exceeded, the least recently
// used days are dropped.

/** An object that stores laid-out days by key. */
export interface LayoutKeeper {
  drop(key: string): void
}

interface Kept {
  /**
   * The object that stores the days. The reference is weak, so that the days of a replaced network can be
   * garbage-collected.
   */
  readonly keeper: WeakRef<LayoutKeeper>
  readonly key: string
  readonly bytes: number
}

/**
 * If more than this share of the budget is used, days are laid out only on request. Other days could otherwise displace
 * days in use.
 */
const SHARE_AHEAD = 0.25

/** A memory budget in bytes. */
export class LayoutBudget {
  /** Bytes of all days that were ever laid out. Laying out days leaves about as many bytes of garbage. */
  laidBytes = 0
  private readonly mostBytes: number
  /** The days in memory, the least recently used ones first. */
  private kept: readonly Kept[] = []

  constructor(mostBytes: number) {
    this.mostBytes = mostBytes
  }

  /** Bytes of the days in memory. */
  get bytes(): number {
    return this.kept.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Whether there is room for days that nobody has requested yet. */
  get hasRoomAhead(): boolean {
    this.forgetGone()
    return this.bytes < this.mostBytes * SHARE_AHEAD
  }

  /**
   * Records that days were laid out, and drops the least recently used days until all fit. The new days always stay,
   * and so do the last used days. For a country, the new days alone may exceed the budget, and queries for the evening
   * and for the morning need different days.
   */
  add(keeper: LayoutKeeper, key: string, bytes: number): void {
    this.forgetGone()
    this.laidBytes += bytes
    let total = this.bytes + bytes
    const dropped = new Set<Kept>()
    for (const each of this.kept.slice(0, -1)) {
      if (total <= this.mostBytes) break
      each.keeper.deref()?.drop(each.key)
      dropped.add(each)
      total -= each.bytes
    }
    this.kept = [...this.kept.filter((each) => !dropped.has(each)), { keeper: new WeakRef(keeper), key, bytes }]
  }

  /** Records that days were used again. */
  touch(keeper: LayoutKeeper, key: string): void {
    const used = this.kept.find((each) => each.key === key && each.keeper.deref() === keeper)
    if (used === undefined || used === this.kept.at(-1)) return
    this.kept = [...this.kept.filter((each) => each !== used), used]
  }

  private forgetGone(): void {
    this.kept = this.kept.filter(({ keeper }) => keeper.deref() !== undefined)
  }
}

/** The bytes of all typed arrays in some objects. An array that occurs several times counts once. */
export function bytesOfArrays(...roots: readonly unknown[]): number {
  const buffers = new Set<ArrayBufferLike>()
  const visit = (value: unknown): void => {
    if (ArrayBuffer.isView(value)) buffers.add(value.buffer)
    else if (value !== null && typeof value === 'object') for (const member of Object.values(value)) visit(member)
  }
  for (const root of roots) visit(root)
  let bytes = 0
  for (const buffer of buffers) bytes += buffer.byteLength
  return bytes
}
