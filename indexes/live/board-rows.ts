// The rows of a departure board. They are in columns that the next board reuses, so that a board leaves no objects for
// the garbage collector.
import { NONE, sealColumn } from '../../loaders/columns.ts'
import type { BoardCursor } from '../timetable/board-cursor.ts'
import type { StopIndex, TripIndex } from '../timetable/timetable.ts'
import { type LiveCallIndex, NEVER_OVER, type Overlay } from './overlay.ts'

/** A departure with or without live data. */
export type BoardRow = ScheduledRow | LiveRow

export interface ScheduledRow {
  readonly kind: 'scheduled'
  readonly trip: TripIndex
  readonly position: number
  readonly day: number
  readonly runStartSeconds: number
  readonly stop: StopIndex
  readonly departureSeconds: number
}

export interface LiveRow {
  readonly kind: 'live'
  readonly call: LiveCallIndex
  /** Effective departure, in seconds after 1970. */
  readonly departureSeconds: number
}

/** The current call of a LiveWalk, which goes through the live calls of a board. */
export interface LiveCursor {
  readonly call: LiveCallIndex
  /** The call's row in the overlay's boards. */
  readonly row: number
  /** Effective departure, in seconds after 1970. */
  readonly seconds: number
  /** Whether a feed has live data for this call itself, and not only for other calls of its trip. */
  readonly isKnown: boolean
}

/** Initial length of the columns, enough for the boards of the API. Longer boards make the columns grow. */
const INITIAL_ROWS = 64

/**
 * The rows of a board, in order. A row with live data is stored as a live call. A row without live data is stored as a
 * departure in the timetable.
 */
export class BoardRows {
  length = 0
  /** Whether a feed has live data for the call of at least one row. */
  hasLiveData = false
  /** Effective departure, in seconds after 1970. */
  seconds = new Float64Array(INITIAL_ROWS)
  /** The live call of each row; NONE if the row has no live data. */
  private calls = new Uint32Array(INITIAL_ROWS)
  call = sealColumn<number, LiveCallIndex>(this.calls)
  /** The row in the overlay's boards, for rows with live data. */
  boardRow = new Uint32Array(INITIAL_ROWS)
  private trips = new Uint32Array(INITIAL_ROWS)
  trip = sealColumn<number, TripIndex>(this.trips)
  private stops = new Uint32Array(INITIAL_ROWS)
  stop = sealColumn<number, StopIndex>(this.stops)
  position = new Uint16Array(INITIAL_ROWS)
  day = new Int32Array(INITIAL_ROWS)
  runStartSeconds = new Int32Array(INITIAL_ROWS)

  clear(): void {
    this.length = 0
    this.hasLiveData = false
  }

  /** Removes all rows after the first `count`. */
  cut(count: number, overlay: Overlay | undefined): void {
    this.length = count
    if (!this.hasLiveData || overlay === undefined) return
    const { over } = overlay.boards
    this.hasLiveData = false
    for (let at = 0; at < count; at++) {
      if (this.isLive(at) && over[this.boardRow[at]] === NEVER_OVER) this.hasLiveData = true
    }
  }

  isLive(at: number): boolean {
    return this.calls[at] !== NONE
  }

  addScheduled(cursor: BoardCursor): void {
    const at = this.length
    if (at === this.seconds.length) this.widen()
    this.seconds[at] = cursor.seconds
    this.calls[at] = NONE
    this.trips[at] = cursor.trip
    this.stops[at] = cursor.stop
    this.position[at] = cursor.position
    this.day[at] = cursor.day
    this.runStartSeconds[at] = cursor.runStartSeconds
    this.length = at + 1
  }

  addLive(live: LiveCursor): void {
    const at = this.length
    if (at === this.seconds.length) this.widen()
    this.seconds[at] = live.seconds
    this.calls[at] = live.call
    this.boardRow[at] = live.row
    this.hasLiveData ||= live.isKnown
    this.length = at + 1
  }

  /** A row as an object that stays valid when the columns are reused for another board. */
  rowAt(at: number): BoardRow {
    const departureSeconds = this.seconds[at]
    if (this.isLive(at)) return { kind: 'live', call: this.call[at], departureSeconds }
    return {
      kind: 'scheduled',
      trip: this.trip[at],
      position: this.position[at],
      day: this.day[at],
      runStartSeconds: this.runStartSeconds[at],
      stop: this.stop[at],
      departureSeconds,
    }
  }

  private widen(): void {
    const count = this.length * 2
    this.seconds = widened(this.seconds, new Float64Array(count))
    this.calls = widened(this.calls, new Uint32Array(count))
    this.call = sealColumn(this.calls)
    this.boardRow = widened(this.boardRow, new Uint32Array(count))
    this.trips = widened(this.trips, new Uint32Array(count))
    this.trip = sealColumn(this.trips)
    this.stops = widened(this.stops, new Uint32Array(count))
    this.stop = sealColumn(this.stops)
    this.position = widened(this.position, new Uint16Array(count))
    this.day = widened(this.day, new Int32Array(count))
    this.runStartSeconds = widened(this.runStartSeconds, new Int32Array(count))
  }
}

function widened<A extends Float64Array | Uint32Array | Uint16Array | Int32Array>(column: A, wider: A): A {
  wider.set(column)
  return wider
}
