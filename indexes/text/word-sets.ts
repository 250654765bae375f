// Sets of the names that match typed words, with one bit per name, and intersections of such sets. For frequent words
// and frequent starts of words, the index stores the bits. For all others, the bits are computed from postings, in
// memory that is reused. Therefore, only one search can use the sets at a time.
import { bitWords, findFrequent, type Postings } from './postings.ts'
import { eachOtherToken, type WordMatches } from './word-matches.ts'

/** Sets of names, valid until `reset`. */
export class WordSets {
  private readonly postings: Postings
  private readonly nameCount: number
  private readonly wordCount: number
  /**
   * Word → its set. `reset` replaces this map instead of clearing it. When a map is cleared, the engine links its old
   * table to the new one. Once the old table has survived a garbage collection, all later tables and their contents
   * survive, too.
   */
  private made = new Map<WordMatches, Uint32Array>()
  private readonly buffers: Uint32Array[] = []
  private bufferCount = 0

  constructor(postings: Postings, nameCount: number) {
    this.postings = postings
    this.nameCount = nameCount
    this.wordCount = bitWords(this.nameCount)
  }

  /** Discards all sets, so that the next search can reuse their memory. */
  reset(): void {
    if (this.made.size > 0) this.made = new Map()
    this.bufferCount = 0
  }

  /** The names that match a word. The caller must not change the array. */
  of(match: WordMatches): Uint32Array {
    let bits = this.made.get(match)
    if (bits === undefined) {
      bits = this.make(match)
      this.made.set(match, bits)
    }
    return bits
  }

  /** The names that are in all given sets. There must be at least one set. */
  all(sets: readonly Uint32Array[]): Uint32Array {
    const [first, second, ...others] = sets
    if (first === undefined) throw new Error('there is no set to intersect; expected at least one')
    if (second === undefined) return first
    const bits = this.takeBuffer()
    intersect(first, second, bits)
    for (const other of others) intersect(bits, other, bits)
    return bits
  }

  /** The names that match at least one of the given words. */
  any(matches: readonly WordMatches[]): Uint32Array {
    const bits = this.takeBuffer().fill(0)
    for (const match of matches) unite(bits, this.of(match))
    return bits
  }

  private make(match: WordMatches): Uint32Array {
    const { postings, nameCount } = this
    const range = findFrequent(postings, match, nameCount)
    let hasOthers = false
    eachOtherToken(match, () => {
      hasOthers = true
    })
    if (range !== undefined && !hasOthers) return range
    const bits = this.takeBuffer()
    if (range === undefined) {
      bits.fill(0)
      for (let token = match.first; token < match.end; token++) this.addToken(bits, token)
    } else bits.set(range)
    eachOtherToken(match, (token) => this.addToken(bits, token))
    return bits
  }

  private addToken(bits: Uint32Array, token: number): void {
    const { postings, nameCount } = this
    const { posting, postingOffset } = postings
    const start = postingOffset[token]
    const end = postingOffset[token + 1]
    // Only a token with many postings can have a stored set, so others are not looked up.
    const frequent =
      end - start > this.wordCount >> 1
        ? findFrequent(postings, { first: token, end: token + 1 }, nameCount)
        : undefined
    if (frequent !== undefined) return unite(bits, frequent)
    for (let at = start; at < end; at++) {
      const name = posting[at]
      bits[name >>> 5] |= 1 << (name & 31)
    }
  }

  private takeBuffer(): Uint32Array {
    if (this.bufferCount === this.buffers.length) this.buffers.push(new Uint32Array(this.wordCount))
    return this.buffers[this.bufferCount++]
  }
}

function intersect(one: Uint32Array, other: Uint32Array, into: Uint32Array): void {
  for (let at = 0; at < into.length; at++) into[at] = one[at] & other[at]
}

function unite(into: Uint32Array, other: Uint32Array): void {
  for (let at = 0; at < into.length; at++) into[at] |= other[at]
}

/** Whether a set contains a name. */
export function hasName(bits: Uint32Array, name: number): boolean {
  return (bits[name >>> 5] & (1 << (name & 31))) !== 0
}
