// Builds the columns of trips, patterns, times and frequencies, in the order of the numbers assigned in patterns.ts.
// Times are sorted by pattern, then stop position, then trip, so the times at a stop position are consecutive.
import { columnArray, sealColumn } from '../../loaders/columns.ts'
import type { Feed } from '../../loaders/gtfs/feed.ts'
import { countTexts, EMPTY_STRING, type StringIndex, textOf } from '../../loaders/strings.ts'
import type { ProfiledTrips } from './call-profiles.ts'
import { numberRows, pick } from './numbering.ts'
import type { PatternLayout, TripFacts } from './patterns.ts'
import type { Frequencies, Patterns, StopTimes, Trips } from './timetable.ts'

/** Frequencies in trip order, and where each trip's frequencies start. */
export interface TripFrequencies {
  readonly frequencies: Frequencies
  /** Trip → its first frequency; has one extra entry. */
  readonly offset: Uint32Array
}

/** Builds the pattern columns. `directionOf` contains the direction of each group. */
export function buildPatterns(layout: PatternLayout, facts: TripFacts, directionOf: Uint32Array): Patterns {
  const { groups, groupOf, patternCount, tripOffset } = layout
  const { stopLists, typeLists } = facts.tripCalls
  const line = new Uint32Array(patternCount)
  const direction = new Uint32Array(patternCount)
  const isFrequency = new Uint8Array(patternCount)
  const stopOffset = new Uint32Array(patternCount + 1)
  const timeOffset = new Uint32Array(patternCount + 1)
  for (const [pattern, number] of groupOf.entries()) {
    const group = groups[number]
    if (group === undefined)
      throw new Error(`pattern ${pattern} refers to the trip group ${number}, which does not exist`)
    line[pattern] = group.line
    direction[pattern] = directionOf[number]
    isFrequency[pattern] = Number(group.isFrequency)
    const callCount = stopLists.length(group.stopList)
    const tripCount = tripOffset[pattern + 1] - tripOffset[pattern]
    stopOffset[pattern + 1] = stopOffset[pattern] + callCount
    timeOffset[pattern + 1] = timeOffset[pattern] + callCount * tripCount
  }
  const positionCount = stopOffset[patternCount]
  const stopAt = new Uint32Array(positionCount)
  const pickupType = new Uint8Array(positionCount)
  const dropOffType = new Uint8Array(positionCount)
  for (const [pattern, number] of groupOf.entries()) {
    const start = stopOffset[pattern]
    const group = groups[number]
    if (group === undefined) continue
    stopAt.set(stopLists.list(group.stopList), start)
    for (const [position, type] of typeLists.list(group.typeList).entries()) {
      pickupType[start + position] = type >> 2
      dropOffType[start + position] = type & 3
    }
  }
  return {
    line: sealColumn(line),
    direction: sealColumn(direction),
    stopOffset: sealColumn(stopOffset),
    stopAt: sealColumn(stopAt),
    pickupType: sealColumn(pickupType),
    dropOffType: sealColumn(dropOffType),
    tripOffset: sealColumn(tripOffset),
    timeOffset: sealColumn(timeOffset),
    isFrequency: sealColumn(isFrequency),
  }
}

/**
 * Sorts the times of all calls by pattern, then stop position, then trip. Times of a frequency trip are relative to its
 * first departure; times before the first departure become 0.
 */
export function layStopTimes(feed: Feed, layout: PatternLayout): StopTimes {
  const { tripOffset, patternCount, trips } = layout
  const callOffset = columnArray(feed.trips.callOffset)
  const arrivalOfCall = columnArray(feed.calls.arrivalSeconds)
  const departureOfCall = columnArray(feed.calls.departureSeconds)
  const arrivalSeconds = new Uint32Array(feed.calls.count)
  const departureSeconds = new Uint32Array(feed.calls.count)
  let start = 0
  for (let pattern = 0; pattern < patternCount; pattern++) {
    const firstTrip = tripOffset[pattern]
    const tripCount = tripOffset[pattern + 1] - firstTrip
    const isFrequency = layout.groups[layout.groupOf[pattern]]?.isFrequency === true
    let callCount = 0
    for (let i = 0; i < tripCount; i++) {
      const row = trips.rowOf[firstTrip + i]
      const first = callOffset[row]
      const zero = isFrequency ? departureOfCall[first] : 0
      callCount = callOffset[row + 1] - first
      for (let position = 0, to = start + i; position < callCount; position++, to += tripCount) {
        arrivalSeconds[to] = Math.max(0, arrivalOfCall[first + position] - zero)
        departureSeconds[to] = departureOfCall[first + position] - zero
      }
    }
    start += callCount * tripCount
  }
  return { arrivalSeconds: sealColumn(arrivalSeconds), departureSeconds: sealColumn(departureSeconds) }
}

/** The frequencies, sorted by trip, then by start. */
export function buildFrequencies(feed: Feed, layout: PatternLayout): TripFrequencies {
  const { frequencies } = feed
  const tripRow = columnArray(frequencies.trip)
  const start = columnArray(frequencies.startSeconds)
  const end = columnArray(frequencies.endSeconds)
  const tripOf = Uint32Array.from({ length: frequencies.count }, (_, row) => {
    return layout.trips.numberOf[tripRow[row]]
  })
  const rows = Uint32Array.from(tripOf.keys()).sort(
    (a, b) => tripOf[a] - tripOf[b] || start[a] - start[b] || end[a] - end[b] || a - b,
  )
  const offset = new Uint32Array(layout.trips.count + 1)
  for (const trip of tripOf) offset[trip + 1] = offset[trip + 1] + 1
  for (let trip = 0; trip < layout.trips.count; trip++) {
    offset[trip + 1] = offset[trip + 1] + offset[trip]
  }
  return {
    frequencies: {
      startSeconds: sealColumn(pick(frequencies.startSeconds, rows)),
      endSeconds: sealColumn(pick(frequencies.endSeconds, rows)),
      headwaySeconds: sealColumn(pick(frequencies.headwaySeconds, rows)),
      exactTimes: sealColumn(Uint8Array.from(pick(frequencies.exactTimes, rows))),
    },
    offset,
  }
}

/** Builds the trip columns. */
export function buildTrips(
  feed: Feed,
  layout: PatternLayout,
  parts: { facts: TripFacts; profiles: ProfiledTrips; frequencies: TripFrequencies },
): Trips {
  const { rowOf } = layout.trips
  const { trips } = feed
  const idRank = pick(sealColumn(parts.facts.idRankOf), rowOf)
  return {
    id: sealColumn(pick(trips.id, rowOf)),
    idRank: sealColumn(idRank),
    byId: sealColumn(numberRows(idRank, rowOf.length).numberOf),
    pattern: sealColumn(layout.patternOf),
    service: sealColumn(pick(trips.service, rowOf)),
    headsign: sealColumn(pick(sealColumn(headsignsOfTrips(feed)), rowOf)),
    shortName: sealColumn(pick(trips.shortName, rowOf)),
    pathId: sealColumn(pick(trips.pathId, rowOf)),
    block: sealColumn(pick(trips.blockId, rowOf)),
    shape: sealColumn(pick(trips.shape, rowOf)),
    wheelchair: sealColumn(Uint8Array.from(pick(trips.wheelchair, rowOf))),
    bikes: sealColumn(Uint8Array.from(pick(trips.bikes, rowOf))),
    ...parts.profiles.ofTrips,
    frequencyOffset: sealColumn(parts.frequencies.offset),
  }
}

/** Trip row → its headsign. If the headsign is missing or is only a train number, the name of the last stop is used. */
export function headsignsOfTrips(feed: Feed): Uint32Array {
  const headsign = Uint32Array.from(columnArray(feed.trips.headsign))
  const callOffset = columnArray(feed.trips.callOffset)
  const stopOfCall = columnArray(feed.calls.stop)
  const nameOfStop = columnArray(feed.stops.name)
  const routeOf = columnArray(feed.trips.route)
  const isNumber = numbersAmong(feed)
  const isNumbered = listNumberedRoutes(feed, isNumber)
  for (let row = 0; row < headsign.length; row++) {
    const isTrainNumber = isNumbered[routeOf[row]] === 1 && isNumber(headsign[row])
    if (headsign[row] !== EMPTY_STRING && !isTrainNumber) continue
    const lastCall = callOffset[row + 1] - 1
    headsign[row] = nameOfStop[stopOfCall[lastCall]]
  }
  return headsign
}

/**
 * The numbers among a route's headsigns are train numbers if they make up at least this share of the headsigns and are
 * not all the same number.
 */
const NUMBERED_SHARE = 0.8
const DIGITS = /^\d+$/

/**
 * Returns a function that tests whether a string in the pool consists only of digits. It decodes each string at most
 * once.
 */
function numbersAmong({ strings }: Feed): (text: number) => boolean {
  const known = new Uint8Array(countTexts(strings))
  return (text) => {
    if (known[text] === 0) known[text] = DIGITS.test(textOf(strings, text as StringIndex)) ? 2 : 1
    return known[text] === 2
  }
}

/** Route → 1 if its headsigns are train numbers. */
function listNumberedRoutes(feed: Feed, isNumber: (text: number) => boolean): Uint8Array {
  const routeOf = columnArray(feed.trips.route)
  const headsigns = new Uint32Array(feed.routes.count)
  const numbers = new Uint32Array(feed.routes.count)
  const first = new Uint32Array(feed.routes.count)
  const differ = new Uint8Array(feed.routes.count)
  const headsign = columnArray(feed.trips.headsign)
  for (let row = 0; row < headsign.length; row++) {
    const text = headsign[row]
    if (text === EMPTY_STRING) continue
    const route = routeOf[row]
    headsigns[route] = headsigns[route] + 1
    if (!isNumber(text)) continue
    numbers[route] = numbers[route] + 1
    if (first[route] === EMPTY_STRING) first[route] = text
    else if (first[route] !== text) differ[route] = 1
  }
  return differ.map((differs, route) => Number(differs === 1 && numbers[route] / headsigns[route] >= NUMBERED_SHARE))
}
