// Assigns words of a query to words of a name, one to one, and rates how well the query matches the name. Equal words
// are assigned first.
import { countBits } from '../text/edit-distance.ts'
import { ALTERNATIVE, MAX_NAME_WORDS, type NameIndex } from '../text/name-index.ts'
import {
  EXPANSION,
  FAR,
  fitOf,
  LITERAL,
  NEAR,
  NEAR_START,
  NO_MATCH,
  START,
  type WordMatches,
} from '../text/word-matches.ts'
import { MAX_QUERY_WORDS } from './place-query.ts'
import { ANYWHERE, CORE_EQUAL, CORE_STARTS, EQUAL, NO_TIER, SAME_WORDS, STARTS, type Tier } from './place-score.ts'

const NOT_CLAIMED = -1
/** Maximum number of words and alternatives of a name that are compared. */
const MAX_TOKENS = MAX_NAME_WORDS * 4

/** The words to assign. */
interface ClaimRequest {
  readonly matches: readonly WordMatches[]
  /** The words that may be assigned, as bits. */
  readonly words: number
}

/** The assignment of a query's words to one name; reused for each name of a search. */
export class NameClaims {
  /** Words that are assigned to a position, as bits. */
  claimedWords = 0
  /** Number of words with one wrong letter, which is not the first letter. */
  nearSlips = 0
  /** Number of words with two wrong letters, or with a wrong first letter. */
  farSlips = 0
  private claimedPlaces = 0
  private allEqual = true
  private inOrder = true
  private placeCount = 0
  private core = 0
  private tokenCount = 0
  private readonly tokenAt = new Uint32Array(MAX_TOKENS)
  private readonly placeAt = new Uint8Array(MAX_TOKENS)
  /** Word × MAX_TOKENS + token → how well the token fits the word. */
  private readonly fits = new Uint8Array(MAX_QUERY_WORDS * MAX_TOKENS)
  private readonly placeOfWord = new Int8Array(MAX_QUERY_WORDS).fill(NOT_CLAIMED)

  /** Assigns words to positions of the name. */
  assign(index: NameIndex, name: number, { matches, words }: ClaimRequest): void {
    this.open(index, name)
    const { placeOfWord } = this
    const able = this.compare(matches, words)
    this.claimedWords = 0
    this.claimedPlaces = 0
    this.nearSlips = 0
    this.farSlips = 0
    this.allEqual = true
    for (let word = 0; word < matches.length; word++) placeOfWord[word] = NOT_CLAIMED
    const last = matches.length - 1
    for (let kind = LITERAL; kind > NO_MATCH && this.claimedWords !== able; kind--) {
      let after = NOT_CLAIMED
      for (let word = 0; word <= last; word++) {
        if (placeOfWord[word] !== NOT_CLAIMED) {
          after = placeOfWord[word]
          continue
        }
        if ((able & (1 << word)) === 0) continue
        const place = this.findPlace(word, kind, after)
        if (place === NOT_CLAIMED) continue
        // For example, `la d` should match `La Douze, Château d’Eau`. So the word being typed (`d`) is assigned to the
        // next position if it fits there as a prefix, rather than to an equal word further on.
        const isTyped = kind >= EXPANSION && word === last && place !== after + 1
        if (isTyped && this.findPlace(word, START, after) === after + 1) continue
        after = place
        this.claim(word, place, kind)
      }
    }
    this.checkOrder(matches.length)
  }

  private claim(word: number, place: number, kind: number): void {
    this.placeOfWord[word] = place
    this.claimedWords |= 1 << word
    this.claimedPlaces |= 1 << place
    if (kind === START || kind === NEAR_START || kind < FAR) this.allEqual = false
    if (kind === NEAR || kind === NEAR_START) this.nearSlips++
    else if (kind < NEAR_START) this.farSlips++
  }

  /** Rates how well the assigned words match the name. */
  tier(): Tier {
    const { claimedPlaces, placeCount, core, allEqual, inOrder } = this
    if (claimedPlaces === 0) return NO_TIER
    const all = placeCount >= MAX_NAME_WORDS ? 0x7fff_ffff : (1 << placeCount) - 1
    if (claimedPlaces === all && allEqual) return inOrder ? EQUAL : SAME_WORDS
    if (inOrder && (claimedPlaces & (claimedPlaces + 1)) === 0) return STARTS
    const claimedCore = claimedPlaces & core
    if (claimedCore === 0) return ANYWHERE
    if (claimedCore === core && allEqual) return CORE_EQUAL
    // Whether the assigned significant words are the first significant words of the name, without a gap.
    const unclaimedCore = core & ~claimedPlaces
    const firstUnclaimed = unclaimedCore & -unclaimedCore
    const isStart = unclaimedCore === 0 || (claimedCore & ~(firstUnclaimed - 1)) === 0
    return inOrder && isStart ? CORE_STARTS : ANYWHERE
  }

  /** Share of the name's words that are assigned, 0 to 1; a generic word counts as a quarter of a significant word. */
  coverage(): number {
    const { claimedPlaces, placeCount, core } = this
    const significant = countBits(core)
    const claimed = countBits(claimedPlaces)
    const claimedCore = countBits(claimedPlaces & core)
    return (claimedCore + (claimed - claimedCore) / 4) / (significant + (placeCount - significant) / 4)
  }

  /** Whether a word of the query is assigned to a significant word of the name. */
  claimsCore(): boolean {
    return (this.claimedPlaces & this.core) !== 0
  }

  private open({ nameOffset, nameToken, nameCore }: NameIndex, name: number): void {
    const end = nameOffset[name + 1]
    let tokenCount = 0
    let place = NOT_CLAIMED
    for (let at = nameOffset[name]; at < end && tokenCount < MAX_TOKENS; at++) {
      const marked = nameToken[at]
      const isAlternative = marked >= ALTERNATIVE
      if (!isAlternative) place++
      this.tokenAt[tokenCount] = isAlternative ? marked - ALTERNATIVE : marked
      this.placeAt[tokenCount++] = place
    }
    this.tokenCount = tokenCount
    this.placeCount = place + 1
    this.core = nameCore[name]
  }

  /** Compares each word with each token. Returns the words that fit some token, as bits. */
  private compare(matches: readonly WordMatches[], words: number): number {
    const { fits, tokenAt, tokenCount } = this
    let able = 0
    for (let left = words; left !== 0; left &= left - 1) {
      const word = 31 - Math.clz32(left & -left)
      const match = matches[word]
      const row = word * MAX_TOKENS
      for (let at = 0; at < tokenCount; at++) {
        const fit = fitOf(match, tokenAt[at])
        fits[row + at] = fit
        if (fit !== NO_MATCH) able |= 1 << word
      }
    }
    return able
  }

  /**
   * The first free position after `after` at which the word fits as `kind` or better. If there is none, the search
   * continues from the start of the name.
   */
  private findPlace(word: number, kind: number, after: number): number {
    const { fits, placeAt, tokenCount, claimedPlaces } = this
    const row = word * MAX_TOKENS
    let earlier = NOT_CLAIMED
    for (let at = 0; at < tokenCount; at++) {
      if (fits[row + at] < kind) continue
      const place = placeAt[at]
      if ((claimedPlaces & (1 << place)) !== 0) continue
      if (place > after) return place
      if (earlier === NOT_CLAIMED) earlier = place
    }
    return earlier
  }

  private checkOrder(wordCount: number): void {
    let before = NOT_CLAIMED
    this.inOrder = true
    for (let word = 0; word < wordCount; word++) {
      const place = this.placeOfWord[word]
      if (place === NOT_CLAIMED) continue
      if (place < before) this.inOrder = false
      before = place
    }
  }
}
