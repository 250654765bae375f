// Departures of stops in a window on the effective time: the timetable's where no feed speaks of them, the overlay's
// where one does. A merge of two sorted sources, so that nothing outside the window is looked at. A board comes with how long
// it stays as it is while its window moves on with the clock, so that its bytes are put together once for each departure.

import { firstWhere, NONE, nextIndex } from '../../loaders/columns.ts'
import { textOf } from '../../loaders/strings.ts'
import { type BoardCursor, keepsTrip, NO_RUN } from '../timetable/board-cursor.ts'
import { type BoardQuery, type BoardWindow, compareRefs, walkDepartures } from '../timetable/boards.ts'
import { serviceDate } from '../timetable/service-dates.ts'
import type { FrequencyIndex, StopIndex, Timetable, TripIndex } from '../timetable/timetable.ts'
import { runSuffix } from '../timetable/trips.ts'
import {
  CALL_PREDICTED,
  CALL_SKIPPED,
  effectiveDeparture,
  findInstance,
  INSTANCE_CANCELED,
  type InstanceIndex,
  type LiveCallIndex,
  type Overlay,
} from './overlay.ts'

/** A departure that feeds are silent about, or one they speak of. */
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
  /** Effective, in seconds after 1970. */
  readonly departureSeconds: number
}

/** The first departures of a window in board order. */
export function listBoard(timetable: Timetable, overlay: Overlay | undefined, query: BoardQuery): readonly BoardRow[] {
  if (overlay === undefined) return listScheduled(timetable, query)
  const live = liveRowsOf(timetable, overlay, query)
  const rows: BoardRow[] = []
  let next = 0
  /** Takes the live rows that come before a time, and of those at it the ones that come before a cursor. */
  const takeLive = (seconds: number, cursor: BoardCursor | undefined): void => {
    for (; next < live.length && rows.length < query.limit; next++) {
      const row = live[next]
      if (row.departureSeconds > seconds) return
      const isTied = cursor !== undefined && row.departureSeconds === seconds
      if (isTied && compareWithCursor(timetable, overlay, row, cursor) > 0) return
      rows.push(row)
    }
  }
  const runs = new LiveRuns(timetable, overlay)
  // Once live rows alone fill the board, nothing that leaves after the last of them can be on it.
  const fullSeconds = live[query.limit - 1]?.departureSeconds ?? Number.POSITIVE_INFINITY
  walkDepartures(timetable, query, (cursor) => {
    if (cursor.seconds > fullSeconds) return false
    if (isSpokenOf(overlay, cursor) || runs.isReplaced(cursor)) return true
    takeLive(cursor.seconds, cursor)
    if (rows.length < query.limit) rows.push(scheduledRow(cursor))
    return rows.length < query.limit
  })
  takeLive(Number.POSITIVE_INFINITY, undefined)
  return rows
}

function listScheduled(timetable: Timetable, query: BoardQuery): readonly BoardRow[] {
  const rows: BoardRow[] = []
  walkDepartures(timetable, query, (cursor) => rows.push(scheduledRow(cursor)) < query.limit)
  return rows
}

function scheduledRow({ trip, position, day, runStartSeconds, stop, seconds }: BoardCursor): ScheduledRow {
  return { kind: 'scheduled', trip, position, day, runStartSeconds, stop, departureSeconds: seconds }
}

/** The rows of a board, and until when they are the rows of every later window of the same length. */
export interface LastingBoard {
  readonly departures: readonly BoardRow[]
  /** First instant at which they may not be; in seconds after 1970, after the window's start. */
  readonly untilSeconds: number
}

/** How far behind its window a board that is not full looks for the row that comes in next, in seconds. */
const LOOK_AHEAD_SECONDS = 900

/**
 * The board of a window [from, to). It stays until the second after its first row leaves, since rows that come in at
 * the far end of a full board stay beyond the limit; where it is not full, also until the next row comes in. Why an
 * empty board is empty depends on its start, so that one stays for its second only.
 */
export function listLastingBoard(timetable: Timetable, overlay: Overlay | undefined, query: BoardQuery): LastingBoard {
  const { fromSeconds, toSeconds, limit } = query
  const seenSeconds = toSeconds + LOOK_AHEAD_SECONDS
  const ahead = listBoard(timetable, overlay, { ...query, toSeconds: seenSeconds })
  let count = 0
  for (const { departureSeconds } of ahead) {
    if (departureSeconds >= toSeconds) break
    count++
  }
  const departures = count === ahead.length ? ahead : ahead.slice(0, count)
  const first = departures[0]
  if (first === undefined) return { departures, untilSeconds: fromSeconds + 1 }
  const leavesAt = Math.min(first.departureSeconds, firstOver(overlay, departures)) + 1
  if (count >= limit) return { departures, untilSeconds: leavesAt }
  const nextSeconds = ahead[count]?.departureSeconds ?? seenSeconds
  const comesAt = nextSeconds - (toSeconds - fromSeconds) + 1
  return { departures, untilSeconds: Math.min(leavesAt, comesAt) }
}

/** When the first row goes that goes before its time: its trip is known to have left it behind by then. */
function firstOver(overlay: Overlay | undefined, rows: readonly BoardRow[]): number {
  let first = Number.POSITIVE_INFINITY
  if (overlay === undefined) return first
  for (const row of rows) if (row.kind === 'live') first = Math.min(first, overSeconds(overlay, row.call))
  return first
}

/** Whether a feed speaks of the call that a row stands for. */
export function isLiveRow(overlay: Overlay | undefined, row: BoardRow): boolean {
  if (overlay === undefined || row.kind !== 'live') return false
  const { calls, instances } = overlay
  const isSpokenOf = (calls.flags[row.call] & (CALL_PREDICTED | CALL_SKIPPED)) !== 0
  return isSpokenOf || instances.state[calls.instance[row.call]] === INSTANCE_CANCELED
}

/** Whether feeds speak of the trip instance a cursor stands on. */
function isSpokenOf(overlay: Overlay, cursor: BoardCursor): boolean {
  return overlay.instanceOfTrip[cursor.trip] !== NONE && findInstance(overlay, cursor) !== undefined
}

/**
 * The live calls on the stops' boards in the window, in board order. Of each stop as many as the limit, and those at the
 * instant of the last: no other can be among the first rows.
 */
function liveRowsOf(timetable: Timetable, overlay: Overlay, query: BoardQuery): LiveRow[] {
  const { boards, meta } = overlay
  const from = query.fromSeconds - meta.baseSeconds
  const to = query.toSeconds - meta.baseSeconds
  const rows: LiveRow[] = []
  let isInOrder = true
  for (const stop of query.stops) {
    const end = boards.offset[nextIndex(stop)]
    let taken = 0
    let last = 0
    for (let row = firstRowFrom(overlay, stop, from); row < end; row++) {
      const call = boards.call[row]
      const effective = effectiveDeparture(overlay, call)
      if (effective >= to || (taken >= query.limit && effective > last)) break
      if (overSeconds(overlay, call) < query.fromSeconds || !isWanted(timetable, overlay, query, call)) continue
      const departureSeconds = effective + meta.baseSeconds
      isInOrder &&= rows.length === 0 || rows[rows.length - 1].departureSeconds < departureSeconds
      rows.push({ kind: 'live', call, departureSeconds })
      taken++
      last = effective
    }
  }
  if (isInOrder) return rows
  return rows.sort((a, b) => a.departureSeconds - b.departureSeconds || compareLive(timetable, overlay, a, b))
}

/** The first row of a stop that leaves at a time or later. */
function firstRowFrom(overlay: Overlay, stop: StopIndex, from: number): number {
  const { boards } = overlay
  const end = boards.offset[nextIndex(stop)]
  return firstWhere(boards.offset[stop], end, (row) => effectiveDeparture(overlay, boards.call[row]) >= from)
}

/**
 * When a call without a forecast is over, in seconds after 1970: a later one of its trip is known to have left it
 * behind by then. Infinity for calls that go by their own time.
 */
export function overSeconds({ calls, instances, meta }: Overlay, call: LiveCallIndex): number {
  if ((calls.flags[call] & (CALL_PREDICTED | CALL_SKIPPED)) !== 0) return Number.POSITIVE_INFINITY
  const isCanceled = instances.state[calls.instance[call]] === INSTANCE_CANCELED
  return isCanceled ? Number.POSITIVE_INFINITY : calls.departure[call] + meta.baseSeconds
}

function isWanted(timetable: Timetable, overlay: Overlay, window: BoardWindow, call: LiveCallIndex): boolean {
  const { lines, directionId } = window
  const { instances, calls } = overlay
  const instance = calls.instance[call]
  const trip = instances.trip[instance]
  if (trip !== NONE) return keepsTrip(timetable, window, trip)
  if (lines !== undefined && !lines.has(instances.line[instance])) return false
  const direction = instances.direction[instance]
  return directionId === undefined || timetable.directions.directionId[direction] === directionId
}

/** Board order of two live rows at one instant: scheduled time, line, full trip id, call. */
function compareLive(timetable: Timetable, overlay: Overlay, left: LiveRow, right: LiveRow): number {
  const { calls, instances } = overlay
  const byScheduled = calls.scheduledDeparture[left.call] - calls.scheduledDeparture[right.call]
  if (byScheduled !== 0) return byScheduled
  const [one, other] = [calls.instance[left.call], calls.instance[right.call]]
  if (one === other) return left.call - right.call
  const byLine = instances.line[one] - instances.line[other]
  return byLine !== 0
    ? byLine
    : compareRefs(refOfInstance(timetable, overlay, one), refOfInstance(timetable, overlay, other))
}

function compareWithCursor(timetable: Timetable, overlay: Overlay, row: LiveRow, cursor: BoardCursor): number {
  const { calls, instances, meta } = overlay
  const byScheduled = calls.scheduledDeparture[row.call] + meta.baseSeconds - cursor.seconds
  if (byScheduled !== 0) return byScheduled
  const instance = calls.instance[row.call]
  const byLine = instances.line[instance] - cursor.line
  if (byLine !== 0) return byLine
  const ref = `${serviceDate(timetable, cursor.day)}:${textOf(timetable.strings, timetable.trips.id[cursor.trip])}${runSuffix(cursor.runStartSeconds)}`
  return compareRefs(refOfInstance(timetable, overlay, instance), ref)
}

/** The local part of a live instance's public trip id. */
export function refOfInstance(timetable: Timetable, overlay: Overlay, instance: InstanceIndex): string {
  const { instances, strings } = overlay
  const own = textOf(strings, instances.ref[instance])
  if (own !== '') return own
  const trip = instances.trip[instance]
  const id = textOf(timetable.strings, timetable.trips.id[trip])
  return `${serviceDate(timetable, instances.day[instance])}:${id}${runSuffix(instances.runStart[instance])}`
}

/** The live runs of frequency trips that keep no exact times: nominal runs near one of them are not shown. */
export class LiveRuns {
  private readonly timetable: Timetable
  private readonly overlay: Overlay

  constructor(timetable: Timetable, overlay: Overlay) {
    this.timetable = timetable
    this.overlay = overlay
  }

  /** Whether a nominal run is within half a headway of a live one at its call. */
  isReplaced(cursor: Pick<BoardCursor, 'trip' | 'day' | 'position' | 'runStartSeconds' | 'seconds'>): boolean {
    if (cursor.runStartSeconds === NO_RUN) return false
    const { instances, calls, instanceOfTrip, meta } = this.overlay
    const headway = this.headwayOf(cursor.trip, cursor.runStartSeconds)
    if (headway === undefined) return false
    let instance = instanceOfTrip[cursor.trip]
    while (instance < instances.trip.length) {
      const call = (instances.callOffset[instance] + cursor.position) as LiveCallIndex
      const live = effectiveDeparture(this.overlay, call) + meta.baseSeconds
      const isOfDay = instances.day[instance] === cursor.day && calls.position[call] === cursor.position
      if (isOfDay && Math.abs(live - cursor.seconds) * 2 <= headway) return true
      instance = instances.next[instance]
    }
    return false
  }

  /** The headway of a run that keeps no exact times; undefined where it does. */
  private headwayOf(trip: TripIndex, runStart: number): number | undefined {
    const { trips, frequencies } = this.timetable
    const end = trips.frequencyOffset[nextIndex(trip)]
    for (let row: FrequencyIndex = trips.frequencyOffset[trip]; row < end; row++) {
      const isOf = runStart >= frequencies.startSeconds[row] && runStart < frequencies.endSeconds[row]
      if (isOf) return frequencies.exactTimes[row] === 1 ? undefined : frequencies.headwaySeconds[row]
    }
    return undefined
  }
}
