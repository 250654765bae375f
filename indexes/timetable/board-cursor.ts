// One ordered source of departures: a stop's board on a service day, or the runs of one frequency at one call.
// boards.ts merges a few of these into a window.
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

/** No run: not a frequency trip. */
export const NO_RUN = -1

/** The lines and the direction that a board shows; all if absent. */
export interface BoardFilter {
  readonly lines?: ReadonlySet<LineIndex>
  /** 0 or 1. */
  readonly directionId?: number
}

/** A position in a source of departures: at a departure, or at the end. */
export interface BoardCursor {
  readonly stop: StopIndex
  /** Service day, from `meta.firstDay`. */
  readonly day: number
  /** Instant of the departure in seconds after 1970; Infinity at the end. */
  seconds: number
  line: LineIndex
  trip: TripIndex
  position: number
  /** Start of a frequency run in seconds after the service day's zero; NO_RUN for other trips. */
  runStartSeconds: number
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

/** The range of a cursor. */
export interface CursorRange {
  readonly stop: StopIndex
  readonly day: number
  readonly fromSeconds: number
  /** Exclusive. */
  readonly toSeconds: number
}

/** A stop's board on one service day: starts by binary search in sorted rows and skips trips that do not run. */
export class TimedBoardCursor implements BoardCursor {
  readonly stop: StopIndex
  readonly day: number
  seconds = Number.POSITIVE_INFINITY
  line = 0 as LineIndex
  trip = 0 as TripIndex
  position = 0
  runStartSeconds = NO_RUN
  private row: BoardIndex
  private readonly end: BoardIndex
  private readonly timetable: Timetable
  private readonly filter: BoardFilter
  private readonly zeroSeconds: number
  private readonly toTimeSeconds: number

  constructor(timetable: Timetable, filter: BoardFilter, range: CursorRange) {
    this.timetable = timetable
    this.filter = filter
    this.stop = range.stop
    this.day = range.day
    this.zeroSeconds = timetable.serviceDays.zeroSeconds[range.day]
    this.toTimeSeconds = range.toSeconds - this.zeroSeconds
    const { offset, departureSeconds } = timetable.boards
    let low: BoardIndex = offset[range.stop]
    this.end = offset[nextIndex(range.stop)]
    const fromTimeSeconds = range.fromSeconds - this.zeroSeconds
    let high: BoardIndex = this.end
    while (low < high) {
      const middle = ((low + high) >>> 1) as BoardIndex
      if (departureSeconds[middle] < fromTimeSeconds) low = nextIndex(middle)
      else high = middle
    }
    this.row = low
    this.settle()
  }

  advance(): void {
    this.row++
    this.settle()
  }

  /** Moves from `row` to the first row that runs on this day and passes the filter. */
  private settle(): void {
    const { boards, trips, patterns, serviceDays, meta } = this.timetable
    const { departureSeconds, trip: tripOf } = boards
    const { activeDays } = serviceDays
    const { lines, directionId } = this.filter
    const isFiltered = lines !== undefined || directionId !== undefined
    const byteOfDay = this.day >> 3
    const bitOfDay = this.day & 7
    for (; this.row < this.end; this.row++) {
      const timeSeconds = departureSeconds[this.row]
      if (timeSeconds >= this.toTimeSeconds) break
      const trip = tripOf[this.row]
      const byte = activeDays[trips.service[trip] * meta.bytesPerService + byteOfDay]
      if (((byte >> bitOfDay) & 1) === 0) continue
      if (isFiltered && !keepsTrip(this.timetable, this.filter, trip)) continue
      this.seconds = this.zeroSeconds + timeSeconds
      this.trip = trip
      this.line = patterns.line[trips.pattern[trip]]
      this.position = boards.position[this.row]
      return
    }
    this.seconds = Number.POSITIVE_INFINITY
  }
}

/** The runs of one frequency at one call, one per headway. The first run in the window is computed directly. */
export class FrequencyBoardCursor implements BoardCursor {
  readonly stop: StopIndex
  readonly day: number
  seconds = Number.POSITIVE_INFINITY
  readonly line: LineIndex
  readonly trip: TripIndex
  readonly position: number
  runStartSeconds: number
  private readonly headwaySeconds: number
  private readonly endSeconds: number
  /** From the start of a run to its departure at this call. */
  private readonly offsetSeconds: number
  private readonly zeroSeconds: number
  private readonly toSeconds: number

  constructor(timetable: Timetable, call: { row: FrequencyBoardIndex; frequency: FrequencyIndex }, range: CursorRange) {
    const { boards, frequencies, patterns, trips, stopTimes, serviceDays } = timetable
    this.stop = range.stop
    this.day = range.day
    this.trip = boards.frequencyTrip[call.row]
    this.position = boards.frequencyPosition[call.row]
    this.line = patterns.line[trips.pattern[this.trip]]
    this.headwaySeconds = frequencies.headwaySeconds[call.frequency]
    this.endSeconds = frequencies.endSeconds[call.frequency]
    const { departureSeconds } = stopTimes
    this.offsetSeconds =
      departureSeconds[stopTimeAt(timetable, this.trip, this.position)] -
      departureSeconds[stopTimeAt(timetable, this.trip, 0)]
    this.zeroSeconds = serviceDays.zeroSeconds[range.day]
    this.toSeconds = range.toSeconds
    const start = frequencies.startSeconds[call.frequency]
    const earliestStart = range.fromSeconds - this.zeroSeconds - this.offsetSeconds
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
