// Searches one place set: finds candidates by bits, then assigns words and scores. Tries misspellings only if exact
// words find few hits, and omits words only if that finds nothing.
import { NONE } from '../../loaders/columns.ts'
import { EARTH_RADIUS_METERS } from '../spatial/great-circle.ts'
import { countBits } from '../text/edit-distance.ts'
import { ALTERNATIVE, countNames, type NameIndex } from '../text/name-index.ts'
import { findNearTokens, findWord, type WordMatches } from '../text/word-matches.ts'
import { BestHits } from './best-hits.ts'
import { EntryJudge } from './entry-judge.ts'
import { NameClaims } from './name-claims.ts'
import { type PlaceQuery, POSTCODE_DIGITS, type QueryWord } from './place-query.ts'
import type { EntryHit, EntryIndex, HouseFinder, PlaceSet } from './place-set.ts'

/** A query of a set. */
export interface MatchRequest {
  readonly query: PlaceQuery
  /** Degrees; nearby places come first among equal matches. */
  readonly near: { readonly lat: number; readonly lon: number } | undefined
  readonly limit: number
}

/** With fewer hits than this, misspellings are tried. */
const FEW_HITS = 5
/** A best hit of at least this score is what was meant: all significant words and the number match. */
export const NAMED_SCORE = 0.7
/** One in this many words may be unmatched, up to MAX_MISSING. */
const WORDS_PER_MISSING = 3
const MAX_MISSING = 3
const METERS_PER_UNIT = ((EARTH_RADIUS_METERS * Math.PI) / 180) * 1e-7
const RADIANS_PER_UNIT = (Math.PI / 180) * 1e-7

/** Checking a word against a name's tokens costs as much as this many of its postings. */
const POSTINGS_PER_READING = 10

/** One pass over names. */
interface Visit {
  /** All words, and words that may also mean something other than a word of the name, as bits. */
  readonly all: number
  readonly optional: number
  /** Words that may be a house number and do not start a postcode. */
  readonly numbers: number
  readonly missingLimit: number
  readonly judge: EntryJudge
}

/** How names are marked. */
interface Mark {
  readonly bit: number
  /** Only names marked by another word. */
  readonly isKnownOnly: boolean
  /** Only by significant tokens. */
  readonly isCoreOnly: boolean
}

/** Searches one set. Its arrays are reused by each search and belong to one search at a time. */
export class PlaceMatcher {
  private readonly set: PlaceSet
  private readonly houses: HouseFinder | undefined
  /** Name → the words that match some token of it, as bits. */
  private readonly wordsOfName: Uint32Array
  private readonly touchedNames: Uint32Array
  private touchedCount = 0
  private readonly wordsOfTown: Uint32Array
  private readonly claims = new NameClaims()
  /** The prefixes of all postcodes, as numbers of each length. */
  private readonly postcodeStarts: readonly ReadonlySet<number>[]

  constructor(set: PlaceSet, houses?: HouseFinder) {
    this.set = set
    this.houses = houses
    this.wordsOfName = new Uint32Array(countNames(set.names))
    this.touchedNames = new Uint32Array(countNames(set.names))
    this.wordsOfTown = new Uint32Array(countNames(set.towns))
    const codes = new Set<number>()
    for (let entry = 0 as EntryIndex; entry < set.postcode.length; entry++) codes.add(set.postcode[entry])
    codes.delete(NONE)
    this.postcodeStarts = Array.from(
      { length: POSTCODE_DIGITS + 1 },
      (_, digits) => new Set([...codes].map((code) => Math.floor(code / 10 ** (POSTCODE_DIGITS - digits)))),
    )
  }

  private beginsPostcode({ digits, text }: QueryWord): boolean {
    return digits >= 0 && this.postcodeStarts[text.length]?.has(digits) === true
  }

  /** The best hits, best first; ties by place. Misspellings and unmatched words can be excluded. */
  search({ query, near, limit }: MatchRequest, stages: 'all' | 'as_typed' = 'all'): readonly EntryHit[] {
    const { words } = query
    const best = new BestHits(limit)
    if (words.length === 0) return best.list()
    const all = words.length === 32 ? -1 : 2 ** words.length - 1
    const exact = words.map((word) => findWord(this.set.names, word.text, word.digits < 0 || word.isLast))
    const townWords = this.markTowns(query)
    let optional = townWords
    let numbers = 0
    for (const [at, word] of words.entries()) {
      const isCode = this.beginsPostcode(word)
      if (isCode || word.isSuffix || (word.houseNumber >= 0 && word.text.length !== POSTCODE_DIGITS))
        optional |= 1 << at
      if (!isCode && word.houseNumber >= 0 && (townWords & (1 << at)) === 0) numbers |= 1 << at
    }
    numbers &= optional
    const { set, houses, claims, wordsOfTown } = this
    const metersTo = near === undefined ? undefined : flatMap(set, near)
    const judge = new EntryJudge({ set, houses, claims, wordsOfTown, words, metersTo, best })
    this.visit(exact, { all, optional, numbers, missingLimit: 0, judge })
    if (stages === 'as_typed') return best.list()
    if (best.count >= FEW_HITS || (best.list()[0]?.score ?? 0) >= NAMED_SCORE) return best.list()
    const loose = exact.map((match, at): WordMatches => {
      const word = words[at]
      if (word === undefined || word.houseNumber >= 0 || word.digits >= 0) return match
      return { ...match, ...findNearTokens(this.set.names, word.text, word.isLast) }
    })
    const missingLimit =
      best.count > 0 || words.length === 1 ? 0 : Math.min(MAX_MISSING, Math.ceil(words.length / WORDS_PER_MISSING))
    const hasSlips = loose.some(({ near, nearStarts }) => near.length + nearStarts.length > 0)
    if (hasSlips || missingLimit > 0) this.visit(loose, { all, optional, numbers, missingLimit, judge })
    return best.list()
  }

  /** Scores the names that match all words, else those with the fewest unmatched words. */
  private visit(matches: readonly WordMatches[], on: Visit): void {
    const needed = on.all & ~on.optional
    const unmarked = on.missingLimit === 0 ? this.markRarest(matches, needed) : this.markCores(matches)
    const { wordsOfName, touchedNames, touchedCount } = this
    for (let missingCount = 0; missingCount <= on.missingLimit; missingCount++) {
      on.judge.begin(matches, missingCount)
      for (let at = 0; at < touchedCount; at++) {
        const name = touchedNames[at]
        if (missingCount === 0 && unmarked !== 0) this.readWords(name, matches, unmarked)
        const bits = wordsOfName[name]
        // An address has one number: another word that can only be a number was excluded.
        const missing = countBits(needed & ~bits) + Math.max(0, countBits(on.numbers & ~bits) - 1)
        if (missing <= missingCount) on.judge.judgeName(name, bits & on.all)
      }
      if (on.judge.hasFound()) break
    }
    for (let at = 0; at < touchedCount; at++) wordsOfName[touchedNames[at]] = 0
    this.touchedCount = 0
  }

  /** Marks names by the rarest required word, or by every word if none is required. Returns the unmarked words. */
  private markRarest(matches: readonly WordMatches[], needed: number): number {
    let rarest = -1
    let least = Infinity
    for (const [at, match] of matches.entries()) {
      if ((needed & (1 << at)) === 0) continue
      const count = countPostings(this.set.names, match)
      if (count >= least) continue
      least = count
      rarest = at
    }
    for (const [at, match] of matches.entries()) {
      if (rarest < 0 || at === rarest) this.markNames(match, { bit: 1 << at, isKnownOnly: false, isCoreOnly: false })
    }
    return rarest < 0 ? 0 : this.markKnown(matches, (2 ** matches.length - 1) & ~(1 << rarest))
  }

  /** Marks the names in which a word matches a significant token. Returns the unmarked words. */
  private markCores(matches: readonly WordMatches[]): number {
    for (const [at, match] of matches.entries()) {
      this.markNames(match, { bit: 1 << at, isKnownOnly: false, isCoreOnly: true })
    }
    return this.markKnown(matches, 2 ** matches.length - 1)
  }

  /** Adds more words to marked names, except words that are cheaper to check in the names themselves. */
  private markKnown(matches: readonly WordMatches[], words: number): number {
    let unmarked = 0
    for (const [at, match] of matches.entries()) {
      const bit = 1 << at
      if ((words & bit) === 0) continue
      if (countPostings(this.set.names, match) > this.touchedCount * POSTINGS_PER_READING) unmarked |= bit
      else this.markNames(match, { bit, isKnownOnly: true, isCoreOnly: false })
    }
    return unmarked
  }

  /** Checks a name's own tokens for matches of some words. */
  private readWords(name: number, matches: readonly WordMatches[], words: number): void {
    const { nameOffset, nameToken } = this.set.names
    const end = nameOffset[name + 1]
    let found = 0
    for (let at = nameOffset[name]; at < end; at++) {
      const marked = nameToken[at]
      const token = marked >= ALTERNATIVE ? marked - ALTERNATIVE : marked
      for (let left = words & ~found; left !== 0; left &= left - 1) {
        const word = 31 - Math.clz32(left & -left)
        if (fitsToken(matches[word], token)) found |= 1 << word
      }
    }
    this.wordsOfName[name] = this.wordsOfName[name] | found
  }

  private markNames(match: WordMatches, as: Mark): void {
    for (let token = match.first; token < match.end; token++) this.markToken(token, as)
    if (match.literal !== NONE && match.first === match.end) this.markToken(match.literal, as)
    for (const token of match.expansions) this.markToken(token, as)
    for (const token of match.near) this.markToken(token, as)
    for (const token of match.nearStarts) this.markToken(token, as)
  }

  private markToken(token: number, { bit, isKnownOnly, isCoreOnly }: Mark): void {
    const { wordsOfName, touchedNames } = this
    const { posting, postingOffset, isGeneric } = this.set.names
    if (isCoreOnly && isGeneric[token] === 1) return
    const end = postingOffset[token + 1]
    for (let at = postingOffset[token]; at < end; at++) {
      const name = posting[at]
      const known = wordsOfName[name]
      if (known === 0) {
        if (isKnownOnly) continue
        touchedNames[this.touchedCount++] = name
      }
      wordsOfName[name] = known | bit
    }
  }

  /** Marks the towns that each word matches. Returns the words that match any, as bits. */
  private markTowns({ words }: PlaceQuery): number {
    const { towns } = this.set
    this.wordsOfTown.fill(0)
    let townWords = 0
    for (const [at, word] of words.entries()) {
      if (word.digits >= 0) continue
      const match = findWord(towns, word.text, true)
      const tokens = [...match.expansions]
      for (let token = match.first; token < match.end; token++) tokens.push(token)
      for (const token of tokens) {
        townWords |= 1 << at
        markTown(towns, token, { wordsOfTown: this.wordsOfTown, bit: 1 << at })
      }
    }
    return townWords
  }
}

/** Number of postings of a word's tokens, including misspellings. */
function countPostings({ postingOffset }: NameIndex, match: WordMatches): number {
  let count = postingOffset[match.end] - postingOffset[match.first]
  const add = (token: number) => {
    count += postingOffset[token + 1] - postingOffset[token]
  }
  if (match.literal !== NONE && match.first === match.end) add(match.literal)
  match.expansions.forEach(add)
  match.near.forEach(add)
  match.nearStarts.forEach(add)
  return count
}

function fitsToken(match: WordMatches, token: number): boolean {
  return (
    (token >= match.first && token < match.end) ||
    token === match.literal ||
    match.expansions.includes(token) ||
    match.near.includes(token) ||
    match.nearStarts.includes(token)
  )
}

function markTown(towns: NameIndex, token: number, to: { wordsOfTown: Uint32Array; bit: number }): void {
  for (let at = towns.postingOffset[token]; at < towns.postingOffset[token + 1]; at++) {
    const town = towns.posting[at]
    to.wordsOfTown[town] = to.wordsOfTown[town] | to.bit
  }
}

/** Meters from a point on a locally flat map: exact to a thousandth within a region, enough for ranking. */
function flatMap(set: PlaceSet, near: { readonly lat: number; readonly lon: number }) {
  const latUnits = near.lat * 1e7
  const lonUnits = near.lon * 1e7
  const lonScale = Math.cos(latUnits * RADIANS_PER_UNIT)
  return (entry: EntryIndex): number => {
    const north = set.lat[entry] - latUnits
    let east = Math.abs(set.lon[entry] - lonUnits)
    if (east > 180e7) east = 360e7 - east
    east *= lonScale
    return Math.sqrt(north * north + east * east) * METERS_PER_UNIT
  }
}
