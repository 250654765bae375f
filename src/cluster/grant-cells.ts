// The units that a replica's control thread makes available to its data threads, in shared memory. Each account has a
// cell.
//
//   deadline   f64      system time from which nothing may be charged, unless the database responds before
//   share      f64      the part of each account's rate that this replica admits: 1, or less without the database
//   replicas   f64      number of replicas
//   limits     i64 × 2  by cell, one for even and one for odd months: month and units, as in a quota cell
//   elsewhere  f64      by cell: units used by the account on other replicas minus units returned by this replica;
//                       `taken` + `elsewhere` is the account's total for the month
//   admitted   i32      by cell: for an account with a rate, how many requests this process admitted; wraps around
//
// `taken` is a number in the account's quota cell. It counts the units that this process has used, reserved or
// returned, and must not exceed the limit. A limit only grows within a month. Before units are returned to the
// database, they are added to `taken`, so that no thread can spend them.
import { CELL_COUNT, periodOfCell, toCell, unitsOfCell } from '../metering/limit-cells.ts'

const HEAD_COUNT = 3
const LIMITS_AT = HEAD_COUNT * Float64Array.BYTES_PER_ELEMENT
const ELSEWHERE_AT = LIMITS_AT + 2 * CELL_COUNT * BigInt64Array.BYTES_PER_ELEMENT
const ADMITTED_AT = ELSEWHERE_AT + CELL_COUNT * Float64Array.BYTES_PER_ELEMENT

/** Allocates the memory for all accounts. Pages that are never written cost nothing. */
export function allocateGrantCells(): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(ADMITTED_AT + CELL_COUNT * Int32Array.BYTES_PER_ELEMENT)
  new Float64Array(memory, 0, HEAD_COUNT).set([0, 1, 1])
  return memory
}

/**
 * One thread's view of the shared memory. Only the control thread writes to it, except that data threads call
 * `countAdmitted`.
 */
export class GrantCells {
  private readonly head: Float64Array
  private readonly limits: BigInt64Array
  private readonly elsewhere: Float64Array
  private readonly admittedOf: Int32Array

  constructor(memory: SharedArrayBuffer) {
    this.head = new Float64Array(memory, 0, HEAD_COUNT)
    this.limits = new BigInt64Array(memory, LIMITS_AT, 2 * CELL_COUNT)
    this.elsewhere = new Float64Array(memory, ELSEWHERE_AT, CELL_COUNT)
    this.admittedOf = new Int32Array(memory, ADMITTED_AT, CELL_COUNT)
  }

  /** The system time, in Unix milliseconds, from which nothing may be charged. */
  get deadlineMillis(): number {
    return this.head[0]
  }

  set deadlineMillis(millis: number) {
    this.head[0] = millis
  }

  /** The share of each account's rate that this replica admits, from 0 to 1. */
  get rateShare(): number {
    return this.head[1]
  }

  /** How many replicas there are. */
  get replicaCount(): number {
    return this.head[2]
  }

  setReplicas(count: number, rateShare: number): void {
    this.head[1] = rateShare
    this.head[2] = count
  }

  /** Counts an admitted request from an account that has a rate. */
  countAdmitted(cell: number): void {
    Atomics.add(this.admittedOf, cell, 1)
  }

  /**
   * The number of admitted requests. It wraps around, so only use the difference between two counts, as a 32-bit
   * integer.
   */
  admitted(cell: number): number {
    return Atomics.load(this.admittedOf, cell)
  }

  /** Total number of units that may be taken from a cell in a month. */
  limit(cell: number, month: bigint): number {
    const value = Atomics.load(this.limits, placeOf(cell, month))
    return periodOfCell(value) === month ? Number(unitsOfCell(value)) : 0
  }

  /** Raises a cell's limit for a month, or replaces the limit for an earlier month. */
  raiseLimit(cell: number, month: bigint, units: number): void {
    const place = placeOf(cell, month)
    const before = Atomics.load(this.limits, place)
    const after = toCell(month, BigInt(units))
    if (after > before) Atomics.store(this.limits, place, after)
  }

  /** The units to add to `taken` to get the units that the account has used this month; may be negative. */
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
