// Finds which words in the name of a street or town match a query. Implements the rules of the search in the simplest
// way. Part of the place scorer.
import type { QueryWord } from '../../indexes/places/place-query.ts'

/** A word in a name. `forms` lists its spellings, each by its number in the vocabulary. */
export interface NameWord {
  readonly forms: readonly number[]
  /** For each spelling: whether it is distinctive enough to name a town by itself. */
  readonly distinctive: readonly boolean[]
  readonly isSignificant: boolean
}

export type Kind = 'equal' | 'expansion' | 'start' | 'near' | 'near_start' | 'far' | 'far_start'
export const KINDS: readonly Kind[] = ['equal', 'expansion', 'start', 'near', 'near_start', 'far', 'far_start']
export const NO_KIND = KINDS.length

/** How a query matches a name, best first. */
export type Tier = 'equal' | 'same_words' | 'starts' | 'core_equal' | 'core_starts' | 'anywhere'

/** What each query word means as part of a town's name. */
export interface TownReading {
  readonly isTown: readonly boolean[]
  readonly isCore: readonly boolean[]
  readonly isWhole: readonly boolean[]
  readonly isSlip: readonly boolean[]
}

/** By query word: how it matches each word in the vocabulary if that word is in a town's name. */
export function fitsOfTowns(words: readonly QueryWord[], all: readonly Uint8Array[]): Uint8Array[] {
  return words.map((word, at) => (word.isGeneric && !word.isLast ? all[at].map(withoutStarts) : all[at]))
}

/**
 * Which query words name a town. A query word may match any word of the town's name, provided that the query contains a
 * distinctive word or the first word of that name. Undefined if no word matches.
 */
export function readTown(
  town: readonly NameWord[],
  words: readonly QueryWord[],
  fits: readonly Uint8Array[],
): TownReading | undefined {
  if (!fitsAny(town, fits)) return undefined
  const isLed = words.map(
    (word, at) => word.digits < 0 && fitForms(town, fits[at], (place, form) => place === 0 && form === 0).length > 0,
  )
  const telling = words.map((word, at) =>
    word.digits < 0 ? fitForms(town, fits[at], (place, form) => town[place].distinctive[form]) : [],
  )
  const isNamed = isLed.includes(true) || telling.some((kinds) => kinds.length > 0)
  const any = words.map((word, at) => (isNamed && word.digits < 0 ? fitForms(town, fits[at], () => true) : []))
  return {
    isTown: any.map((kinds) => kinds.length > 0),
    isCore: telling.map((kinds) => kinds.length > 0),
    isWhole: telling.map((kinds) => kinds.some((kind) => kind === 'equal' || kind === 'expansion')),
    isSlip: any.map((kinds) => kinds.length > 0 && kinds.every((kind) => KINDS.indexOf(kind) >= KINDS.indexOf('near'))),
  }
}

/** Whether any typed word matches a word of the name. For most names, no typed word does. */
function fitsAny(name: readonly NameWord[], fits: readonly Uint8Array[]): boolean {
  return name.some(({ forms }) => forms.some((form) => fits.some((fit) => fit[form] !== NO_KIND)))
}

/** Removes a prefix match, because a query word of little weight must be a whole word in a town's name. */
function withoutStarts(kind: number): number {
  return kind === KINDS.indexOf('start') ? NO_KIND : kind
}

function fitForms(
  town: readonly NameWord[],
  fit: Uint8Array,
  isMeant: (place: number, form: number) => boolean,
): Kind[] {
  return town.flatMap(({ forms }, place) =>
    forms.flatMap((form, at) => (fit[form] !== NO_KIND && isMeant(place, at) ? [KINDS[fit[form]]] : [])),
  )
}

export function isBegun(townWords: readonly number[], { isCore, isWhole }: TownReading): boolean {
  return !townWords.some((at) => isCore[at]) || townWords.some((at) => isCore[at] && !isWhole[at])
}

/** How a query matches a name. `isClaimed` tells for each query word whether it matches a word in the name. */
export interface Claim {
  readonly isClaimed: readonly boolean[]
  readonly tier: Tier
  readonly coverage: number
  readonly hasCore: boolean
  readonly nearSlips: number
  readonly farSlips: number
}

/** The lowest shape of words that match something. Words with the shapes 0 and 1 match nothing. */
export const FITTING = 2

/** Word of a name → its shape. Words with the same shape match the typed words in the same way. */
export function shapesOf(words: readonly NameWord[], fits: readonly Uint8Array[]): Uint16Array {
  const known = new Map<string, number>()
  return Uint16Array.from(words, ({ forms, isSignificant }) => {
    if (forms.every((form) => fits.every((fit) => fit[form] === NO_KIND))) return Number(isSignificant)
    const text = `${isSignificant} ${forms.map((form) => fits.map((fit) => fit[form]).join()).join(' ')}`
    return known.getOrInsertComputed(text, () => known.size + FITTING)
  })
}

/**
 * Returns a function that computes how a query matches a name. The result is computed once for all names whose words
 * have the same shapes. `key` identifies these shapes.
 */
export function claimsOf(
  fits: readonly Uint8Array[],
  able: readonly boolean[],
): (key: number | string, name: () => readonly NameWord[]) => Claim | undefined {
  const claims = new Map<number | string, Claim | undefined>()
  return (key, name) => claims.getOrInsertComputed(key, () => claimWords(name(), fits, able))
}

/**
 * Assigns at most one word in the name to each query word. The best matches are assigned first. Equally good matches
 * are assigned in the order of the query.
 */
function claimWords(
  name: readonly NameWord[],
  fits: readonly Uint8Array[],
  able: readonly boolean[],
): Claim | undefined {
  if (!fitsAny(name, fits)) return undefined
  const last = fits.length - 1
  const placeOf: (number | undefined)[] = fits.map(() => undefined)
  const kindOf: Kind[] = []
  const isFree = (place: number) => !placeOf.includes(place)
  const find = (at: number, kind: number, after: number) => {
    const fitting = name.flatMap(({ forms }, place) =>
      isFree(place) && forms.some((form) => fits[at][form] <= kind) ? [place] : [],
    )
    return fitting.find((place) => place > after) ?? fitting[0]
  }
  for (const [kind, name_] of KINDS.entries()) {
    let after = -1
    for (let at = 0; at <= last; at++) {
      const known = placeOf[at]
      if (known !== undefined) after = known
      if (known !== undefined || !able[at]) continue
      const place = find(at, kind, after)
      if (place === undefined) continue
      const isTyped = kind <= KINDS.indexOf('expansion') && at === last && place !== after + 1
      if (isTyped && find(at, KINDS.indexOf('start'), after) === after + 1) continue
      after = place
      placeOf[at] = place
      kindOf[at] = name_
    }
  }
  const places = placeOf.filter((place) => place !== undefined)
  if (places.length === 0) return undefined
  const isCore = (place: number) => name[place].isSignificant
  const weigh = (all: readonly number[]) => all.reduce((sum, place) => sum + (isCore(place) ? 1 : 0.25), 0)
  const kinds = Object.values(kindOf)
  return {
    isClaimed: placeOf.map((place) => place !== undefined),
    tier: tierOf(name, places, !kinds.some((kind) => kind.endsWith('start'))),
    coverage: weigh(places) / weigh([...name.keys()]),
    hasCore: places.some(isCore),
    nearSlips: kinds.filter((kind) => kind.startsWith('near')).length,
    farSlips: kinds.filter((kind) => kind.startsWith('far')).length,
  }
}

/**
 * How the matched words are arranged in the name.
 * @param places the positions of the matched words in the name, in the order of the query
 */
function tierOf(name: readonly NameWord[], places: readonly number[], allEqual: boolean): Tier {
  const inOrder = places.every((place, at) => at === 0 || place > places[at - 1])
  if (places.length === name.length && allEqual) return inOrder ? 'equal' : 'same_words'
  if (inOrder && places.every((place, at) => place === at)) return 'starts'
  const core = [...name.keys()].filter((place) => name[place].isSignificant)
  const claimed = core.filter((place) => places.includes(place))
  if (claimed.length === 0) return 'anywhere'
  if (claimed.length === core.length && allEqual) return 'core_equal'
  return inOrder && claimed.every((place, at) => place === core[at]) ? 'core_starts' : 'anywhere'
}
