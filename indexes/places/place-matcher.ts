// Finds the best places of one place set. Candidates come from names or from towns, whichever gives fewer. The best
// candidates come first, and the search ends when no other candidate can be among the best. If the words as typed find
// few places, misspellings are tried. If misspellings find nothing, words are left out.
import { NONE } from '../../loaders/columns.ts'
import { countBits } from '../text/edit-distance.ts'
import { findToken, findTokens, type TokenRange } from '../text/prefix-tree.ts'
import { countPostings, findWord, type WordMatches, withNearTokens } from '../text/word-matches.ts'
import { BestHits } from './best-hits.ts'
import { CandidateWalks, findCoded, type Walk } from './candidate-walks.ts'
import { EntryJudge, type JudgeParts, type Pass } from './entry-judge.ts'
import { type KnownWords, otherReadings } from './joined-words.ts'
import { metersFrom } from './map-distance.ts'
import { NameClaims } from './name-claims.ts'
import { isHouseNumber, type PlaceQuery, type QueryWord } from './place-query.ts'
import {
  EXTRA_LINK_SHARE,
  EXTRA_TYPE_SHARE,
  JOINED_SHARE,
  MISSING_SHARE,
  NAMED_SCORE,
  SLIP_SHARE,
  TOWN_SLIP_SHARE,
} from './place-score.ts'
import {
  type EntryHit,
  type EntryIndex,
  findPostcodes,
  type HouseFinder,
  type PlaceSet,
  POSTCODE_DIGITS,
} from './place-set.ts'
import { TownMarks } from './town-marks.ts'
import { wholeNamesOf } from './whole-matches.ts'

/** A query to search for in a place set, with the options of the search. */
export interface MatchRequest {
  readonly query: PlaceQuery
  /** A point in degrees. Among equal matches, places near this point come first. */
  readonly near: { readonly lat: number; readonly lon: number } | undefined
  readonly limit: number
  /** Once a place with all significant words is found, hits need at least this score. Default: 0. */
  readonly leastNeeded?: number
  /** Whether places far from the point come after all others, unless their town is named. */
  readonly isFarLast?: boolean
  /** Decides whether a place, or a house in it, may be a hit. If absent, every place may be one. */
  readonly accepts?: ((entry: EntryIndex, house: number) => boolean) | undefined
  /** The only towns to search, which must contain all accepted places; all towns if absent. */
  readonly towns?: readonly number[] | undefined
}

/**
 * Which hits a search looks for. `as_typed`: all words match as typed. `with_extra`: hits may also lack generic words.
 * `all`: words may also be misspelled, and any word may be missing.
 */
export type Stages = 'as_typed' | 'with_extra' | 'all'

/** Options for place sets of addresses and towns. */
interface MatcherOptions {
  readonly houses?: HouseFinder
  /** Returns the id of a place. Places that share an id count as one. */
  readonly idOf?: (entry: EntryIndex) => number
  /** Whether a word may be a house number even if the place does not have that number; true if absent. */
  readonly takesNumbers?: boolean
}

/** Misspellings are tried if there are fewer hits than this. */
const FEW_HITS = 5
/** One word may be unmatched per this many words of the query, rounded up, but at most MAX_MISSING words. */
const WORDS_PER_MISSING = 3
const MAX_MISSING = 3
/** Minimum capacity of the list of hits, so that a small limit finds the same first hits as a larger one. */
const LEAST_HITS = 10
/**
 * Highest factor for the score of a misspelled hit: the factor of a hit whose only misspelled word is in the name of
 * its town.
 */
const GUESS_SHARE = TOWN_SLIP_SHARE

/** The state of the search for one reading of a query, shared by all its passes. */
interface Run extends Omit<Walk, 'pass' | 'share' | 'required'> {
  /** The matches of the words as typed. */
  readonly typed: readonly WordMatches[]
  /** Matches including misspellings; built on demand. */
  readonly slips: (WordMatches | undefined)[]
  /** The words that name some town as typed, as bits. */
  readonly townWords: number
  readonly best: BestHits
}

/** Searches one set. Its arrays are reused, so only one search can run at a time. */
export class PlaceMatcher {
  /** The best score of the last search, before the reduction for far places. */
  bestMatch = 0
  private readonly set: PlaceSet
  private readonly houses: HouseFinder | undefined
  private readonly idOf: ((entry: EntryIndex) => number) | undefined
  private readonly takesNumbers: boolean
  private readonly claims = new NameClaims()
  private readonly marks: TownMarks
  private readonly walks: CandidateWalks
  /** The words of all names and towns, used to split and join words. */
  private readonly known: KnownWords
  /** Maximum number of words in a name. */
  private readonly longestName: number
  /** The last search; undefined if it had no words. */
  private last: { readonly request: MatchRequest; readonly run: Run } | undefined

  constructor(set: PlaceSet, { houses, idOf, takesNumbers = true }: MatcherOptions = {}) {
    this.set = set
    this.houses = houses
    this.idOf = idOf
    this.takesNumbers = takesNumbers
    this.marks = new TownMarks(set.towns)
    this.walks = new CandidateWalks(set, this.marks)
    this.longestName = largest(set.names.nameWords)
    const indexes = [set.names, set.towns]
    this.known = {
      isWord: (text) => indexes.some((index) => findToken(index, text) >= 0),
      isStart: (text) => indexes.some((index) => hasTokens(findTokens(index, text))),
    }
  }

  /** Whether the last search stopped early (see MAX_WORK in candidate-walks.ts), so that better hits may be missing. */
  get isCut(): boolean {
    return this.walks.isCut
  }

  /** The best hits, best first; ties are ordered by place number. */
  search(request: MatchRequest, stages: Stages = 'all'): readonly EntryHit[] {
    const { query, limit, leastNeeded = 0 } = request
    this.walks.reset()
    this.bestMatch = 0
    this.last = undefined
    if (query.words.length === 0) return []
    const best = new BestHits(Math.max(limit, LEAST_HITS), this.idOf)
    // The minimum score is raised to NAMED_SCORE at most, not to `leastNeeded`: the search must also find out whether a
    // place with a lower score than `leastNeeded` has all significant words.
    if (leastNeeded >= NAMED_SCORE) best.raise(NAMED_SCORE)
    const run = this.begin(request, query, { best, share: 1 })
    this.last = { request, run }
    this.findAsTyped(run)
    return this.searchFurther(stages)
  }

  /**
   * Continues the last search with further stages; returns the hits of all stages.
   * @param leastNeeded the minimum score of the hits that `with_extra` adds; if undefined, the request's `leastNeeded`
   */
  searchFurther(stages: Stages, leastNeeded?: number): readonly EntryHit[] {
    if (this.last === undefined) return []
    const { request, run } = this.last
    if (stages !== 'as_typed' && !isNamed(run)) {
      if (stages === 'with_extra') run.best.raise(leastNeeded ?? request.leastNeeded ?? 0)
      this.findWithExtra(run)
      if (stages === 'all' && !isEnough(run)) this.readOtherwise(request, run)
    }
    this.bestMatch = run.judge.bestMatch
    return run.best.list().slice(0, request.limit)
  }

  /** Drops the data of the last search. Data that is kept for long is freed only by a full garbage collection. */
  forget(): void {
    this.last = undefined
    this.walks.reset()
  }

  /** Starts the search for one reading of the query. */
  private begin(request: MatchRequest, { words }: PlaceQuery, of: Pick<JudgeParts, 'best' | 'share'>): Run {
    const { near, isFarLast = false, leastNeeded = 0, accepts, towns } = request
    const { set, houses, claims, marks, takesNumbers } = this
    const meters = near && metersFrom(set, near)
    const judge = new EntryJudge({
      set,
      houses,
      claims,
      marks,
      words,
      meters,
      isFarLast,
      leastNeeded,
      takesNumbers,
      accepts,
      best: of.best,
      share: of.share,
    })
    const typed: WordMatches[] = []
    for (const { text, digits, isLast } of words) typed.push(findWord(set.names, text, digits < 0 || isLast))
    this.walks.forgetNames()
    const townWords = marks.mark(words, 0)
    const numbers = numbersOf(words, townWords)
    const coded = findCoded(set, words)
    return { words, typed, slips: [], townWords, judge, best: of.best, near, isFarLast, towns, coded, numbers }
  }

  /** Tries other readings, with words joined or split; if none matches, tries misspellings. */
  private readOtherwise(request: MatchRequest, run: Run): void {
    const { best } = run
    let isFound = false
    for (const query of otherReadings(request.query, this.known)) {
      const reading = this.begin(request, query, { best, share: JOINED_SHARE })
      this.findAsTyped(reading)
      if (!isNamed(reading)) this.findWithExtra(reading)
      if (isNamed(reading)) isFound = true
    }
    if (!isFound) this.guess(run)
  }

  private findAsTyped(run: Run): void {
    const pass: Pass = { matches: run.typed, missingLimit: 0, allowsExtra: false }
    const required = this.requiredWords(run.words)
    if (this.mayHave(required & ~run.townWords)) this.findExact(run, { pass, share: 1, required })
  }

  /** Searches again, and allows hits to lack generic words. */
  private findWithExtra(run: Run): void {
    const { words, typed } = run
    const required = this.requiredWords(words)
    // `generic` also has words that are not required because they may be a number's suffix, such as R in `8 R 1`.
    const generic = genericWords(words)
    if (generic === 0 || !this.mayHave(required & ~generic & ~run.townWords)) return
    const share = words.some(({ isLink }) => isLink) ? EXTRA_LINK_SHARE : EXTRA_TYPE_SHARE
    const pass: Pass = { matches: typed, missingLimit: 0, allowsExtra: true }
    this.findExact(run, { pass, share, required: required & ~generic })
  }

  /** First visits the names that are typed in full, because all other names have lower score limits. */
  private findExact(run: Run, of: Pick<Walk, 'pass' | 'share' | 'required'>): void {
    const walk = { ...run, ...of }
    if (this.walks.hasNone(walk, run.townWords)) return
    if (walk.coded !== undefined || walk.towns !== undefined) return this.walks.walk(walk)
    const whole = wholeNamesOf(this.set, walk.pass.matches)
    walk.judge.begin(walk.pass, walk.share)
    this.walks.walkWhole(walk, whole.names)
    walk.judge.limits.isWholeDone = whole.isComplete
    this.walks.walk(walk)
    walk.judge.limits.isWholeDone = false
  }

  /**
   * Tries misspellings of the words that neither a name nor a town has, then of all words. If nothing is found, leaves
   * out one word, then two, then three.
   */
  private guess(run: Run): void {
    const { words, typed, judge } = run
    const unknown = this.unknownWords(words, typed)
    const all = 2 ** words.length - 1
    if (unknown !== 0) this.findSlips(run, unknown)
    if (unknown !== all && !judge.hasGuess()) this.findSlips(run, all)
    if (judge.hitCount === 0 && words.length > 1) this.findParts(run)
  }

  private findSlips(run: Run, slipped: number): void {
    const { words } = run
    const { walks, marks } = this
    const townWords = marks.mark(words, slipped)
    walks.forgetNames()
    const required = this.requiredWords(words)
    const significant = required & ~genericWords(words)
    if (!this.mayHave(significant & ~townWords)) return
    walks.walk({
      ...run,
      pass: { matches: this.withSlips(run, slipped), missingLimit: 0, allowsExtra: true },
      share: GUESS_SHARE,
      required: significant,
    })
  }

  /** Leaves out words. Reads the remaining words first as typed, then with misspellings. */
  private findParts(run: Run): void {
    const { words, typed, judge } = run
    const { walks, marks } = this
    const required = this.requiredWords(words)
    const significant = required & ~genericWords(words)
    const slipped = this.withSlips(run, 2 ** words.length - 1)
    const most = Math.min(MAX_MISSING, Math.ceil(words.length / WORDS_PER_MISSING))
    for (let missing = 1; missing <= most; missing++) {
      for (const matches of [typed, slipped]) {
        const townWords = marks.mark(words, matches === typed ? 0 : 2 ** words.length - 1)
        walks.forgetNames()
        if (!this.mayHave(significant & ~townWords, missing)) continue
        const share = MISSING_SHARE ** missing * (matches === typed ? 1 : GUESS_SHARE)
        const pass: Pass = { matches, missingLimit: missing, allowsExtra: true }
        walks.walkAny(
          { ...run, numbers: 0, pass, share, required },
          this.rarest(run, matches, { words: significant, count: missing + 1 }),
        )
        if (judge.hitCount > 0) return
      }
    }
  }

  private withSlips({ words, typed, slips }: Run, slipped: number): WordMatches[] {
    return typed.map((match, at) => {
      const { text, isLast, houseNumber, digits } = words[at]
      if ((slipped & (1 << at)) === 0 || houseNumber >= 0 || digits >= 0) return match
      slips[at] ??= withNearTokens(this.set.names, match, { text, isUnfinished: isLast })
      return slips[at]
    })
  }

  /** Whether the longest name has enough words to match `words` (bits) if `missing` of them may be unmatched. */
  private mayHave(words: number, missing = 0): boolean {
    return countBits(words) - missing <= this.longestName
  }

  /**
   * The typed words that occur in no name and no town, as a bit set. The last word may be the start of a word in a name
   * or town.
   */
  private unknownWords(words: readonly QueryWord[], typed: readonly WordMatches[]): number {
    const { names, towns } = this.set
    let unknown = 0
    for (const [at, { text, isLast, houseNumber, digits }] of words.entries()) {
      if (houseNumber >= 0 || digits >= 0) continue
      const isKnown = [typed[at], findWord(towns, text, true)].some((match) =>
        isLast ? countPostings(match === typed[at] ? names : towns, match) > 0 : hasWhole(match),
      )
      if (!isKnown) unknown |= 1 << at
    }
    return unknown
  }

  /** Words that the name or the town must have: all but numbers, suffixes and postcodes, as bits. */
  private requiredWords(words: readonly QueryWord[]): number {
    let required = 0
    for (let at = 0; at < words.length; at++) {
      const word = words[at]
      if (!isHouseNumber(word) && !word.isSuffix && !this.beginsPostcode(word)) required |= 1 << at
    }
    return required
  }

  private beginsPostcode({ digits, text }: QueryWord): boolean {
    if (digits < 0 || text.length > POSTCODE_DIGITS) return false
    const { first, end } = findPostcodes(this.set, { digits, length: text.length })
    return first < end
  }

  /**
   * The `count` words that match the fewest places, as bits. If there are fewer than `count` words, returns all words
   * of the query. A hit that lacks fewer than `count` words has at least one of the returned words.
   */
  private rarest({ coded }: Run, matches: readonly WordMatches[], of: { words: number; count: number }): number {
    const codedWord = coded === undefined ? 0 : 1 << coded.word
    const words = of.words | codedWord
    if (countBits(words) < of.count) return 2 ** matches.length - 1
    const placesOf = (word: number) => {
      const towns =
        word === coded?.word
          ? this.walks.countTownEntries(coded.towns)
          : this.marks.countPlaces(1 << word, this.set.townOffset)
      return countPostings(this.set.names, matches[word]) + towns
    }
    const costs = [...matches.keys()]
      .filter((word) => (words & (1 << word)) !== 0)
      .map((word) => ({ bit: 1 << word, cost: placesOf(word) }))
      .sort((a, b) => a.cost - b.cost)
    return costs.slice(0, of.count).reduce((bits, { bit }) => bits | bit, 0)
  }
}

function largest(column: ArrayLike<number>): number {
  let most = 0
  for (let at = 0; at < column.length; at++) most = Math.max(most, column[at])
  return most
}

function genericWords(words: readonly QueryWord[]): number {
  let bits = 0
  for (let at = 0; at < words.length; at++) if (words[at].isGeneric) bits |= 1 << at
  return bits
}

/** The words that may be house numbers and do not name a town, as bits; 0 if there is only one such word. */
function numbersOf(words: readonly QueryWord[], townWords: number): number {
  let numbers = 0
  for (let at = 0; at < words.length; at++) {
    if (isHouseNumber(words[at]) && (townWords & (1 << at)) === 0) numbers |= 1 << at
  }
  return countBits(numbers) > 1 ? numbers : 0
}

/** Whether some token equals a word, one of its other forms or its singular. */
function hasWhole({ literal, expansions, singular }: WordMatches): boolean {
  return literal !== NONE || expansions.length > 0 || singular !== NONE
}

function hasTokens({ first, end }: TokenRange): boolean {
  return first < end
}

/** Whether a place was found that has all significant words and the house number. */
function isNamed({ judge }: Run): boolean {
  return judge.bestMatch >= NAMED_SCORE
}

/** Whether the hits are so good that misspellings need not be tried. */
function isEnough({ judge, best }: Run): boolean {
  return judge.bestMatch >= NAMED_SCORE || (best.count >= FEW_HITS && judge.bestMatch >= SLIP_SHARE)
}
