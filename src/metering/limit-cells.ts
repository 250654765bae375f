// The limits of calls, in memory that all data threads share: what every account has used and reserved this month, and how
// fast accounts and addresses ask. One compare-and-swap decides, so that no two threads ever grant the same last units.
// The cells only set limits; the slots are the record.

import { DAY_MILLIS } from './utc-day.ts'

/** Accounts one process can tell apart, and buckets of addresses; eight bytes each, of which untouched pages cost nothing. */
export const CELL_COUNT = 1 << 20
/** Behind the cells of accounts: the last day that any thread charges to, days after 1970. */
const LAST_DAY_AT = CELL_COUNT * BigInt64Array.BYTES_PER_ELEMENT
/** A cell: the month, counted from year 0, above the units used and reserved in it. */
const UNIT_BITS = 48n
const UNIT_MASK = (1n << UNIT_BITS) - 1n
const UNITS_END = 2 ** 48
/** Most units a month can hold: no limit. */
export const NO_LIMIT = UNIT_MASK

/** Memory for a cell of each account, or a bucket of each account or address; made once, by the control thread. */
export function allocateCells(): SharedArrayBuffer {
  return new SharedArrayBuffer(LAST_DAY_AT + BigInt64Array.BYTES_PER_ELEMENT)
}

/** A month as cells count it: from year 0. */
export function monthNumber(millis: number): bigint {
  const date = new Date(millis)
  return BigInt(date.getUTCFullYear() * 12 + date.getUTCMonth())
}

/** The first instant of such a month, in milliseconds after 1970. */
export function monthStartMillis(month: bigint): number {
  return Date.UTC(Math.floor(Number(month) / 12), Number(month) % 12, 1)
}

/** The units a cell's value tells. */
export function unitsOfCell(value: bigint): bigint {
  return value & UNIT_MASK
}

/** The month they are of. */
export function monthOfCell(value: bigint): bigint {
  return value >> UNIT_BITS
}

/** A cell's value. */
export function toCell(month: bigint, units: bigint): bigint {
  return (month << UNIT_BITS) + units
}

/** One thread's hold on the cells. */
export class QuotaCells {
  private readonly cells: BigInt64Array
  private readonly lastDay: Int32Array
  /** The month that was taken of last, and a cell's value before anything is used in it. */
  private month = 0n
  private unused = 0n

  constructor(memory: SharedArrayBuffer) {
    this.cells = new BigInt64Array(memory, 0, CELL_COUNT)
    this.lastDay = new Int32Array(memory, LAST_DAY_AT, 1)
  }

  /**
   * The instant by which units are counted: now, or the start of the last day that any thread has charged to, if the
   * clock was set back before it. All threads read the month off this, so that they name the same one.
   */
  ledgerMillis(nowMillis: number): number {
    return Math.max(nowMillis, Atomics.load(this.lastDay, 0) * DAY_MILLIS)
  }

  /** Units are charged to this UTC day, or to a later one, from now on. */
  goOn(utcDay: number): void {
    for (;;) {
      const before = Atomics.load(this.lastDay, 0)
      if (before >= utcDay || Atomics.compareExchange(this.lastDay, 0, before, utcDay) === before) return
    }
  }

  /**
   * What nearly every call comes to, in half the time of `reserve`: takes units of the month the cell is in. The units
   * used then; undefined, and nothing is taken, where it is in another month, has no room, or another thread came first.
   */
  take(cell: number, units: number, month: bigint, limit: number): number | undefined {
    if (month !== this.month) {
      this.month = month
      this.unused = toCell(month, 0n)
    }
    const before = Atomics.load(this.cells, cell)
    const used = Number(before - this.unused) // exact where it is of this month: 48 bits
    if (used < 0 || used >= UNITS_END || used + units > limit) return undefined
    return Atomics.compareExchange(this.cells, cell, before, before + BigInt(units)) === before
      ? used + units
      : undefined
  }

  /**
   * Takes units of a month where no more than `limit` are used then; the cell as it then is, or undefined where it is
   * too many. A month that has passed in the cell is left behind; one that another thread has begun already counts.
   */
  reserve(cell: number, units: bigint, at: { readonly month: bigint; readonly limit: bigint }): bigint | undefined {
    for (;;) {
      const before = Atomics.load(this.cells, cell)
      const base = before >> UNIT_BITS < at.month ? at.month << UNIT_BITS : before
      const after = base + units
      if ((base & UNIT_MASK) + units > at.limit) return undefined
      if (Atomics.compareExchange(this.cells, cell, before, after) === before) return after
    }
  }

  /** Gives units back that were reserved in a month and not charged; nothing where the month has passed. */
  release(cell: number, units: bigint, month: bigint): void {
    for (;;) {
      const before = Atomics.load(this.cells, cell)
      if (before >> UNIT_BITS !== month) return
      const after = before - ((before & UNIT_MASK) < units ? before & UNIT_MASK : units)
      if (Atomics.compareExchange(this.cells, cell, before, after) === before) return
    }
  }

  /** Units used and reserved in a month, or in a later one that another thread has begun already. */
  used(cell: number, month: bigint): bigint {
    const value = Atomics.load(this.cells, cell)
    return value >> UNIT_BITS < month ? 0n : value & UNIT_MASK
  }

  /** Puts what the ledger knows of a month into a cell, before any thread takes units from it. */
  seed(cell: number, units: number, month: bigint): void {
    Atomics.store(this.cells, cell, toCell(month, BigInt(units)))
  }
}

/** Numbers accounts by the cells they have; a number is never given twice. */
export class CellNumbers {
  private readonly numbers = new Map<string, number>()

  /** The cell of an account. Throws where a process has no more of them. */
  of(accountId: string): number {
    return this.numbers.getOrInsertComputed(accountId, () => {
      if (this.numbers.size >= CELL_COUNT) throw new Error(`one process serves ${CELL_COUNT} accounts at most`)
      return this.numbers.size
    })
  }
}

const MICROS_PER_SECOND = 1_000_000

/** A sustained rate and what may come at once. */
export interface Rate {
  readonly perSecond: number
  /** At least 1. */
  readonly burst: number
}

/** What a bucket said. */
export interface RateReading {
  readonly isAllowed: boolean
  /** Requests that may come right after this one. */
  readonly left: number
  /** Until the bucket is full again; if the request was refused, until the next one is allowed. Seconds, rounded up. */
  readonly seconds: number
}

/**
 * One thread's hold on the buckets: each is kept as the instant at which it is full again (GCRA), so that nothing has to be
 * refilled or swept.
 */
export class RateCells {
  private readonly cells: BigInt64Array

  constructor(memory: SharedArrayBuffer) {
    this.cells = new BigInt64Array(memory)
  }

  /** Takes one request out of a bucket. @param nowMicros the same clock on every thread, in microseconds */
  take(cell: number, { perSecond, burst }: Rate, nowMicros: number): RateReading {
    const interval = MICROS_PER_SECOND / perSecond
    const depth = interval * burst
    for (;;) {
      const before = Atomics.load(this.cells, cell)
      const emptiest = nowMicros + depth
      if (Number(before) > emptiest + 1) {
        // The clock was set back: the bucket is empty, but no emptier than that.
        Atomics.compareExchange(this.cells, cell, before, BigInt(Math.ceil(emptiest)))
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
}

function toSeconds(micros: number): number {
  return Math.max(1, Math.ceil(micros / MICROS_PER_SECOND))
}

/** The bucket of an address: one of very many, by a hash that nobody outside can aim. */
export function cellOfAddress(address: string, seed: bigint): number {
  return Number(Bun.hash.wyhash(address, seed) & BigInt(CELL_COUNT - 1))
}
