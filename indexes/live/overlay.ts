// The overlay: all live trip data of a network, as immutable columns over one shared buffer. An overlay belongs to one
// snapshot. It is not built on the threads that serve it, and it is replaced as a whole.
import { type Column, type Index, NONE } from '../../loaders/columns.ts'
import { EMPTY_STRING, type StringIndex, type StringPool, textOf } from '../../loaders/strings.ts'
import type { DirectionIndex, LineIndex, StopIndex, Timetable, TripIndex } from '../timetable/timetable.ts'
import { stopHeadsignIndex } from '../timetable/trips.ts'

/** Index of a trip instance with live data. */
export type InstanceIndex = Index<'LiveInstance'>
/** Index of a call of a live instance. The calls of an instance are consecutive and in order. */
export type LiveCallIndex = Index<'LiveCall'>

/** The states of a trip instance. */
export const INSTANCE_RUNS = 0
export const INSTANCE_CANCELED = 1
/** A feed deleted the trip instance, so it is not shown to riders. */
export const INSTANCE_DELETED = 2
/** The trip is not in the timetable. */
export const INSTANCE_ADDED = 3
/** The trip runs without a schedule: it has expected times, but no delays. */
export const INSTANCE_UNSCHEDULED = 4

/**
 * Bits in the flags of a call. CALL_PREDICTED: a feed has a prediction for the call, or a delay is carried to it from
 * an earlier call.
 */
export const CALL_PREDICTED = 1
export const CALL_SKIPPED = 2
/** Riders can board here, and this is not the last call. */
export const CALL_BOARDABLE = 4
/** Riders can alight here, and this is not the first call. */
export const CALL_ALIGHTABLE = 8
/** The call has no schedule, so its first expected times serve as its schedule. */
export const CALL_UNPLANNED = 16

/** Value of `position` for a call that is not in the timetable. */
export const NO_POSITION = 0xffff

/** Trip instances. The instances of one trip form a linked list; see `next`. */
export interface LiveInstances {
  /** The trip in the timetable; NONE if the timetable does not have it. */
  readonly trip: Column<InstanceIndex, TripIndex>
  /** Service day, counted from the timetable's `meta.firstDay`. Can be outside the calendar for an added trip. */
  readonly day: Column<InstanceIndex>
  /** Start of a run of a frequency trip, in seconds after the day's zero; NO_RUN (−1) for other trips. */
  readonly runStart: Column<InstanceIndex>
  readonly line: Column<InstanceIndex, LineIndex>
  readonly direction: Column<InstanceIndex, DirectionIndex>
  /** One of the INSTANCE_… states. */
  readonly state: Column<InstanceIndex>
  /** The feed that reported the instance: an index in `meta.feedIds`. */
  readonly feed: Column<InstanceIndex>
  /** Local part of the trip's public id; empty if the id can be computed from trip, day and run. */
  readonly ref: Column<InstanceIndex, StringIndex>
  /** The headsign of the trip; empty if the timetable's headsign applies. */
  readonly headsign: Column<InstanceIndex, StringIndex>
  /** The feed's id for the vehicle; empty if the feed names no vehicle. */
  readonly vehicle: Column<InstanceIndex, StringIndex>
  /** Instance → its first call; has one extra entry. */
  readonly callOffset: Column<InstanceIndex, LiveCallIndex>
  /** The next instance of the same trip; NONE for the last instance. */
  readonly next: Column<InstanceIndex, InstanceIndex>
}

/** The calls. Times are in seconds after `meta.baseSeconds`. */
export interface LiveCalls {
  readonly instance: Column<LiveCallIndex, InstanceIndex>
  /** The actual stop, which may be another platform than in the timetable. */
  readonly stop: Column<LiveCallIndex, StopIndex>
  /** Stop position in the trip's pattern; NO_POSITION for a call that is not in the timetable. */
  readonly position: Column<LiveCallIndex>
  readonly scheduledArrival: Column<LiveCallIndex>
  readonly scheduledDeparture: Column<LiveCallIndex>
  /**
   * With CALL_PREDICTED, the predicted time. Otherwise the scheduled time, which is moved if it does not fit the
   * predicted times of other calls. Journeys use moved times; boards show the scheduled times.
   */
  readonly arrival: Column<LiveCallIndex>
  readonly departure: Column<LiveCallIndex>
  /**
   * The feed's headsign for this call. Empty if the timetable's headsign for the call, or the headsign of the trip,
   * applies.
   */
  readonly headsign: Column<LiveCallIndex, StringIndex>
  /** Sum of CALL_… bits. */
  readonly flags: Column<LiveCallIndex>
}

/** The live calls that boards can show, by stop. Times are in seconds after `meta.baseSeconds`. */
export interface LiveBoards {
  /** Stop → its first row; has one extra entry. */
  readonly offset: Column<StopIndex>
  /** Row → its call. The rows of a stop are sorted by effective departure; rows with equal times are in board order. */
  readonly call: Column<number, LiveCallIndex>
  /** Row → its effective departure: the predicted departure, otherwise the scheduled one. */
  readonly effective: Column<number>
  /**
   * Row → the time at which the call is over; see `overSeconds`. NEVER_OVER if the call is not over before its
   * departure.
   */
  readonly over: Column<number>
}

/** A time that is later than all other times. */
export const NEVER_OVER = 0x7fff_ffff

/** The data of an overlay that is not in columns. */
export interface OverlayMeta {
  /** The snapshot to which all indexes refer. */
  readonly snapshotId: string
  /** Increases with each overlay of a network. */
  readonly version: number
  /** Zero of all times, in seconds after 1970. */
  readonly baseSeconds: number
  /** The ids of the network's feeds in the configuration. */
  readonly feedIds: readonly string[]
}

/** All live trip data of one network. Read-only. */
export interface Overlay {
  readonly meta: OverlayMeta
  readonly strings: StringPool
  readonly instances: LiveInstances
  readonly calls: LiveCalls
  readonly boards: LiveBoards
  /** Trip → its first live instance; NONE if the trip has no live instance. */
  readonly instanceOfTrip: Column<TripIndex, InstanceIndex>
}

/** The live instance of a trip, or of a run of a frequency trip, on a day; undefined if there is no live data. */
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

/**
 * The departure time of a call in seconds after `meta.baseSeconds`. It decides where boards show the call, and whether
 * the call is in a window. It is the predicted time if the call is predicted and takes place, otherwise the scheduled
 * time.
 */
export function effectiveDeparture(
  { calls, instances }: Pick<Overlay, 'calls' | 'instances'>,
  call: LiveCallIndex,
): number {
  const isShown = (calls.flags[call] & (CALL_PREDICTED | CALL_SKIPPED)) === CALL_PREDICTED
  const isCanceled = instances.state[calls.instance[call]] === INSTANCE_CANCELED
  return isShown && !isCanceled ? calls.departure[call] : calls.scheduledDeparture[call]
}

/**
 * The time at which a call without a prediction is over, in seconds after 1970: according to live data, the vehicle has
 * passed the call by then. Infinity for predicted, skipped and canceled calls.
 */
export function overSeconds(
  { calls, instances, meta }: Pick<Overlay, 'calls' | 'instances' | 'meta'>,
  call: LiveCallIndex,
): number {
  if ((calls.flags[call] & (CALL_PREDICTED | CALL_SKIPPED)) !== 0) return Number.POSITIVE_INFINITY
  const isCanceled = instances.state[calls.instance[call]] === INSTANCE_CANCELED
  return isCanceled ? Number.POSITIVE_INFINITY : calls.departure[call] + meta.baseSeconds
}

/**
 * The headsign of a live call as an index in the timetable's string pool. Undefined if a feed sets the headsign, or if
 * the trip or the call is not in the timetable.
 */
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
 * The headsign of a live trip at a call: the headsign of the call, otherwise the headsign of the trip. For each of the
 * two, a feed's headsign takes precedence over the timetable's.
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
