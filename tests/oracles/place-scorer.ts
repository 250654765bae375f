// Finds the best addresses for a query in the simplest way: scores every street by the rules of the search, without an
// index or limits. The search and this scorer share only the splitting of strings into words, the query parser, and the
// tables of abbreviations.
import { type PlaceQuery, parseQuery, type QueryWord } from '../../indexes/places/place-query.ts'
import { classOfWord, expansionsOf, LINK_WORD, meaningsOf, SIGNIFICANT } from '../../indexes/text/abbreviations.ts'
import { normalizeWords } from '../../indexes/text/normalize.ts'
import { type Addresses, type HouseIndex, houseSuffix, type StreetIndex } from '../../loaders/ban/addresses.ts'
import { textOf } from '../../loaders/strings.ts'
import {
  type Claim,
  claimsOf,
  FITTING,
  fitsOfTowns,
  KINDS,
  type NameWord,
  NO_KIND,
  readTown,
  shapesOf,
} from './place-claims.ts'
import { Rests } from './place-rest.ts'
import { bestFew, bestOfEach, keyOf, type ScoredHit, sorted } from './scored-hits.ts'
import { type Rules, readStreet, type StreetScoring, scoreBy } from './street-scoring.ts'
import { slipsBetween, startSlips } from './word-slips.ts'

interface ReadWord extends NameWord {
  readonly isLink: boolean
}

/** Reads a word in a name. An abbreviation is significant only if at least one of its expansions is significant. */
function toWord(word: string, number: (form: string) => number): ReadWord {
  const long = expansionsOf(word)
  const own = classOfWord(word)
  const isSignificant =
    long.length > 0 && own === SIGNIFICANT
      ? long.some((each) => classOfWord(each) === SIGNIFICANT)
      : own === SIGNIFICANT
  const forms = [word, ...long]
  const distinctive = forms.map((form) => classOfWord(form) === SIGNIFICANT)
  return { forms: forms.map(number), distinctive, isSignificant, isLink: own === LINK_WORD }
}

/** When this number of hits is reached, all but the best FEW_HITS are dropped to save memory. */
const MANY_HITS = 300_000
const FEW_HITS = 5_000
const KNOWN_WORDS = 500

/** Scores all streets of some addresses. */
export class PlaceScorer {
  private readonly addresses: Addresses
  private readonly vocabulary: string[] = []
  private readonly numberOfWord = new Map<string, number>()
  private readonly words = new Map<string, ReadWord>()
  /** The distinct words of names, by number. */
  private readonly nameWords: NameWord[] = []
  /** The word numbers of all names, one name after the other. */
  private readonly wordOfName: Uint32Array
  /** Name → its first word in `wordOfName`. */
  private readonly wordOffset: Uint32Array
  /** Name → its first street. */
  private readonly firstStreet: Uint32Array
  private readonly towns: NameWord[][] = []
  private readonly importance: Uint8Array
  /** The distinct postcodes, starting with '' for streets without a postcode. */
  private readonly postcodes: string[] = ['']
  /** Street → the number of its postcode. */
  private readonly postcodeOf: Uint16Array
  /** Query word → how it matches each word in the vocabulary. Cleared when it has KNOWN_WORDS entries. */
  private readonly known = new Map<string, Uint8Array>()

  constructor(addresses: Addresses) {
    this.addresses = addresses
    const { streets, communes, strings } = addresses
    const [words, offsets, firsts]: [number[], number[], number[]] = [[], [], []]
    const numbers = new Map<NameWord, number>()
    const codes = new Map<string, number>()
    this.postcodeOf = new Uint16Array(streets.count)
    this.importance = new Uint8Array(streets.count)
    let before = -1
    for (let street = 0 as StreetIndex; street < streets.count; street++) {
      if (streets.name[street] !== before) {
        offsets.push(words.length)
        firsts.push(street)
        for (const word of this.toWords(textOf(strings, streets.name[street])))
          words.push(numbers.getOrInsertComputed(word, () => this.nameWords.push(word) - 1))
      }
      before = streets.name[street]
      const houses = streets.houseOffset[(street + 1) as StreetIndex] - streets.houseOffset[street]
      this.importance[street] = Math.floor(Math.min(255, (255 * Math.log1p(houses)) / Math.log1p(1000)))
      const postcode = textOf(strings, streets.postcode[street])
      if (/^\d{5}$/.test(postcode))
        this.postcodeOf[street] = codes.getOrInsertComputed(postcode, () => this.postcodes.push(postcode) - 1)
    }
    this.wordOfName = Uint32Array.from(words)
    this.wordOffset = Uint32Array.from([...offsets, words.length])
    this.firstStreet = Uint32Array.from([...firsts, streets.count])
    for (let at = 0; at < communes.count; at++)
      this.towns.push(this.toWords(textOf(strings, communes.name[at as never])))
  }

  private toWords(text: string): NameWord[] {
    const number = (word: string) => this.numberOfWord.getOrInsertComputed(word, () => this.vocabulary.push(word) - 1)
    const words = normalizeWords(text)
      .slice(0, 31)
      .map((word) => this.words.getOrInsertComputed(word, () => toWord(word, number)))
    if (words.some(({ isSignificant }) => isSignificant) || words.length === 0) return words
    const last = words.findLastIndex(({ isLink }) => !isLink)
    const core = last < 0 ? words.length - 1 : last
    return words.map(({ forms, distinctive }, at) => ({
      forms,
      distinctive: at === core ? [true, ...distinctive.slice(1)] : distinctive,
      isSignificant: at === core,
    }))
  }

  /**
   * The best hits, best first. Hits with equal scores are sorted by street, then by house.
   * @param kept number of hits that a search keeps
   */
  best(text: string, kept: number): readonly ScoredHit[] {
    const query = parseQuery(text)
    const { words } = query
    const none = words.map(() => false)
    const all = words.map(() => true)
    const strict = bestFew(this.score(query, { slipped: none, missing: 0, allowsExtra: false }), kept)
    if ((strict[0]?.score ?? 0) >= 0.7) return strict
    let hits = sorted(this.score(query, { slipped: none, missing: 0, allowsExtra: true }))
    const best = hits[0]?.score ?? 0
    if (best >= 0.7 || (best >= 0.6 && Math.min(kept, hits.length) >= 5)) return hits.slice(0, kept)
    const typed = new Set(hits.map(keyOf))
    const merge = (more: readonly ScoredHit[]) => {
      hits = sorted(bestOfEach([...hits, ...more]))
    }
    let isRead = false
    for (const reading of this.readings(words)) {
      const exact = this.score(reading, { slipped: reading.words.map(() => false), missing: 0, allowsExtra: false })
      const named = (all: readonly ScoredHit[]) => all.some(({ score }) => score * 0.85 >= 0.7)
      const found = named(exact)
        ? exact
        : this.score(reading, { slipped: reading.words.map(() => false), missing: 0, allowsExtra: true })
      if (named(found)) isRead = true
      merge(found.map((hit) => ({ ...hit, score: hit.score * 0.85 })))
    }
    if (isRead) return hits.slice(0, kept)
    const unknown = words.map((word) => this.isUnknown(word))
    const hasGuess = () => hits.slice(0, kept).some((hit) => !typed.has(keyOf(hit)))
    if (unknown.includes(true)) merge(this.score(query, { slipped: unknown, missing: 0, allowsExtra: true }))
    if (unknown.includes(false) && !hasGuess())
      merge(this.score(query, { slipped: all, missing: 0, allowsExtra: true }))
    const most = words.length < 2 ? 0 : Math.min(3, Math.ceil(words.length / 3))
    for (let missing = 1; missing <= most; missing++) {
      for (const slipped of [none, all])
        if (hits.length === 0) merge(this.score(query, { slipped, missing, allowsExtra: true }))
    }
    return hits.slice(0, kept)
  }

  /**
   * Other readings of the query. One splits words apart. Another joins the first two neighboring words that together
   * form a known word.
   */
  private readings(words: readonly QueryWord[]): PlaceQuery[] {
    const texts = words.map(({ text }) => text)
    const apart = words.map(({ text, isLast }) => this.takeApart(text, isLast))
    const at = texts.findIndex((text, each) => {
      const pair = [texts[each - 1] ?? '', text]
      return pair.every((one) => /^\p{L}+$/u.test(one)) && this.numberOfWord.has(pair.join(''))
    })
    return [
      ...(apart.some((parts) => parts !== undefined)
        ? [texts.map((text, each) => apart[each]?.join(' ') ?? text).join(' ')]
        : []),
      ...(at > 0 ? [texts.map((text, each) => (each === at ? text : ` ${text}`)).join('')] : []),
    ].map(parseQuery)
  }

  private takeApart(text: string, isLast: boolean): readonly string[] | undefined {
    const isStart = (part: string) => this.vocabulary.some((word) => word.startsWith(part))
    const [, letters = '', postcode = ''] = /^(\p{L}{3,})(\d{5})$/u.exec(text) ?? []
    if (letters !== '') {
      return [
        ...(this.numberOfWord.has(letters) ? [letters] : (fewestParts(letters, this.partsOf(false)) ?? [letters])),
        postcode,
      ]
    }
    if (!/^\p{L}{4,}$/u.test(text) || this.numberOfWord.has(text) || (isLast && isStart(text))) return undefined
    return fewestParts(text, this.partsOf(isLast))
  }

  private partsOf(isLast: boolean): (part: string, isEnd: boolean) => boolean {
    return (part, isEnd) =>
      isLink(part) ||
      (this.numberOfWord.has(part) && (part.length > 2 || expansionsOf(part).length > 0)) ||
      (isLast && isEnd && part.length >= 3 && this.vocabulary.some((word) => word.startsWith(part)))
  }

  private isUnknown({ text, isLast, houseNumber, digits }: QueryWord): boolean {
    if (houseNumber >= 0 || digits >= 0) return false
    const singular = singularOf(text)
    const equal = [text, singular, ...meaningsOf(text)]
    return !this.vocabulary.some((word) => equal.includes(word) || (isLast && word.startsWith(text)))
  }

  /**
   * The hits of one pass, unsorted. If there are MANY_HITS or more, some may be missing, but none of the best FEW_HITS.
   */
  private score(query: PlaceQuery, rules: Rules): readonly ScoredHit[] {
    const { words } = query
    const fits = words.map((word, at) => this.fitsOf(word, rules.slipped[at]))
    const townFits = fitsOfTowns(words, fits)
    const towns = this.towns.map((town) => readTown(town, words, townFits))
    const rests = new Rests(words, towns, this.postcodes)
    const suffixes = words.map(({ isSuffix }) => isSuffix)
    const readings = (suffixes.includes(true) ? [true, false] : [false]).map((isSuffixRead) => {
      const able = words.map((_, at) => !(isSuffixRead && suffixes[at]))
      const scoring = (claim: Claim) =>
        rests.beside(claim.isClaimed, (rest, town) => readStreet({ claim, rest, town, isSuffixRead, rules }))
      return { claimOf: claimsOf(fits, able), scoring, scoringOf: new Map<Claim, ReturnType<typeof scoring>>() }
    })
    const shapes = shapesOf(this.nameWords, fits)
    const base = shapes.reduce((most, shape) => Math.max(most, shape), 0) + 2
    const { firstStreet, postcodeOf } = this
    const { commune } = this.addresses.streets
    // A street or house can only be found twice if the query has two readings.
    const distinct = (all: readonly ScoredHit[]) => (readings.length > 1 ? bestOfEach(all) : all)
    let hits: readonly ScoredHit[] = []
    let least = 0
    let found: ScoredHit[] = []
    const add = (hit: ScoredHit) => {
      if (hit.score >= least) found.push(hit)
    }
    for (let name = 0; name + 1 < firstStreet.length; name++) {
      const key = this.shapeKey(name, shapes, base)
      if (key === undefined) continue
      for (const { claimOf, scoring, scoringOf } of readings) {
        const claim = claimOf(key, () => this.wordsOf(name))
        if (claim === undefined) continue
        const scoringAt = scoringOf.getOrInsertComputed(claim, scoring)
        for (let street = firstStreet[name] as StreetIndex; street < firstStreet[name + 1]; street++) {
          const scored = scoringAt(postcodeOf[street], commune[street])
          if (scored !== undefined) this.scoreStreet(street, scored, add)
        }
      }
      if (found.length < MANY_HITS) continue
      hits = bestFew([...hits, ...distinct(found)], FEW_HITS)
      least = hits.at(-1)?.score ?? 0
      found = []
    }
    return [...hits, ...distinct(found)]
  }

  private wordsOf(name: number): NameWord[] {
    return Array.from(
      this.wordOfName.subarray(this.wordOffset[name], this.wordOffset[name + 1]),
      (word) => this.nameWords[word],
    )
  }

  /** The shapes of a name's words as one key; undefined if no word of the name matches. */
  private shapeKey(name: number, shapes: Uint16Array, base: number): number | string | undefined {
    const { wordOfName, wordOffset } = this
    const end = wordOffset[name + 1]
    let key = 0
    let isFitting = false
    for (let at = wordOffset[name]; at < end; at++) {
      const shape = shapes[wordOfName[at]]
      if (shape >= FITTING) isFitting = true
      key = key * base + shape + 1
    }
    if (!isFitting) return undefined
    const isExact = key <= Number.MAX_SAFE_INTEGER
    return isExact ? key : Array.from(wordOfName.subarray(wordOffset[name], end), (word) => shapes[word]).join()
  }

  /** How a query word matches each word in the vocabulary. */
  private fitsOf(word: QueryWord, mayBeSlipped: boolean): Uint8Array {
    const { known } = this
    const { text, isLast, digits, houseNumber } = word
    const key = `${text} ${isLast} ${digits} ${houseNumber} ${mayBeSlipped}`
    if (known.size >= KNOWN_WORDS) known.clear()
    return known.getOrInsertComputed(key, () => this.readWord(word, mayBeSlipped))
  }

  private readWord(word: QueryWord, mayBeSlipped: boolean): Uint8Array {
    const { text, isLast, digits, houseNumber } = word
    const meanings = meaningsOf(text)
    const singular = singularOf(text)
    const limit =
      mayBeSlipped && houseNumber < 0 && digits < 0
        ? text.length > 32
          ? 0
          : text.length >= 8
            ? 2
            : text.length >= 4
              ? 1
              : 0
        : 0
    return Uint8Array.from(this.vocabulary, (each) => {
      if (each === text) return KINDS.indexOf('equal')
      if (meanings.includes(each)) return KINDS.indexOf('expansion')
      if ((digits < 0 || isLast) && each.startsWith(text)) return KINDS.indexOf('start')
      if (each === singular) return KINDS.indexOf('start')
      if (limit === 0 || each.startsWith(text)) return NO_KIND
      const isFirst = each[0] === text[0]
      const slips = slipsBetween(text, each, limit)
      const allowed = Math.max(text.length, each.length) >= 8 ? limit : Math.min(limit, 1)
      if (slips <= allowed) return KINDS.indexOf(slips === 1 && isFirst ? 'near' : 'far')
      if (!isLast) return NO_KIND
      const starts = startSlips(text, each, limit)
      return starts > (text.length >= 8 ? limit : Math.min(limit, 1))
        ? NO_KIND
        : KINDS.indexOf(starts === 1 && isFirst ? 'near_start' : 'far_start')
    })
  }

  private scoreStreet(street: number, scoring: StreetScoring, add: (hit: ScoredHit) => void): void {
    const { rest, isSuffixRead } = scoring
    const score = scoreBy(scoring, this.importance[street] / 255)
    const give = (house: number | undefined, isNumberMissing: boolean, isSuffixMissing: boolean) =>
      add({ street, house, score: score * (isNumberMissing ? 0.9 : 1) * (isSuffixMissing ? 0.97 : 1) })
    const { number } = rest
    if (number === undefined) {
      if (!isSuffixRead) give(undefined, false, false)
      return
    }
    const exact = this.findHouse(street, { ...number, suffix: rest.suffix, isUnfinished: rest.isUnfinished })
    if (isSuffixRead) {
      if (exact !== undefined && rest.suffix !== '') give(exact, false, false)
      return
    }
    const house = exact ?? this.housesOf(street, number.houseNumber)[0]
    give(house, house === undefined && !rest.postcodeOrNumber, house !== undefined && exact === undefined)
    if (house !== undefined && number.isLast) give(undefined, true, false)
  }

  private housesOf(street: number, number: number): HouseIndex[] {
    const { streets, houses } = this.addresses
    const end = streets.houseOffset[(street + 1) as StreetIndex]
    const found: HouseIndex[] = []
    for (let house = streets.houseOffset[street as StreetIndex]; house < end; house++) {
      if (houses.number[house as HouseIndex] === number) found.push(house as HouseIndex)
    }
    return found
  }

  private findHouse(
    street: number,
    requested: { houseNumber: number; suffix: string; isUnfinished: boolean },
  ): number | undefined {
    const { addresses } = this
    const long = (suffix: string) => ({ b: 'bis', t: 'ter', q: 'quater' })[suffix] ?? suffix
    const houses = this.housesOf(street, requested.houseNumber)
    const suffixOf = (house: HouseIndex) => houseSuffix(addresses, house)
    const exact = houses.find((house) => suffixOf(house) === requested.suffix)
    if (exact !== undefined || requested.suffix === '') return exact
    const withSuffix = houses.filter((house) => suffixOf(house) !== '')
    return (
      withSuffix.find((house) => long(suffixOf(house)) === long(requested.suffix)) ??
      (requested.isUnfinished
        ? withSuffix.find((house) => long(suffixOf(house)).startsWith(requested.suffix))
        : undefined)
    )
  }
}

function isLink(part: string): boolean {
  return part.length <= 2 && classOfWord(part) === LINK_WORD
}

/**
 * Splits a word into known parts by trying every split. The split with the fewest parts wins. Link words such as
 * articles count less than other parts. Among splits of equal weight, the one with the longest first part wins.
 */
function fewestParts(text: string, isPart: (part: string, isEnd: boolean) => boolean): readonly string[] | undefined {
  const ways = (rest: string, most: number): string[][] => {
    if (rest === '') return [[]]
    const ends = most === 0 ? [] : [...rest].map((_, at) => rest.length - at)
    return ends.flatMap((end) =>
      isPart(rest.slice(0, end), end === rest.length)
        ? ways(rest.slice(end), most - 1).map((more) => [rest.slice(0, end), ...more])
        : [],
    )
  }
  const weight = (parts: readonly string[]) => parts.reduce((sum, part) => sum + (isLink(part) ? 2 : 5), 0)
  const [first] = ways(text, 15).sort((a, b) => weight(a) - weight(b))
  return first === undefined || first.length < 2 || weight(first) > 35 ? undefined : first
}

/**
 * A word without its last letter, if the word has at least five letters and ends like a plural; otherwise undefined.
 */
function singularOf(text: string): string | undefined {
  return /^\p{L}{4,}[sx]$/u.test(text) ? text.slice(0, -1) : undefined
}
