// Stops and areas by words: the prefix tree says which have them, this file which of them riders mean.
import { type StringIndex, textOf } from '../../loaders/strings.ts'
import { compareNatural } from '../text/natural-order.ts'
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
const NAME_STARTS_WITH_FIRST_WORD = 3
const ANYWHERE = 4

const PER_TIER = 2 ** 32

/** What ranking reads of all stops and areas, by number. */
interface SearchOrder {
  /** Normalised words with single spaces between. */
  readonly plainName: readonly string[]
  readonly plainCode: readonly string[]
  readonly dailyDepartures: Uint32Array
  /** Place in the order of hits of one tier: daily departures, name, kind, id. */
  readonly order: Uint32Array
  /** The other way around: place in the order → number. */
  readonly numberAt: Uint32Array
}

const orders = new WeakMap<Timetable, SearchOrder>()

/**
 * Works out the order of all stops and areas, which the first search would otherwise do: some 2 ms for a thousand of
 * them. To be called when a timetable is opened, so that no request waits for it.
 */
export function prepareStopSearch(timetable: Timetable): void {
  searchOrder(timetable)
}

/**
 * The stops and areas in whose name or code every word of the query starts some word, in any order: best first.
 * A query without a letter or digit finds nothing.
 */
export function searchStops(timetable: Timetable, query: string): RankedHit[] {
  const words = normalizeWords(query)
  const firstWord = words[0]
  if (firstWord === undefined) return []
  const { plainName, plainCode, dailyDepartures, order, numberAt } = searchOrder(timetable)
  const plainQuery = words.join(' ')
  const numbers = findPostings(timetable.stopWords, words, order.length)
  // Tier and order in one number: numbers sort many times faster than objects do.
  const keys = new Float64Array(numbers.length)
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] as number
    const tier =
      plainCode[number] === plainQuery ? CODE_EQUAL : nameTier(plainName[number] as string, plainQuery, firstWord)
    keys[at] = tier * PER_TIER + (order[number] as number)
  }
  keys.sort()
  const hits = new Array<RankedHit>(keys.length)
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as number
    const tier = Math.floor(key / PER_TIER)
    const number = numberAt[key - tier * PER_TIER] as number
    hits[at] = { number, rank: tier * PER_TIER + (PER_TIER - 1 - (dailyDepartures[number] as number)) }
  }
  return hits
}

function nameTier(plainName: string, plainQuery: string, firstWord: string): number {
  if (!plainName.startsWith(firstWord)) return ANYWHERE
  if (!plainName.startsWith(plainQuery)) return NAME_STARTS_WITH_FIRST_WORD
  return plainName.length === plainQuery.length ? NAME_EQUAL : NAME_STARTS_WITH_QUERY
}

function searchOrder(timetable: Timetable): SearchOrder {
  const known = orders.get(timetable)
  if (known !== undefined) return known
  const made = buildSearchOrder(timetable)
  orders.set(timetable, made)
  return made
}

function buildSearchOrder(timetable: Timetable): SearchOrder {
  const { stops, areas, strings } = timetable
  const stopCount = stops.id.length
  const count = stopCount + areas.id.length
  const plainTexts = new Map<StringIndex, string>()
  const plain = (text: StringIndex): string => {
    let words = plainTexts.get(text)
    if (words === undefined) {
      words = normalizeWords(textOf(strings, text)).join(' ')
      plainTexts.set(text, words)
    }
    return words
  }
  const names: string[] = []
  const plainName: string[] = []
  const plainCode: string[] = []
  const dailyDepartures = new Uint32Array(count)
  for (let stop = 0 as StopIndex; stop < stopCount; stop++) {
    names.push(textOf(strings, stops.name[stop]))
    plainName.push(plain(stops.name[stop]))
    plainCode.push(plain(stops.code[stop]))
    dailyDepartures[stop] = stops.dailyDepartures[stop]
  }
  for (let area = 0 as AreaIndex; area < areas.id.length; area++) {
    names.push(textOf(strings, areas.name[area]))
    plainName.push(plain(areas.name[area]))
    plainCode.push(plain(areas.code[area]))
    dailyDepartures[stopCount + area] = dailyDeparturesOfArea(timetable, area)
  }
  const numberAt = Uint32Array.from({ length: count }, (_, number) => number).sort(
    (left, right) =>
      (dailyDepartures[right] as number) - (dailyDepartures[left] as number) ||
      compareNatural(names[left] as string, names[right] as string) ||
      Number(left < stopCount) - Number(right < stopCount) ||
      // Stops, and areas, are numbered by id.
      left - right,
  )
  const order = new Uint32Array(count)
  for (let at = 0; at < count; at++) order[numberAt[at] as number] = at
  return { plainName, plainCode, dailyDepartures, order, numberAt }
}
