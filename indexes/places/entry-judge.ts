// Scores the places that have a given name. A word of the query that is not in the name is interpreted for each place:
// as its town, postcode, house number or suffix.
import { NONE } from '../../loaders/columns.ts'
import { countBits } from '../text/edit-distance.ts'
import { ALTERNATIVE, type NameIndex } from '../text/name-index.ts'
import { fitOf, NO_MATCH, type WordMatches } from '../text/word-matches.ts'
import type { BestHits } from './best-hits.ts'
import type { PlaceMeters } from './map-distance.ts'
import type { NameClaims } from './name-claims.ts'
import { NameLimits } from './name-limits.ts'
import { beginsPostcode, isHouseNumber, type QueryWord } from './place-query.ts'
import {
  EXTRA_LINK_SHARE,
  EXTRA_TYPE_SHARE,
  FAR_SHARE,
  isFar,
  matchScore,
  NAMED_SCORE,
  NO_TIER,
  NUMBER_SHARE,
  rankOf,
  scoreOf,
  slipShare,
  type Tier,
} from './place-score.ts'
import { type EntryIndex, type HouseFinder, NUMBER_BLOCK, type PlaceSet, POSTCODE_DIGITS } from './place-set.ts'
import type { TownMarks } from './town-marks.ts'

/** The inputs of a judge. The search creates and owns them. */
export interface JudgeParts {
  readonly set: PlaceSet
  readonly houses: HouseFinder | undefined
  readonly claims: NameClaims
  readonly marks: TownMarks
  readonly words: readonly QueryWord[]
  /** Distances of the places from the given point; undefined if no point is given. */
  readonly meters: PlaceMeters | undefined
  /** Whether places far from the point come after all others, unless their town is named. */
  readonly isFarLast: boolean
  readonly best: BestHits
  /** The minimum score of hits once a place with all significant words is found. */
  readonly leastNeeded: number
  /** Factor applied to all scores. */
  readonly share: number
  /** Whether a word may be a house number even if the place does not have that number. */
  readonly takesNumbers: boolean
  /** Decides whether a place, or a house in it, may be a hit. If undefined, every place may be one. */
  readonly accepts: ((entry: EntryIndex, house: number) => boolean) | undefined
}

/** The matches that one pass of a search accepts. */
export interface Pass {
  readonly matches: readonly WordMatches[]
  /** Maximum number of words that may be unmatched. */
  readonly missingLimit: number
  /** Whether generic words may be unmatched. */
  readonly allowsExtra: boolean
}

/** Value of `townWords` for places in any town. */
export const ANY_TOWN = -1

/** Scores the candidate places for one query. */
export class EntryJudge {
  /** Number of names and places examined. */
  workCount = 0
  /** The best score so far, before the reduction for far places. */
  bestMatch = 0
  readonly limits: NameLimits
  private readonly parts: JudgeParts
  private readonly all: number
  /** Words that may be the suffix of the number before them, as bits. */
  private suffixWords = 0
  /** Words that are neither numbers nor suffixes, as bits. */
  private plainWords = 0
  /** The generic words among `plainWords`, as bits. */
  private genericWords = 0
  /** The query's only number if it must be the house number; −1 otherwise. */
  private soleNumber = -1
  /** Index of the word that contains `soleNumber`; −1 if `soleNumber` is −1. */
  soleWord = -1
  private pass: Pass = { matches: [], missingLimit: 0, allowsExtra: false }
  /** How well the query matches the last name that was read. */
  private tier: Tier = NO_TIER
  private coverage = 0
  private slips = 1
  /** For the last judged place, how the words of the query that are not in its name were interpreted. */
  private missing = 0
  private extraShare = 1
  private townWords = 0
  private numberWord: QueryWord | undefined
  private suffix = ''
  private isUnfinished = false
  private postcodeOrNumber = false
  private isPostcodeNamed = false
  private meters = 0

  constructor(parts: JudgeParts) {
    this.parts = parts
    this.limits = new NameLimits(parts.set.names)
    this.all = 2 ** parts.words.length - 1
    for (let at = 0; at < parts.words.length; at++) {
      const word = parts.words[at]
      if (word.isSuffix && parts.houses !== undefined) this.suffixWords |= 1 << at
      if (word.digits >= 0 || word.houseNumber >= 0 || word.isSuffix) continue
      this.plainWords |= 1 << at
      if (word.isGeneric) this.genericWords |= 1 << at
    }
    this.expectAnyNumber()
  }

  /**
   * Assumes that names may contain numbers. So a number is certainly the house number only if the query has no other
   * number.
   */
  expectAnyNumber(): void {
    this.expectNumber(this.parts.words.filter(isHouseNumber))
  }

  /**
   * Assumes that the name contains no numbers, so a number that cannot start a postcode, such as `12b`, must be the
   * house number.
   */
  expectOneNumber(): void {
    this.expectNumber(this.parts.words.filter((word) => isHouseNumber(word) && word.digits < 0))
  }

  private expectNumber([only, ...others]: readonly QueryWord[]): void {
    const isSole = this.parts.takesNumbers && only !== undefined && !only.isLast && others.length === 0
    this.soleNumber = isSole ? only.houseNumber : -1
    this.soleWord = isSole ? this.parts.words.indexOf(only) : -1
  }

  /** Starts a pass. */
  begin(pass: Pass, share: number): void {
    this.pass = pass
    this.limits.begin(pass.matches, share * this.parts.share)
  }

  /** Number of words of the query. */
  get wordCount(): number {
    return this.parts.words.length
  }

  /** Number of hits in the bounded list of best hits. */
  get hitCount(): number {
    return this.parts.best.count
  }

  /** Whether some hit is misspelled or lacks words. */
  hasGuess(): boolean {
    return this.parts.best.list().some(({ isGuess }) => isGuess)
  }

  /**
   * Whether a name can no longer be among the best hits, given the importance of its best place and the distance to its
   * nearest place.
   */
  isBeyond(importance: number, leastMeters = 0): boolean {
    const { meters, best } = this.parts
    return this.limits.ofAny(rankOf(importance, meters && leastMeters)) < best.leastScore
  }

  /**
   * The query's only number, if a place whose name has this importance can be among the best hits only with this house
   * number; otherwise 0. The caller need not judge a name whose house numbers are all lower, unless the name contains
   * the number as a word.
   */
  numberNeeded(importance: number): number {
    const { meters, best } = this.parts
    if (this.soleNumber < 0) return 0
    const limit = this.limits.ofAny(rankOf(importance, meters && 0)) * NUMBER_SHARE
    return limit < best.leastScore ? this.soleNumber : 0
  }

  /** Whether places beyond this distance can no longer be among the best hits, because their scores are reduced. */
  isBeyondFar(leastMeters: number): boolean {
    return this.limits.ofAny(rankOf(255, leastMeters)) * FAR_SHARE < this.parts.best.leastScore
  }

  /**
   * Adds the places of a name to the best hits.
   * @param townWords words of the query, as bits. If given, a place is added only if exactly these words name its town
   */
  judgeName(name: number, townWords = ANY_TOWN): void {
    const { set, best, meters } = this.parts
    this.workCount++
    const least = meters?.leastOf(set.firstEntry[name], set.endEntry[name])
    const rank = rankOf(set.nameImportance[name], least)
    // The limit for names in general is checked first: it is cheap, because it does not depend on the words of this
    // name.
    if (this.limits.ofAny(rank) < best.leastScore) return
    const limit = this.limits.of(name, rank)
    if (limit < best.leastScore) return
    if (limit * NUMBER_SHARE < best.leastScore && this.lacksNumber(name, set.highestNumber[name])) return
    if (this.suffixWords !== 0 && this.readName(name, true)) this.judgeEntries(name, { townWords, isSuffixRead: true })
    if (this.readName(name, false)) this.judgeEntries(name, { townWords, isSuffixRead: false })
  }

  /** Adds one place to the best hits. */
  judgePlace(entry: EntryIndex): void {
    const { set, best } = this.parts
    this.workCount++
    const name = set.nameOfEntry[entry]
    const rank = this.rankOf(entry)
    const limit = this.limits.of(name, rank)
    if (limit < best.leastScore) return
    if (limit * NUMBER_SHARE < best.leastScore && this.lacksNumberAt(name, entry)) return
    if (this.suffixWords !== 0 && this.readName(name, true)) this.judgeEntry(entry, { rank, isSuffixRead: true })
    if (this.readName(name, false)) this.judgeEntry(entry, { rank, isSuffixRead: false })
  }

  /** Assigns the words of the query to a name; returns whether the name matches. */
  private readName(name: number, isSuffixRead: boolean): boolean {
    const { claims, set } = this.parts
    claims.assign(set.names, name, {
      matches: this.pass.matches,
      words: isSuffixRead ? this.all & ~this.suffixWords : this.all,
    })
    this.tier = claims.tier()
    if (this.tier === NO_TIER) return false
    this.coverage = claims.coverage()
    this.slips = slipShare(claims.nearSlips, claims.farSlips, 0) * this.parts.share
    return true
  }

  /**
   * Whether a name certainly lacks the query's only number: all house numbers in its places are lower, and the number
   * is not a word in the name.
   */
  private lacksNumber(name: number, highest: number): boolean {
    if (highest >= this.soleNumber) return false
    const { set } = this.parts
    return !hasToken(set.names, name, this.pass.matches[this.soleWord])
  }

  private lacksNumberAt(name: number, entry: EntryIndex): boolean {
    const { houses } = this.parts
    return this.soleNumber >= 0 && houses !== undefined && this.lacksNumber(name, houses.highestNumber(entry))
  }

  private rankOf(entry: EntryIndex): number {
    const { set, meters } = this.parts
    if (meters === undefined) return rankOf(set.importance[entry], undefined)
    this.meters = meters.to(entry)
    return rankOf(set.importance[entry], this.meters)
  }

  private judgeEntries(name: number, of: { readonly townWords: number; readonly isSuffixRead: boolean }): void {
    const { set, best, marks, meters, claims, houses } = this.parts
    const { bestEntries, town, blockNumber } = set
    const isNumberInName = this.soleWord >= 0 && (claims.claimedWords & (1 << this.soleWord)) !== 0
    const number = isNumberInName ? -1 : this.soleNumber
    const end = set.endEntry[name]
    for (let at: number = set.firstEntry[name]; at < end; at++) {
      const entry = bestEntries[at]
      this.workCount++
      const rank = this.rankOf(entry)
      const limit = matchScore(this.tier, rank, this.coverage) * this.slips
      if (limit < best.leastScore) {
        if (meters === undefined) break
        continue
      }
      if (limit * NUMBER_SHARE < best.leastScore) {
        // No place in this block has the number. Without a point, the places are sorted by importance, so the rest of
        // the block is skipped.
        if (blockNumber[Math.floor(at / NUMBER_BLOCK)] < number) {
          if (meters === undefined) at |= NUMBER_BLOCK - 1
          continue
        }
        if (houses !== undefined && houses.highestNumber(entry) < number) continue
      }
      if (of.townWords !== ANY_TOWN && (town[entry] === NONE || marks.words[town[entry]] !== of.townWords)) continue
      this.judgeEntry(entry, { rank, isSuffixRead: of.isSuffixRead })
    }
  }

  private judgeEntry(entry: EntryIndex, of: { readonly rank: number; readonly isSuffixRead: boolean }): void {
    const { houses, claims, set, marks } = this.parts
    const { missingLimit, allowsExtra } = this.pass
    const rest = this.all & ~claims.claimedWords
    const town = set.town[entry]
    const named = town === NONE ? 0 : marks.words[town]
    const plain = rest & this.plainWords & ~named
    if (missingLimit === 0 && (allowsExtra ? plain & ~this.genericWords : plain) !== 0) return
    this.readRest(entry, rest, named)
    if (this.missing > missingLimit || (this.extraShare < 1 && !allowsExtra)) return
    if ((this.missing > 0 || this.extraShare < 1) && !claims.claimsCore()) return
    const { numberWord, suffix, isUnfinished } = this
    const add = (house: number, isNumberMissing: boolean, isSuffixMissing: boolean) =>
      this.add(entry, { rank: of.rank, house, isNumberMissing, isSuffixMissing })
    if (numberWord === undefined) {
      if (!of.isSuffixRead) add(NONE, false, false)
      return
    }
    const number = numberWord.houseNumber
    const exact = houses?.findHouse(entry, { number, suffix, isUnfinished }) ?? NONE
    const isExact = exact !== NONE
    // A possible suffix is read as a suffix only if the house exists.
    if (of.isSuffixRead) {
      if (isExact && suffix !== '') add(exact, false, false)
      return
    }
    const house = isExact ? exact : (houses?.findNumber(entry, number) ?? NONE)
    add(house, house === NONE && !this.postcodeOrNumber, house !== NONE && !isExact)
    // A number at the end of the query may be incomplete, so the street is also a hit.
    if (house !== NONE && numberWord.isLast) add(NONE, true, false)
  }

  private add(
    entry: EntryIndex,
    of: { rank: number; house: number; isNumberMissing: boolean; isSuffixMissing: boolean },
  ): void {
    const { best, claims, marks, set, meters, isFarLast, share } = this.parts
    const town = set.town[entry]
    const townSlips = this.townWords === 0 ? 0 : countBits(this.townWords & marks.slipped[town])
    const match = scoreOf({
      tier: this.tier,
      coverage: this.coverage,
      rank: of.rank,
      slipShare: townSlips === 0 ? this.slips : slipShare(claims.nearSlips, claims.farSlips, townSlips) * share,
      missing: this.missing,
      extraShare: this.extraShare,
      isTownBegun: this.townWords !== 0 && marks.isBegun(town, this.townWords),
      isNumberMissing: of.isNumberMissing,
      isSuffixMissing: of.isSuffixMissing,
    })
    const isLast =
      meters !== undefined && isFarLast && isFar(this.meters) && this.townWords === 0 && !this.isPostcodeNamed
    const score = isLast ? match * FAR_SHARE : match
    if ((score < best.leastScore && match <= this.bestMatch) || this.parts.accepts?.(entry, of.house) === false) return
    const isGuess = share < 1 || this.missing + claims.nearSlips + claims.farSlips + townSlips > 0
    if (match > this.bestMatch) {
      this.bestMatch = match
      if (match >= NAMED_SCORE) best.raise(this.parts.leastNeeded)
    }
    if (score >= best.leastScore) best.add({ entry, house: of.house, score, isGuess })
  }

  /**
   * Interprets the words that are not in the name.
   * @param named the words that name the place's town
   */
  private readRest(entry: EntryIndex, rest: number, named: number): void {
    const { set, words, takesNumbers } = this.parts
    this.missing = 0
    this.extraShare = 1
    this.townWords = rest & named
    this.numberWord = undefined
    this.suffix = ''
    this.isUnfinished = false
    this.postcodeOrNumber = false
    this.isPostcodeNamed = false
    for (let left = rest & ~named; left !== 0; left &= left - 1) {
      const at = 31 - Math.clz32(left & -left)
      const word = words[at]
      if (word.digits >= 0 && word.text.length === POSTCODE_DIGITS) {
        if (word.digits === set.postcode[entry]) this.isPostcodeNamed = true
        else this.missing++
      } else if (word.houseNumber >= 0 && takesNumbers && this.mayTakeNumber(word, entry)) {
        // This word is the house number, and the previous number is the start of the postcode. If a separate word was
        // read as the suffix of the previous number, that word is now unmatched.
        if (this.numberWord !== undefined && this.suffix !== this.numberWord.suffix) this.missing++
        this.numberWord = word
        this.suffix = word.suffix
        this.isUnfinished = word.isLast
        this.postcodeOrNumber = word.isLast && beginsPostcode(word, set.postcode[entry])
      } else if (word.isSuffix && words[at - 1] === this.numberWord && this.suffix === '') {
        this.suffix = word.text
        this.isUnfinished = word.isLast
      } else if (beginsPostcode(word, set.postcode[entry])) this.isPostcodeNamed = true
      else if (word.isGeneric) this.extraShare *= word.isLink ? EXTRA_LINK_SHARE : EXTRA_TYPE_SHARE
      else this.missing++
    }
  }

  /**
   * Whether a number of the query may be the house number. The first number always may. The second number may only if
   * the first number starts the postcode and the second does not.
   */
  private mayTakeNumber(word: QueryWord, entry: EntryIndex): boolean {
    if (this.numberWord === undefined) return true
    const postcode = this.parts.set.postcode[entry]
    return beginsPostcode(this.numberWord, postcode) && !beginsPostcode(word, postcode)
  }
}

/** Whether a name has a token that a word of the query matches. */
function hasToken({ nameOffset, nameToken }: NameIndex, name: number, match: WordMatches): boolean {
  for (let at = nameOffset[name]; at < nameOffset[name + 1]; at++) {
    const marked = nameToken[at]
    if (fitOf(match, marked >= ALTERNATIVE ? marked - ALTERNATIVE : marked) !== NO_MATCH) return true
  }
  return false
}
