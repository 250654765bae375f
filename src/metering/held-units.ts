// What one data thread has reserved for answers that come later, in memory that the control thread sees: where the thread
// dies before they do, their units are given back. Only such answers are noted: all others are done with in one go.
import { CELL_COUNT, monthOfCell, type QuotaCells, toCell, unitsOfCell } from './limit-cells.ts'

/** Memory for one thread's notes; untouched pages cost nothing. */
export function allocateHeldUnits(): SharedArrayBuffer {
  return new SharedArrayBuffer(CELL_COUNT * BigInt64Array.BYTES_PER_ELEMENT)
}

/** The notes of one thread, which alone writes them while it lives: by cell, as quota cells have them, month and units. */
export class HeldUnits {
  private readonly cells: BigInt64Array

  constructor(memory: SharedArrayBuffer) {
    this.cells = new BigInt64Array(memory)
  }

  /** Units of a month are reserved. Those of the month before need no notes any more: no call is allowed by them. */
  hold(cell: number, units: bigint, month: bigint): void {
    const before = Atomics.load(this.cells, cell)
    const base = monthOfCell(before) < month ? 0n : unitsOfCell(before)
    if (monthOfCell(before) <= month) Atomics.store(this.cells, cell, toCell(month, base + units))
  }

  /** They are about to be charged or given back by the thread itself. */
  settle(cell: number, units: bigint, month: bigint): void {
    const before = Atomics.load(this.cells, cell)
    if (monthOfCell(before) === month) Atomics.store(this.cells, cell, toCell(month, unitsOfCell(before) - units))
  }

  /** The thread is dead: gives back what it still held. */
  giveBack(quota: QuotaCells): void {
    for (let cell = 0; cell < this.cells.length; cell++) {
      const held = Atomics.load(this.cells, cell)
      if (held === 0n) continue
      quota.release(cell, unitsOfCell(held), monthOfCell(held))
      Atomics.store(this.cells, cell, 0n)
    }
  }
}
