// Searches towns by name and postcode. Parts of a town are found only if the query has a number. A query that consists
// only of street types finds no town, although a town called Rue exists.
import { classOfWord, TYPE_WORD } from '../text/abbreviations.ts'
import { PlaceMatcher, type Stages } from './place-matcher.ts'
import { rankOf } from './place-score.ts'
import type { PlaceRequest, TownHit } from './place-search.ts'
import { type EntryHit, type EntryIndex, entryAt, findPostcodes, POSTCODE_DIGITS } from './place-set.ts'
import type { TownPlaces } from './town-places.ts'

/** Minimum number of digits to search for towns by the start of a postcode. */
const LEAST_DIGITS = 3
/** Minimum score of a town that was found by its whole postcode. */
const POSTCODE_SCORE = 0.94
/** Minimum score of a town that was found by the start of its postcode. */
const BEGUN_SCORE = 0.6
/** Maximum amount that the importance of a town adds to its score. */
const RANK_SHARE = 0.05
/** Hits with a lower score are left out, because the town lacks a word of the query. */
const LEAST_SCORE = 0.42

/** Searches the towns. An instance serves only one search at a time. */
export class TownSearch {
  private readonly places: TownPlaces
  private readonly matcher: PlaceMatcher
  /** The hits of the last search if it did not look for names; otherwise undefined. */
  private unnamed: readonly TownHit[] | undefined

  constructor(places: TownPlaces) {
    this.places = places
    this.matcher = new PlaceMatcher(places.set, { takesNumbers: false, idOf: (entry) => places.code[entry] })
  }

  /** The best score of the last search; 0 if it did not look for names. */
  get bestMatch(): number {
    return this.unnamed === undefined ? this.matcher.bestMatch : 0
  }

  /** Whether the last search stopped early (see MAX_WORK in candidate-walks.ts), so that better hits may be missing. */
  get isCut(): boolean {
    return this.unnamed === undefined && this.matcher.isCut
  }

  /** Returns the best hits, best first. If several parts of a town match by name, only the best part is a hit. */
  search(request: PlaceRequest, stages: Stages): readonly TownHit[] {
    const { query, near, limit, area } = request
    const { set, isPart } = this.places
    const { words } = query
    const isNumbered = words.some(({ text }) => /\d/.test(text))
    const accepts = (entry: EntryIndex) =>
      (isNumbered || isPart[entry] === 0) && (area === undefined || area.has(set.lat[entry], set.lon[entry]))
    const [only] = words
    this.unnamed = undefined
    if (words.length === 1 && only !== undefined && only.digits >= 0) {
      this.unnamed = this.byPostcode(only.text, accepts, limit)
    } else if (words.every(({ text }) => classOfWord(text) === TYPE_WORD)) this.unnamed = []
    else this.matcher.search({ query, near, limit, accepts }, 'as_typed')
    return this.searchFurther(stages)
  }

  /** Continues the last search with further stages; returns the hits of all stages. */
  searchFurther(stages: Stages): readonly TownHit[] {
    if (this.unnamed !== undefined) return this.unnamed
    const hits = this.matcher.searchFurther(stages)
    return hits.filter(({ score }) => score >= LEAST_SCORE).map(toHit)
  }

  /** Drops the data of the last search, which then cannot be continued. */
  forget(): void {
    this.matcher.forget()
  }

  private byPostcode(digits: string, accepts: (entry: EntryIndex) => boolean, limit: number): TownHit[] {
    const { set } = this.places
    if (digits.length < LEAST_DIGITS || digits.length > POSTCODE_DIGITS) return []
    const { first, end } = findPostcodes(set, { digits: Number(digits), length: digits.length })
    const low = digits.length === POSTCODE_DIGITS ? POSTCODE_SCORE : BEGUN_SCORE
    const hits: TownHit[] = []
    // In this set, the number of a town is the number of its only place.
    for (let row = set.postcodeOffset[first]; row < set.postcodeOffset[end]; row++) {
      const town = entryAt(set.postcodeTown[row])
      if (!accepts(town)) continue
      hits.push({
        kind: 'town',
        town,
        score: low + RANK_SHARE * rankOf(set.importance[town], undefined),
        isGuess: false,
      })
    }
    return hits.sort((a, b) => b.score - a.score).slice(0, limit)
  }
}

function toHit({ entry, score, isGuess }: EntryHit): TownHit {
  return { kind: 'town', town: entry, score, isGuess }
}
