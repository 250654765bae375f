// Finds trips and trip instances by id, and gives the ids and headsigns of trip instances.
import { NONE, nextIndex } from '../../loaders/columns.ts'
import { EMPTY_STRING, type StringIndex, textOf } from '../../loaders/strings.ts'
import { findText } from '../text/sorted-texts.ts'
import { NO_RUN } from './board-cursor.ts'
import { findServiceDay, serviceDate } from './service-dates.ts'
import type { FrequencyIndex, Timetable, TripIndex } from './timetable.ts'

/** A trip on a service day. For a frequency trip: one of its runs on that day. */
export interface TripInstance {
  readonly trip: TripIndex
  /** Service day, in days after `meta.firstDay`. */
  readonly day: number
  /** Start of a run of a frequency trip, in seconds after the service day's zero; NO_RUN for other trips. */
  readonly runStartSeconds: number
}

/** The trip with this id in the feed. */
export function findTrip(timetable: Timetable, feedId: string): TripIndex | undefined {
  const { byId, id } = timetable.trips
  const at = findText(timetable.strings, feedId, { count: byId.length, textAt: (order) => id[byId[order]] })
  return at === undefined ? undefined : byId[at]
}

const ONE_RUN: readonly number[] = [NO_RUN]

/** The distinct start times of a frequency trip's runs. For any other trip, only NO_RUN. */
export function runStartsOf({ trips, frequencies }: Timetable, trip: TripIndex): Iterable<number> {
  const first = trips.frequencyOffset[trip]
  const end = trips.frequencyOffset[nextIndex(trip)]
  if (first === end) return ONE_RUN
  const starts = new Set<number>()
  for (let row: FrequencyIndex = first; row < end; row++) {
    const headway = frequencies.headwaySeconds[row]
    for (let start = frequencies.startSeconds[row]; start < frequencies.endSeconds[row]; start += headway) {
      starts.add(start)
    }
  }
  return starts
}

/** The local part of a trip's public id: `<yyyymmdd>:<feed trip id>`, followed by `@HH:MM:SS` for a run. */
export function tripRef(timetable: Timetable, instance: TripInstance): string {
  const { strings, trips } = timetable
  return `${serviceDate(timetable, instance.day)}:${textOf(strings, trips.id[instance.trip])}${runSuffix(instance.runStartSeconds)}`
}

/** The trip instance with the given `tripRef`; undefined if the timetable does not contain the trip or the day. */
export function findInstanceByRef(timetable: Timetable, ref: string): TripInstance | undefined {
  const day = findServiceDay(timetable, ref.slice(0, DATE_LENGTH))
  if (day === undefined) return undefined
  const name = ref.slice(DATE_LENGTH + 1)
  const whole = findTrip(timetable, name)
  if (whole !== undefined) return { trip: whole, day, runStartSeconds: NO_RUN }
  const [, id = '', hours, minutes, seconds] = /^(.*)@(\d+):(\d\d):(\d\d)$/.exec(name) ?? []
  const trip = findTrip(timetable, id)
  if (trip === undefined) return undefined
  return { trip, day, runStartSeconds: (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds) }
}

/** Length of the date at the start of a ref. */
const DATE_LENGTH = 8

/** `@HH:MM:SS`; empty for NO_RUN. Hours can be above 23, and have three digits if they are above 99. */
export function runSuffix(runStartSeconds: number): string {
  if (runStartSeconds === NO_RUN) return ''
  const hours = Math.floor(runStartSeconds / 3600)
  return `@${twoDigits(hours)}:${twoDigits(Math.floor(runStartSeconds / 60) % 60)}:${twoDigits(runStartSeconds % 60)}`
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : String(number)
}

/** The headsign shown at a stop position, as an index into the string pool: the call's own, otherwise the trip's. */
export function stopHeadsignIndex(timetable: Timetable, trip: TripIndex, position: number): StringIndex {
  const { trips, callProfiles } = timetable
  const profile = trips.headsignProfile[trip]
  if (profile === NONE) return trips.headsign[trip]
  const own = callProfiles.headsign[profile + position] ?? EMPTY_STRING
  return own === EMPTY_STRING ? trips.headsign[trip] : own
}

/** Whether the headsign shown at a stop position differs from the trip's headsign. */
export function hasOwnHeadsign(timetable: Timetable, trip: TripIndex, position: number): boolean {
  return stopHeadsignIndex(timetable, trip, position) !== timetable.trips.headsign[trip]
}

/** The headsign shown at a stop position, as a string. */
export function stopHeadsign(timetable: Timetable, trip: TripIndex, position: number): string {
  return textOf(timetable.strings, stopHeadsignIndex(timetable, trip, position))
}
