// Finds stops and areas by words: the prefix tree finds those that have the words, and this file ranks them.
import { nextIndex } from '../../loaders/columns.ts'
import type { StringIndex, StringPool } from '../../loaders/strings.ts'
import { queryWords } from '../text/normalize.ts'
import { findPostings } from '../text/prefix-tree.ts'
import type { Timetable } from './timetable.ts'

/** A stop or an area that matches a query. */
export interface RankedHit {
  /** A stop index, or the stop count + an area index. */
  readonly number: number
  /**
   * Smaller is better: tier, then more daily departures, as an integer below 2^53. Ties are ordered by natural order
   * of name, areas before stops, id. Rank, name, kind and id form a key that stays valid in a new snapshot.
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
const encoder = new TextEncoder()

/**
 * The stops and areas that match every word of the query as a prefix of a word in name or code, in any order: best
 * first. A query without letters or digits matches nothing.
 */
export function searchStops(timetable: Timetable, query: string): RankedHit[] {
  const words = queryWords(query)
  const firstWord = words[0]
  if (firstWord === undefined) return []
  const { plainName, plainCode, dailyDepartures, relevanceRank, byRelevance } = timetable.placeOrders
  const plainQuery = encoder.encode(words.join(' '))
  const firstLength = Buffer.byteLength(firstWord)
  const numbers = findPostings(timetable.stopWords, words, relevanceRank.length)
  // Tier and order in one number: sorting numbers is many times faster than sorting objects.
  const keys = new Float64Array(numbers.length)
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at]
    const isCode =
      lengthOf(timetable.strings, plainCode[number]) === plainQuery.length &&
      commonStart(timetable.strings, plainCode[number], plainQuery) === plainQuery.length
    const tier = isCode ? CODE_EQUAL : nameTier(timetable.strings, plainName[number], { plainQuery, firstLength })
    keys[at] = tier * PER_TIER + relevanceRank[number]
  }
  keys.sort()
  const hits = new Array<RankedHit>(keys.length)
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at]
    const tier = Math.floor(key / PER_TIER)
    const number = byRelevance[key - tier * PER_TIER]
    hits[at] = { number, rank: tier * PER_TIER + (PER_TIER - 1 - dailyDepartures[number]) }
  }
  return hits
}

function nameTier(
  strings: StringPool,
  plainName: StringIndex,
  asked: { readonly plainQuery: Uint8Array; readonly firstLength: number },
): number {
  const common = commonStart(strings, plainName, asked.plainQuery)
  if (common < asked.firstLength) return ANYWHERE
  if (common < asked.plainQuery.length) return NAME_STARTS_WITH_FIRST_WORD
  return lengthOf(strings, plainName) === common ? NAME_EQUAL : NAME_STARTS_WITH_QUERY
}

function lengthOf({ offsets }: StringPool, text: StringIndex): number {
  return offsets[nextIndex(text)] - offsets[text]
}

/** Length in bytes of the common prefix of a pool text and another. */
function commonStart({ bytes, offsets }: StringPool, text: StringIndex, others: Uint8Array): number {
  const start = offsets[text]
  const length = Math.min(others.length, offsets[nextIndex(text)] - start)
  let common = 0
  while (common < length && bytes[start + common] === others[common]) common++
  return common
}
