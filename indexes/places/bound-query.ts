// Computes an upper bound on how well a network's places can match a query. The bound is computed from the network's
// table of words; see word-bounds.ts.
import { meaningsOf } from '../text/abbreviations.ts'
import { singularOf } from '../text/word-matches.ts'
import { isLink, type OtherReading, possibleReadings } from './joined-words.ts'
import { boxDistance, type NearPoint } from './map-distance.ts'
import type { NeededWords } from './network-filter.ts'
import type { PlaceQuery, QueryWord } from './place-query.ts'
import {
  CODE_SCORE,
  CORE_STARTS,
  EQUAL,
  EXTRA_LINK_SHARE,
  EXTRA_TYPE_SHARE,
  FAR_SHARE,
  isFar,
  JOINED_SHARE,
  matchScore,
  NUMBER_SHARE,
  rankOf,
  STARTS,
  TOWN_SLIP_SHARE,
} from './place-score.ts'
import { POSTCODE_DIGITS } from './place-set.ts'
import {
  CODE_FACT,
  codeKey,
  codeShape,
  FACT_BITS,
  FACT_MASK,
  factOf,
  hashOf,
  MOST_START_LETTERS,
  START_FACT,
  startKey,
  TOWN_FACT,
  type WordBounds,
  wholeKey,
} from './word-bounds.ts'

/** Upper bounds for a network's places and one query; both numbers are NO_HIT if no place can match. */
export interface NetworkBound {
  /** Upper bound for the scores of hits, before the reduction for distant places. */
  readonly match: number
  /** Upper bound for the scores of hits, after the reduction for distant places. */
  readonly score: number
}

/** What a network's table contains about one word of a query. The numbers are −1 if the network has no such names. */
interface WordFacts {
  /** Highest importance of the names that contain the word, or a longer word that starts with it. */
  readonly any: number
  /** Highest importance of the names that start with the word. */
  readonly start: number
  /** Highest importance of the names that contain the whole word, or a word that it abbreviates. */
  readonly whole: number
  /** Like `whole`, but only for names that have no other significant word. */
  readonly sole: number
  readonly isTown: boolean
}

export const NO_HIT = -1

const MOST_IMPORTANCE = 255
/**
 * Because of rounding, the computed distance to a box may be more than the distance to a place in the box. Multiplying
 * the computed distance by this factor prevents this.
 */
const NEAR_SHARE = 0.999
/**
 * Because of rounding, a computed bound may be less than the score of a hit. Adding this margin to the bound prevents
 * this.
 */
const ROUNDING = 1e-9

/** A word of a query, with the hashes to look up. */
interface HashedWord {
  readonly start: number
  readonly whole: number
  /** Hashes of other words that this word may stand for, such as the words that it abbreviates. */
  readonly meanings: readonly number[]
  /**
   * Whether the name or the town must contain the word. This does not apply to generic words when they may be left out.
   */
  readonly isRequired: boolean
  readonly isGeneric: boolean
  /** Factor for the scores of hits that lack the word; used only if the word is generic. */
  readonly extraShare: number
  /** Whether the word may be a house number, which no stop has. */
  readonly isNumber: boolean
}

/** What a network's table contains about all words of a query together. */
interface QueryFacts {
  /** Highest importance of any hit. */
  most: number
  /** Highest importance of a hit whose name starts with a word of the query. */
  start: number
  /** Highest importance of a hit whose name is typed in full. */
  whole: number
  hasTown: boolean
  /** Factor for the scores of hits; below 1 if the network lacks a word or if a word is left out. */
  share: number
}

/** A query, ready to be compared with the tables of many networks. */
export class BoundQuery {
  private readonly words: readonly HashedWord[]
  /** The whole query, read as a stop code. */
  private readonly code: { readonly hash: number; readonly shape: ReturnType<typeof codeShape> }
  private readonly metersTo: ReturnType<typeof boxDistance> | undefined
  private readonly isFarLast: boolean
  /** Highest factor for the scores of hits that lack generic words; 0 if the query has no generic words. */
  private readonly extraShare: number

  /** Other readings of the query, for example with a word split in two; computed when first needed. */
  private readings: readonly HashedReading[] | undefined
  private readonly query: PlaceQuery

  constructor(
    query: PlaceQuery,
    { near, isFarLast = false }: { readonly near: NearPoint | undefined; readonly isFarLast?: boolean },
  ) {
    const { words } = query
    this.query = query
    // Rare words come first: few networks have them, so most networks are excluded early.
    this.words = words.toSorted((a, b) => rarityOf(b) - rarityOf(a)).map(hashedWord)
    const { code } = query
    this.code = { hash: hashOf(codeKey(code)), shape: codeShape(code) }
    this.metersTo = near && boxDistance(near)
    this.isFarLast = isFarLast
    this.extraShare = Math.max(0, ...this.words.map(({ isGeneric, extraShare }) => (isGeneric ? extraShare : 0)))
  }

  /** Whether the query has generic words, which hits may lack. */
  get mayLeaveOut(): boolean {
    return this.extraShare > 0
  }

  /** The hash of the whole query, read as a stop code. */
  get codeHash(): number {
    return this.code.hash
  }

  /**
   * The hashes of the words that a network must have for a hit.
   * @param hasExtra whether generic words may be left out
   */
  needed(hasExtra: boolean): NeededWords {
    const needed = this.words.filter(({ isRequired, isGeneric }) => isRequired && !(hasExtra && isGeneric))
    return needed.map(({ start, meanings }) => [start, ...meanings])
  }

  /** Bounds if all words must match as typed. */
  asTyped(table: WordBounds): NetworkBound {
    return this.boundOf(table, true)
  }

  /** Bounds if generic words may also be left out. */
  withExtra(table: WordBounds): NetworkBound {
    const typed = this.boundOf(table, true)
    const extra = this.boundOf(table, false)
    return { match: Math.max(typed.match, extra.match), score: Math.max(typed.score, extra.score) }
  }

  /** Bounds if words may also be misspelled, missing, joined or split. */
  guessed(table: WordBounds): NetworkBound {
    const { match, score } = this.withExtra(table)
    if (table.box.length === 0) return { match, score }
    const meters = this.metersTo && this.metersTo(table.box, 0) * NEAR_SHARE
    this.readings ??= possibleReadings(this.query).map(hashedReading)
    const share = this.readings.some((reading) => mayRead(table, reading)) ? JOINED_SHARE : TOWN_SLIP_SHARE
    const guess = matchScore(EQUAL, rankOf(MOST_IMPORTANCE, meters), 1) * share + ROUNDING
    return { match: Math.max(match, guess), score: Math.max(score, guess) }
  }

  private boundOf(table: WordBounds, needsGeneric: boolean): NetworkBound {
    if (this.isCode(table)) return { match: CODE_SCORE, score: CODE_SCORE }
    const facts = this.factsOf(table, needsGeneric)
    return facts === undefined ? NONE_BOUND : this.scoresOf(table, facts)
  }

  private isCode(table: WordBounds): boolean {
    const { hash, shape } = this.code
    const [lengths, firsts] = [table.codeShapes[0], table.codeShapes[1]]
    if ((lengths & shape[0]) === 0 || (firsts & shape[1]) === 0) return false
    return (factOf(table, hash) & CODE_FACT) !== 0
  }

  /** Combines the facts of all words; undefined if the network lacks a required word. */
  private factsOf(table: WordBounds, needsGeneric: boolean): QueryFacts | undefined {
    let [any, start, whole, sole] = [-1, -1, -1, -1]
    let [anyCap, wholeCap] = [MOST_IMPORTANCE, MOST_IMPORTANCE]
    let [extraShare, numberShare] = [1, 1]
    let significantCount = 0
    let hasTown = false
    for (const word of this.words) {
      const facts = factsOf(table, word)
      any = Math.max(any, facts.any)
      start = Math.max(start, facts.start)
      whole = Math.max(whole, facts.whole)
      sole = Math.max(sole, facts.sole)
      if (facts.any >= 0 && !word.isGeneric) significantCount++
      if (facts.isTown) hasTown = true
      else if (word.isRequired && (needsGeneric || !word.isGeneric)) {
        if (facts.any < 0) return undefined
        anyCap = Math.min(anyCap, facts.any)
        wholeCap = Math.min(wholeCap, facts.whole)
      } else if (facts.any >= 0) continue
      else if (mayBeLeftOut(word)) extraShare *= word.extraShare
      else if (word.isNumber) numberShare = NUMBER_SHARE
    }
    // A hit needs at least one word in its name: words that only name the town are not enough.
    const most = Math.min(any, anyCap)
    if (most < 0) return undefined
    if (!needsGeneric && extraShare === 1) extraShare = this.extraShare
    const fullest = significantCount > 1 ? whole : sole
    return {
      most,
      start: Math.min(start, most),
      whole: Math.min(fullest, wholeCap, most),
      hasTown,
      share: extraShare * numberShare,
    }
  }

  private scoresOf({ box }: WordBounds, { most, start, whole, hasTown, share }: QueryFacts): NetworkBound {
    const { metersTo, isFarLast } = this
    const meters = metersTo && metersTo(box, 0) * NEAR_SHARE
    const rank = (importance: number) => rankOf(importance, meters)
    const best = Math.max(
      matchScore(CORE_STARTS, rank(most), 1),
      start < 0 ? 0 : matchScore(STARTS, rank(start), 1),
      whole < 0 ? 0 : matchScore(EQUAL, rank(whole), 1),
    )
    const match = meters === undefined && share === 1 ? best : best * share + ROUNDING
    const isReduced = meters !== undefined && isFarLast && isFar(meters) && !hasTown
    return { match, score: isReduced ? match * FAR_SHARE + ROUNDING : match }
  }
}

/** Whether a word is generic and hits may lack it. */
function mayBeLeftOut({ isRequired, isGeneric }: HashedWord): boolean {
  return isRequired && isGeneric
}

const NONE_BOUND: NetworkBound = { match: NO_HIT, score: NO_HIT }

/** Another reading of the query, with the hashes to look up. */
type HashedReading =
  | { readonly kind: 'joined'; readonly word: number }
  | {
      readonly kind: 'torn'
      readonly whole: number
      /** Hash of the start of the word; 0 if no start needs to be looked up. */
      readonly start: number
      readonly starts: readonly number[]
      readonly ends: readonly number[]
    }
  | { readonly kind: 'with_postcode' }

/** Stands for the hash of an article or a preposition: every network is assumed to have such words. */
const ANYWHERE = 0

function hashedReading(reading: OtherReading): HashedReading {
  if (reading.kind === 'with_postcode') return reading
  if (reading.kind === 'joined') return { kind: 'joined', word: hashOf(wholeKey(reading.text)) }
  const { text, isLast, starts, ends } = reading
  const partHash = (part: string) => (isLink(part) ? ANYWHERE : hashOf(wholeKey(part)))
  return {
    kind: 'torn',
    whole: hashOf(wholeKey(text)),
    // The table contains only word starts of up to MOST_START_LETTERS letters.
    start: isLast && text.length <= MOST_START_LETTERS ? hashOf(startKey(text)) : 0,
    starts: starts.map(partHash),
    ends: ends.flatMap((part) =>
      isLast ? [partHash(part), hashOf(startKey(part.slice(0, MOST_START_LETTERS)))] : [partHash(part)],
    ),
  }
}

/**
 * Whether the words of a network allow another reading of the query. May be true for an impossible reading, but is
 * never false for a possible one.
 */
function mayRead(table: WordBounds, reading: HashedReading): boolean {
  if (reading.kind === 'with_postcode') return true
  if (reading.kind === 'joined') return factOf(table, reading.word) !== 0
  const { whole, start, starts, ends } = reading
  if (factOf(table, whole) !== 0 || (start !== 0 && factOf(table, start) !== 0)) return false
  const isKnown = (hash: number) => hash === ANYWHERE || factOf(table, hash) !== 0
  return starts.some(isKnown) && ends.some(isKnown)
}

function rarityOf({ text, isGeneric }: QueryWord): number {
  return isGeneric ? 0 : text.length
}

function hashedWord({ text, digits, houseNumber, isSuffix, isGeneric, isLink }: QueryWord): HashedWord {
  return {
    // A singular and its plural share this start.
    start: hashOf(startKey((singularOf(text) ?? text).slice(0, MOST_START_LETTERS))),
    whole: hashOf(wholeKey(text)),
    meanings: meaningsOf(text).map((long) => hashOf(wholeKey(long))),
    isRequired: digits < 0 && houseNumber < 0 && !isSuffix,
    isGeneric,
    extraShare: isLink ? EXTRA_LINK_SHARE : EXTRA_TYPE_SHARE,
    isNumber: houseNumber >= 0 && text.length !== POSTCODE_DIGITS,
  }
}

function factsOf(table: WordBounds, { start, whole, meanings }: HashedWord): WordFacts {
  const begun = factOf(table, start)
  let exact = begun === 0 ? 0 : factOf(table, whole)
  for (const meaning of meanings) exact = united(exact, factOf(table, meaning))
  // The facts for a whole word do not include whether names start with it. To keep the bound from being too low, the
  // most important name is assumed to start with the word.
  const all = meanings.length === 0 ? begun : united(begun, (exact & ~START_FACT) | ((exact & FACT_MASK) << FACT_BITS))
  return {
    any: (all & FACT_MASK) - 1,
    start: ((all >>> FACT_BITS) & FACT_MASK) - 1,
    whole: (exact & FACT_MASK) - 1,
    sole: ((exact >>> FACT_BITS) & FACT_MASK) - 1,
    isTown: (all & TOWN_FACT) !== 0,
  }
}

function united(one: number, other: number): number {
  const any = Math.max(one & FACT_MASK, other & FACT_MASK)
  const start = Math.max((one >>> FACT_BITS) & FACT_MASK, (other >>> FACT_BITS) & FACT_MASK)
  return any | (start << FACT_BITS) | ((one | other) & (TOWN_FACT | CODE_FACT))
}
