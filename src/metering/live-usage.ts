// What every key has used, up to this instant: the slots of all data threads, and what the ledger knows beyond them.
// Each thread maps the segments itself; nothing is asked of another thread.
import { parseKeyNumber } from '../keys/key-number.ts'
import { openSegment, type Segment } from './segment.ts'
import { FIRST_SLOT } from './slots.ts'
import type { Period } from './utc-day.ts'

/** Ledger sums of one key and day that no live slot covers: of retired writers and recycled slots. A plain message. */
export interface PastUsage {
  readonly keyId: string
  readonly utcDay: number
  readonly units: number
  readonly lastUsedMillis: number
}

/** One key's use. */
export interface KeyTotals {
  readonly unitsToday: number
  readonly unitsInPeriod: number
  /** Milliseconds after 1970; 0 where the key was never used. */
  readonly lastUsedMillis: number
}

interface SlotPlace {
  readonly segment: Segment
  readonly slot: number
}

/** Where the counted units are read from. */
export interface UsageSources {
  readonly folder: string
  /** The data threads whose segments are read. */
  readonly ordinals: readonly number[]
  readonly past: readonly PastUsage[]
}

/** Sums of units over all threads and days. */
export class LiveUsage {
  private readonly walks: { readonly segment: Segment; nextSlot: number }[] = []
  private readonly places = new Map<number, SlotPlace[]>()
  private readonly past = new Map<string, PastUsage[]>()

  constructor(sources: UsageSources) {
    for (const ordinal of sources.ordinals) {
      this.walks.push({ segment: openSegment(sources.folder, ordinal), nextSlot: FIRST_SLOT })
    }
    for (const row of sources.past) this.past.getOrInsertComputed(row.keyId, () => []).push(row)
  }

  /** One key's totals of a period and of a day in it. Cost grows with the key's days and threads only. */
  totals(keyId: string, when: { period: Period; utcDay: number }): KeyTotals {
    this.findNewSlots()
    let unitsToday = 0
    let unitsInPeriod = 0
    let lastUsedMillis = 0
    const add = (use: { utcDay: number; units: number; lastUsedMillis: number }) => {
      if (use.utcDay >= when.period.firstDay && use.utcDay < when.period.endDay) unitsInPeriod += use.units
      if (use.utcDay === when.utcDay) unitsToday += use.units
      lastUsedMillis = Math.max(lastUsedMillis, use.lastUsedMillis)
    }
    for (const row of this.past.get(keyId) ?? []) add(row)
    for (const { segment, slot } of this.places.get(parseKeyNumber(keyId)) ?? []) {
      const values = segment.read(slot)
      if (values !== undefined) add(values)
    }
    return { unitsToday, unitsInPeriod, lastUsedMillis }
  }

  /** Reads on from slot files that were written again after somebody removed them. Costs one look at each file. */
  refresh(): void {
    for (const { segment } of this.walks) segment.mapGrown()
  }

  private findNewSlots(): void {
    for (const walk of this.walks) {
      // The end of the mapped slots is reached before the file is asked whether it has grown.
      if (walk.segment.extentOf(walk.nextSlot) === undefined) walk.segment.mapGrown()
      for (; !walk.segment.isFree(walk.nextSlot); walk.nextSlot++) {
        const values = walk.segment.read(walk.nextSlot)
        if (values === undefined) continue
        const places = this.places.getOrInsertComputed(values.keyNumber, () => [])
        places.push({ segment: walk.segment, slot: walk.nextSlot })
        if (walk.segment.extentOf(walk.nextSlot + 1) === undefined) walk.segment.mapGrown()
      }
    }
  }
}
