// Which word of a query stands for which word of a name: each for one at most, equal ones first. Tells how well the query
// names the name.
import { countBits } from '../text/edit-distance.ts'
import { ALTERNATIVE, MAX_NAME_WORDS, type NameIndex } from '../text/name-index.ts'
import type { WordMatches } from '../text/word-matches.ts'
import { MAX_QUERY_WORDS } from './place-query.ts'

/** How a query names a name, best first. */
const TIERS = [
  /** Word for word. */
  'equal',
  /** All its words, in another order. */
  'same_words',
  /** The name begins so. */
  'starts',
  /** All that matters of it: `paix` for `Rue de la Paix`. */
  'core_equal',
  /** What matters of it begins so. */
  'core_starts',
  /** Somewhere in it. */
  'anywhere',
  /** Not at all. */
  'none',
] as const
export type Tier = (typeof TIERS)[number]

const NOT_CLAIMED = -1
/** What a word may be to a word of a name. */
const LITERAL = 5
const SHORT = 4
const BEGINS = 3
const SLIP = 2
const SLIP_BEGINS = 1

/** Who may claim. */
interface ClaimRequest {
  readonly matches: readonly WordMatches[]
  /** The words that may, as bits. */
  readonly words: number
  /** Whether any of them has tokens that are a slip away. */
  readonly hasSlips: boolean
}

/** The claims of a query on one name after another: made once for a search, filled anew for each name. */
export class NameClaims {
  /** Words that claimed a place, as bits. */
  claimedWords = 0
  /** Words that claimed by a slip. */
  slipCount = 0
  private claimedPlaces = 0
  private allEqual = true
  private inOrder = true
  private placeCount = 0
  private genericPlaces = 0
  private readonly tokenAt = new Uint32Array(MAX_NAME_WORDS * 4)
  private readonly placeAt = new Uint8Array(MAX_NAME_WORDS * 4)
  private readonly placeOfWord = new Int8Array(MAX_QUERY_WORDS).fill(NOT_CLAIMED)

  /** Lets words claim the places of a name. */
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
        // `la d` goes on to `La Douze, Château d’Eau`: the word being typed begins the next one rather than equal a later one.
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

  /** How the claims name the name. */
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
    // What matters of it is claimed from its first word on, without a gap.
    const unclaimedCore = core & ~claimedPlaces
    const firstUnclaimed = unclaimedCore & -unclaimedCore
    const isStart = unclaimedCore === 0 || (claimedCore & ~(firstUnclaimed - 1)) === 0
    return inOrder && isStart ? 'core_starts' : 'anywhere'
  }

  /** Part of the name that is claimed, 0 to 1; words that say little count a quarter. */
  coverage(): number {
    const { claimedPlaces, placeCount, genericPlaces } = this
    const generic = countBits(genericPlaces)
    const claimedGeneric = countBits(genericPlaces & claimedPlaces)
    const claimed = countBits(claimedPlaces) - claimedGeneric + claimedGeneric / 4
    return claimed / (placeCount - generic + generic / 4)
  }

  /** Whether a claimed word says something of the name. */
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

  /** The first place that fits behind another, else the first that fits. */
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
