// Gives a number to each word that a loader needs. Words are found by their bytes: each string in a block is looked up
// once, and tags are then compared as numbers.

const HASH_PRIME = 0x01000193
/** Number of a string that is not in the table. */
export const UNKNOWN_WORD = 0

/** A fixed set of distinct words. */
export class WordTable {
  /** The highest word number, plus one. */
  readonly size: number
  private readonly slots: Uint16Array
  private readonly starts: Uint32Array
  private readonly bytes: Uint8Array
  private readonly longest: number
  private readonly numbers = new Map<string, number>()

  constructor(words: readonly string[]) {
    this.size = words.length + 1
    const encoded = words.map((word) => new TextEncoder().encode(word))
    this.longest = Math.max(0, ...encoded.map(({ length }) => length))
    this.slots = new Uint16Array(2 ** Math.ceil(Math.log2(4 * words.length + 4)))
    this.starts = new Uint32Array(words.length + 2)
    this.bytes = new Uint8Array(encoded.reduce((sum, { length }) => sum + length, 0))
    for (const [index, word] of encoded.entries()) {
      this.bytes.set(word, this.starts[index + 1])
      this.starts[index + 2] = this.starts[index + 1] + word.length
      this.numbers.set(words[index], index + 1)
      let slot = this.hash(word, 0, word.length)
      while (this.slots[slot] !== 0) slot = (slot + 1) % this.slots.length
      this.slots[slot] = index + 1
    }
  }

  /** The number of a word, which must be in the table; numbers start at 1. */
  number(word: string): number {
    const number = this.numbers.get(word)
    if (number === undefined) throw new Error(`"${word}" is not in the table of words`)
    return number
  }

  /** The number of the word in `bytes[start, end)`; 0 if it is not in the table. */
  find(bytes: Uint8Array, start: number, end: number): number {
    if (end - start > this.longest) return UNKNOWN_WORD
    for (let slot = this.hash(bytes, start, end); this.slots[slot] !== 0; slot = (slot + 1) % this.slots.length) {
      if (this.isWord(this.slots[slot], bytes, { start, end })) return this.slots[slot]
    }
    return UNKNOWN_WORD
  }

  private isWord(number: number, bytes: Uint8Array, { start, end }: { start: number; end: number }): boolean {
    const from = this.starts[number]
    if (this.starts[number + 1] - from !== end - start) return false
    for (let i = 0; i < end - start; i++) if (this.bytes[from + i] !== bytes[start + i]) return false
    return true
  }

  private hash(bytes: Uint8Array, start: number, end: number): number {
    let hash = end - start
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], HASH_PRIME)
    return (hash ^ (hash >>> 15)) & (this.slots.length - 1)
  }
}
