// Counts the units charged by one data thread, which is the only writer of its slot file. A charge only writes to a
// mapped file, so the counts are not lost if the process is killed.
import { parseKeyNumber } from '../keys/key-number.ts'
import type { Clock } from '../system/clock.ts'
import { isErrno } from '../system/errno.ts'
import { monthNumber, monthStartMillis } from './limit-cells.ts'
import { openSegment, type Segment } from './segment.ts'
import {
  FIRST_SLOT,
  NUMBERS_PER_SLOT,
  SLOT_CALLS,
  SLOT_LAST_USED,
  SLOT_UNITS,
  SLOTS_PER_EXTENT,
  writeSlotOwner,
} from './slots.ts'
import { utcDayOf, utcDayStartMillis } from './utc-day.ts'

/** The slot file to which a meter writes, and the first day to which it charges. */
export interface MeterPlace {
  /** Folder of all slot files. */
  readonly folder: string
  /** The data thread's number, from 0. */
  readonly ordinal: number
  /**
   * Units are charged to this UTC day or a later one, even if the clock is set back, because earlier days may be
   * closed.
   */
  readonly lastUtcDay: number
}

/** The time of a reservation, which determines the day to which its units are charged. */
export interface ChargeTime {
  /** When the request's units were reserved, in Unix milliseconds. */
  readonly atMillis: number
  /**
   * The month in which the reservation counts, as returned by `monthNumber`. It can be later than the month of
   * `atMillis` if another thread has already begun the next month.
   */
  readonly month: bigint
}

/** Charges units to keys in one data thread's slot file. */
export class Meter {
  private readonly segment: Segment
  private readonly clock: Clock
  /** Slots that were in the file at the start, by day and key number. A restarted thread continues to count in them. */
  private readonly slotsFound = new Map<string, number>()
  /** Slots of the current day, by key id. */
  private slotsOfDay = new Map<string, number>()
  private utcDay: number
  private dayEndMillis: number
  private monthCharged: bigint
  private nextSlot = FIRST_SLOT

  constructor(place: MeterPlace, clock: Clock) {
    this.segment = openSegment(place.folder, place.ordinal)
    this.clock = clock
    this.utcDay = place.lastUtcDay
    for (; !this.segment.isFree(this.nextSlot); this.nextSlot++) {
      const values = this.segment.read(this.nextSlot)
      if (values === undefined) throw new Error(`slot ${this.nextSlot} of data thread ${place.ordinal} is damaged`)
      this.utcDay = Math.max(this.utcDay, values.utcDay)
      this.slotsFound.set(`${values.utcDay}:${values.keyNumber}`, this.nextSlot)
    }
    this.dayEndMillis = utcDayStartMillis(this.utcDay + 1)
    this.monthCharged = monthNumber(utcDayStartMillis(this.utcDay))
  }

  /** The month of the current day, as returned by `monthNumber`. */
  get month(): bigint {
    return this.monthCharged
  }

  /**
   * Moves the current day forward to the day of a request, or to the first day of the reservation's month if that is
   * later. The current day never goes back. Returns the month of the current day.
   */
  advance({ atMillis, month }: ChargeTime): bigint {
    if (atMillis >= this.dayEndMillis) this.openDay(utcDayOf(atMillis))
    if (month > this.monthCharged) this.openDay(utcDayOf(monthStartMillis(month)))
    return this.monthCharged
  }

  /**
   * Charges units to a key, today or on the last charged day if that is later. If the key needs a new slot but the disk
   * is full, throws and charges nothing.
   */
  charge(keyId: string, units: number): void {
    const atMillis = this.clock.nowMillis()
    this.advance({ atMillis, month: this.monthCharged })
    this.add(this.slotsOfDay.get(keyId) ?? this.openSlot(keyId), units, atMillis)
  }

  /**
   * Charges units to a key on the current day. If the key needs a new slot that cannot be written to the disk, returns
   * false and charges nothing.
   */
  tryCharge(keyId: string, units: number, atMillis: number): boolean {
    const slot = this.slotsOfDay.get(keyId) ?? this.findSlot(keyId)
    if (slot === undefined) return false
    this.add(slot, units, atMillis)
    return true
  }

  /** Finds or creates the key's slot for the current day. Returns false if the disk is full or cannot be written. */
  canCharge(keyId: string): boolean {
    return this.slotsOfDay.has(keyId) || this.findSlot(keyId) !== undefined
  }

  /** Finds or creates the key's slot for the current day; undefined if the disk is full or cannot be written. */
  private findSlot(keyId: string): number | undefined {
    try {
      return this.openSlot(keyId)
    } catch (error) {
      if (isErrno(error, 'ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS')) return undefined
      throw error
    }
  }

  /** Restores the slot file if it was removed or replaced. Returns whether it did so; throws if the disk is full. */
  restoreSlots(): boolean {
    return this.segment.restore()
  }

  /**
   * Charges units to a slot. The units are written with one aligned store, so other threads never see half-written
   * units. The call count is written last. A reader that reads the call count first and then the units therefore gets
   * at least the units of all these calls.
   */
  private add(slot: number, units: number, nowMillis: number): void {
    const extent = this.segment.extents[Math.floor(slot / SLOTS_PER_EXTENT)]
    if (extent === undefined) throw new Error(`slot ${slot} is beyond the end of the slot file`)
    const { numbers } = extent
    const at = (slot % SLOTS_PER_EXTENT) * NUMBERS_PER_SLOT
    numbers[at + SLOT_UNITS] += units
    if (nowMillis > numbers[at + SLOT_LAST_USED]) numbers[at + SLOT_LAST_USED] = nowMillis
    numbers[at + SLOT_CALLS] += 1
  }

  private openDay(utcDay: number): void {
    this.utcDay = utcDay
    this.dayEndMillis = utcDayStartMillis(utcDay + 1)
    this.monthCharged = monthNumber(utcDayStartMillis(utcDay))
    this.slotsOfDay = new Map()
  }

  private openSlot(keyId: string): number {
    const keyNumber = parseKeyNumber(keyId)
    const found = this.slotsFound.get(`${this.utcDay}:${keyNumber}`)
    const slot = found ?? this.takeSlot(keyNumber)
    this.slotsOfDay.set(keyId, slot)
    return slot
  }

  private takeSlot(keyNumber: number): number {
    const slot = this.nextSlot
    if (this.segment.extentOf(slot) === undefined) this.segment.grow()
    const extent = this.segment.extentOf(slot)
    if (extent === undefined) throw new Error(`the slot file did not grow to slot ${slot}`)
    writeSlotOwner(extent, slot % SLOTS_PER_EXTENT, { keyNumber, utcDay: this.utcDay })
    this.nextSlot++
    return slot
  }
}
