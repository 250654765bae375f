// The memory budget for the layouts of days, which the planners of several networks can share. If the budget is
// exceeded, the least recently used layouts are dropped.

/** An object that stores layouts of days by key. */
export interface LayoutKeeper {
  drop(key: string): void
}

interface Kept {
  /**
   * The object that stores the layout. The reference is weak, so that the layouts of a replaced network can be
   * garbage-collected.
   */
  readonly keeper: WeakRef<LayoutKeeper>
  readonly key: string
  readonly bytes: number
}

/**
 * If at least this fraction of the budget is used, days are laid out only on request. Otherwise, layouts that nobody
 * has requested could displace layouts in use.
 */
const SHARE_AHEAD = 0.25

/** A memory budget for layouts. */
export class LayoutBudget {
  /**
   * Total size of all layouts that were ever added, in bytes. Making a layout leaves garbage of about the same size.
   */
  laidBytes = 0
  private readonly mostBytes: number
  /** The layouts in memory, least recently used first. */
  private kept: readonly Kept[] = []

  constructor(mostBytes: number) {
    this.mostBytes = mostBytes
  }

  /** Total size of the layouts in memory, in bytes. */
  get bytes(): number {
    return this.kept.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Whether there is room for layouts that nobody has requested yet. */
  get hasRoomAhead(): boolean {
    this.forgetGone()
    return this.bytes < this.mostBytes * SHARE_AHEAD
  }

  /**
   * Adds a layout, and drops the least recently used layouts until the rest fit in the budget. The added layout and the
   * most recently used of the other layouts always stay. This is because one layout for a country may exceed the
   * budget, and queries for the evening and for the morning need different days.
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

  /** Records that a layout was used again. */
  touch(keeper: LayoutKeeper, key: string): void {
    const used = this.kept.find((each) => each.key === key && each.keeper.deref() === keeper)
    if (used === undefined || used === this.kept.at(-1)) return
    this.kept = [...this.kept.filter((each) => each !== used), used]
  }

  private forgetGone(): void {
    this.kept = this.kept.filter(({ keeper }) => keeper.deref() !== undefined)
  }
}

/** Total size of all typed arrays in some objects, in bytes. An array that occurs several times counts once. */
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
