// Finds out why a board is empty, so that clients can distinguish a terminus from an error.
import { nextIndex } from '../../loaders/columns.ts'
import { keepsTrip } from './board-cursor.ts'
import { type BoardWindow, listDepartures } from './boards.ts'
import { localDay, localDayWindow } from './service-dates.ts'
import {
  callCount,
  isActive,
  STOP_HAS_CALLS,
  STOP_HAS_DEPARTURES,
  type StopIndex,
  stopTimeAt,
  type Timetable,
  type TripIndex,
} from './timetable.ts'

export type EmptyBoardReason =
  | 'outside_service_period'
  | 'terminus'
  | 'no_boarding'
  | 'active_disruption'
  | 'no_service_today'
  | 'no_more_service_today'

/**
 * The reason why a window has no departures. Call this only if the window has none. The first reason that applies is
 * returned:
 *
 * - `outside_service_period`: the window starts outside the days with trips.
 * - `terminus`: every call at the stops is the last of its trip.
 * - `no_boarding`: no call that allows boarding passes the filter.
 * - `active_disruption`: an alert announces that there is no service.
 * - `no_service_today`: nothing departs on the local calendar day of the window's start, not even a night service of
 *   the day before.
 * - `no_more_service_today`: there are departures on that day, but outside the window.
 * @param isDisrupted whether an alert announces no service; called only if needed
 */
export function emptyBoardReason(
  timetable: Timetable,
  window: BoardWindow,
  isDisrupted: () => boolean = () => false,
): EmptyBoardReason {
  const today = localDay(timetable, window.fromSeconds)
  if (isOutsidePeriod(timetable, today, window.fromSeconds)) return 'outside_service_period'
  if (isTerminus(timetable, window.stops)) return 'terminus'
  if (!isBoardable(timetable, window)) return 'no_boarding'
  if (isDisrupted()) return 'active_disruption'
  const ofToday = listDepartures(timetable, { ...window, ...localDayWindow(timetable, window.fromSeconds), limit: 1 })
  return ofToday.length === 0 ? 'no_service_today' : 'no_more_service_today'
}

function isTerminus(timetable: Timetable, stops: readonly StopIndex[]): boolean {
  let kinds = 0
  for (const stop of stops) kinds |= timetable.stops.callKinds[stop]
  return (kinds & STOP_HAS_CALLS) !== 0 && (kinds & STOP_HAS_DEPARTURES) === 0
}

/** Whether the boards of the stops have a row that passes the filter, on any day. */
function isBoardable(timetable: Timetable, window: BoardWindow): boolean {
  const { boards } = timetable
  for (const stop of window.stops) {
    const next = nextIndex(stop)
    for (let row = boards.offset[stop]; row < boards.offset[next]; row++) {
      if (keepsTrip(timetable, window, boards.trip[row])) return true
    }
    for (let row = boards.frequencyOffset[stop]; row < boards.frequencyOffset[next]; row++) {
      if (keepsTrip(timetable, window, boards.frequencyTrip[row])) return true
    }
  }
  return false
}

/** The first and the last day with trips, and the end of the last trip. */
interface ServicePeriod {
  readonly firstDay: number
  readonly lastDay: number
  /** Seconds after 1970. */
  readonly endSeconds: number
}

const periods = new WeakMap<Timetable, ServicePeriod>()

/** Whether a time is outside the service period. The period ends when the last trip ends, possibly after midnight. */
function isOutsidePeriod(timetable: Timetable, today: number, fromSeconds: number): boolean {
  const period = periods.getOrInsertComputed(timetable, measurePeriod)
  return today < period.firstDay || (today > period.lastDay && fromSeconds >= period.endSeconds)
}

/**
 * Finds the service period. Checks only the trips on the last few days, because no trip on an earlier day can be the
 * last to end.
 */
function measurePeriod(timetable: Timetable): ServicePeriod {
  const { serviceDays, meta, trips } = timetable
  let firstDay = 0
  while (firstDay < meta.dayCount && serviceDays.tripCount[firstDay] === 0) firstDay++
  let lastDay = meta.dayCount - 1
  while (lastDay >= firstDay && serviceDays.tripCount[lastDay] === 0) lastDay--
  let endSeconds = Number.NEGATIVE_INFINITY
  if (lastDay < firstDay) return { firstDay, lastDay, endSeconds }
  const lastZero = serviceDays.zeroSeconds[lastDay]
  for (let day = lastDay; day >= firstDay; day--) {
    const zero = serviceDays.zeroSeconds[day]
    if (zero + meta.maxTimeSeconds <= Math.max(endSeconds, lastZero)) break
    for (let trip = 0 as TripIndex; trip < trips.service.length; trip++) {
      if (!isActive(timetable, trips.service[trip], day)) continue
      endSeconds = Math.max(endSeconds, zero + lastTimeSeconds(timetable, trip))
    }
  }
  return { firstDay, lastDay, endSeconds }
}

/** Last arrival of a trip, or of its last run, in seconds after the service day's zero. */
function lastTimeSeconds(timetable: Timetable, trip: TripIndex): number {
  const { trips, stopTimes, frequencies } = timetable
  const lastPosition = callCount(timetable, trips.pattern[trip]) - 1
  const ownEnd = stopTimes.arrivalSeconds[stopTimeAt(timetable, trip, lastPosition)]
  const end = trips.frequencyOffset[nextIndex(trip)]
  if (trips.frequencyOffset[trip] === end) return ownEnd
  const duration = ownEnd - stopTimes.departureSeconds[stopTimeAt(timetable, trip, 0)]
  let latest = 0
  for (let frequency = trips.frequencyOffset[trip]; frequency < end; frequency++) {
    const start = frequencies.startSeconds[frequency]
    const headway = frequencies.headwaySeconds[frequency]
    const runCount = Math.max(1, Math.ceil((frequencies.endSeconds[frequency] - start) / headway))
    latest = Math.max(latest, start + (runCount - 1) * headway + duration)
  }
  return latest
}
