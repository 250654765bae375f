// Stops and areas by words: the prefix tree says which have them, this file which of them riders mean.
import { type StringIndex, textOf } from '../../loaders/strings.ts'
import { compareCodeUnits, compareNatural } from '../text/natural-order.ts'
import { normalizeWords } from '../text/normalize.ts'
import { findPostings } from '../text/prefix-tree.ts'
import { dailyDeparturesOfArea } from './areas.ts'
import type { AreaIndex, StopIndex, Timetable } from './timetable.ts'

/** A stop or an area that has the words of a query. */
export interface RankedHit {
  /** A stop index, or the stop count + an area index. */
  readonly number: number
  /**
   * Less is better: the tier, then more daily departures, in one whole number below 2^53. Equal ranks are ordered by
   * natural order of name, areas before stops, id; rank, name, kind and id together make a key that survives a new snapshot.
   */
  readonly rank: number
}

/** The tiers, best first. */
const CODE_EQUAL = 0
const NAME_EQUAL = 1
const NAME_STARTS_WITH_QUERY = 2
const NAME_STARTS_WITH_FIRST_TOKEN = 3
const ANYWHERE = 4

const RANKS_PER_TIER = 2 ** 32

/** What ranking needs of a stop or area, made when it is first found and kept for the timetable. */
interface Searchable {
  readonly name: string
  readonly id: string
  readonly isArea: boolean
  readonly plainName: string
  readonly plainCode: string
  readonly dailyDepartures: number
}

const searchables = new WeakMap<Timetable, (Searchable | undefined)[]>()

/**
 * The stops and areas in whose name or code every word of the query starts some word, in any order: best first.
 * A query without a letter or digit finds nothing.
 */
export function searchStops(timetable: Timetable, query: string): RankedHit[] {
  const words = normalizeWords(query)
  const first = words[0]
  if (first === undefined) return []
  const postingLimit = timetable.stops.id.length + timetable.areas.id.length
  let known = searchables.get(timetable)
  if (known === undefined) {
    known = new Array<Searchable | undefined>(postingLimit).fill(undefined)
    searchables.set(timetable, known)
  }
  const plainQuery = words.join(' ')
  const found: { number: number; rank: number; place: Searchable }[] = []
  for (const number of findPostings(timetable.stopWords, words, postingLimit)) {
    let place = known[number]
    if (place === undefined) {
      place = describePlace(timetable, number)
      known[number] = place
    }
    const rank = tierOf(place, plainQuery, first) * RANKS_PER_TIER + (RANKS_PER_TIER - 1 - place.dailyDepartures)
    found.push({ number, rank, place })
  }
  found.sort((left, right) => left.rank - right.rank || comparePlaces(left.place, right.place))
  return found.map(({ number, rank }) => ({ number, rank }))
}

function tierOf(place: Searchable, plainQuery: string, firstWord: string): number {
  if (place.plainCode === plainQuery) return CODE_EQUAL
  if (place.plainName === plainQuery) return NAME_EQUAL
  if (place.plainName.startsWith(plainQuery)) return NAME_STARTS_WITH_QUERY
  return place.plainName.startsWith(firstWord) ? NAME_STARTS_WITH_FIRST_TOKEN : ANYWHERE
}

function comparePlaces(left: Searchable, right: Searchable): number {
  if (left.name !== right.name) {
    const order = compareNatural(left.name, right.name)
    if (order !== 0) return order
  }
  return Number(right.isArea) - Number(left.isArea) || compareCodeUnits(left.id, right.id)
}

function describePlace(timetable: Timetable, number: number): Searchable {
  const { stops, areas, strings } = timetable
  const plain = (text: StringIndex): string => normalizeWords(textOf(strings, text)).join(' ')
  const stopCount = stops.id.length
  if (number < stopCount) {
    const stop = number as StopIndex
    return {
      name: textOf(strings, stops.name[stop]),
      id: textOf(strings, stops.id[stop]),
      isArea: false,
      plainName: plain(stops.name[stop]),
      plainCode: plain(stops.code[stop]),
      dailyDepartures: stops.dailyDepartures[stop],
    }
  }
  const area = (number - stopCount) as AreaIndex
  return {
    name: textOf(strings, areas.name[area]),
    id: textOf(strings, areas.id[area]),
    isArea: true,
    plainName: plain(areas.name[area]),
    plainCode: plain(areas.code[area]),
    dailyDepartures: dailyDeparturesOfArea(timetable, area),
  }
}
