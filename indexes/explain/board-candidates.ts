// Lists every call at a board's stops that could be on the board around a given time: all calls in the timetable and in
// live feeds, on any service day, even calls at which riders cannot board. explain-board.ts finds out why each call is
// on the board or not.

import { firstWhere, NONE, nextIndex } from '../../loaders/columns.ts'
import { stopOfTrip } from '../live/live-trip.ts'
import {
  CALL_SKIPPED,
  effectiveDeparture,
  findInstance,
  type InstanceIndex,
  type LiveCallIndex,
  type Overlay,
} from '../live/overlay.ts'
import { NO_RUN } from '../timetable/board-cursor.ts'
import { localDay } from '../timetable/service-dates.ts'
import { listZeros } from '../timetable/service-days.ts'
import {
  callCount,
  type FrequencyIndex,
  isActive,
  type LineIndex,
  type PatternIndex,
  type PatternStopIndex,
  type StopIndex,
  stopTimeAt,
  type Timetable,
  type TripIndex,
} from '../timetable/timetable.ts'
import type { TripInstance } from '../timetable/trips.ts'

/** A call that could be on a board. */
export interface BoardCandidate {
  /** The requested stop at which the call takes place, according to the timetable or a live feed. */
  readonly stop: StopIndex
  /** Undefined if the trip is not in the timetable. */
  readonly trip: TripIndex | undefined
  /** Service day, counted from `meta.firstDay`; may be outside the calendar. */
  readonly day: number
  /**
   * Start of this run of a frequency trip, in seconds after the service day's zero; NO_RUN for a trip without
   * frequencies.
   */
  readonly runStartSeconds: number
  /** Stop position in the trip's pattern; NO_POSITION for a call that is not in the timetable. */
  readonly position: number
  readonly isLastCall: boolean
  /** Scheduled departure in seconds after 1970. */
  readonly scheduledSeconds: number
  /** The live data about this call; undefined if there is none. Live data may move the call to another stop. */
  readonly call: LiveCallIndex | undefined
}

/** The stops and the window to search, and optional filters. */
export interface CandidateQuery {
  readonly stops: ReadonlySet<StopIndex>
  /** Seconds after 1970, end exclusive. */
  readonly fromSeconds: number
  readonly toSeconds: number
  /** Only calls of this trip. */
  readonly trip?: TripIndex
  /** Only calls of this line. */
  readonly line?: LineIndex
  /** Only calls of this trip instance. */
  readonly run?: TripInstance
  /** Only calls of this live trip. */
  readonly instance?: InstanceIndex
  /** Only calls of trips whose service runs on the service day, and calls with live data. */
  readonly isRunningOnly?: boolean
}

/**
 * Lists all calls at some stops that are scheduled or expected in a window. The time grows with the number of patterns
 * and with the number of live trips. If the query names a line or a trip, only the patterns of the named line or trip
 * are searched.
 */
export function listCandidates(
  timetable: Timetable,
  overlay: Overlay | undefined,
  query: CandidateQuery,
): BoardCandidate[] {
  const list = new CandidateList(timetable, overlay, query)
  list.addScheduled()
  if (overlay !== undefined) list.addLive(overlay)
  return list.candidates
}

/** A service day, and the instant of its zero (noon minus 12 hours) in seconds after 1970. */
interface DayZero {
  readonly day: number
  readonly zeroSeconds: number
}

/**
 * The service days that can have calls in the window. Includes days outside the calendar, unless only running trips are
 * requested.
 */
function listDays(timetable: Timetable, query: CandidateQuery): DayZero[] {
  const { fromSeconds, toSeconds, run, isRunningOnly = false } = query
  const { meta, serviceDays } = timetable
  const dayOf = (day: number): DayZero => ({ day, zeroSeconds: serviceDays.zeroSeconds[day] })
  if (run !== undefined) return [dayOf(run.day)]
  const first = localDay(timetable, fromSeconds - meta.maxTimeSeconds) - 1
  const last = localDay(timetable, toSeconds) + 1
  const days = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  const isInside = (day: number) => day >= 0 && day < meta.dayCount
  if (isRunningOnly) return days.filter(isInside).map(dayOf)
  return days.map((day): DayZero => {
    if (isInside(day)) return dayOf(day)
    const [zeroSeconds = 0] = listZeros(meta.timezone, { firstDay: meta.firstDay + day, dayCount: 1 })
    return { day, zeroSeconds }
  })
}

/** A call of a trip in the timetable, without a service day. */
interface PlannedCall {
  readonly trip: TripIndex
  readonly position: number
  readonly isLastCall: boolean
}

class CandidateList {
  readonly candidates: BoardCandidate[] = []
  private readonly timetable: Timetable
  private readonly overlay: Overlay | undefined
  private readonly query: CandidateQuery
  private readonly days: readonly DayZero[]
  private readonly seenCalls = new Set<LiveCallIndex>()
  /**
   * Runs of frequency trips that are already listed. Rows of frequencies.txt may overlap; without this set, a run could
   * be listed twice.
   */
  private readonly seenRuns = new Set<string>()

  constructor(timetable: Timetable, overlay: Overlay | undefined, query: CandidateQuery) {
    this.timetable = timetable
    this.overlay = overlay
    this.query = query
    this.days = listDays(timetable, query)
  }

  addScheduled(): void {
    const { patterns, lines, trips } = this.timetable
    const { line, stops, instance, run } = this.query
    if (instance !== undefined) return
    const trip = run?.trip ?? this.query.trip
    const own = trip === undefined ? undefined : trips.pattern[trip]
    let pattern = own ?? (line === undefined ? (0 as PatternIndex) : lines.patternOffset[line])
    const end =
      own !== undefined ? own + 1 : line === undefined ? patterns.line.length : lines.patternOffset[nextIndex(line)]
    for (; pattern < end; pattern++) {
      const first = patterns.stopOffset[pattern]
      const count = callCount(this.timetable, pattern)
      for (let position = 0; position < count; position++) {
        if (!stops.has(patterns.stopAt[(first + position) as PatternStopIndex])) continue
        this.addPatternStop(pattern, position, position === count - 1)
      }
    }
  }

  private addPatternStop(pattern: PatternIndex, position: number, isLastCall: boolean): void {
    const { patterns } = this.timetable
    const only = this.query.run?.trip ?? this.query.trip
    const isFrequency = patterns.isFrequency[pattern] === 1
    for (const day of this.days) {
      const span = isFrequency ? tripsOf(patterns, pattern) : this.tripsInWindow(pattern, position, day)
      for (let trip = span.from; trip < span.end; trip++) {
        if (only !== undefined && trip !== only) continue
        const call = { trip, position, isLastCall }
        if (isFrequency) this.addRuns(call, day)
        else this.add(call, day, { runStartSeconds: NO_RUN, shiftSeconds: 0 })
      }
    }
  }

  /**
   * Finds the trips of a pattern that depart within the window from the stop at `position`. A binary search is
   * possible, because the trips of a pattern depart in the same order at every stop.
   */
  private tripsInWindow(pattern: PatternIndex, position: number, { zeroSeconds }: DayZero): TripSpan {
    const { timetable } = this
    const { from, end } = tripsOf(timetable.patterns, pattern)
    const { departureSeconds } = timetable.stopTimes
    const firstFrom = (seconds: number, start: TripIndex) =>
      firstWhere(start, end, (trip) => departureSeconds[stopTimeAt(timetable, trip, position)] >= seconds - zeroSeconds)
    const first = firstFrom(this.query.fromSeconds, from)
    return { from: first, end: firstFrom(this.query.toSeconds, first) }
  }

  /** Adds the runs of a frequency trip that depart from the stop of this call within the window. */
  private addRuns(call: PlannedCall, day: DayZero): void {
    const { trips, frequencies, stopTimes } = this.timetable
    const { departureSeconds } = stopTimes
    const own = departureSeconds[stopTimeAt(this.timetable, call.trip, 0)]
    const offset = departureSeconds[stopTimeAt(this.timetable, call.trip, call.position)] - own
    const end = trips.frequencyOffset[nextIndex(call.trip)]
    for (let row: FrequencyIndex = trips.frequencyOffset[call.trip]; row < end; row++) {
      const headway = frequencies.headwaySeconds[row]
      const start = frequencies.startSeconds[row]
      const earliest = this.query.fromSeconds - day.zeroSeconds - offset
      let run = start + Math.max(0, Math.ceil((earliest - start) / headway)) * headway
      for (; run < frequencies.endSeconds[row]; run += headway) {
        if (day.zeroSeconds + run + offset >= this.query.toSeconds) break
        const key = `${call.trip} ${call.position} ${day.day} ${run}`
        if (this.seenRuns.has(key)) continue
        this.seenRuns.add(key)
        this.add(call, day, { runStartSeconds: run, shiftSeconds: run - own })
      }
    }
  }

  private add(
    { trip, position, isLastCall }: PlannedCall,
    { day, zeroSeconds }: DayZero,
    { runStartSeconds, shiftSeconds }: { readonly runStartSeconds: number; readonly shiftSeconds: number },
  ): void {
    const { timetable, query } = this
    const departure = timetable.stopTimes.departureSeconds[stopTimeAt(timetable, trip, position)]
    const scheduledSeconds = zeroSeconds + departure + shiftSeconds
    if (scheduledSeconds < query.fromSeconds || scheduledSeconds >= query.toSeconds) return
    if (query.run !== undefined && query.run.runStartSeconds !== runStartSeconds) return
    const stop = stopOfTrip(timetable, trip, position)
    const call = this.findCall({ trip, day, runStartSeconds }, position)
    const isRunning = call !== undefined || isActive(timetable, timetable.trips.service[trip], day)
    if (query.isRunningOnly === true && !isRunning) return
    if (call !== undefined) this.seenCalls.add(call)
    const isLast = call === undefined || this.overlay === undefined ? isLastCall : isLastOfLive(this.overlay, call)
    const instance = { trip, day, runStartSeconds, position }
    this.candidates.push({ ...instance, stop, isLastCall: isLast, scheduledSeconds, call })
  }

  /** The live call that belongs to a scheduled call; undefined if there is none. */
  private findCall(
    of: { readonly trip: TripIndex; readonly day: number; readonly runStartSeconds: number },
    position: number,
  ): LiveCallIndex | undefined {
    const { overlay } = this
    if (overlay === undefined || overlay.instanceOfTrip[of.trip] === NONE) return undefined
    const instance = findInstance(overlay, of)
    if (instance === undefined) return undefined
    const end = overlay.instances.callOffset[nextIndex(instance)]
    for (let call = overlay.instances.callOffset[instance]; call < end; call++) {
      if (overlay.calls.position[call] === position) return call
    }
    return undefined
  }

  /**
   * Adds the live calls in the window at the requested stops. Leaves out live calls that have already been added
   * together with a scheduled call.
   */
  addLive(overlay: Overlay): void {
    const { instances } = overlay
    const { run, instance: only } = this.query
    const named = run === undefined ? only : findInstance(overlay, run)
    if (run !== undefined && named === undefined) return
    const end = named === undefined ? instances.trip.length : named + 1
    for (let instance = named ?? (0 as InstanceIndex); instance < end; instance++) {
      if (this.query.trip !== undefined && instances.trip[instance] !== this.query.trip) continue
      if (this.query.line !== undefined && instances.line[instance] !== this.query.line) continue
      this.addCallsOf(overlay, instance)
    }
  }

  private addCallsOf(overlay: Overlay, instance: InstanceIndex): void {
    const { calls, instances, meta } = overlay
    const { stops, fromSeconds, toSeconds } = this.query
    const isInside = (seconds: number) => seconds >= fromSeconds && seconds < toSeconds
    const trip = instances.trip[instance]
    const end = instances.callOffset[nextIndex(instance)]
    for (let call = instances.callOffset[instance]; call < end; call++) {
      const stop = calls.stop[call]
      if (!stops.has(stop) || this.seenCalls.has(call)) continue
      const scheduledSeconds = calls.scheduledDeparture[call] + meta.baseSeconds
      if (!isInside(scheduledSeconds) && !isInside(effectiveDeparture(overlay, call) + meta.baseSeconds)) continue
      this.candidates.push({
        stop,
        trip: trip === NONE ? undefined : trip,
        day: instances.day[instance],
        runStartSeconds: instances.runStart[instance],
        position: calls.position[call],
        isLastCall: isLastOfLive(overlay, call),
        scheduledSeconds,
        call,
      })
    }
  }
}

/** Consecutive trips of a pattern; the end is exclusive. */
interface TripSpan {
  readonly from: TripIndex
  readonly end: TripIndex
}

function tripsOf({ tripOffset }: Timetable['patterns'], pattern: PatternIndex): TripSpan {
  return { from: tripOffset[pattern], end: tripOffset[nextIndex(pattern)] }
}

/**
 * Whether a live trip makes no calls after this one: it ends here, or it skips all later calls. If the trip skips this
 * call, the result is true only if no call follows, not even a skipped one.
 */
function isLastOfLive({ calls, instances }: Overlay, call: LiveCallIndex): boolean {
  const instance = calls.instance[call]
  const end = instances.callOffset[(instance + 1) as InstanceIndex]
  if ((calls.flags[call] & CALL_SKIPPED) !== 0) return call === end - 1
  for (let later = (call + 1) as LiveCallIndex; later < end; later++) {
    if ((calls.flags[later] & CALL_SKIPPED) === 0) return false
  }
  return true
}
