// Reads the stops and call types of each trip, and counts the days on which the trip runs. Equal lists are stored once,
// and a trip refers to its lists by number. Patterns and directions are built from this data.
import assert from 'node:assert'
import { columnArray, NONE } from '../../loaders/columns.ts'
import type { Feed, ServiceTable } from '../../loaders/gtfs/feed.ts'
import { ListPool } from './list-pool.ts'
import type { Numbering } from './numbering.ts'

/** Trips and their lists. All arrays are indexed by trip row. */
export interface TripCalls {
  /** Trip → its list in `stopLists`: the stops at which it calls, as stop indexes. */
  readonly stopListOf: Uint32Array
  readonly stopLists: ListPool
  /** Trip → its list in `typeLists`: pickup type × 4 + drop-off type of each call. */
  readonly typeListOf: Uint32Array
  readonly typeLists: ListPool
  /** Trip → number of days on which its service runs. Trips are weighted by this number. */
  readonly dayCountOf: Uint32Array
  /** Trip → 1 if it is in frequencies.txt. */
  readonly isFrequency: Uint8Array
}

/** Reads the calls of all trips once. */
export function readTripCalls(feed: Feed, stops: Numbering): TripCalls {
  const { trips, calls } = feed
  const callOffset = columnArray(trips.callOffset)
  const stopRow = columnArray(calls.stop)
  const pickupType = columnArray(calls.pickupType)
  const dropOffType = columnArray(calls.dropOffType)
  const stopLists = new ListPool()
  const typeLists = new ListPool()
  const stopListOf = new Uint32Array(trips.count)
  const typeListOf = new Uint32Array(trips.count)
  const list = new Uint32Array(longestTrip(feed))
  for (let trip = 0; trip < trips.count; trip++) {
    const first = callOffset[trip]
    const length = callOffset[trip + 1] - first
    for (let i = 0; i < length; i++) list[i] = stops.numberOf[stopRow[first + i]]
    stopListOf[trip] = stopLists.intern(list, length)
    for (let i = 0; i < length; i++) {
      list[i] = pickupType[first + i] * 4 + dropOffType[first + i]
    }
    typeListOf[trip] = typeLists.intern(list, length)
  }
  assert(!stopLists.allValues().includes(NONE), 'a call is at a stop that is not in the stop table')
  return {
    stopListOf,
    stopLists,
    typeListOf,
    typeLists,
    dayCountOf: countTripDays(feed),
    isFrequency: markFrequencies(feed),
  }
}

/** Number of calls of the longest trip. */
export function longestTrip(feed: Feed): number {
  const callOffset = columnArray(feed.trips.callOffset)
  let longest = 0
  for (let trip = 0; trip < feed.trips.count; trip++) {
    longest = Math.max(longest, callOffset[trip + 1] - callOffset[trip])
  }
  return longest
}

/** Service → number of days on which it runs. */
export function countServiceDays(services: ServiceTable): Uint32Array {
  const counts = new Uint32Array(services.count)
  for (let service = 0; service < services.count; service++) {
    const start = service * services.bytesPerService
    for (let day = 0; day < services.dayCount; day++) {
      const byte = services.activeDays[start + (day >> 3)]
      counts[service] = counts[service] + ((byte >> (day & 7)) & 1)
    }
  }
  return counts
}

function countTripDays(feed: Feed): Uint32Array {
  const dayCounts = countServiceDays(feed.services)
  const service = columnArray(feed.trips.service)
  const counts = new Uint32Array(feed.trips.count)
  for (let trip = 0; trip < counts.length; trip++) counts[trip] = dayCounts[service[trip]]
  return counts
}

function markFrequencies(feed: Feed): Uint8Array {
  const isFrequency = new Uint8Array(feed.trips.count)
  const trip = columnArray(feed.frequencies.trip)
  for (let row = 0; row < feed.frequencies.count; row++) isFrequency[trip[row]] = 1
  return isFrequency
}
