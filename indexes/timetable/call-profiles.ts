// Call data that is the same for many trips and is seldom read: stop_sequence, headsigns of single calls, and distances
// along the shape. Each trip has one list of each kind. Equal lists are stored once; each trip stores where its lists
// start.
import { columnArray, NONE, sealColumn } from '../../loaders/columns.ts'
import type { Feed } from '../../loaders/gtfs/feed.ts'
import { EMPTY_STRING } from '../../loaders/strings.ts'
import { toNarrowest } from './column-width.ts'
import { ListPool } from './list-pool.ts'
import type { CallProfiles, Trips } from './timetable.ts'
import { longestTrip } from './trip-calls.ts'

/** The distinct lists, and where each trip's lists start. */
export interface ProfiledTrips {
  readonly callProfiles: CallProfiles
  readonly ofTrips: Pick<Trips, 'sequenceProfile' | 'headsignProfile' | 'distanceProfile'>
}

/** Builds the lists, trip by trip in the order of the trip numbers. `rowOf` gives the row of each trip. */
export function buildCallProfiles(feed: Feed, rowOf: Uint32Array): ProfiledTrips {
  const stopSequence = profileNumbers(feed, rowOf, { column: columnArray(feed.calls.stopSequence), absent: undefined })
  const headsign = profileNumbers(feed, rowOf, { column: columnArray(feed.calls.headsign), absent: EMPTY_STRING })
  const distance = profileDistances(feed, rowOf)
  return {
    callProfiles: {
      stopSequence: sealColumn(toNarrowest(stopSequence.values)),
      headsign: sealColumn(headsign.values),
      shapeDistance: sealColumn(distance.values),
    },
    ofTrips: {
      sequenceProfile: sealColumn(stopSequence.startOf),
      headsignProfile: sealColumn(headsign.startOf),
      distanceProfile: sealColumn(distance.startOf),
    },
  }
}

/**
 * Stores the lists of integers, each distinct list once. A list in which every value is `absent` is not stored; its
 * trips have NONE.
 */
function profileNumbers(
  feed: Feed,
  rowOf: Uint32Array,
  source: { column: { readonly [index: number]: number }; absent: number | undefined },
): { startOf: Uint32Array; values: Uint32Array } {
  const { column, absent } = source
  const callOffset = columnArray(feed.trips.callOffset)
  const pool = new ListPool()
  const list = new Uint32Array(longestTrip(feed))
  const startOf = new Uint32Array(rowOf.length).fill(NONE)
  for (let trip = 0; trip < rowOf.length; trip++) {
    const row = rowOf[trip]
    const first = callOffset[row]
    const length = callOffset[row + 1] - first
    let isAbsent = true
    for (let i = 0; i < length; i++) {
      const value = column[first + i]
      if (value !== absent) isAbsent = false
      list[i] = value
    }
    if (!isAbsent) startOf[trip] = pool.start(pool.intern(list, length))
  }
  return { startOf, values: pool.allValues() }
}

/**
 * Stores the lists of distances, each distinct list once. Distances are compared bit by bit: each is treated as two
 * integers.
 */
function profileDistances(feed: Feed, rowOf: Uint32Array): { startOf: Uint32Array; values: Float64Array } {
  const startOf = new Uint32Array(rowOf.length).fill(NONE)
  if (feed.calls.shapeDistance === undefined) return { startOf, values: new Float64Array(0) }
  const column = columnArray(feed.calls.shapeDistance)
  const callOffset = columnArray(feed.trips.callOffset)
  const pool = new ListPool()
  const list = new Float64Array(longestTrip(feed))
  const bits = new Uint32Array(list.buffer)
  for (let trip = 0; trip < rowOf.length; trip++) {
    const row = rowOf[trip]
    const first = callOffset[row]
    const length = callOffset[row + 1] - first
    let isAbsent = true
    for (let i = 0; i < length; i++) {
      const value = column[first + i]
      if (!Number.isNaN(value)) isAbsent = false
      list[i] = value
    }
    if (!isAbsent) startOf[trip] = pool.start(pool.intern(bits, 2 * length)) / 2
  }
  return { startOf, values: new Float64Array(pool.allValues().buffer) }
}
