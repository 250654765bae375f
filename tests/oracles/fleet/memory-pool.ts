// Shared memory for simulated processes. Each piece is as large as in the service, so it is allocated once and reused.
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

/** Bytes per cell in the three columns of the grant cells, see src/cluster/grant-cells.ts. */
const [LIMITS, ELSEWHERE, ADMITTED] = [
  2 * BigInt64Array.BYTES_PER_ELEMENT,
  Float64Array.BYTES_PER_ELEMENT,
  Int32Array.BYTES_PER_ELEMENT,
]
/** The head of new grant cells, before the columns. */
const HEAD = headOf(allocateGrantCells()).slice()

/** Takes memory from the pool, in the state in which a new process finds it. */
export function takeMemory(): ReplicaMemory {
  const memory = free.pop() ?? allocate()
  const { grantCells, quotaCells } = memory
  headOf(grantCells).set(HEAD)
  let columnAt = HEAD.length
  for (const cellBytes of [LIMITS, ELSEWHERE, ADMITTED]) {
    new Uint8Array(grantCells, columnAt, cellBytes * CELLS).fill(0)
    columnAt += cellBytes * CELL_COUNT
  }
  new Uint8Array(quotaCells, 0, 8 * CELLS).fill(0)
  new Uint8Array(quotaCells, CELL_COUNT * BigInt64Array.BYTES_PER_ELEMENT).fill(0)
  return memory
}

function headOf(grantCells: SharedArrayBuffer): Uint8Array {
  return new Uint8Array(grantCells, 0, grantCells.byteLength - CELL_COUNT * (LIMITS + ELSEWHERE + ADMITTED))
}

/** Returns the memory of a process to the pool. */
export function giveMemoryBack(memory: ReplicaMemory): void {
  free.push(memory)
}

function allocate(): ReplicaMemory {
  const [grantCells, quotaCells] = [allocateGrantCells(), allocateCells()]
  return { grantCells, quotaCells, cells: new GrantCells(grantCells), quota: new QuotaCells(quotaCells) }
}
