// Groups trips into patterns: the trips of a pattern have the same line, direction and calls, and do not overtake each
// other. Assigns the trip and pattern numbers that the rest of the build uses.
import { columnArray, NONE } from '../../loaders/columns.ts'
import type { Feed } from '../../loaders/gtfs/feed.ts'
import { compareLists, ListPool } from './list-pool.ts'
import type { Numbering } from './numbering.ts'
import type { TripCalls } from './trip-calls.ts'

/**
 * Trips of one line and direction with the same calls. Some may overtake others, so a group can become several
 * patterns.
 */
export interface TripGroup {
  readonly line: number
  /** 0 or 1. */
  readonly directionId: number
  /**
   * Number of the stop list in `TripCalls.stopLists`. `typeList` is the number of the list of call types in
   * `TripCalls.typeLists`.
   */
  readonly stopList: number
  readonly typeList: number
  readonly isFrequency: boolean
  /** Trip rows, earliest departure first. */
  readonly tripRows: number[]
  /** Sum of the service days of all trips in the group. */
  tripDays: number
}

/** The order of trips, patterns and groups. */
export interface PatternLayout {
  /** Ordered by line, then direction, then trip-days (the sum of the service days of the trips; most first). */
  readonly groups: readonly TripGroup[]
  readonly patternCount: number
  /** Pattern → its position in `groups`. */
  readonly groupOf: Uint32Array
  /** Pattern → its first trip; has one extra entry. */
  readonly tripOffset: Uint32Array
  /** Trip → trip row, and trip row → trip. */
  readonly trips: Numbering
  /** Trip → its pattern. */
  readonly patternOf: Uint32Array
}

/** Inputs to `layPatterns`. Arrays are indexed by trip row; `lines` maps route rows to lines. */
export interface TripFacts {
  readonly tripCalls: TripCalls
  readonly lines: Numbering
  /** Trip row → 0 or 1. */
  readonly directionOf: Uint8Array
  /** Trip row → rank of its id. */
  readonly idRankOf: Uint32Array
}

/** Numbers the patterns line by line, and the trips pattern by pattern. */
export function layPatterns(feed: Feed, facts: TripFacts): PatternLayout {
  const groups = groupTrips(feed, facts)
  const tripCount = feed.trips.count
  const rowOf = new Uint32Array(tripCount)
  const numberOf = new Uint32Array(tripCount).fill(NONE)
  const patternOf = new Uint32Array(tripCount)
  const groupOf: number[] = []
  const tripOffset: number[] = [0]
  let trip = 0
  for (const [group, { tripRows }] of groups.entries()) {
    for (const rows of splitOvertaking(feed, tripRows)) {
      for (const row of rows) {
        rowOf[trip] = row
        numberOf[row] = trip
        patternOf[trip++] = groupOf.length
      }
      groupOf.push(group)
      tripOffset.push(trip)
    }
  }
  return {
    groups,
    patternCount: groupOf.length,
    groupOf: Uint32Array.from(groupOf),
    tripOffset: Uint32Array.from(tripOffset),
    trips: { count: tripCount, rowOf, numberOf },
    patternOf,
  }
}

function groupTrips(feed: Feed, facts: TripFacts): TripGroup[] {
  const { tripCalls, lines, directionOf } = facts
  const routeOf = columnArray(feed.trips.route)
  const keys = new ListPool()
  const groupOfKey: TripGroup[] = []
  const groups: TripGroup[] = []
  const key = new Uint32Array(3)
  for (let row = 0; row < feed.trips.count; row++) {
    const line = lines.numberOf[routeOf[row]]
    const directionId = directionOf[row]
    const stopList = tripCalls.stopListOf[row]
    const typeList = tripCalls.typeListOf[row]
    const isFrequency = tripCalls.isFrequency[row] === 1
    let group: TripGroup | undefined
    if (!isFrequency) {
      key.set([line * 2 + directionId, stopList, typeList])
      const number = keys.intern(key, 3)
      group = groupOfKey[number]
      if (group === undefined) {
        group = { line, directionId, stopList, typeList, isFrequency, tripRows: [], tripDays: 0 }
        groupOfKey[number] = group
        groups.push(group)
      }
    } else {
      group = { line, directionId, stopList, typeList, isFrequency, tripRows: [], tripDays: 0 }
      groups.push(group)
    }
    group.tripRows.push(row)
    group.tripDays += tripCalls.dayCountOf[row]
  }
  for (const group of groups) sortTrips(feed, group.tripRows, facts.idRankOf)
  return sortGroups(groups, facts)
}

/** Sorts trips by first departure, then last arrival, then id. */
function sortTrips(feed: Feed, rows: number[], idRankOf: Uint32Array): void {
  const callOffset = columnArray(feed.trips.callOffset)
  const arrival = columnArray(feed.calls.arrivalSeconds)
  const departure = columnArray(feed.calls.departureSeconds)
  rows.sort(
    (a, b) =>
      departure[callOffset[a]] - departure[callOffset[b]] ||
      arrival[callOffset[a + 1] - 1] - arrival[callOffset[b + 1] - 1] ||
      idRankOf[a] - idRankOf[b],
  )
}

function sortGroups(groups: TripGroup[], facts: TripFacts): TripGroup[] {
  const { stopLists, typeLists } = facts.tripCalls
  const firstRank = (group: TripGroup) => facts.idRankOf[group.tripRows[0]]
  return groups.sort(
    (a, b) =>
      a.line - b.line ||
      a.directionId - b.directionId ||
      b.tripDays - a.tripDays ||
      compareLists(stopLists.list(a.stopList), stopLists.list(b.stopList)) ||
      compareLists(typeLists.list(a.typeList), typeLists.list(b.typeList)) ||
      Number(a.isFrequency) - Number(b.isFrequency) ||
      firstRank(a) - firstRank(b),
  )
}

/**
 * Splits trips with the same calls into parts in which no trip overtakes another. Each trip joins the first part whose
 * last trip it does not overtake. Usually there is one part.
 */
function splitOvertaking(feed: Feed, tripRows: readonly number[]): number[][] {
  const callOffset = columnArray(feed.trips.callOffset)
  const arrival = columnArray(feed.calls.arrivalSeconds)
  const departure = columnArray(feed.calls.departureSeconds)
  const parts: number[][] = []
  for (const row of tripRows) {
    const first = callOffset[row]
    const callCount = callOffset[row + 1] - first
    const part = parts.find((each) => {
      const before = callOffset[each[each.length - 1]]
      for (let i = 0; i < callCount; i++) {
        if (arrival[first + i] < arrival[before + i]) return false
        if (departure[first + i] < departure[before + i]) return false
      }
      return true
    })
    if (part === undefined) parts.push([row])
    else part.push(row)
  }
  return parts
}
