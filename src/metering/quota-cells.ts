// What every account has used and reserved this month, in memory that all data threads share: a call is allowed by one
// compare-and-swap, so that no two threads ever grant the same last units. It only sets limits; the slots are the record.

/** Accounts one process can tell apart; eight bytes each, of which untouched pages cost nothing. */
export const CELL_COUNT = 1 << 20
/** A cell: the month, counted from year 0, above the units used and reserved in it. */
const UNIT_BITS = 48n
const UNIT_MASK = (1n << UNIT_BITS) - 1n
const UNITS_END = 2 ** 48
/** Most units a month can hold: no limit. */
export const NO_LIMIT = UNIT_MASK

/** The shared memory, made once by the control thread. */
export function allocateQuotaCells(): SharedArrayBuffer {
  return new SharedArrayBuffer(CELL_COUNT * BigInt64Array.BYTES_PER_ELEMENT)
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
  /** The month that was taken of last, and a cell's value before anything is used in it. */
  private month = 0n
  private unused = 0n

  constructor(memory: SharedArrayBuffer) {
    this.cells = new BigInt64Array(memory)
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
