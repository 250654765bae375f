// The string pool: each distinct string is stored once and has a number. Strings are stored as UTF-8 bytes with
// offsets, so a pool is two columns of a snapshot, and a string is decoded only when it is needed.
import { type Column, columnArray, type Index, nextIndex, sealColumn } from './columns.ts'

/** The number of a string in a pool. 0 is always the empty string. */
export type StringIndex = Index<'String'>

/** The number of the empty string, in every pool. */
export const EMPTY_STRING = 0 as StringIndex

/** A pool to which no strings can be added. */
export interface StringPool {
  /** All strings as UTF-8, concatenated. */
  readonly bytes: Uint8Array
  /** String number → start of its bytes. One extra entry holds the end of the last string. */
  readonly offsets: Column<StringIndex>
}

// Keeps a byte-order mark at the start of a string, so that ids are not changed.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The string with this number. */
export function textOf(pool: StringPool, index: StringIndex): string {
  const start = pool.offsets[index]
  const end = pool.offsets[nextIndex(index)]
  return start === end ? '' : decoder.decode(pool.bytes.subarray(start, end))
}

/** Number of distinct strings in a pool. */
export function countTexts(pool: StringPool): number {
  return pool.offsets.length - 1
}

/**
 * Random for each process, so that nobody can write a feed whose strings all have the same hash. The seed does not
 * affect which number a string gets.
 */
const HASH_SEED = crypto.getRandomValues(new Int32Array(1))[0]
const HASH_PRIME = 0x01000193

/**
 * Builds a pool with a hash table of byte ranges (open addressing), so that a CSV field gets a number without creating
 * a JavaScript string. The bytes must be valid UTF-8; callers repair them first.
 */
export class StringPoolBuilder {
  private bytes = new Uint8Array(1 << 16)
  private byteCount = 0
  /**
   * String number → start of its bytes; only the first `textCount` + 1 entries are in use. This is a typed array and
   * not a GrowingColumn, because strings are compared for every CSV row and direct access is faster.
   */
  private offsets = new Uint32Array(1 << 12)
  private textCount = 0
  private table = new Uint32Array(1 << 13)
  private readonly encoder = new TextEncoder()

  constructor() {
    this.internText('')
  }

  /**
   * Creates a builder that starts with the strings of a pool. They keep their numbers, and the pool itself is not
   * changed.
   */
  static from(pool: StringPool): StringPoolBuilder {
    const builder = new StringPoolBuilder()
    const offsets = columnArray(pool.offsets)
    builder.bytes = new Uint8Array(Math.max(pool.bytes.length + (1 << 12), 1 << 16))
    builder.bytes.set(pool.bytes)
    builder.byteCount = pool.bytes.length
    builder.offsets = new Uint32Array(Math.max(offsets.length + (1 << 12), 1 << 12))
    builder.offsets.set(offsets)
    builder.textCount = offsets.length - 1
    builder.buildTable(2 ** Math.ceil(Math.log2(2 * offsets.length + 2)))
    return builder
  }

  get count(): number {
    return this.textCount
  }

  /**
   * The number of the string `source[start, end)`. A string that is not in the pool yet is added and gets the next
   * number.
   */
  internBytes(source: Uint8Array, start: number, end: number): StringIndex {
    let hash = HASH_SEED
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ source[i], HASH_PRIME)
    hash ^= hash >>> 15
    const mask = this.table.length - 1
    let slot = hash & mask
    for (;;) {
      const entry = this.table[slot]
      if (entry === 0) return this.add(source, { start, end, slot })
      if (this.equals(entry - 1, source, { start, end })) return (entry - 1) as StringIndex
      slot = (slot + 1) & mask
    }
  }

  /** Whether the string with this number equals `source[start, end)`. */
  matches(index: StringIndex, source: Uint8Array, range: { start: number; end: number }): boolean {
    return this.equals(index, source, range)
  }

  internText(text: string): StringIndex {
    const bytes = this.encoder.encode(text)
    return this.internBytes(bytes, 0, bytes.length)
  }

  /** The string with this number, while the pool is being built. */
  textOf(index: StringIndex): string {
    return decoder.decode(this.bytes.subarray(this.offsets[index], this.offsets[index + 1]))
  }

  seal(): StringPool {
    return {
      bytes: this.bytes.slice(0, this.byteCount),
      offsets: sealColumn(this.offsets.slice(0, this.textCount + 1)),
    }
  }

  private equals(index: number, source: Uint8Array, range: { start: number; end: number }): boolean {
    const { offsets, bytes } = this
    const from = offsets[index]
    const length = range.end - range.start
    if (offsets[index + 1] - from !== length) return false
    for (let i = 0; i < length; i++) {
      if (bytes[from + i] !== source[range.start + i]) return false
    }
    return true
  }

  private add(source: Uint8Array, at: { start: number; end: number; slot: number }): StringIndex {
    const length = at.end - at.start
    while (this.byteCount + length > this.bytes.length) {
      const wider = new Uint8Array(this.bytes.length * 2)
      wider.set(this.bytes)
      this.bytes = wider
    }
    for (let i = 0; i < length; i++) this.bytes[this.byteCount + i] = source[at.start + i]
    this.byteCount += length
    const index = this.count as StringIndex
    if (index + 1 === this.offsets.length) {
      const wider = new Uint32Array(this.offsets.length * 2)
      wider.set(this.offsets)
      this.offsets = wider
    }
    this.textCount = index + 1
    this.offsets[index + 1] = this.byteCount
    this.table[at.slot] = index + 1
    if ((index + 1) * 2 > this.table.length) this.buildTable(this.table.length * 2)
    return index
  }

  private buildTable(size: number): void {
    const table = new Uint32Array(size)
    const mask = table.length - 1
    for (let index = 0; index < this.count; index++) {
      let hash = HASH_SEED
      const end = this.offsets[index + 1]
      for (let i = this.offsets[index]; i < end; i++) {
        hash = Math.imul(hash ^ this.bytes[i], HASH_PRIME)
      }
      hash ^= hash >>> 15
      let slot = hash & mask
      while (table[slot] !== 0) slot = (slot + 1) & mask
      table[slot] = index + 1
    }
    this.table = table
  }
}
