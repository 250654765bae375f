// Finds the candidates of a search and passes them to the EntryJudge. Candidates are usually found by name. If the
// towns in the query have fewer places than the names in the query, candidates are found by town instead. In both
// cases, the best candidates come first. A walk through the candidates therefore ends as soon as no later candidate can
// be among the best hits.
import { countNames } from '../text/name-index.ts'
import { countPostings } from '../text/word-matches.ts'
import { hasName, WordSets } from '../text/word-sets.ts'
import { ANY_TOWN, type EntryJudge, type Pass } from './entry-judge.ts'
import { metersToTowns, type NearPoint } from './map-distance.ts'
import type { QueryWord } from './place-query.ts'
import { isFar } from './place-score.ts'
import { findPostcodes, type PlaceSet, POSTCODE_DIGITS } from './place-set.ts'
import type { TownMarks } from './town-marks.ts'

/** The input of a walk through the candidates. */
export interface Walk {
  readonly words: readonly QueryWord[]
  readonly judge: EntryJudge
  readonly near: NearPoint | undefined
  readonly isFarLast: boolean
  readonly pass: Pass
  /** Upper bound for the factor by which the score of a hit is multiplied in this pass. */
  readonly share: number
  /** The towns to search; all towns if undefined. */
  readonly towns: readonly number[] | undefined
  /**
   * The first existing postcode in the query, and the towns with that postcode. Undefined if the query has no such
   * postcode.
   */
  readonly coded: CodedTowns | undefined
  /** Words that the name or the town must have, as bits. */
  readonly required: number
  /**
   * The words that are numbers, as bits, if the query has several numbers; otherwise 0. Of several numbers, one is the
   * house number, and the name must contain another one.
   */
  readonly numbers: number
}

/** A postcode in the query: the index of its word, and the towns with that postcode. */
export interface CodedTowns {
  readonly word: number
  readonly towns: readonly number[]
}

/** Names that start with a word of the query, or all other names. */
interface Layer {
  readonly names: Uint32Array
  readonly starts: Uint32Array
  readonly isStart: boolean
  readonly townWords: number
}

/** Maximum number of names and places examined by a search. A search that reaches it returns the best hits so far. */
const MAX_WORK = 50_000
/**
 * MAX_WORK applies to queries of up to this many words. Each further word halves the limit, down to LEAST_WORK: more
 * words make each name slower to examine, and full matches are found early.
 */
const WORDS_OF_MAX_WORK = 8
const LEAST_WORK = 400
/** If a query with a point has more candidates than this, towns are searched from near to far. */
const MANY_ENTRIES = 20_000
/** If the towns with a matching postcode have more places than this, names are searched instead. */
const MANY_NUMBERED = 150_000
/**
 * Examining one name costs about as much as examining this many places. Used to decide whether to search by names or by
 * towns.
 */
const ENTRIES_PER_NAME = 4
/** Towns are grouped into rings around a point. These are the outer radii of the rings. */
const RING_METERS = [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, Infinity]

/** Walks through the candidates of one place set. Only one search can run at a time. */
export class CandidateWalks {
  /** Whether the current search stopped early because it reached its work limit (see MAX_WORK). */
  isCut = false
  private readonly set: PlaceSet
  private readonly marks: TownMarks
  /** Finds the names that contain a word. */
  private readonly sets: WordSets
  /** Finds the names that start with a word. */
  private readonly starts: WordSets
  /** Required words, as bits → the names with all of them. Replaced, not cleared, for the reason in word-sets.ts. */
  private namesOfWords = new Map<number, Uint32Array>()
  /** The names that start with any word of the query in the current pass; undefined until needed. */
  private startNames: Uint32Array | undefined

  constructor(set: PlaceSet, marks: TownMarks) {
    const nameCount = countNames(set.names)
    this.set = set
    this.marks = marks
    this.sets = new WordSets(set.names, nameCount)
    this.starts = new WordSets(set.names.starts, nameCount)
  }

  /** Starts a search. */
  reset(): void {
    this.isCut = false
    this.sets.reset()
    this.starts.reset()
    this.forgetNames()
  }

  /** Discards the cached names, because the next pass matches words differently. */
  forgetNames(): void {
    if (this.namesOfWords.size > 0) this.namesOfWords = new Map()
    this.startNames = undefined
  }

  /**
   * Whether the names alone show that no place has the required words. False if towns or numbers would have to be
   * checked.
   */
  hasNone(walk: Walk, townWords: number): boolean {
    const { required, coded, towns, numbers } = walk
    if (required === 0 || townWords !== 0 || coded !== undefined || towns !== undefined || numbers !== 0) return false
    return this.namesWith(walk, required).every((bits) => bits === 0)
  }

  /** Judges all candidates whose name and town together have all required words. */
  walk(walk: Walk): void {
    const { coded, judge, pass, share, required } = walk
    judge.begin(pass, share)
    if (walk.towns !== undefined) this.walkTowns({ ...walk, numbers: 0 }, walk.towns)
    else if (coded !== undefined) {
      const inTowns = { ...walk, numbers: 0 }
      this.walkTowns(inTowns, coded.towns)
      // The digits of a postcode may also be a word in a name.
      if (countPostings(this.set.names, pass.matches[coded.word]) > 0) {
        this.walkNames(inTowns, this.namesWith(inTowns, required | (1 << coded.word)))
      }
    } else if (walk.near !== undefined && this.hasMany(walk)) this.walkRings(walk, walk.near)
    else {
      this.walkNames(walk, this.namesWith(walk, required))
      this.walkGroups(walk)
      this.walkNumbered(walk)
    }
  }

  /**
   * Judges candidates whose name contains no number of the query. For such a candidate, one number of the query may be
   * the house number, and another may be the start of the postcode.
   */
  private walkNumbered(walk: Walk): void {
    if (walk.numbers === 0) return
    const any = { ...walk, numbers: 0 }
    const towns = this.townsOfNumbers(walk.words)
    const names = this.countNames(walk, walk.required) * ENTRIES_PER_NAME
    walk.judge.expectOneNumber()
    if (this.countTownEntries(towns) < Math.min(names, MANY_NUMBERED)) this.walkTowns(any, towns)
    else {
      this.walkNames(any, this.namesWith(any, walk.required))
      this.walkGroups(any)
    }
    walk.judge.expectAnyNumber()
  }

  /** The towns with a postcode that starts with a number of the query. */
  private townsOfNumbers(words: readonly QueryWord[]): Set<number> {
    const { postcodeOffset, postcodeTown } = this.set
    const towns = new Set<number>()
    for (const { digits, text } of words) {
      if (digits < 0 || text.length >= POSTCODE_DIGITS) continue
      const { first, end } = findPostcodes(this.set, { digits, length: text.length })
      for (let row = postcodeOffset[first]; row < postcodeOffset[end]; row++) towns.add(postcodeTown[row])
    }
    return towns
  }

  /** Total number of places in these towns. */
  countTownEntries(towns: Iterable<number>): number {
    const { townOffset } = this.set
    let count = 0
    for (const town of towns) count += townOffset[town + 1] - townOffset[town]
    return count
  }

  /** Judges the places with these names. Each of the names consists only of words of the query. */
  walkWhole({ judge }: Walk, names: readonly number[]): void {
    for (const name of names) if (this.mayContinue(judge)) judge.judgeName(name)
  }

  /** Judges all candidates that have at least one word of `pivots` (bits) in their name or town. */
  walkAny(walk: Walk, pivots: number): void {
    const { judge, pass, share } = walk
    judge.begin(pass, share)
    const matches = pass.matches.filter((_, at) => (pivots & (1 << at)) !== 0)
    this.walkNames(walk, this.sets.any(matches))
    const { coded } = walk
    const towns = coded !== undefined && (pivots & (1 << coded.word)) !== 0 ? [...coded.towns] : []
    for (const group of this.marks.groups(this.set.townOffset))
      if ((group.words & pivots) !== 0) towns.push(...group.towns)
    this.walkTowns({ ...walk, required: 0 }, towns)
  }

  /**
   * The names that match all of `words` and at least one of the numbers. If there are no words and no numbers, the
   * names that match any word of the query.
   */
  private namesWith({ pass: { matches }, numbers }: Walk, words: number): Uint32Array {
    // Most searches have only one required word. The set of its names does not need to be cached.
    if (numbers === 0 && words !== 0 && (words & (words - 1)) === 0)
      return this.sets.of(matches[31 - Math.clz32(words)])
    const key = words + numbers * 2 ** 31
    let names = this.namesOfWords.get(key)
    if (names === undefined) {
      const chosen = (bits: number) => matches.filter((_, at) => (bits & (1 << at)) !== 0)
      const sets = words === 0 ? [] : chosen(words).map((match) => this.sets.of(match))
      if (numbers !== 0) sets.push(this.sets.any(chosen(numbers)))
      names = sets.length === 0 ? this.sets.any(matches) : this.sets.all(sets)
      this.namesOfWords.set(key, names)
    }
    return names
  }

  /** Visits names best first: those that start with a word of the query, then the others, which match less well. */
  private walkNames(walk: Walk, names: Uint32Array, townWords = ANY_TOWN): void {
    const { judge, pass } = walk
    this.startNames ??= this.starts.any(pass.matches)
    this.walkLayer(walk, { names, starts: this.startNames, isStart: true, townWords })
    judge.limits.isStartDone = true
    if (!judge.isBeyond(255)) this.walkLayer(walk, { names, starts: this.startNames, isStart: false, townWords })
    judge.limits.isStartDone = false
  }

  private walkLayer({ judge, pass }: Walk, of: Layer): void {
    const { nameImportance, highestNumber } = this.set
    const numbered = judge.soleWord < 0 ? undefined : this.sets.of(pass.matches[judge.soleWord])
    const { names, starts, townWords } = of
    const flip = of.isStart ? 0 : -1
    for (let at = 0; at < names.length; at++) {
      let left = names[at] & (starts[at] ^ flip)
      if (left === 0) continue
      if (judge.isBeyond(nameImportance[at << 5]) || !this.mayContinue(judge)) return
      const least = judge.numberNeeded(nameImportance[at << 5])
      for (; left !== 0; left &= left - 1) {
        const name = (at << 5) + 31 - Math.clz32(left & -left)
        const mayHaveNumber = highestNumber[name] >= least || (numbered !== undefined && hasName(numbered, name))
        if (mayHaveNumber) judge.judgeName(name, townWords)
      }
    }
  }

  /** Judges the places in the given towns. A name must have the required words that its town does not have. */
  private walkTowns(walk: Walk, towns: Iterable<number>, leastMeters = 0): void {
    const { judge, required } = walk
    const { townOffset, townEntries, nameOfEntry, importance } = this.set
    for (const town of towns) {
      const names = this.namesWith(walk, required & ~this.marks.words[town])
      const end = townOffset[town + 1]
      for (let at = townOffset[town]; at < end; at++) {
        const entry = townEntries[at]
        if (!hasName(names, nameOfEntry[entry])) continue
        if (judge.isBeyond(importance[entry], leastMeters) || !this.mayContinue(judge)) break
        judge.judgePlace(entry)
      }
    }
  }

  /** Judges places whose town has some of the required words and whose name has all other required words. */
  private walkGroups(walk: Walk): void {
    if (this.marks.isEmpty) return
    const { judge, required } = walk
    const groups = this.marks.groups(this.set.townOffset).filter(({ words }) => (words & required) !== 0)
    for (const group of groups.sort((a, b) => Number(b.isNamed) - Number(a.isNamed) || a.entryCount - b.entryCount)) {
      judge.limits.isTownBegun = !group.isNamed
      if (judge.isBeyond(255) || !this.mayContinue(judge)) continue
      const needed = required & ~group.words
      if (this.countNames(walk, needed) * ENTRIES_PER_NAME > group.entryCount) this.walkTowns(walk, group.towns)
      else this.walkNames(walk, this.namesWith(walk, needed), group.words)
    }
    judge.limits.isTownBegun = false
  }

  /** An upper bound for the number of names that match all of these words. */
  private countNames({ pass: { matches } }: Walk, words: number): number {
    let least = Infinity
    for (let left = words; left !== 0; left &= left - 1) {
      least = Math.min(least, countPostings(this.set.names, matches[31 - Math.clz32(left & -left)]))
    }
    return least
  }

  /** Judges the places in all towns, from the nearest towns to the farthest. */
  private walkRings(walk: Walk, near: NearPoint): void {
    const { judge, isFarLast, words } = walk
    const meters = metersToTowns(this.set, near)
    const rings: number[][] = RING_METERS.map(() => [])
    for (let town = 0; town < meters.length; town++) {
      rings[RING_METERS.findIndex((outer) => meters[town] <= outer)]?.push(town)
    }
    const mayNamePostcode = words.filter(({ digits }) => digits >= 0).length > 1
    for (const [ring, towns] of rings.entries()) {
      const inner = RING_METERS[ring - 1] ?? 0
      if (judge.isBeyond(255, inner)) return
      const isLast = isFarLast && isFar(inner) && !mayNamePostcode && judge.isBeyondFar(inner)
      this.walkTowns(walk, isLast ? towns.filter((town) => this.marks.words[town] !== 0) : towns, inner)
    }
  }

  /** Whether the names with the required words have more than MANY_ENTRIES places. */
  private hasMany(walk: Walk): boolean {
    const { firstEntry, endEntry, nameOfEntry } = this.set
    if (nameOfEntry.length <= MANY_ENTRIES) return false
    const names = this.namesWith(walk, walk.required)
    let count = 0
    for (let at = 0; at < names.length && count <= MANY_ENTRIES; at++) {
      for (let left = names[at]; left !== 0; left &= left - 1) {
        const name = (at << 5) + 31 - Math.clz32(left & -left)
        count += endEntry[name] - firstEntry[name]
      }
    }
    return count > MANY_ENTRIES
  }

  private mayContinue(judge: EntryJudge): boolean {
    if (judge.workCount > mostWork(judge.wordCount)) this.isCut = true
    return !this.isCut
  }
}

/** Maximum number of names and places examined for a query of this many words. */
function mostWork(words: number): number {
  return words <= WORDS_OF_MAX_WORK ? MAX_WORK : Math.max(LEAST_WORK, MAX_WORK / 2 ** (words - WORDS_OF_MAX_WORK))
}

/** The first word of the query that is an existing postcode, and the towns that have it. */
export function findCoded(set: PlaceSet, words: readonly QueryWord[]): CodedTowns | undefined {
  const { postcodeOffset, postcodeTown } = set
  for (const [word, { digits, text }] of words.entries()) {
    if (digits < 0 || text.length !== POSTCODE_DIGITS) continue
    const { first, end } = findPostcodes(set, { digits, length: POSTCODE_DIGITS })
    if (first === end) continue
    const towns: number[] = []
    for (let row = postcodeOffset[first]; row < postcodeOffset[end]; row++) towns.push(postcodeTown[row])
    return { word, towns }
  }
  return undefined
}
