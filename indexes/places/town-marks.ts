// Finds the towns whose names occur in a query. A generic word, such as `la`, names a town only together with another
// word of the name, as in `la rochelle`, or as the first word of the name. An instance serves only one search at a
// time.
import { SIGNIFICANT } from '../text/abbreviations.ts'
import { countNames, firstToken, type NameIndex } from '../text/name-index.ts'
import { eachOtherToken, findWord, type WordMatches, withNearTokens } from '../text/word-matches.ts'
import type { QueryWord } from './place-query.ts'

/** The towns whose names match the same words of a query. */
export interface TownGroup {
  /** The words as a set of bits: bit n stands for word n of the query. */
  readonly words: number
  readonly towns: number[]
  /** Number of places in all towns of the group. */
  entryCount: number
  /**
   * Whether the query contains a complete significant word from one of these town names, not only its start; see
   * `isBegun`.
   */
  isNamed: boolean
}

/** For one query, the words that each town name matches. Sets of words are stored as bits: bit n stands for word n. */
export class TownMarks {
  /** Town → the query words that match any word of its name, as bits. */
  readonly words: Uint32Array
  /** Town → the query words that match a significant word of its name, as bits. */
  readonly core: Uint32Array
  /** Town → the query words that are a significant word of its name or an abbreviation of such a word, as bits. */
  readonly whole: Uint32Array
  /** Town → the query words that match its name only as misspellings, as bits. */
  readonly slipped: Uint32Array
  private readonly index: NameIndex
  private readonly touched: Uint32Array
  private touchedCount = 0

  constructor(index: NameIndex) {
    const townCount = countNames(index)
    this.index = index
    this.words = new Uint32Array(townCount)
    this.core = new Uint32Array(townCount)
    this.whole = new Uint32Array(townCount)
    this.slipped = new Uint32Array(townCount)
    this.touched = new Uint32Array(townCount)
  }

  /**
   * Marks the towns whose names match words of the query. Words in `slipped` (bits) may be misspelled. Returns the
   * words that match any town's name, as bits.
   */
  mark(words: readonly QueryWord[], slipped: number): number {
    this.clear()
    // Without addresses there are no towns.
    if (this.index.tokenClass.length === 0) return 0
    const matches = words.map((word, at) =>
      word.digits < 0 ? this.matchesOf(word, (slipped & (1 << at)) !== 0) : undefined,
    )
    let used = 0
    for (const isLeading of [true, false]) {
      for (const [at, match] of matches.entries()) {
        if (match !== undefined && this.markWord(match, { bit: 1 << at, isLeading })) used |= 1 << at
      }
    }
    return used
  }

  private matchesOf(word: QueryWord, hasSlips: boolean): WordMatches {
    const { index } = this
    // A complete generic word is not read as a prefix: `la` does not match Laval.
    const match = findWord(index, word.text, !word.isGeneric || word.isLast)
    if (!hasSlips || word.houseNumber >= 0) return match
    return withNearTokens(index, match, { text: word.text, isUnfinished: word.isLast })
  }

  /** Whether no town is marked. */
  get isEmpty(): boolean {
    return this.touchedCount === 0
  }

  /** The marked towns, grouped by the query words that match their names. */
  groups(townOffset: { readonly [town: number]: number }): TownGroup[] {
    const groups = new Map<number, TownGroup>()
    for (let at = 0; at < this.touchedCount; at++) {
      const town = this.touched[at]
      const words = this.words[town]
      let group = groups.get(words)
      if (group === undefined) {
        group = { words, towns: [], entryCount: 0, isNamed: false }
        groups.set(words, group)
      }
      group.towns.push(town)
      group.entryCount += townOffset[town + 1] - townOffset[town]
      if (this.whole[town] !== 0) group.isNamed = true
    }
    return [...groups.values()]
  }

  /**
   * Whether `words` (bits) name a town incompletely: they match none of its significant words, or one of them matches a
   * significant word only in part, for example as a prefix.
   */
  isBegun(town: number, words: number): boolean {
    const core = words & this.core[town]
    return (core & ~this.whole[town]) !== 0 || (words & this.core[town]) === 0
  }

  /** Number of places in the towns whose names match any of the given words. */
  countPlaces(words: number, townOffset: { readonly [town: number]: number }): number {
    let count = 0
    for (let at = 0; at < this.touchedCount; at++) {
      const town = this.touched[at]
      if ((this.words[town] & words) !== 0) count += townOffset[town + 1] - townOffset[town]
    }
    return count
  }

  private clear(): void {
    for (let at = 0; at < this.touchedCount; at++) {
      const town = this.touched[at]
      this.words[town] = 0
      this.core[town] = 0
      this.whole[town] = 0
      this.slipped[town] = 0
    }
    this.touchedCount = 0
  }

  /**
   * Marks the towns whose names contain a word. If `isLeading`, the word must be a significant word or the first word
   * of the name. Otherwise, it must be neither, and only towns that are already marked are considered.
   */
  private markWord(match: WordMatches, as: { readonly bit: number; readonly isLeading: boolean }): boolean {
    let isUsed = false
    const mark = (token: number) => {
      if (this.markToken(token, match, as)) isUsed = true
    }
    for (let token = match.first; token < match.end; token++) mark(token)
    eachOtherToken(match, mark)
    return isUsed
  }

  private markToken(token: number, match: WordMatches, as: { bit: number; isLeading: boolean }): boolean {
    const { index, words, core, whole, slipped, touched } = this
    const { posting, postingOffset, tokenClass, coreToken } = index
    const isSignificant = tokenClass[token] === SIGNIFICANT
    if (isSignificant && !as.isLeading) return false
    const isEqual = token === match.literal || match.expansions.includes(token)
    const isSlip = !isEqual && (token < match.first || token >= match.end) && token !== match.singular
    let isUsed = false
    for (let at = postingOffset[token]; at < postingOffset[token + 1]; at++) {
      const town = posting[at]
      // If a name has no significant words, its `coreToken` counts as significant.
      const isCore = isSignificant || coreToken[town] === token
      const isLeading = isCore || firstToken(index, town) === token
      if (isLeading !== as.isLeading || (!isLeading && words[town] === 0)) continue
      if (words[town] === 0) touched[this.touchedCount++] = town
      if (!isSlip) slipped[town] &= ~as.bit
      else if ((words[town] & as.bit) === 0) slipped[town] |= as.bit
      words[town] |= as.bit
      if (isCore) core[town] |= as.bit
      if (isCore && isEqual) whole[town] |= as.bit
      isUsed = true
    }
    return isUsed
  }
}
