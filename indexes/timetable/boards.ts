// Departures of stops in a time window, in board order: merges the sorted boards of each stop on each service day. Each
// board is entered by binary search and left at the limit, so the cost depends on the answer, not on the timetable.
import { firstWhere, nextIndex } from '../../loaders/columns.ts'
import { textOf } from '../../loaders/strings.ts'
import {
  type BoardCursor,
  type BoardFilter,
  FrequencyBoardCursor,
  keepsTrip,
  NO_RUN,
  TimedBoardCursor,
} from './board-cursor.ts'
import {
  type BoardIndex,
  type FrequencyBoardIndex,
  type FrequencyIndex,
  isActive,
  type StopIndex,
  type Timetable,
  type TripIndex,
} from './timetable.ts'
import { runSuffix } from './trips.ts'

/** The requested departures. */
export interface BoardWindow extends BoardFilter {
  /** Distinct. */
  readonly stops: readonly StopIndex[]
  /** Seconds after 1970; start inclusive, end exclusive. */
  readonly fromSeconds: number
  readonly toSeconds: number
}

export interface BoardQuery extends BoardWindow {
  /** Most departures to return, 1 or more. */
  readonly limit: number
}

/** One scheduled departure: a trip instance leaving a stop. */
export interface Departure {
  readonly trip: TripIndex
  /** Stop position in the trip's pattern, from 0. */
  readonly position: number
  /** Service day, from `meta.firstDay`. */
  readonly day: number
  /** Seconds after 1970. */
  readonly departureSeconds: number
  /** Start of a frequency run in seconds after the service day's zero; NO_RUN (−1) for other trips. */
  readonly runStartSeconds: number
  readonly stop: StopIndex
}

/**
 * The first departures of a window, ordered by time, line, full trip id and stop position. Excludes last calls and
 * calls without boarding. Includes services of earlier days that run past midnight.
 */
export function listDepartures(timetable: Timetable, query: BoardQuery): readonly Departure[] {
  const departures: Departure[] = []
  walkDepartures(timetable, query, (cursor) => {
    departures.push(toDeparture(cursor))
    return departures.length < query.limit
  })
  return departures
}

/**
 * Visits every departure of a window in board order, until `visit` returns false. The cursor is valid only during
 * the call. For callers that widen the window because live times differ from scheduled ones.
 */
export function walkDepartures(
  timetable: Timetable,
  window: BoardWindow,
  visit: (cursor: BoardCursor) => boolean,
): void {
  const cursors = openCursors(timetable, window)
  let shown: Departure | undefined
  while (cursors.length > 0) {
    let first = cursors[0]
    let firstAt = 0
    for (let at = 1; at < cursors.length; at++) {
      const other = cursors[at]
      if (other.seconds > first.seconds) continue
      if (other.seconds < first.seconds || compareTied(timetable, other, first) < 0) {
        first = other
        firstAt = at
      }
    }
    // Overlapping frequencies of one trip, which GTFS forbids, produce a run twice; it is visited once.
    if (first.runStartSeconds === NO_RUN || shown === undefined || !isSame(first, shown)) {
      if (!visit(first)) return
      if (first.runStartSeconds !== NO_RUN) shown = toDeparture(first)
    }
    first.advance()
    if (first.seconds === Number.POSITIVE_INFINITY) {
      const last = cursors.pop() as BoardCursor
      if (firstAt < cursors.length) cursors[firstAt] = last
    }
  }
}

/** The sources of a window, each at its first departure; without empty ones. */
function openCursors(timetable: Timetable, window: BoardWindow): BoardCursor[] {
  const cursors: BoardCursor[] = []
  const { boards, serviceDays } = timetable
  const { departureSeconds } = boards
  const days = daysInWindow(timetable, window)
  for (const stop of window.stops) {
    const first = boards.offset[stop]
    const end = boards.offset[nextIndex(stop)]
    const firstRow = boards.frequencyOffset[stop]
    const endRow = boards.frequencyOffset[nextIndex(stop)]
    for (let day = days.first; day < days.end; day++) {
      if (serviceDays.tripCount[day] === 0) continue
      const range = { stop, day, fromSeconds: window.fromSeconds, toSeconds: window.toSeconds }
      const zero = serviceDays.zeroSeconds[day]
      // A day whose first departure is too late, or whose last one too early, needs no cursor: mostly yesterday.
      const mayHave =
        first < end &&
        zero + departureSeconds[first] < window.toSeconds &&
        zero + departureSeconds[(end - 1) as BoardIndex] >= window.fromSeconds
      if (mayHave) {
        const cursor = new TimedBoardCursor(timetable, window, range)
        if (cursor.seconds !== Number.POSITIVE_INFINITY) cursors.push(cursor)
      }
      for (let row: FrequencyBoardIndex = firstRow; row < endRow; row++) {
        openFrequencyCursors(timetable, window, { row, stop, day, cursors })
      }
    }
  }
  return cursors
}

/** The days from `first` to before `end` with possible events in the window [fromSeconds, toSeconds). */
export function daysInWindow(
  timetable: Timetable,
  window: { readonly fromSeconds: number; readonly toSeconds: number },
): { readonly first: number; readonly end: number } {
  const { fromSeconds, toSeconds } = window
  const last = lastDays.get(timetable)
  if (last !== undefined && last.fromSeconds === fromSeconds && last.toSeconds === toSeconds) return last
  const { zeroSeconds } = timetable.serviceDays
  const { dayCount, maxTimeSeconds } = timetable.meta
  const earliestZero = fromSeconds - maxTimeSeconds
  const first = firstWhere(0, dayCount, (day) => zeroSeconds[day] >= earliestZero)
  const end = firstWhere(0, dayCount, (day) => zeroSeconds[day] >= toSeconds)
  const days = { first, end: Math.max(first, end), fromSeconds, toSeconds }
  lastDays.set(timetable, days)
  return days
}

/** The days of the window asked for last: an answer has many boards of one window. */
const lastDays = new WeakMap<
  Timetable,
  { readonly first: number; readonly end: number; readonly fromSeconds: number; readonly toSeconds: number }
>()

function openFrequencyCursors(
  timetable: Timetable,
  window: BoardWindow,
  at: {
    readonly row: FrequencyBoardIndex
    readonly stop: StopIndex
    readonly day: number
    readonly cursors: BoardCursor[]
  },
): void {
  const { boards, trips } = timetable
  const trip = boards.frequencyTrip[at.row]
  if (!isActive(timetable, trips.service[trip], at.day) || !keepsTrip(timetable, window, trip)) return
  const range = { stop: at.stop, day: at.day, fromSeconds: window.fromSeconds, toSeconds: window.toSeconds }
  const end = trips.frequencyOffset[nextIndex(trip)]
  for (let frequency: FrequencyIndex = trips.frequencyOffset[trip]; frequency < end; frequency++) {
    const cursor = new FrequencyBoardCursor(timetable, { row: at.row, frequency }, range)
    if (cursor.seconds !== Number.POSITIVE_INFINITY) at.cursors.push(cursor)
  }
}

/** Board order of two departures at the same time: line, full trip id by UTF-16 code units, stop position. */
function compareTied(timetable: Timetable, left: BoardCursor, right: BoardCursor): number {
  if (left.line !== right.line) return left.line - right.line
  // The full trip id starts with the service date.
  if (left.day !== right.day) return left.day - right.day
  const { trips, strings } = timetable
  if (left.runStartSeconds === NO_RUN && right.runStartSeconds === NO_RUN) {
    if (left.trip !== right.trip) return trips.idRank[left.trip] - trips.idRank[right.trip]
  } else if (left.trip !== right.trip || left.runStartSeconds !== right.runStartSeconds) {
    const leftId = textOf(strings, trips.id[left.trip]) + runSuffix(left.runStartSeconds)
    const rightId = textOf(strings, trips.id[right.trip]) + runSuffix(right.runStartSeconds)
    return leftId < rightId ? -1 : 1
  }
  return left.position - right.position
}

/** Compares by UTF-16 code units. */
export function compareRefs(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function isSame(cursor: BoardCursor, shown: Departure): boolean {
  return (
    cursor.seconds === shown.departureSeconds &&
    cursor.runStartSeconds === shown.runStartSeconds &&
    cursor.trip === shown.trip &&
    cursor.position === shown.position &&
    cursor.day === shown.day
  )
}

function toDeparture(cursor: BoardCursor): Departure {
  return {
    trip: cursor.trip,
    position: cursor.position,
    day: cursor.day,
    departureSeconds: cursor.seconds,
    runStartSeconds: cursor.runStartSeconds,
    stop: cursor.stop,
  }
}
