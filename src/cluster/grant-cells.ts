// What the control thread tells the data threads of a replica about units, in shared memory:
//
//   deadline      f64          system time from which nothing may be charged: the database was silent for too long
//   limits        i64 × 2      by cell and by even and odd months: month and units, as in a quota cell
//   elsewhere     f64          by cell: what the account used at other replicas, less what this one gave back, so that
//                              units of the month = units taken here + elsewhere
//
// `taken` of a quota cell counts units used, reserved and given back by this process; it may not exceed the limit. A limit
// only grows within a month: units that are given back are taken from the cell first, so no thread can spend them.
import { CELL_COUNT, monthOfCell, toCell, unitsOfCell } from '../metering/limit-cells.ts'

const LIMITS_AT = Float64Array.BYTES_PER_ELEMENT
const ELSEWHERE_AT = LIMITS_AT + 2 * CELL_COUNT * BigInt64Array.BYTES_PER_ELEMENT

/** Memory for all accounts; untouched pages cost nothing. */
export function allocateGrantCells(): SharedArrayBuffer {
  return new SharedArrayBuffer(ELSEWHERE_AT + CELL_COUNT * Float64Array.BYTES_PER_ELEMENT)
}

/** One thread's view; only the control thread writes. */
export class GrantCells {
  private readonly deadline: Float64Array
  private readonly limits: BigInt64Array
  private readonly elsewhere: Float64Array

  constructor(memory: SharedArrayBuffer) {
    this.deadline = new Float64Array(memory, 0, 1)
    this.limits = new BigInt64Array(memory, LIMITS_AT, 2 * CELL_COUNT)
    this.elsewhere = new Float64Array(memory, ELSEWHERE_AT, CELL_COUNT)
  }

  /** Unix milliseconds (system time) from which nothing may be charged. */
  get deadlineMillis(): number {
    return this.deadline[0] ?? 0
  }

  set deadlineMillis(millis: number) {
    this.deadline[0] = millis
  }

  /** Units that may be taken from a cell in a month. */
  limit(cell: number, month: bigint): number {
    const value = Atomics.load(this.limits, placeOf(cell, month))
    return monthOfCell(value) === month ? Number(unitsOfCell(value)) : 0
  }

  /** Raises a cell's limit, or begins a later month. */
  raiseLimit(cell: number, month: bigint, units: number): void {
    const place = placeOf(cell, month)
    const before = Atomics.load(this.limits, place)
    const after = toCell(month, BigInt(units))
    if (after > before) Atomics.store(this.limits, place, after)
  }

  /** Units of the account that its cell does not count; may be negative. */
  unitsElsewhere(cell: number): number {
    return this.elsewhere[cell]
  }

  setUnitsElsewhere(cell: number, units: number): void {
    this.elsewhere[cell] = units
  }
}

function placeOf(cell: number, month: bigint): number {
  return 2 * cell + Number(month & 1n)
}
