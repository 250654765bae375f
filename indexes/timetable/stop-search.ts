// Finds stops and areas by words. The prefix tree finds the matches; this file ranks them.
import { nextIndex } from '../../loaders/columns.ts'
import type { StringIndex, StringPool } from '../../loaders/strings.ts'
import { queryWords } from '../text/normalize.ts'
import { findPostings } from '../text/prefix-tree.ts'
import type { Timetable } from './timetable.ts'

/** A stop or an area that matches a query. */
export interface RankedHit {
  /** A stop index, or the number of stops plus an area index. */
  readonly number: number
  /**
   * An integer below 2^53; smaller is better. It depends on the tier, and within a tier on the daily departures: places
   * with more departures come first. Hits of equal rank are ordered by name (natural order), then areas before stops,
   * then by id. Rank, name, kind and id together form a position that stays valid in a new snapshot.
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
 * The stops and areas that match a query, best first. Each word of the query must be the start of a word of the name or
 * code, in any order. A query without letters or digits matches nothing.
 */
export function searchStops(timetable: Timetable, query: string): RankedHit[] {
  const words = queryWords(query)
  const firstWord = words[0]
  if (firstWord === undefined) return []
  const { plainName, plainCode, dailyDepartures, relevanceRank, byRelevance } = timetable.placeOrders
  const plainQuery = encoder.encode(words.join(' '))
  const firstLength = Buffer.byteLength(firstWord)
  const numbers = findPostings(timetable.stopWords, words, relevanceRank.length)
  // Tier and order are combined in one number, because numbers sort many times faster than objects.
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
  wanted: { readonly plainQuery: Uint8Array; readonly firstLength: number },
): number {
  const common = commonStart(strings, plainName, wanted.plainQuery)
  if (common < wanted.firstLength) return ANYWHERE
  if (common < wanted.plainQuery.length) return NAME_STARTS_WITH_FIRST_WORD
  return lengthOf(strings, plainName) === common ? NAME_EQUAL : NAME_STARTS_WITH_QUERY
}

function lengthOf({ offsets }: StringPool, text: StringIndex): number {
  return offsets[nextIndex(text)] - offsets[text]
}

/** Length in bytes of the common prefix of a string in the pool and another string. */
function commonStart({ bytes, offsets }: StringPool, text: StringIndex, others: Uint8Array): number {
  const start = offsets[text]
  const length = Math.min(others.length, offsets[nextIndex(text)] - start)
  let common = 0
  while (common < length && bytes[start + common] === others[common]) common++
  return common
}
