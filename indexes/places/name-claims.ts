// Assigns words of a query to words of a name, one to one, equal ones first, and rates how well the query matches the
// name.
import { countBits } from '../text/edit-distance.ts'
import { ALTERNATIVE, MAX_NAME_WORDS, type NameIndex } from '../text/name-index.ts'
import type { WordMatches } from '../text/word-matches.ts'
import { MAX_QUERY_WORDS } from './place-query.ts'

/** How a query matches a name, best first. */
const TIERS = [
  /** All words in order. */
  'equal',
  /** All words in another order. */
  'same_words',
  /** A prefix of the name. */
  'starts',
  /** All its significant words: `paix` for `Rue de la Paix`. */
  'core_equal',
  /** A prefix of its significant words. */
  'core_starts',
  /** Some of its words. */
  'anywhere',
  /** No match. */
  'none',
] as const
export type Tier = (typeof TIERS)[number]

const NOT_CLAIMED = -1
/** How a query word can match a word of a name. */
const LITERAL = 5
const SHORT = 4
const BEGINS = 3
const SLIP = 2
const SLIP_BEGINS = 1

/** The words to assign. */
interface ClaimRequest {
  readonly matches: readonly WordMatches[]
  /** The words that may claim, as bits. */
  readonly words: number
  /** Whether any of them has misspelled matches. */
  readonly hasSlips: boolean
}

/** The assignment of a query's words to one name; reused for each name of a search. */
export class NameClaims {
  /** Words that claimed a position, as bits. */
  claimedWords = 0
  /** Words that claimed as a misspelling. */
  slipCount = 0
  private claimedPlaces = 0
  private allEqual = true
  private inOrder = true
  private placeCount = 0
  private genericPlaces = 0
  private readonly tokenAt = new Uint32Array(MAX_NAME_WORDS * 4)
  private readonly placeAt = new Uint8Array(MAX_NAME_WORDS * 4)
  private readonly placeOfWord = new Int8Array(MAX_QUERY_WORDS).fill(NOT_CLAIMED)

  /** Assigns words to positions of the name. */
  assign(index: NameIndex, name: number, asked: ClaimRequest): void {
    const { matches, words, hasSlips } = asked
    const tokenCount = this.open(index, name)
    this.claimedWords = 0
    this.claimedPlaces = 0
    this.slipCount = 0
    this.allEqual = true
    for (let word = 0; word < matches.length; word++) this.placeOfWord[word] = NOT_CLAIMED
    for (let kind = LITERAL; kind >= (hasSlips ? SLIP_BEGINS : BEGINS); kind--) {
      let after = NOT_CLAIMED
      for (let word = 0; word < matches.length; word++) {
        if (this.placeOfWord[word] !== NOT_CLAIMED) {
          after = this.placeOfWord[word]
          continue
        }
        if ((words & (1 << word)) === 0) continue
        const match = matches[word]
        const place = this.findPlace(match, { kind, after, tokenCount })
        if (place === NOT_CLAIMED) continue
        // `la d` matches `La Douze, Château d’Eau`: the word being typed prefers the next position to a later equal.
        const isTyped = kind >= SHORT && word === matches.length - 1 && place !== after + 1
        if (isTyped && this.findPlace(match, { kind: BEGINS, after, tokenCount }) === after + 1) continue
        after = place
        this.placeOfWord[word] = place
        this.claimedWords |= 1 << word
        this.claimedPlaces |= 1 << place
        if (kind === BEGINS || kind === SLIP_BEGINS) this.allEqual = false
        if (kind < BEGINS) this.slipCount++
      }
      if (this.claimedWords === words) break
    }
    this.checkOrder(matches.length)
  }

  /** The rating of the assignment. */
  tier(): Tier {
    const { claimedPlaces, placeCount, genericPlaces, allEqual, inOrder } = this
    if (claimedPlaces === 0) return 'none'
    const all = placeCount >= MAX_NAME_WORDS ? 0x7fff_ffff : (1 << placeCount) - 1
    if (claimedPlaces === all && allEqual) return inOrder ? 'equal' : 'same_words'
    if (inOrder && (claimedPlaces & (claimedPlaces + 1)) === 0) return 'starts'
    const core = all & ~genericPlaces
    const claimedCore = claimedPlaces & core
    if (core === 0 || claimedCore === 0) return 'anywhere'
    if (claimedCore === core && allEqual) return 'core_equal'
    // The significant words are claimed from the first one on, without a gap.
    const unclaimedCore = core & ~claimedPlaces
    const firstUnclaimed = unclaimedCore & -unclaimedCore
    const isStart = unclaimedCore === 0 || (claimedCore & ~(firstUnclaimed - 1)) === 0
    return inOrder && isStart ? 'core_starts' : 'anywhere'
  }

  /** Share of the name that is claimed, 0 to 1; generic words count a quarter. */
  coverage(): number {
    const { claimedPlaces, placeCount, genericPlaces } = this
    const generic = countBits(genericPlaces)
    const claimedGeneric = countBits(genericPlaces & claimedPlaces)
    const claimed = countBits(claimedPlaces) - claimedGeneric + claimedGeneric / 4
    return claimed / (placeCount - generic + generic / 4)
  }

  /** Whether a claimed word is significant. */
  claimsCore(): boolean {
    return (this.claimedPlaces & ~this.genericPlaces) !== 0
  }

  private open(index: NameIndex, name: number): number {
    const { nameOffset, nameToken, isGeneric } = index
    const end = nameOffset[name + 1]
    let tokenCount = 0
    let place = NOT_CLAIMED
    this.genericPlaces = 0
    for (let at = nameOffset[name]; at < end; at++) {
      const marked = nameToken[at]
      const isAlternative = marked >= ALTERNATIVE
      const token = isAlternative ? marked - ALTERNATIVE : marked
      if (!isAlternative) place++
      if (isGeneric[token] === 1) this.genericPlaces |= 1 << place
      if (tokenCount === this.tokenAt.length) break
      this.tokenAt[tokenCount] = token
      this.placeAt[tokenCount++] = place
    }
    this.placeCount = place + 1
    return tokenCount
  }

  /** The first matching position after another one, else the first that matches. */
  private findPlace(match: WordMatches, on: { kind: number; after: number; tokenCount: number }): number {
    let earlier = NOT_CLAIMED
    for (let at = 0; at < on.tokenCount; at++) {
      const place = this.placeAt[at]
      if ((this.claimedPlaces & (1 << place)) !== 0) continue
      const token = this.tokenAt[at]
      const fits =
        on.kind === LITERAL
          ? token === match.literal
          : on.kind === SHORT
            ? match.expansions.includes(token)
            : on.kind === BEGINS
              ? token >= match.first && token < match.end
              : on.kind === SLIP
                ? match.near.includes(token)
                : match.nearStarts.includes(token)
      if (!fits) continue
      if (place > on.after) return place
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
