// Sources of departures in board order. A source is a stop's board on one service day, or the runs of one frequency at
// one call. boards.ts merges the sources for a time window.
import { nextIndex } from '../../loaders/columns.ts'
import {
  type BoardIndex,
  type FrequencyBoardIndex,
  type FrequencyIndex,
  type LineIndex,
  type StopIndex,
  stopTimeAt,
  type Timetable,
  type TripIndex,
} from './timetable.ts'

/** Value of `runStartSeconds` for trips without frequencies. */
export const NO_RUN = -1

/** The lines and the direction to include; all if absent. */
export interface BoardFilter {
  readonly lines?: ReadonlySet<LineIndex>
  /** 0 or 1. */
  readonly directionId?: number
}

/** The current departure of a source, or the end of the source. */
export interface BoardCursor {
  readonly stop: StopIndex
  /** Service day, in days after `meta.firstDay`. */
  readonly day: number
  /** The departure in seconds after 1970; Infinity at the end of the source. */
  readonly seconds: number
  readonly line: LineIndex
  readonly trip: TripIndex
  readonly position: number
  /** Start of a run of a frequency trip, in seconds after the service day's zero; NO_RUN for other trips. */
  readonly runStartSeconds: number
}

/** A source of departures: a cursor that can move to the next departure. */
export interface BoardSource extends BoardCursor {
  /** Moves to the next departure in board order. */
  advance(): void
}

/** Whether the filter includes a trip. */
export function keepsTrip(timetable: Timetable, filter: BoardFilter, trip: TripIndex): boolean {
  const { patterns, directions, trips } = timetable
  const pattern = trips.pattern[trip]
  if (filter.lines !== undefined && !filter.lines.has(patterns.line[pattern])) return false
  if (filter.directionId === undefined) return true
  return directions.directionId[patterns.direction[pattern]] === filter.directionId
}

/** The filter and the window of a source. Times are in seconds after 1970; the end is exclusive. */
export interface SourceWindow extends BoardFilter {
  readonly fromSeconds: number
  readonly toSeconds: number
}

const NO_FILTER: BoardFilter = {}

/** Number of values stored per stop. */
const MEMBERS = 8
const IS_KNOWN = 0
const FIRST = 1
const END = 2
const EARLIEST = 3
const LATEST = 4
const ENTERED = 5

/**
 * For each stop, the range of its board rows, their earliest and latest departure, and the row that `enter` found last.
 * The values are copied from the boards when a stop is first requested. Here, the values of a stop share a cache line;
 * in the boards, they are spread over four memory pages.
 */
export class StopRows {
  private readonly members: Int32Array
  private readonly timetable: Timetable

  constructor(timetable: Timetable) {
    this.timetable = timetable
    this.members = new Int32Array(timetable.stops.id.length * MEMBERS)
  }

  /**
   * Whether a stop's board may have departures within the window on a service day. `zeroSeconds` is the zero of this
   * day. Checks only the earliest and the latest departure, and ignores on which days the trips run.
   */
  mayHave(stop: StopIndex, window: SourceWindow, zeroSeconds: number): boolean {
    const { members } = this
    const at = stop * MEMBERS
    if (members[at + IS_KNOWN] === 0) this.read(stop)
    return (
      members[at + FIRST] < members[at + END] &&
      zeroSeconds + members[at + EARLIEST] < window.toSeconds &&
      zeroSeconds + members[at + LATEST] >= window.fromSeconds
    )
  }

  /** The end of a stop's rows. Call `mayHave` for the stop first. */
  endOf(stop: StopIndex): BoardIndex {
    return this.members[stop * MEMBERS + END] as BoardIndex
  }

  /**
   * The first row that departs at or after a time. First tries the row found by the previous request, because most
   * requests are for the current time.
   */
  enter(stop: StopIndex, timeSeconds: number): BoardIndex {
    const { members } = this
    const { departureSeconds } = this.timetable.boards
    const at = stop * MEMBERS
    let low = members[at + FIRST] as BoardIndex
    let high = members[at + END] as BoardIndex
    const last = members[at + ENTERED] as BoardIndex
    if (last < high) {
      if (departureSeconds[last] < timeSeconds) low = nextIndex(last)
      else if (last === low || departureSeconds[(last - 1) as BoardIndex] < timeSeconds) return last
      else high = last
    }
    while (low < high) {
      const middle = ((low + high) >>> 1) as BoardIndex
      if (departureSeconds[middle] < timeSeconds) low = nextIndex(middle)
      else high = middle
    }
    members[at + ENTERED] = low
    return low
  }

  private read(stop: StopIndex): void {
    const { members } = this
    const { offset, departureSeconds } = this.timetable.boards
    const at = stop * MEMBERS
    const first = offset[stop]
    const end = offset[nextIndex(stop)]
    members[at + IS_KNOWN] = 1
    members[at + FIRST] = first
    members[at + END] = end
    members[at + ENTERED] = first
    if (first === end) return
    members[at + EARLIEST] = departureSeconds[first]
    members[at + LATEST] = departureSeconds[(end - 1) as BoardIndex]
  }
}

/**
 * A stop's board on one service day. Finds the first row by binary search in the sorted rows, and skips trips that do
 * not run on that day. Instances are reused, because the board of an area has dozens of sources.
 */
export class TimedSource implements BoardSource {
  stop: StopIndex
  day = 0
  seconds = Number.POSITIVE_INFINITY
  trip = 0 as TripIndex
  position = 0
  readonly runStartSeconds = NO_RUN
  private row: BoardIndex
  private end: BoardIndex
  private readonly timetable: Timetable
  private readonly rows: StopRows
  private filter = NO_FILTER
  private isFiltered = false
  private zeroSeconds = 0
  private toTimeSeconds = 0

  constructor(timetable: Timetable, rows: StopRows, stop: StopIndex) {
    this.timetable = timetable
    this.rows = rows
    this.stop = stop
    this.row = timetable.boards.offset[stop]
    this.end = this.row
  }

  /** Moves to a stop's first departure in the window on a service day. Call `mayHave` for the stop first. */
  open(window: SourceWindow, stop: StopIndex, day: number): void {
    this.stop = stop
    this.day = day
    this.filter = window
    this.isFiltered = window.lines !== undefined || window.directionId !== undefined
    this.zeroSeconds = this.timetable.serviceDays.zeroSeconds[day]
    this.toTimeSeconds = window.toSeconds - this.zeroSeconds
    this.end = this.rows.endOf(stop)
    this.row = this.rows.enter(stop, window.fromSeconds - this.zeroSeconds)
    this.settle()
  }

  /** The line of the departure. Computed only when departures at the same time must be ordered. */
  get line(): LineIndex {
    const { patterns, trips } = this.timetable
    return patterns.line[trips.pattern[this.trip]]
  }

  advance(): void {
    this.row++
    this.settle()
  }

  /** Moves forward from `row` to the first row whose trip runs on this day and passes the filter. */
  private settle(): void {
    const { boards, trips, serviceDays, meta } = this.timetable
    const { departureSeconds, trip: tripOf } = boards
    const { activeDays } = serviceDays
    const { end, toTimeSeconds, isFiltered } = this
    const byteOfDay = this.day >> 3
    const bitOfDay = this.day & 7
    for (let row = this.row; row < end; row++) {
      const timeSeconds = departureSeconds[row]
      if (timeSeconds >= toTimeSeconds) break
      const trip = tripOf[row]
      const byte = activeDays[trips.service[trip] * meta.bytesPerService + byteOfDay]
      if (((byte >> bitOfDay) & 1) === 0) continue
      if (isFiltered && !keepsTrip(this.timetable, this.filter, trip)) continue
      this.row = row
      this.seconds = this.zeroSeconds + timeSeconds
      this.trip = trip
      this.position = boards.position[row]
      return
    }
    this.seconds = Number.POSITIVE_INFINITY
  }
}

/**
 * The runs of one frequency at one call: one departure per headway. The first run in the window is computed without a
 * search.
 */
export class FrequencySource implements BoardSource {
  readonly stop: StopIndex
  readonly day: number
  seconds = Number.POSITIVE_INFINITY
  readonly line: LineIndex
  readonly trip: TripIndex
  readonly position: number
  runStartSeconds: number
  private readonly headwaySeconds: number
  private readonly endSeconds: number
  /** Time from the start of a run to its departure at this call. */
  private readonly offsetSeconds: number
  private readonly zeroSeconds: number
  private readonly toSeconds: number

  constructor(
    timetable: Timetable,
    window: SourceWindow,
    at: {
      readonly row: FrequencyBoardIndex
      readonly frequency: FrequencyIndex
      readonly stop: StopIndex
      readonly day: number
    },
  ) {
    const { boards, frequencies, patterns, trips, stopTimes, serviceDays } = timetable
    this.stop = at.stop
    this.day = at.day
    this.trip = boards.frequencyTrip[at.row]
    this.position = boards.frequencyPosition[at.row]
    this.line = patterns.line[trips.pattern[this.trip]]
    this.headwaySeconds = frequencies.headwaySeconds[at.frequency]
    this.endSeconds = frequencies.endSeconds[at.frequency]
    const { departureSeconds } = stopTimes
    this.offsetSeconds =
      departureSeconds[stopTimeAt(timetable, this.trip, this.position)] -
      departureSeconds[stopTimeAt(timetable, this.trip, 0)]
    this.zeroSeconds = serviceDays.zeroSeconds[at.day]
    this.toSeconds = window.toSeconds
    const start = frequencies.startSeconds[at.frequency]
    const earliestStart = window.fromSeconds - this.zeroSeconds - this.offsetSeconds
    const skipped = Math.max(0, Math.ceil((earliestStart - start) / this.headwaySeconds))
    this.runStartSeconds = start + skipped * this.headwaySeconds
    this.settle()
  }

  advance(): void {
    this.runStartSeconds += this.headwaySeconds
    this.settle()
  }

  private settle(): void {
    const seconds = this.zeroSeconds + this.runStartSeconds + this.offsetSeconds
    const isInside = this.runStartSeconds < this.endSeconds && seconds < this.toSeconds
    this.seconds = isInside ? seconds : Number.POSITIVE_INFINITY
  }
}
