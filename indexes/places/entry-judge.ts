// Interprets the words of a query that are not in a place's name, for each place of that name: town, postcode, house
// number and suffix. Scores each place.
import { NONE } from '../../loaders/columns.ts'
import { countBits } from '../text/edit-distance.ts'
import type { WordMatches } from '../text/word-matches.ts'
import type { BestHits } from './best-hits.ts'
import type { NameClaims, Tier } from './name-claims.ts'
import { POSTCODE_DIGITS, type QueryWord } from './place-query.ts'
import { rankOf, scoreLimit, scoreOf } from './place-score.ts'
import type { EntryIndex, HouseFinder, PlaceSet } from './place-set.ts'

/** The inputs of a judge, owned by the search. */
export interface JudgeParts {
  readonly set: PlaceSet
  readonly houses: HouseFinder | undefined
  readonly claims: NameClaims
  /** Town → the words that match it, as bits. */
  readonly wordsOfTown: Uint32Array
  readonly words: readonly QueryWord[]
  /** Meters from a place to the given point. */
  readonly metersTo: ((entry: EntryIndex) => number) | undefined
  readonly best: BestHits
}

/** The places of a name, and the words that match some word of it, as bits. */
interface NamePlaces {
  readonly first: EntryIndex
  readonly end: EntryIndex
  readonly words: number
}

/** Scores the places of one query. */
export class EntryJudge {
  private readonly parts: JudgeParts
  private readonly all: number
  /** Words that may be the suffix of the number before them. */
  private readonly suffixWords: number
  private matches: readonly WordMatches[] = []
  private hasSlips = false
  private missingLimit = 0
  private tier: Tier = 'none'
  private coverage = 0
  /** The remaining words, interpreted for the last place. */
  private missing = 0
  private numberWord: QueryWord | undefined
  private suffix = ''
  private isUnfinished = false
  private postcodeOrNumber = false
  /** The place whose rank was worked out last, and its rank. */
  private rankedEntry = NONE
  private rank = 0

  constructor(parts: JudgeParts) {
    this.parts = parts
    this.all = 2 ** parts.words.length - 1
    let suffixWords = 0
    for (const [at, word] of parts.words.entries()) if (word.isSuffix) suffixWords |= 1 << at
    this.suffixWords = parts.houses === undefined ? 0 : suffixWords
  }

  /** Starts a pass over names with these matches. */
  begin(matches: readonly WordMatches[], missingLimit: number): void {
    this.matches = matches
    this.hasSlips = matches.some(({ near, nearStarts }) => near.length + nearStarts.length > 0)
    this.missingLimit = missingLimit
  }

  /** Whether any place was good enough so far. */
  hasFound(): boolean {
    return this.parts.best.count > 0
  }

  /** Adds the places of a name to the best hits. `words` are the bits of words that match some word of it. */
  judgeName(name: number, words: number): void {
    const { entryOffset } = this.parts.set
    const first = entryOffset[name]
    const end = entryOffset[name + 1]
    if (this.cannotMatter(name, { first, end, words })) return
    if (this.suffixWords !== 0) this.judgeEntries(name, { first, end, words, isSuffixRead: true })
    this.judgeEntries(name, { first, end, words, isSuffixRead: false })
  }

  /** Whether no place of a name can be among the best: skips most names of a common word. */
  private cannotMatter(name: number, of: NamePlaces): boolean {
    const { set, best } = this.parts
    const { leastScore } = best
    if (leastScore <= 0) return false
    let rank = 0
    for (let entry = of.first; entry < of.end; entry++) {
      rank = Math.max(rank, this.rankOf(entry))
    }
    return scoreLimit(rank, set.names.nameWords[name] <= countBits(of.words)) < leastScore
  }

  private rankOf(entry: EntryIndex): number {
    if (entry !== this.rankedEntry) {
      const { set, metersTo } = this.parts
      this.rankedEntry = entry
      this.rank = rankOf(set.importance[entry], metersTo?.(entry))
    }
    return this.rank
  }

  private judgeEntries(name: number, of: NamePlaces & { readonly isSuffixRead: boolean }): void {
    const { claims, set } = this.parts
    const words = of.isSuffixRead ? of.words & ~this.suffixWords : of.words
    claims.assign(set.names, name, { matches: this.matches, words, hasSlips: this.hasSlips })
    this.tier = claims.tier()
    if (this.tier === 'none' || (this.missingLimit > 0 && !claims.claimsCore())) return
    this.coverage = claims.coverage()
    for (let entry = of.first; entry < of.end; entry++) {
      this.readRest(entry, this.all & ~claims.claimedWords)
      if (this.missing <= this.missingLimit) this.judgeEntry(entry, of.isSuffixRead)
    }
  }

  private judgeEntry(entry: EntryIndex, isSuffixRead: boolean): void {
    const { houses } = this.parts
    const { numberWord, suffix, isUnfinished } = this
    if (numberWord === undefined) {
      if (!isSuffixRead) this.add(entry, { house: NONE, isNumberMissing: false, isSuffixMissing: false })
      return
    }
    const number = numberWord.houseNumber
    const exact = houses?.findHouse(entry, { number, suffix, isUnfinished }) ?? NONE
    const isExact = exact !== NONE
    // A possible suffix counts as one only if such a house exists.
    if (isSuffixRead) {
      if (isExact && suffix !== '') this.add(entry, { house: exact, isNumberMissing: false, isSuffixMissing: false })
      return
    }
    const house = isExact ? exact : (houses?.findNumber(entry, number) ?? NONE)
    const isNumberMissing = house === NONE && !this.postcodeOrNumber
    this.add(entry, { house, isNumberMissing, isSuffixMissing: house !== NONE && !isExact })
    // After the name, the number may be incomplete: the street stays in the list.
    if (house !== NONE && numberWord.isLast) {
      this.add(entry, { house: NONE, isNumberMissing: true, isSuffixMissing: false })
    }
  }

  private add(entry: EntryIndex, of: { house: number; isNumberMissing: boolean; isSuffixMissing: boolean }): void {
    const { best, claims } = this.parts
    const score = scoreOf({
      tier: this.tier,
      coverage: this.coverage,
      rank: this.rankOf(entry),
      slips: claims.slipCount,
      missing: this.missing,
      isNumberMissing: of.isNumberMissing,
      isSuffixMissing: of.isSuffixMissing,
    })
    if (score >= best.leastScore) best.add({ entry, house: of.house, score })
  }

  /** Interprets the words that the name does not have. */
  private readRest(entry: EntryIndex, rest: number): void {
    const { set, words, wordsOfTown } = this.parts
    const town = set.town[entry]
    const ofTown = town === NONE ? 0 : wordsOfTown[town]
    this.missing = 0
    this.numberWord = undefined
    this.suffix = ''
    this.isUnfinished = false
    this.postcodeOrNumber = false
    for (let left = rest & ~ofTown; left !== 0; left &= left - 1) {
      const at = 31 - Math.clz32(left & -left)
      const word = words[at]
      if (word.digits >= 0 && word.text.length === POSTCODE_DIGITS) {
        if (word.digits !== set.postcode[entry]) this.missing++
      } else if (word.houseNumber >= 0 && this.mayTakeNumber(word, entry)) {
        // A word used as the other number's suffix does not count.
        if (this.numberWord !== undefined && this.suffix !== this.numberWord.suffix) this.missing++
        this.numberWord = word
        this.suffix = word.suffix
        this.isUnfinished = word.isLast
        this.postcodeOrNumber = word.isLast && beginsPostcode(word, set.postcode[entry])
      } else if (word.isSuffix && words[at - 1] === this.numberWord && this.suffix === '') {
        this.suffix = word.text
        this.isUnfinished = word.isLast
      } else if (!beginsPostcode(word, set.postcode[entry])) this.missing++
    }
  }

  /** The first number is the house's; but if one of two starts the postcode, the other one is. */
  private mayTakeNumber(word: QueryWord, entry: EntryIndex): boolean {
    if (this.numberWord === undefined) return true
    const postcode = this.parts.set.postcode[entry]
    return beginsPostcode(this.numberWord, postcode) && !beginsPostcode(word, postcode)
  }
}

/** Whether digits are the start of a postcode: `75` of 75002. */
function beginsPostcode(word: QueryWord, postcode: number): boolean {
  if (postcode === NONE || word.digits < 0 || word.text.length > POSTCODE_DIGITS) return false
  return Math.floor(postcode / 10 ** (POSTCODE_DIGITS - word.text.length)) === word.digits
}
