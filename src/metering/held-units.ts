// Records one data thread's reservations for pending responses in shared memory, so that the control thread can release
// them if the thread crashes. Other reservations begin and end within one turn of the event loop and are not recorded.
import { CELL_COUNT, periodOfCell, type QuotaCells, toCell, unitsOfCell } from './limit-cells.ts'

/** Allocates shared memory for one thread's records. Pages that are never written use no memory. */
export function allocateHeldUnits(): SharedArrayBuffer {
  return new SharedArrayBuffer(CELL_COUNT * BigInt64Array.BYTES_PER_ELEMENT)
}

/**
 * One thread's records: for each account's cell, the reserved units and their period. Only that thread writes its
 * records. If the thread crashes, the control thread clears them.
 */
export class HeldUnits {
  private readonly cells: BigInt64Array

  constructor(memory: SharedArrayBuffer) {
    this.cells = new BigInt64Array(memory)
  }

  /**
   * Records reserved units. Ignores units of a period earlier than the recorded period, because they no longer limit
   * any request.
   */
  hold(cell: number, units: bigint, period: bigint): void {
    const before = Atomics.load(this.cells, cell)
    const base = periodOfCell(before) < period ? 0n : unitsOfCell(before)
    if (periodOfCell(before) <= period) Atomics.store(this.cells, cell, toCell(period, base + units))
  }

  /** Removes units from the records. Called before the thread itself charges or releases them. */
  settle(cell: number, units: bigint, period: bigint): void {
    const before = Atomics.load(this.cells, cell)
    if (periodOfCell(before) === period) Atomics.store(this.cells, cell, toCell(period, unitsOfCell(before) - units))
  }

  /** Releases the units that a crashed thread had reserved. */
  giveBack(quota: QuotaCells): void {
    for (let cell = 0; cell < this.cells.length; cell++) {
      const held = Atomics.load(this.cells, cell)
      if (held === 0n) continue
      quota.release(cell, unitsOfCell(held), periodOfCell(held))
      Atomics.store(this.cells, cell, 0n)
    }
  }
}
