// The overlay: all live trip data of one network, as immutable columns over one shared buffer. It belongs to one
// snapshot, is built outside the serving threads, and is replaced as a whole.
import { type Column, type Index, NONE } from '../../loaders/columns.ts'
import { EMPTY_STRING, type StringIndex, type StringPool, textOf } from '../../loaders/strings.ts'
import type { DirectionIndex, LineIndex, StopIndex, Timetable, TripIndex } from '../timetable/timetable.ts'
import { stopHeadsignIndex } from '../timetable/trips.ts'

/** A trip instance with live data. */
export type InstanceIndex = Index<'LiveInstance'>
/** One call of a live instance. The calls of an instance are consecutive and in order. */
export type LiveCallIndex = Index<'LiveCall'>

/** States of a trip instance. */
export const INSTANCE_RUNS = 0
export const INSTANCE_CANCELED = 1
/** Never shown. */
export const INSTANCE_DELETED = 2
/** Not in the timetable. */
export const INSTANCE_ADDED = 3
/** Runs without a schedule: has expected times, but no delays. */
export const INSTANCE_UNSCHEDULED = 4

/** Bits of a call. The call has its own or a propagated prediction. */
export const CALL_PREDICTED = 1
export const CALL_SKIPPED = 2
/** Riders can board here, and the trip continues. */
export const CALL_BOARDABLE = 4
/** Riders can alight here; it is not the first call. */
export const CALL_ALIGHTABLE = 8
/** The call's only schedule is its first expected times. */
export const CALL_UNPLANNED = 16

/** No position in a pattern: the call is not in the timetable. */
export const NO_POSITION = 0xffff

/** Trip instances. Those of one trip form a linked list. */
export interface LiveInstances {
  /** NONE if the timetable has no such trip. */
  readonly trip: Column<InstanceIndex, TripIndex>
  /** Service day, from the timetable's `meta.firstDay`; may be outside the calendar for an added trip. */
  readonly day: Column<InstanceIndex>
  /** Start of a run of a frequency trip, in seconds after the day's zero; NO_RUN (−1) for others. */
  readonly runStart: Column<InstanceIndex>
  readonly line: Column<InstanceIndex, LineIndex>
  readonly direction: Column<InstanceIndex, DirectionIndex>
  /** INSTANCE_… */
  readonly state: Column<InstanceIndex>
  /** The reporting feed: index in `meta.feedIds`. */
  readonly feed: Column<InstanceIndex>
  /** Local part of the trip's public id; empty if it follows from trip, day and run. */
  readonly ref: Column<InstanceIndex, StringIndex>
  /** Empty if the timetable's applies. */
  readonly headsign: Column<InstanceIndex, StringIndex>
  /** The feed's own id of the vehicle; empty if it names none. */
  readonly vehicle: Column<InstanceIndex, StringIndex>
  /** Instance → its first call; has one extra entry. */
  readonly callOffset: Column<InstanceIndex, LiveCallIndex>
  /** The next instance of the same trip; NONE at the end. */
  readonly next: Column<InstanceIndex, InstanceIndex>
}

/** Calls. Times are seconds after `meta.baseSeconds`. */
export interface LiveCalls {
  readonly instance: Column<LiveCallIndex, InstanceIndex>
  /** The actual stop: may be a platform other than the timetable's. */
  readonly stop: Column<LiveCallIndex, StopIndex>
  /** Stop position in the trip's pattern; NO_POSITION for a call that is not in the timetable. */
  readonly position: Column<LiveCallIndex>
  readonly scheduledArrival: Column<LiveCallIndex>
  readonly scheduledDeparture: Column<LiveCallIndex>
  /**
   * Predicted with CALL_PREDICTED; otherwise the scheduled time, moved if the known calls leave no room for it. Boards
   * do not show moved times, but journeys use them. A call before one that is known to be passed is over.
   */
  readonly arrival: Column<LiveCallIndex>
  readonly departure: Column<LiveCallIndex>
  /** The headsign at this call; empty if the timetable's call or the trip gives it. */
  readonly headsign: Column<LiveCallIndex, StringIndex>
  /** Sum of CALL_… bits. */
  readonly flags: Column<LiveCallIndex>
}

/** The calls of live instances that belong on a board, by stop. Times are seconds after `meta.baseSeconds`. */
export interface LiveBoards {
  /** Stop → its first row; has one extra entry. */
  readonly offset: Column<StopIndex>
  /** Sorted by effective departure, then in board order. */
  readonly call: Column<number, LiveCallIndex>
  /** Row → its effective departure: predicted, otherwise scheduled. */
  readonly effective: Column<number>
  /** Row → when the call is over (see `overSeconds`); NEVER_OVER if it follows its own time. */
  readonly over: Column<number>
}

/** An instant after all times. */
export const NEVER_OVER = 0x7fff_ffff

/** Data outside the columns. */
export interface OverlayMeta {
  /** The snapshot that all indexes refer to. */
  readonly snapshotId: string
  /** Increases with each overlay of a network. */
  readonly version: number
  /** Zero of all times, in seconds after 1970. */
  readonly baseSeconds: number
  /** The configured ids of the network's feeds. */
  readonly feedIds: readonly string[]
}

/** All live trip data of one network. Read-only. */
export interface Overlay {
  readonly meta: OverlayMeta
  readonly strings: StringPool
  readonly instances: LiveInstances
  readonly calls: LiveCalls
  readonly boards: LiveBoards
  /** Trip → its first live instance; NONE if it has none. */
  readonly instanceOfTrip: Column<TripIndex, InstanceIndex>
}

/** The live instance of a trip on a day, and of a run of a frequency trip; undefined without live data. */
export function findInstance(
  overlay: Overlay,
  of: { readonly trip: TripIndex; readonly day: number; readonly runStartSeconds: number },
): InstanceIndex | undefined {
  const { instances, instanceOfTrip } = overlay
  let instance = instanceOfTrip[of.trip]
  while (instance < instances.trip.length) {
    if (instances.day[instance] === of.day && instances.runStart[instance] === of.runStartSeconds) return instance
    instance = instances.next[instance]
  }
  return undefined
}

/** The departure by which boards sort and limit rows, in seconds after `meta.baseSeconds`. */
export function effectiveDeparture(
  { calls, instances }: Pick<Overlay, 'calls' | 'instances'>,
  call: LiveCallIndex,
): number {
  const isShown = (calls.flags[call] & (CALL_PREDICTED | CALL_SKIPPED)) === CALL_PREDICTED
  const isCanceled = instances.state[calls.instance[call]] === INSTANCE_CANCELED
  return isShown && !isCanceled ? calls.departure[call] : calls.scheduledDeparture[call]
}

/**
 * When a call without a prediction is over, in seconds after 1970: by then its trip is known to have passed it.
 * Infinity for calls with a time of their own.
 */
export function overSeconds(
  { calls, instances, meta }: Pick<Overlay, 'calls' | 'instances' | 'meta'>,
  call: LiveCallIndex,
): number {
  if ((calls.flags[call] & (CALL_PREDICTED | CALL_SKIPPED)) !== 0) return Number.POSITIVE_INFINITY
  const isCanceled = instances.state[calls.instance[call]] === INSTANCE_CANCELED
  return isCanceled ? Number.POSITIVE_INFINITY : calls.departure[call] + meta.baseSeconds
}

/** Index of a live call's headsign in the timetable's pool; undefined if a feed gives it, or there is no trip. */
export function scheduledHeadsign(
  timetable: Timetable,
  overlay: Overlay,
  call: LiveCallIndex,
): StringIndex | undefined {
  const { calls, instances } = overlay
  const instance = calls.instance[call]
  const trip = instances.trip[instance]
  const position = calls.position[call]
  if (trip === NONE || position === NO_POSITION || calls.headsign[call] !== EMPTY_STRING) return undefined
  const headsign = stopHeadsignIndex(timetable, trip, position)
  const isOwn = headsign !== timetable.trips.headsign[trip]
  return isOwn || instances.headsign[instance] === EMPTY_STRING ? headsign : undefined
}

/**
 * The headsign of a live trip at a call: the call's own, live or from the timetable; otherwise the trip's, live or from
 * the timetable.
 */
export function liveHeadsign(timetable: Timetable, overlay: Overlay, call: LiveCallIndex): string {
  const scheduled = scheduledHeadsign(timetable, overlay, call)
  if (scheduled !== undefined) return textOf(timetable.strings, scheduled)
  const { calls, instances, strings } = overlay
  const instance = calls.instance[call]
  const trip = instances.trip[instance]
  const ofCall = textOf(strings, calls.headsign[call])
  const live = ofCall === '' ? textOf(strings, instances.headsign[instance]) : ofCall
  return live !== '' || trip === NONE ? live : textOf(timetable.strings, timetable.trips.headsign[trip])
}
