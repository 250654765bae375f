// Shared memory for simulated processes. Each piece has the same size as in the service, so it is allocated once and
// reused.
import { allocateGrantCells, GrantCells } from '../../../src/cluster/grant-cells.ts'
import type { UnitMemory } from '../../../src/cluster/holding.ts'
import { allocateCells, CELL_COUNT, QuotaCells } from '../../../src/metering/limit-cells.ts'

/** At least as many cells as any history uses. Only these cells are cleared before the memory is reused. */
const CELLS = 4

/** The memory of one process. */
export interface ReplicaMemory extends UnitMemory {
  readonly grantCells: SharedArrayBuffer
  readonly quotaCells: SharedArrayBuffer
}

const free: ReplicaMemory[] = []

/** Takes memory from the pool, cleared for a new process. */
export function takeMemory(): ReplicaMemory {
  const memory = free.pop() ?? allocate()
  const { grantCells, quotaCells } = memory
  const elsewhereAt = grantCells.byteLength - CELL_COUNT * Float64Array.BYTES_PER_ELEMENT
  new Uint8Array(grantCells, 0, 8 + 16 * CELLS).fill(0)
  new Uint8Array(grantCells, elsewhereAt, 8 * CELLS).fill(0)
  new Uint8Array(quotaCells, 0, 8 * CELLS).fill(0)
  new Uint8Array(quotaCells, CELL_COUNT * BigInt64Array.BYTES_PER_ELEMENT).fill(0)
  return memory
}

/** Returns the memory of a process to the pool. */
export function giveMemoryBack(memory: ReplicaMemory): void {
  free.push(memory)
}

function allocate(): ReplicaMemory {
  const [grantCells, quotaCells] = [allocateGrantCells(), allocateCells()]
  return { grantCells, quotaCells, cells: new GrantCells(grantCells), quota: new QuotaCells(quotaCells) }
}
