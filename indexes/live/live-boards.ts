// Departures from stops in a window of effective time. Trips with live data come from the overlay, and all other trips
// from the timetable. The two sorted sources are merged, and nothing outside the window is read. The window moves with
// the clock, but the rows of a board often stay the same for some time. This file computes how long they stay the same,
// so that a board is rendered only once per departure.

import { NONE, nextIndex } from '../../loaders/columns.ts'
import { type BoardCursor, keepsTrip } from '../timetable/board-cursor.ts'
import { type BoardQuery, type BoardWalk, type BoardWindow, openWalk } from '../timetable/boards.ts'
import type { StopIndex, Timetable } from '../timetable/timetable.ts'
import { type BoardRow, BoardRows, type LiveCursor } from './board-rows.ts'
import { compareLive, compareWithCursor } from './live-order.ts'
import { LiveRuns } from './live-runs.ts'
import { findInstance, type LiveCallIndex, NEVER_OVER, type Overlay } from './overlay.ts'

/** The first departures in a window, in board order. */
export function listBoard(timetable: Timetable, overlay: Overlay | undefined, query: BoardQuery): readonly BoardRow[] {
  return listRows(fillBoard(timetable, overlay, { query, rows: new BoardRows() }))
}

/** The query, and the columns that receive the rows. */
export interface BoardOrder {
  readonly query: BoardQuery
  readonly rows: BoardRows
}

/** Does what `listBoard` does, but writes the rows to columns. */
export function fillBoard(timetable: Timetable, overlay: Overlay | undefined, order: BoardOrder): BoardRows {
  const { query, rows } = order
  rows.clear()
  const walk = openWalk(timetable, query)
  if (overlay === undefined) fillScheduled(walk, rows, query.limit)
  else mergeLive(walk, openLiveWalk(timetable, overlay, query), order)
  walk.close()
  return rows
}

function fillScheduled(walk: BoardWalk, rows: BoardRows, limit: number): void {
  while (rows.length < limit) {
    const cursor = walk.next()
    if (cursor === undefined) return
    rows.addScheduled(cursor)
  }
}

/**
 * Merges the departures in the overlay with those in the timetable. Live data may replace a departure in the timetable.
 * This is checked only for the departure that comes next.
 */
function mergeLive(walk: BoardWalk, live: LiveWalk, { query, rows }: BoardOrder): void {
  let cursor = walk.next()
  while (rows.length < query.limit) {
    if (cursor === undefined && live.isAtEnd) return
    if (cursor === undefined || live.isBefore(cursor)) {
      rows.addLive(live)
      live.advance()
      continue
    }
    if (!live.replaces(cursor)) rows.addScheduled(cursor)
    cursor = walk.next()
  }
}

function listRows(rows: BoardRows): BoardRow[] {
  return Array.from({ length: rows.length }, (_, at) => rows.rowAt(at))
}

/** If a board is not full, the search for its next row goes on for this long after the end of the window. */
const LOOK_AHEAD_SECONDS = 900

/**
 * Fills the board of a window [from, to). Returns the time until which the board is valid. A board becomes invalid one
 * second after the earliest departure in its rows. If, according to live data, a row's trip passes the call sooner, the
 * board becomes invalid one second after that. A board that is not full also becomes invalid when a new row enters the
 * window. A full board has no room for a new row. The reason for an empty board depends on the start of the window, so
 * an empty board is valid for one second.
 */
export function fillLastingBoard(timetable: Timetable, overlay: Overlay | undefined, order: BoardOrder): number {
  const { query, rows } = order
  const { fromSeconds, toSeconds, limit } = query
  const seenSeconds = toSeconds + LOOK_AHEAD_SECONDS
  fillBoard(timetable, overlay, { query: { ...query, toSeconds: seenSeconds }, rows })
  const { seconds, length } = rows
  let count = 0
  while (count < length && seconds[count] < toSeconds) count++
  rows.cut(count, overlay)
  if (count === 0) return fromSeconds + 1
  const leavesAt = Math.min(seconds[0], firstOver(overlay, rows)) + 1
  if (count >= limit) return leavesAt
  const nextSeconds = count < length ? seconds[count] : seenSeconds
  const comesAt = nextSeconds - (toSeconds - fromSeconds) + 1
  return Math.min(leavesAt, comesAt)
}

/**
 * The earliest time at which a row leaves the board before its departure, because a feed shows that its trip has passed
 * the call.
 */
function firstOver(overlay: Overlay | undefined, rows: BoardRows): number {
  let first = Number.POSITIVE_INFINITY
  if (overlay === undefined) return first
  for (let at = 0; at < rows.length; at++) {
    if (rows.isLive(at)) first = Math.min(first, overlay.boards.over[rows.boardRow[at]] + overlay.meta.baseSeconds)
  }
  return first
}

/** Overlay → the LiveWalk that is reused for it. This is safe because boards are filled one at a time. */
const walks = new WeakMap<Overlay, LiveWalk>()

/** Starts a walk through the live calls in a window. An earlier LiveWalk of the same overlay becomes invalid. */
export function openLiveWalk(timetable: Timetable, overlay: Overlay, window: BoardWindow): LiveWalk {
  const known = walks.get(overlay)
  const walk = known ?? new LiveWalk(timetable, overlay)
  if (known === undefined) walks.set(overlay, walk)
  walk.open(window)
  return walk
}

const NO_WINDOW: BoardWindow = { stops: [], fromSeconds: 0, toSeconds: 0 }

/** Goes through the live calls of several stops in board order. Its members describe the current call. */
export class LiveWalk implements LiveCursor {
  call = 0 as LiveCallIndex
  /** The call's row in the overlay's boards. */
  row = 0
  /** Effective departure in seconds after 1970; Infinity at the end. */
  seconds = Number.POSITIVE_INFINITY
  private readonly timetable: Timetable
  private readonly overlay: Overlay
  private readonly runs: LiveRuns
  private window: BoardWindow = NO_WINDOW
  private isFiltered = false
  /** Start of the window, in seconds after the overlay's base. */
  private from = 0
  private to = 0
  /** The next row of each board that has further rows, in the order of the stops. */
  private readonly rows: number[] = []
  /** The row after the last one, for each board in `rows`. */
  private readonly ends: number[] = []
  private count = 0
  /** Index in `rows` of the board that has the current call. */
  private at = 0

  constructor(timetable: Timetable, overlay: Overlay) {
    this.timetable = timetable
    this.overlay = overlay
    this.runs = new LiveRuns(timetable, overlay)
  }

  get isAtEnd(): boolean {
    return this.count === 0
  }

  /**
   * Whether a feed has live data for this call itself. If so, the call stays on the board until its effective
   * departure.
   */
  get isKnown(): boolean {
    return this.overlay.boards.over[this.row] === NEVER_OVER
  }

  open(window: BoardWindow): void {
    const { offset } = this.overlay.boards
    const { baseSeconds } = this.overlay.meta
    this.window = window
    this.isFiltered = window.lines !== undefined || window.directionId !== undefined
    this.from = window.fromSeconds - baseSeconds
    this.to = window.toSeconds - baseSeconds
    this.count = 0
    for (const stop of window.stops) {
      const end = offset[nextIndex(stop)]
      const row = this.settle(this.firstRow(stop, end), end)
      if (row === end) continue
      this.rows[this.count] = row
      this.ends[this.count++] = end
    }
    this.choose()
  }

  /** Moves to the next call. */
  advance(): void {
    const { rows, ends, at } = this
    const end = ends[at]
    const row = this.settle(rows[at] + 1, end)
    if (row < end) rows[at] = row
    else {
      this.count--
      for (let other = at; other < this.count; other++) {
        rows[other] = rows[other + 1]
        ends[other] = ends[other + 1]
      }
    }
    this.choose()
  }

  /**
   * Whether live data replaces a departure in the timetable. It does if there is live data for the trip instance of the
   * departure, or if a live run of the same trip is near the departure.
   */
  replaces(cursor: BoardCursor): boolean {
    const { overlay } = this
    if (overlay.instanceOfTrip[cursor.trip] === NONE) return false
    return findInstance(overlay, cursor) !== undefined || this.runs.isReplaced(cursor)
  }

  /** Whether the current call comes before a departure in board order. Also true if neither comes before the other. */
  isBefore(cursor: BoardCursor): boolean {
    if (this.seconds !== cursor.seconds) return this.seconds < cursor.seconds
    return compareWithCursor(this.timetable, this.overlay, { call: this.call, cursor }) <= 0
  }

  /** The first of a stop's rows whose departure is not before the window's start. */
  private firstRow(stop: StopIndex, end: number): number {
    const { offset, effective } = this.overlay.boards
    let low = offset[stop]
    let high = end
    while (low < high) {
      const middle = (low + high) >>> 1
      if (effective[middle] < this.from) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The first row in [from, end) that is in the window and passes the filter; `end` if there is no such row. */
  private settle(from: number, end: number): number {
    const { effective, over, call } = this.overlay.boards
    for (let row = from; row < end && effective[row] < this.to; row++) {
      if (over[row] < this.from) continue
      if (!this.isFiltered || this.isWanted(call[row])) return row
    }
    return end
  }

  /** Chooses the earliest of the boards' next calls as the current call. */
  private choose(): void {
    const { overlay, rows, count } = this
    const { boards, meta } = overlay
    if (count === 0) {
      this.seconds = Number.POSITIVE_INFINITY
      return
    }
    let first = 0
    for (let at = 1; at < count; at++) {
      const earlier = boards.effective[rows[at]] - boards.effective[rows[first]]
      if (earlier > 0) continue
      if (earlier === 0 && this.compareRows(rows[at], rows[first]) >= 0) continue
      first = at
    }
    this.at = first
    this.row = rows[first]
    this.call = boards.call[this.row]
    this.seconds = boards.effective[this.row] + meta.baseSeconds
  }

  private compareRows(left: number, right: number): number {
    const { call } = this.overlay.boards
    return compareLive(this.timetable, this.overlay, { left: call[left], right: call[right] })
  }

  private isWanted(call: LiveCallIndex): boolean {
    const { timetable, overlay, window } = this
    const { instances, calls } = overlay
    const instance = calls.instance[call]
    const trip = instances.trip[instance]
    if (trip !== NONE) return keepsTrip(timetable, window, trip)
    const { lines, directionId } = window
    if (lines !== undefined && !lines.has(instances.line[instance])) return false
    const direction = instances.direction[instance]
    return directionId === undefined || timetable.directions.directionId[direction] === directionId
  }
}
