// Current usage of every key: the slots of all data threads, plus the counts that are only in the ledger. Each thread
// maps the slot files itself, so threads do not need to send slot counts to each other.
import { parseKeyNumber } from '../keys/key-number.ts'
import { openSegment, type Segment } from './segment.ts'
import { FIRST_SLOT } from './slots.ts'
import type { Period } from './utc-day.ts'

/**
 * Usage of one key on one day. This usage is only in the ledger, for example because its writer is retired or its slot
 * was freed. Day 0 stands for all days that are too old for usage reports; it has no units, only the time of the last
 * use. This is a plain object, so that threads can send it to each other.
 */
export interface PastUsage {
  readonly keyId: string
  readonly utcDay: number
  readonly units: number
  readonly lastUsedMillis: number
}

/** Usage of one key. */
export interface KeyTotals {
  readonly unitsToday: number
  readonly unitsInPeriod: number
  /** Unix milliseconds; 0 if the key was never used. */
  readonly lastUsedMillis: number
}

/**
 * A use of a key that cost no units, and is therefore in no slot. This is a plain object, so that threads can send it
 * to each other.
 */
export interface FreeUse {
  readonly keyId: string
  readonly lastUsedMillis: number
}

/** A use that costs no units is noted only if this time has passed since the key's last noted use of this kind. */
const FREE_USE_MILLIS = 1_000

interface SlotPlace {
  readonly segment: Segment
  readonly slot: number
}

/** The slot files and ledger rows from which usage is summed. */
export interface UsageSources {
  readonly folder: string
  /** Numbers of the data threads whose slot files are read. */
  readonly ordinals: readonly number[]
  readonly past: readonly PastUsage[]
}

/** Sums the units of keys over all threads and days. */
export class LiveUsage {
  private readonly walks: { readonly segment: Segment; nextSlot: number }[] = []
  private readonly places = new Map<number, SlotPlace[]>()
  private readonly past = new Map<string, PastUsage[]>()
  private readonly freeUses = new Map<string, number>()

  constructor(sources: UsageSources) {
    for (const ordinal of sources.ordinals) {
      this.walks.push({ segment: openSegment(sources.folder, ordinal), nextSlot: FIRST_SLOT })
    }
    for (const row of sources.past) this.past.getOrInsertComputed(row.keyId, () => []).push(row)
  }

  /**
   * The usage of one key in a period and on one day. Takes time proportional to the number of the key's slots and past
   * days. A key has one slot for each thread and day of use.
   */
  totals(keyId: string, when: { period: Period; utcDay: number }): KeyTotals {
    this.findNewSlots()
    let unitsToday = 0
    let unitsInPeriod = 0
    let lastUsedMillis = this.freeUses.get(keyId) ?? 0
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

  /**
   * Notes a use that cost no units. Returns false and changes nothing if a use less than a second earlier was already
   * noted.
   */
  noteFreeUse({ keyId, lastUsedMillis }: FreeUse): boolean {
    if (lastUsedMillis < (this.freeUses.get(keyId) ?? 0) + FREE_USE_MILLIS) return false
    this.freeUses.set(keyId, lastUsedMillis)
    return true
  }

  /** For each key, the last noted use that cost no units. */
  listFreeUses(): FreeUse[] {
    return [...this.freeUses].map(([keyId, lastUsedMillis]) => ({ keyId, lastUsedMillis }))
  }

  /** Replaces the past usage of some keys. Past usage is only in the ledger, not in a slot. */
  replacePast(keyIds: Iterable<string>, rows: readonly PastUsage[]): void {
    for (const keyId of keyIds) this.past.delete(keyId)
    for (const row of rows) this.past.getOrInsertComputed(row.keyId, () => []).push(row)
  }

  /** Maps slot files again if they were removed and restored. Costs two `stat` calls per file. */
  refresh(): void {
    for (const { segment } of this.walks) segment.mapGrown()
  }

  private findNewSlots(): void {
    for (const walk of this.walks) {
      // Checking whether the file has grown is a system call, so it is done only at the end of the mapped slots.
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
