// The counter of one data thread: it alone stores into its segment. A charge is one store into mapped memory, which
// the kernel keeps when the process is killed.
import { parseKeyNumber } from '../access/key-number.ts'
import type { Clock } from '../clock.ts'
import { isErrno } from '../errno.ts'
import { monthNumber, monthStartMillis } from './quota-cells.ts'
import { openSegment, type Segment } from './segment.ts'
import { chargeSlot, FIRST_SLOT, SLOTS_PER_EXTENT, writeSlotOwner } from './slots.ts'
import { utcDayOf, utcDayStartMillis } from './utc-day.ts'

/** Where a meter writes. */
export interface MeterPlace {
  /** Folder of all segments. */
  readonly folder: string
  /** The data thread's number, from 0. */
  readonly ordinal: number
  /** The last UTC day this writer has charged to, as the ledger knows it; its days never go back. */
  readonly lastUtcDay: number
}

/** What a charge's day follows from. */
export interface ChargeTime {
  /** When the call was admitted, in milliseconds after 1970. */
  readonly atMillis: number
  /** The month its units were taken of (quota-cells.ts): another thread may have begun it already. */
  readonly month: bigint
}

/** Counts one data thread's units. */
export class Meter {
  private readonly segment: Segment
  private readonly clock: Clock
  /** Slots found in the file, by day and key number: a restarted thread goes on where it was. */
  private readonly slotsFound = new Map<string, number>()
  /** Slots of the day being charged, by key id. */
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

  /** The month that the day charged to lies in, as quota cells count it. */
  get month(): bigint {
    return this.monthCharged
  }

  /**
   * Adds units to a key, on the latest of the charge's day, the last day charged to, and the first of the month that
   * the units were taken of. Throws where a new slot is needed and the disk is full; nothing is charged then.
   */
  charge(keyId: string, units: number, at: ChargeTime = this.now()): void {
    this.advance(at)
    const slot = this.slotsOfDay.get(keyId) ?? this.openSlot(keyId)
    const extent = this.segment.extentOf(slot)
    if (extent === undefined) throw new Error(`slot ${slot} lies outside the segment`)
    chargeSlot(extent, slot % SLOTS_PER_EXTENT, { units, nowMillis: at.atMillis })
  }

  /** Whether units of this key can be stored: finds its slot of the day, or makes it. False where the disk refuses. */
  canCharge(keyId: string, at: ChargeTime = this.now()): boolean {
    this.advance(at)
    if (this.slotsOfDay.has(keyId)) return true
    try {
      this.openSlot(keyId)
      return true
    } catch (error) {
      if (isErrno(error, 'ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS')) return false
      throw error
    }
  }

  private now(): ChargeTime {
    return { atMillis: this.clock.nowMillis(), month: this.monthCharged }
  }

  /** Goes on to another day where it is time; never back. */
  private advance({ atMillis, month }: ChargeTime): void {
    if (atMillis >= this.dayEndMillis) this.openDay(utcDayOf(atMillis))
    if (month > this.monthCharged) this.openDay(utcDayOf(monthStartMillis(month)))
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
    if (extent === undefined) throw new Error(`the segment did not grow to slot ${slot}`)
    writeSlotOwner(extent, slot % SLOTS_PER_EXTENT, { keyNumber, utcDay: this.utcDay })
    this.nextSlot++
    return slot
  }
}
