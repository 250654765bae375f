// Cells in memory that all threads share. A quota cell holds the units that an account used in a period. A rate cell,
// called a bucket, limits the request rate of an account or address. Each reservation is one compare-and-swap, so two
// threads cannot reserve the same units. The cells only enforce limits; the slots (slots.ts) record the usage.

import { DAY_MILLIS } from './utc-day.ts'

/**
 * Maximum number of accounts, and the number of address buckets. Each cell takes eight bytes; pages that are never
 * written use no memory.
 */
export const CELL_COUNT = 1 << 20
/**
 * Byte offset of the last value, after all cells: the latest UTC day (days since 1970-01-01) to which any thread has
 * charged units.
 */
const LAST_DAY_AT = CELL_COUNT * BigInt64Array.BYTES_PER_ELEMENT
/**
 * The lower 48 bits of a cell are the units used and reserved in a period. The bits above are the period number, which
 * never decreases.
 */
const UNIT_BITS = 48n
const UNIT_MASK = (1n << UNIT_BITS) - 1n
const HALF_BITS = 32
const HALF_END = 2 ** HALF_BITS
/** The lowest 16 bits of a cell's upper half are the highest bits of the units; the bits above are the period. */
const UPPER_UNITS_END = 2 ** 16
/** Maximum number of units in a period. As a limit, this value means that there is no limit. */
export const NO_LIMIT = UNIT_MASK

/** Allocates memory for the quota cells of all accounts, or for the buckets of all accounts or addresses. */
export function allocateCells(): SharedArrayBuffer {
  return new SharedArrayBuffer(LAST_DAY_AT + BigInt64Array.BYTES_PER_ELEMENT)
}

/** The UTC month of an instant, as months since January of year 0. Cells use this number as their period. */
export function monthNumber(millis: number): bigint {
  const date = new Date(millis)
  return BigInt(date.getUTCFullYear() * 12 + date.getUTCMonth())
}

/** Start of a month, in Unix milliseconds. @param month as returned by `monthNumber` */
export function monthStartMillis(month: bigint): number {
  return Date.UTC(Math.floor(Number(month) / 12), Number(month) % 12, 1)
}

/** The units in a cell's value. */
export function unitsOfCell(value: bigint): bigint {
  return value & UNIT_MASK
}

/** The period in a cell's value. */
export function periodOfCell(value: bigint): bigint {
  return value >> UNIT_BITS
}

/** Makes a cell's value from its period and units. */
export function toCell(period: bigint, units: bigint): bigint {
  return (period << UNIT_BITS) + units
}

/** One thread's access to the quota cells. */
export class QuotaCells {
  private readonly cells: BigInt64Array
  /** The same memory as `cells`: the lower and the upper half of each cell. */
  private readonly halves: Int32Array
  private readonly lastDay: Int32Array
  /** The period passed to the last `take`. */
  private period = 0n
  /** Upper half of an unused cell in `period`. */
  private unusedUpper = 0

  constructor(memory: SharedArrayBuffer) {
    this.cells = new BigInt64Array(memory, 0, CELL_COUNT)
    this.halves = new Int32Array(memory, 0, CELL_COUNT * 2)
    this.lastDay = new Int32Array(memory, LAST_DAY_AT, 1)
  }

  /**
   * The time that determines the period in which units count. It is the current time or, if the clock was set back, the
   * start of the latest day to which any thread has charged. All threads derive the period from this time, so they use
   * the same period.
   */
  ledgerMillis(nowMillis: number): number {
    return Math.max(nowMillis, Atomics.load(this.lastDay, 0) * DAY_MILLIS)
  }

  /** Makes all threads charge units to this UTC day or a later one. */
  advanceTo(utcDay: number): void {
    for (;;) {
      const before = Atomics.load(this.lastDay, 0)
      if (before >= utcDay || Atomics.compareExchange(this.lastDay, 0, before, utcDay) === before) return
    }
  }

  /**
   * Does what `reserve` does, in a fifth of the time, but only in the common case. Returns the units used in the cell's
   * period, including the new ones. In four cases, returns undefined and takes no units: the cell counts another
   * period, too few units are left, the sum does not fit into the lower half of the cell, or another thread changed the
   * cell meanwhile.
   *
   * Only the lower half of the cell is compared and exchanged. Another thread may begin a new period meanwhile, and the
   * lower half may happen to have the same value again. The units then count in the new period. The bill is not
   * affected.
   */
  take(cell: number, units: number, period: bigint, limit: number): number | undefined {
    if (period !== this.period) {
      this.period = period
      this.unusedUpper = Number(BigInt.asIntN(HALF_BITS, toCell(period, 0n) >> BigInt(HALF_BITS)))
    }
    const { halves } = this
    const lower = Atomics.load(halves, cell * 2)
    const usedUpper = Atomics.load(halves, cell * 2 + 1) - this.unusedUpper
    if (usedUpper < 0 || usedUpper >= UPPER_UNITS_END) return undefined
    const usedLower = lower >>> 0
    const after = usedLower + units
    const used = usedUpper * HALF_END + after
    if (after >= HALF_END || used > limit) return undefined
    return Atomics.compareExchange(halves, cell * 2, lower, after | 0) === lower ? used : undefined
  }

  /**
   * Reserves units in a period unless the used units would exceed `limit`. Returns the new value of the cell, or
   * undefined if the limit would be exceeded. If the cell still counts an earlier period, its old units are dropped. If
   * another thread has begun a later period, the units count in the later period.
   */
  reserve(cell: number, units: bigint, at: { readonly period: bigint; readonly limit: bigint }): bigint | undefined {
    for (;;) {
      const before = Atomics.load(this.cells, cell)
      const base = before >> UNIT_BITS < at.period ? at.period << UNIT_BITS : before
      const after = base + units
      if ((base & UNIT_MASK) + units > at.limit) return undefined
      if (Atomics.compareExchange(this.cells, cell, before, after) === before) return after
    }
  }

  /** Releases units that were reserved in a period but not charged. Does nothing if the cell counts another period. */
  release(cell: number, units: bigint, period: bigint): void {
    for (;;) {
      const before = Atomics.load(this.cells, cell)
      if (before >> UNIT_BITS !== period) return
      const after = before - ((before & UNIT_MASK) < units ? before & UNIT_MASK : units)
      if (Atomics.compareExchange(this.cells, cell, before, after) === before) return
    }
  }

  /** The period whose units a cell counts now. */
  periodCounted(cell: number): bigint {
    return periodOfCell(Atomics.load(this.cells, cell))
  }

  /**
   * Reserves all units that are left below the limit in a period. Returns their number, or 0 if a later period has
   * begun.
   */
  takeRest(cell: number, { period, limit }: { readonly period: bigint; readonly limit: bigint }): bigint {
    for (;;) {
      const before = Atomics.load(this.cells, cell)
      if (before >> UNIT_BITS > period) return 0n
      const used = before >> UNIT_BITS < period ? 0n : before & UNIT_MASK
      if (used >= limit) return 0n
      if (Atomics.compareExchange(this.cells, cell, before, toCell(period, limit)) === before) return limit - used
    }
  }

  /** The units used and reserved in a period, or in the later period if another thread has begun one. */
  used(cell: number, period: bigint): bigint {
    const value = Atomics.load(this.cells, cell)
    return value >> UNIT_BITS < period ? 0n : value & UNIT_MASK
  }

  /** Initializes a cell with the units that were already counted. Must be called before any thread reserves units. */
  seed(cell: number, units: number, period: bigint): void {
    Atomics.store(this.cells, cell, toCell(period, BigInt(units)))
  }
}

/** Assigns a cell to each account. An account's cell never changes and is never reused. */
export class CellNumbers {
  private readonly numbers = new Map<string, number>()

  /** The number of an account's cell. Throws if the process has no free cell left. */
  of(accountId: string): number {
    return this.numbers.getOrInsertComputed(accountId, () => {
      if (this.numbers.size >= CELL_COUNT)
        throw new Error(`this process already serves ${CELL_COUNT} accounts, the maximum`)
      return this.numbers.size
    })
  }
}

const MICROS_PER_SECOND = 1_000_000

/** A rate limit: a sustained rate, and the number of requests allowed at once. */
export interface Rate {
  readonly perSecond: number
  /** Number of requests allowed at once; at least 1. */
  readonly burst: number
}

/** The result of taking a request from a bucket. */
export interface RateReading {
  readonly isAllowed: boolean
  /** Number of requests that would be allowed right after this request. */
  readonly left: number
  /**
   * Seconds, rounded up, until the bucket is full or, if the request was refused, until the next request is allowed.
   */
  readonly seconds: number
}

/**
 * One thread's access to the buckets. A bucket is stored as the time at which it will be full again, so it never has to
 * be refilled or removed. This is GCRA, the generic cell rate algorithm.
 */
export class RateCells {
  private readonly cells: BigInt64Array
  private readonly mostDebtMicros: number

  /**
   * @param mostDebtMicros the longest time, in microseconds, by which `move` may overdraw a bucket. If a bucket is
   * overdrawn by more than that, the clock was set back
   */
  constructor(memory: SharedArrayBuffer, mostDebtMicros = 0) {
    this.cells = new BigInt64Array(memory)
    this.mostDebtMicros = mostDebtMicros
  }

  /** Takes one request from a bucket. @param nowMicros the time in microseconds, on a clock that all threads share */
  take(cell: number, { perSecond, burst }: Rate, nowMicros: number): RateReading {
    const interval = MICROS_PER_SECOND / perSecond
    const depth = interval * burst
    for (;;) {
      const before = Atomics.load(this.cells, cell)
      const emptiest = nowMicros + depth
      if (Number(before) > emptiest + this.mostDebtMicros + 1) {
        // The clock was set back, so the state of the bucket is unknown. The bucket is filled, so that no request is
        // wrongly refused.
        Atomics.compareExchange(this.cells, cell, before, BigInt(Math.ceil(nowMicros)))
        continue
      }
      const after = Math.max(Number(before), nowMicros) + interval
      if (after - nowMicros > depth + 1) {
        return { isAllowed: false, left: 0, seconds: toSeconds(after - depth - nowMicros) }
      }
      if (Atomics.compareExchange(this.cells, cell, before, BigInt(Math.ceil(after))) === before) {
        const left = Math.floor((nowMicros + depth - after) / interval + 1e-6)
        return { isAllowed: true, left: Math.max(0, left), seconds: toSeconds(after - nowMicros) }
      }
    }
  }

  /** Takes from a bucket the requests that other replicas allowed. May overdraw the bucket by `mostDebtMicros`. */
  move(
    cell: number,
    { perSecond, burst }: Rate,
    { requests, nowMicros }: { requests: number; nowMicros: number },
  ): void {
    const interval = MICROS_PER_SECOND / perSecond
    const lowest = nowMicros + interval * burst + this.mostDebtMicros
    for (;;) {
      const before = Atomics.load(this.cells, cell)
      const after = Math.min(lowest, Math.max(Number(before), nowMicros) + requests * interval)
      if (Atomics.compareExchange(this.cells, cell, before, BigInt(Math.ceil(after))) === before) return
    }
  }

  /** The number of requests by which a bucket is below full, rounded up. */
  missing(cell: number, { perSecond }: Rate, nowMicros: number): number {
    const micros = Number(Atomics.load(this.cells, cell)) - nowMicros
    return Math.max(0, Math.ceil((micros * perSecond) / MICROS_PER_SECOND))
  }
}

function toSeconds(micros: number): number {
  return Math.max(1, Math.ceil(micros / MICROS_PER_SECOND))
}

/**
 * The number of an address's bucket. The hash is keyed, so that nobody can find an address that shares a victim's
 * bucket.
 */
export function cellOfAddress(address: string, seed: bigint): number {
  return Number(Bun.hash.wyhash(address, seed) & BigInt(CELL_COUNT - 1))
}
