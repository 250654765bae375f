// Stores each distinct list of numbers once, and gives each list a number. Used for lists of stops, call types,
// stop_sequence values and distances. A feed has millions of calls, but only hundreds of distinct lists. Lists are
// compared number by number, because converting each list to a string would be slow.
import { GrowingColumn } from '../../loaders/columns.ts'

/**
 * Random in each process, so that nobody can write a feed in which the hashes of all lists collide. The numbers
 * assigned to lists do not depend on this seed.
 */
const HASH_SEED = crypto.getRandomValues(new Int32Array(1))[0]

/** A pool under construction; lists are numbered from 0 in order of first appearance. */
export class ListPool {
  private readonly values = new GrowingColumn(Uint32Array, 1 << 12)
  private readonly offsets = new GrowingColumn(Uint32Array, 1 << 8)
  private readonly hashes = new GrowingColumn(Uint32Array, 1 << 8)
  private table = new Uint32Array(1 << 9)

  constructor() {
    this.offsets.push(0)
  }

  /** Number of distinct lists. */
  get count(): number {
    return this.offsets.length - 1
  }

  /** The number of the list `source[0, length)`; assigns a new number on first use. */
  intern(source: Uint32Array, length: number): number {
    let hash = length ^ HASH_SEED
    for (let i = 0; i < length; i++) {
      hash = Math.imul(hash ^ source[i], 0x9e3779b1)
      hash ^= hash >>> 15
    }
    hash >>>= 0
    const mask = this.table.length - 1
    let slot = hash & mask
    for (;;) {
      const entry = this.table[slot]
      if (entry === 0) return this.add(source, { length, hash, slot })
      if (this.hashes.at(entry - 1) === hash && this.equals(entry - 1, source, length)) return entry - 1
      slot = (slot + 1) & mask
    }
  }

  /** Start of a list in `allValues()`. */
  start(list: number): number {
    return this.offsets.at(list)
  }

  /** Length of a list. */
  length(list: number): number {
    return this.offsets.at(list + 1) - this.offsets.at(list)
  }

  /** The values of a list, as a view. Do not use the view after the next `intern`, which may reallocate the memory. */
  list(list: number): Uint32Array {
    return this.values.view().subarray(this.offsets.at(list), this.offsets.at(list + 1))
  }

  /** A copy of all lists, concatenated into one array. */
  allValues(): Uint32Array<ArrayBuffer> {
    return this.values.view().slice()
  }

  private equals(list: number, source: Uint32Array, length: number): boolean {
    const from = this.offsets.at(list)
    if (this.offsets.at(list + 1) - from !== length) return false
    for (let i = 0; i < length; i++) {
      if (this.values.at(from + i) !== source[i]) return false
    }
    return true
  }

  private add(source: Uint32Array, at: { length: number; hash: number; slot: number }): number {
    for (let i = 0; i < at.length; i++) this.values.push(source[i])
    const list = this.count
    this.offsets.push(this.values.length)
    this.hashes.push(at.hash)
    this.table[at.slot] = list + 1
    if ((list + 1) * 2 > this.table.length) this.rehash()
    return list
  }

  private rehash(): void {
    const table = new Uint32Array(this.table.length * 2)
    const mask = table.length - 1
    for (let list = 0; list < this.count; list++) {
      let slot = this.hashes.at(list) & mask
      while (table[slot] !== 0) slot = (slot + 1) & mask
      table[slot] = list + 1
    }
    this.table = table
  }
}

/** Compares two lists value by value. A list that is the start of another comes first. */
export function compareLists(a: Uint32Array, b: Uint32Array): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    if (a[i] !== b[i]) return a[i] - b[i]
  }
  return a.length - b.length
}
