// Departures of stops in a window of effective time: from the overlay for trips with live data, else from the
// timetable. Merges two sorted sources, so that nothing outside the window is read. A board includes how long it stays
// unchanged while its window moves with the clock, so that it is rendered only once per departure.

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

/** A departure without or with live data. */
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
  /** Takes the live rows before a time, and those at that time that sort before a cursor. */
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
  // If live rows alone fill the board, no departure after the last of them can be on it.
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

/** The rows of a board, and until when every later window of the same length has the same rows. */
export interface LastingBoard {
  readonly departures: readonly BoardRow[]
  /** First instant at which the rows may differ; in seconds after 1970, after the window's start. */
  readonly untilSeconds: number
}

/** How far past its window a board that is not full looks for the next row, in seconds. */
const LOOK_AHEAD_SECONDS = 900

/**
 * The board of a window [from, to). It is valid until the second after its first row departs, since new rows at the far
 * end of a full board are beyond the limit; if it is not full, also until the next row enters. The reason for an empty
 * board depends on its start, so an empty board is valid for one second only.
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

/** When the first row is removed before its own time, because its trip is known to have passed the call by then. */
function firstOver(overlay: Overlay | undefined, rows: readonly BoardRow[]): number {
  let first = Number.POSITIVE_INFINITY
  if (overlay === undefined) return first
  for (const row of rows) if (row.kind === 'live') first = Math.min(first, overSeconds(overlay, row.call))
  return first
}

/** Whether a feed has live data for the call of a row. */
export function isLiveRow(overlay: Overlay | undefined, row: BoardRow): boolean {
  if (overlay === undefined || row.kind !== 'live') return false
  const { calls, instances } = overlay
  const isSpokenOf = (calls.flags[row.call] & (CALL_PREDICTED | CALL_SKIPPED)) !== 0
  return isSpokenOf || instances.state[calls.instance[row.call]] === INSTANCE_CANCELED
}

/** Whether feeds have live data for the trip instance at a cursor. */
function isSpokenOf(overlay: Overlay, cursor: BoardCursor): boolean {
  return overlay.instanceOfTrip[cursor.trip] !== NONE && findInstance(overlay, cursor) !== undefined
}

/**
 * The live calls on the stops' boards in the window, in board order. Takes up to the limit per stop, plus those at the
 * same instant as the last: no others can be among the first rows.
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

/** The first row of a stop that departs at a time or later. */
function firstRowFrom(overlay: Overlay, stop: StopIndex, from: number): number {
  const { boards } = overlay
  const end = boards.offset[nextIndex(stop)]
  return firstWhere(boards.offset[stop], end, (row) => effectiveDeparture(overlay, boards.call[row]) >= from)
}

/**
 * When a call without a forecast is over, in seconds after 1970: its trip is known to have passed it by then. Infinity
 * for calls that follow their own time.
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

/** Board order of two live rows at the same instant: scheduled time, line, full trip id, call. */
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

/** The live runs of frequency trips without exact times: nominal runs near one of them are not shown. */
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

  /** The headway of a run without exact times; undefined if it has exact times. */
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
