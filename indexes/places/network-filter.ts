// Finds which of many networks may have the words of a query. The answer is read from one table of bits, so the word
// bounds of most networks (see word-bounds.ts) need not be read. The table has a row for each group of word hashes and
// a column for each network. A result may include networks that lack a word, but always includes those that have all
// words.
import { eachHash, type WordBounds } from './word-bounds.ts'

/** Number of rows in the table; a power of two. */
const ROWS = 2 ** 16
const BITS = 32

/**
 * For each word that a place must have, its hashes. A network may have the word if it has at least one of these hashes.
 */
export type NeededWords = readonly (readonly number[])[]

/** Finds which networks may have the words of a query. */
export interface NetworkFinder {
  /**
   * Returns the numbers of the networks that may have all the words or a stop with the code, in any order.
   * @param code hash of the stop code
   */
  find(words: NeededWords, code: number): number[]
}

/** The table of bits for a list of networks. The number of a network is its position in the list. */
export class NetworkFilter implements NetworkFinder {
  readonly networkCount: number
  /** The rows, one after another. Each row has enough 32-bit words for one bit per network. */
  private readonly bits: Uint32Array
  private readonly width: number
  private readonly isSet: boolean[] = []
  private readonly found: Uint32Array
  private readonly either: Uint32Array

  constructor(networkCount: number) {
    this.networkCount = networkCount
    this.width = Math.ceil(networkCount / BITS)
    this.bits = new Uint32Array(ROWS * this.width)
    this.found = new Uint32Array(this.width)
    this.either = new Uint32Array(this.width)
  }

  /** Sets the words of a network and removes the words that were set earlier. */
  set(network: number, bounds: WordBounds): void {
    const { bits, width } = this
    const word = network >>> 5
    const bit = 1 << (network & (BITS - 1))
    if (this.isSet[network] === true) for (let at = word; at < bits.length; at += width) bits[at] &= ~bit
    this.isSet[network] = true
    eachHash(bounds, (hash) => {
      bits[rowOf(hash) * width + word] |= bit
    })
  }

  /**
   * The networks that may have all the words or a stop with the code, in ascending order.
   * @param code hash of the stop code
   */
  find(words: NeededWords, code: number): number[] {
    const { found, either, width } = this
    found.fill(-1)
    for (const hashes of words) {
      either.fill(0)
      for (const hash of hashes) this.add(hash, either)
      for (let at = 0; at < width; at++) found[at] &= either[at]
    }
    this.add(code, found)
    return this.list(found)
  }

  private add(hash: number, into: Uint32Array): void {
    const { bits, width } = this
    const start = rowOf(hash) * width
    for (let at = 0; at < width; at++) into[at] |= bits[start + at]
  }

  private list(set: Uint32Array): number[] {
    const networks: number[] = []
    for (let at = 0; at < this.width; at++) {
      for (let left = set[at]; left !== 0; left &= left - 1) {
        const network = at * BITS + 31 - Math.clz32(left & -left)
        if (network < this.networkCount) networks.push(network)
      }
    }
    return networks
  }
}

/** The row of a hash: its high bits, because WordBounds already uses the low bits. */
function rowOf(hash: number): number {
  return hash >>> 16
}
