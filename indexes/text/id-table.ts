// A hash table of ids with open addressing, in one column that a snapshot stores as it is. Several entries may have the
// same id.
import { columnArray, sealColumn, type TypedArray } from '../../loaders/columns.ts'

/**
 * The slots of the table: 0 if the slot is empty, otherwise the number of an entry plus one. The length is a power of
 * two, and at least a third of the slots are empty.
 */
export type IdTable = ReturnType<typeof sealColumn<number, number>>

/** An id as a range of bytes. */
export interface IdSpan {
  readonly bytes: ArrayLike<number>
  readonly start: number
  readonly end: number
}

/** 32-bit FNV-1a, followed by a final mix, because only the low bits choose a slot. */
function hashOf({ bytes, start, end }: IdSpan): number {
  let hash = 0x811c_9dc5
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x0100_0193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}

/** Builds the table for the entries 0 to `count` − 1. An entry with an empty span has no id. */
export function buildIdTable(count: number, spanOf: (number: number) => IdSpan): IdTable {
  let size = 1
  while (size * 2 < count * 3) size *= 2
  const slots = new Uint32Array(size)
  for (let number = 0; number < count; number++) {
    const span = spanOf(number)
    if (span.start === span.end) continue
    let slot = hashOf(span) & (size - 1)
    while (slots[slot] !== 0) slot = (slot + 1) & (size - 1)
    slots[slot] = number + 1
  }
  return sealColumn<number, number>(slots)
}

/**
 * Finds the first entry with an id, in insertion order; undefined if there is none. `isIt` must check whether an entry
 * has this id, because the table stores no ids.
 */
export function findById(table: IdTable, id: IdSpan, isIt: (number: number) => boolean): number | undefined {
  const slots: TypedArray = columnArray(table)
  const mask = slots.length - 1
  for (let slot = hashOf(id) & mask; ; slot = (slot + 1) & mask) {
    const number = slots[slot]
    if (number === 0) return undefined
    if (isIt(number - 1)) return number - 1
  }
}
