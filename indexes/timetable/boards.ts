// Departures from stops in a time window, in board order. Merges the sorted boards of the stops for each service day.
// In each board, binary search finds the start of the window, and reading ends when the limit is reached. So the time
// depends on the size of the result, not on the size of the timetable.
import { firstWhere, nextIndex } from '../../loaders/columns.ts'
import { textOf } from '../../loaders/strings.ts'
import {
  type BoardCursor,
  type BoardFilter,
  type BoardSource,
  FrequencySource,
  keepsTrip,
  NO_RUN,
  StopRows,
  TimedSource,
} from './board-cursor.ts'
import { type FrequencyIndex, isActive, type StopIndex, type Timetable, type TripIndex } from './timetable.ts'
import { runSuffix } from './trips.ts'

/** Which departures to list. */
export interface BoardWindow extends BoardFilter {
  /** The stops, each listed once. */
  readonly stops: readonly StopIndex[]
  /** Seconds after 1970; start inclusive, end exclusive. */
  readonly fromSeconds: number
  readonly toSeconds: number
}

export interface BoardQuery extends BoardWindow {
  /** Maximum number of departures to return, 1 or more. */
  readonly limit: number
}

/** One scheduled departure of a trip instance from a stop. */
export interface Departure {
  readonly trip: TripIndex
  /** Stop position in the trip's pattern, from 0. */
  readonly position: number
  /** Service day, in days after `meta.firstDay`. */
  readonly day: number
  /** Seconds after 1970. */
  readonly departureSeconds: number
  /** Start of a run of a frequency trip, in seconds after the service day's zero; NO_RUN (−1) for other trips. */
  readonly runStartSeconds: number
  readonly stop: StopIndex
}

/**
 * The first departures in a window, ordered by time, line, full trip id and stop position. Excludes last calls and
 * calls without boarding. Includes departures after midnight of trips from earlier service days.
 */
export function listDepartures(timetable: Timetable, query: BoardQuery): readonly Departure[] {
  const departures: Departure[] = []
  const walk = openWalk(timetable, query)
  while (departures.length < query.limit) {
    const cursor = walk.next()
    if (cursor === undefined) break
    departures.push(toDeparture(cursor))
  }
  walk.close()
  return departures
}

/** Timetable → a BoardWalk that can be reused when it is not open. */
const walks = new WeakMap<Timetable, BoardWalk>()

/** Returns a BoardWalk through all departures in a window. The caller must close it, so that it can be reused. */
export function openWalk(timetable: Timetable, window: BoardWindow): BoardWalk {
  const known = walks.get(timetable)
  const walk = known === undefined || known.isOpen ? new BoardWalk(timetable) : known
  if (known === undefined) walks.set(timetable, walk)
  walk.open(window)
  return walk
}

/** Visits the departures in a window in board order, by merging the sources of departures. */
export class BoardWalk {
  isOpen = false
  private readonly timetable: Timetable
  /** The sources that read boards, reused for the next window. */
  private readonly timed: TimedSource[] = []
  private readonly stopRows: StopRows
  private readonly hasFrequencies: boolean
  private timedCount = 0
  /** The first `count` elements are the sources that have not ended. */
  private readonly sources: BoardSource[] = []
  private count = 0
  /** Index of the source of the previous departure; -1 before the first departure. */
  private at = -1
  private shown: Departure | undefined
  /** The service days of the previous window; see `daysOf`. */
  private days: ReturnType<typeof daysInWindow> = { first: 0, end: 0 }
  private fromSeconds = Number.NaN
  private toSeconds = Number.NaN

  constructor(timetable: Timetable) {
    this.timetable = timetable
    this.stopRows = new StopRows(timetable)
    this.hasFrequencies = timetable.boards.frequencyTrip.length > 0
  }

  open(window: BoardWindow): void {
    this.isOpen = true
    this.timedCount = 0
    this.count = 0
    this.at = -1
    this.shown = undefined
    const { timetable } = this
    const { boards, serviceDays } = timetable
    const days = this.daysOf(window)
    for (const stop of window.stops) {
      const hasFrequencies =
        this.hasFrequencies && boards.frequencyOffset[stop] < boards.frequencyOffset[nextIndex(stop)]
      for (let day = days.first; day < days.end; day++) {
        if (serviceDays.tripCount[day] === 0) continue
        // A stop needs no source for a day if all its departures on this service day are outside the window. This
        // usually rules out yesterday's service day.
        if (this.stopRows.mayHave(stop, window, serviceDays.zeroSeconds[day])) this.addTimed(window, stop, day)
        if (hasFrequencies) this.addFrequencies(window, stop, day)
      }
    }
  }

  close(): void {
    this.isOpen = false
  }

  /** The next departure, valid until `next` is called again; undefined at the end. */
  next(): BoardCursor | undefined {
    this.advance()
    const { sources } = this
    while (this.count > 0) {
      let first = sources[0]
      let firstAt = 0
      for (let at = 1; at < this.count; at++) {
        const other = sources[at]
        if (other.seconds > first.seconds) continue
        if (other.seconds < first.seconds || compareTied(this.timetable, other, first) < 0) {
          first = other
          firstAt = at
        }
      }
      this.at = firstAt
      if (first.runStartSeconds === NO_RUN) return first
      // GTFS forbids overlapping frequencies of one trip. If a feed has them, two sources contain the same run, but the
      // run is returned only once.
      if (this.shown === undefined || !isSame(first, this.shown)) {
        this.shown = toDeparture(first)
        return first
      }
      this.advance()
    }
    return undefined
  }

  /** Moves the source of the previous departure to its next departure, or removes the source if it has none. */
  private advance(): void {
    const { sources, at } = this
    if (at < 0) return
    const source = sources[at]
    source.advance()
    this.at = -1
    if (source.seconds !== Number.POSITIVE_INFINITY) return
    this.count--
    sources[at] = sources[this.count]
  }

  /** The service days of a window. Cached, because one response often includes many boards with the same window. */
  private daysOf(window: BoardWindow): { readonly first: number; readonly end: number } {
    const { fromSeconds, toSeconds } = window
    if (fromSeconds !== this.fromSeconds || toSeconds !== this.toSeconds) {
      this.days = daysInWindow(this.timetable, window)
      this.fromSeconds = fromSeconds
      this.toSeconds = toSeconds
    }
    return this.days
  }

  private addTimed(window: BoardWindow, stop: StopIndex, day: number): void {
    let source = this.timed[this.timedCount]
    if (source === undefined) {
      source = new TimedSource(this.timetable, this.stopRows, stop)
      this.timed.push(source)
    }
    source.open(window, stop, day)
    if (source.seconds === Number.POSITIVE_INFINITY) return
    this.timedCount++
    this.sources[this.count++] = source
  }

  private addFrequencies(window: BoardWindow, stop: StopIndex, day: number): void {
    const { timetable } = this
    const { boards, trips } = timetable
    const endRow = boards.frequencyOffset[nextIndex(stop)]
    for (let row = boards.frequencyOffset[stop]; row < endRow; row++) {
      const trip = boards.frequencyTrip[row]
      if (!isActive(timetable, trips.service[trip], day) || !keepsTrip(timetable, window, trip)) continue
      const end = trips.frequencyOffset[nextIndex(trip)]
      for (let frequency: FrequencyIndex = trips.frequencyOffset[trip]; frequency < end; frequency++) {
        const source = new FrequencySource(timetable, window, { row, frequency, stop, day })
        if (source.seconds !== Number.POSITIVE_INFINITY) this.sources[this.count++] = source
      }
    }
  }
}

/**
 * The service days that can have events in the window [fromSeconds, toSeconds). `first` is inclusive, `end` is
 * exclusive.
 */
export function daysInWindow(
  timetable: Timetable,
  window: { readonly fromSeconds: number; readonly toSeconds: number },
): { readonly first: number; readonly end: number } {
  const { fromSeconds, toSeconds } = window
  const { zeroSeconds } = timetable.serviceDays
  const { dayCount, maxTimeSeconds } = timetable.meta
  const earliestZero = fromSeconds - maxTimeSeconds
  const first = firstWhere(0, dayCount, (day) => zeroSeconds[day] >= earliestZero)
  const end = firstWhere(0, dayCount, (day) => zeroSeconds[day] >= toSeconds)
  return { first, end: Math.max(first, end) }
}

/**
 * Compares two departures at the same time in board order: by line, then full trip id (UTF-16 code units), then stop
 * position.
 */
function compareTied(timetable: Timetable, left: BoardCursor, right: BoardCursor): number {
  if (left.line !== right.line) return left.line - right.line
  // The full trip id starts with the service date, so the days are compared before the rest of the id.
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

/** Compares two refs by UTF-16 code units. */
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
