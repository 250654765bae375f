// The overlay: every live fact of one network about trips, as immutable columns over one shared buffer. It belongs to
// one snapshot, is built whole away from the serving threads, and is replaced whole.
import { type Column, type Index, NONE } from '../../loaders/columns.ts'
import { EMPTY_STRING, type StringIndex, type StringPool, textOf } from '../../loaders/strings.ts'
import type { DirectionIndex, LineIndex, StopIndex, Timetable, TripIndex } from '../timetable/timetable.ts'
import { stopHeadsignIndex } from '../timetable/trips.ts'

/** A trip instance that live feeds speak of. */
export type InstanceIndex = Index<'LiveInstance'>
/** One call of a live instance. The calls of an instance are consecutive, in their order. */
export type LiveCallIndex = Index<'LiveCall'>

/** What became of a trip instance. */
export const INSTANCE_RUNS = 0
export const INSTANCE_CANCELED = 1
/** Not to be shown at all. */
export const INSTANCE_DELETED = 2
/** Not of the timetable. */
export const INSTANCE_ADDED = 3
/** Runs without a schedule: times are expected, none is late. */
export const INSTANCE_UNSCHEDULED = 4

/** Bits of a call. It has its own or a propagated forecast. */
export const CALL_PREDICTED = 1
export const CALL_SKIPPED = 2
/** One can board here and go on. */
export const CALL_BOARDABLE = 4
/** One can alight here, and it is not the first call. */
export const CALL_ALIGHTABLE = 8
/** It has no schedule but what was first expected of it. */
export const CALL_UNPLANNED = 16

/** No position in a pattern: the call is not of the timetable. */
export const NO_POSITION = 0xffff

/** Trip instances. Those of one trip are chained, so that a trip leads to all of its. */
export interface LiveInstances {
  /** NONE where the timetable has no such trip. */
  readonly trip: Column<InstanceIndex, TripIndex>
  /** Service day, from the timetable's `meta.firstDay`; may lie outside the calendar for an added trip. */
  readonly day: Column<InstanceIndex>
  /** Start of a run of a frequency trip, in seconds after the day's zero; NO_RUN (−1) for others. */
  readonly runStart: Column<InstanceIndex>
  readonly line: Column<InstanceIndex, LineIndex>
  readonly direction: Column<InstanceIndex, DirectionIndex>
  /** INSTANCE_… */
  readonly state: Column<InstanceIndex>
  /** Which of `meta.feedIds` spoke of it. */
  readonly feed: Column<InstanceIndex>
  /** Local part of the trip's public id; empty where it follows from trip, day and run. */
  readonly ref: Column<InstanceIndex, StringIndex>
  /** Empty where the timetable's holds. */
  readonly headsign: Column<InstanceIndex, StringIndex>
  /** The feed's own id of the vehicle; empty where it names none. */
  readonly vehicle: Column<InstanceIndex, StringIndex>
  /** Instance → its first call; one longer. */
  readonly callOffset: Column<InstanceIndex, LiveCallIndex>
  /** The next instance of the same trip; NONE at the end. */
  readonly next: Column<InstanceIndex, InstanceIndex>
}

/** Calls. Times are seconds after `meta.baseSeconds`. */
export interface LiveCalls {
  readonly instance: Column<LiveCallIndex, InstanceIndex>
  /** Where it calls now: another platform than the timetable's where the feed says so. */
  readonly stop: Column<LiveCallIndex, StopIndex>
  /** Stop position in the trip's pattern; NO_POSITION for a call that is not of the timetable. */
  readonly position: Column<LiveCallIndex>
  readonly scheduledArrival: Column<LiveCallIndex>
  readonly scheduledDeparture: Column<LiveCallIndex>
  /**
   * Predicted with CALL_PREDICTED; else the scheduled time, moved where calls that are known leave it no room: on no
   * board, but journeys count by it, and a call that a later one is known to have left behind is over.
   */
  readonly arrival: Column<LiveCallIndex>
  readonly departure: Column<LiveCallIndex>
  /** What it reads at this very call; empty where the timetable's call or the trip tells. */
  readonly headsign: Column<LiveCallIndex, StringIndex>
  /** Sum of CALL_… bits. */
  readonly flags: Column<LiveCallIndex>
}

/** The calls of live instances that belong on a board, by the stop they are on. */
export interface LiveBoards {
  /** Stop → its first row; one longer. */
  readonly offset: Column<StopIndex>
  /** By effective departure: the predicted one, else the scheduled one. */
  readonly call: Column<number, LiveCallIndex>
}

/** What is not columns. */
export interface OverlayMeta {
  /** The snapshot that all numbers are of. */
  readonly snapshotId: string
  /** Grows with each overlay of a network. */
  readonly version: number
  /** What times count from, in seconds after 1970. */
  readonly baseSeconds: number
  /** The feeds of the network, as the configuration names them. */
  readonly feedIds: readonly string[]
}

/** Everything live about the trips of one network. Read-only. */
export interface Overlay {
  readonly meta: OverlayMeta
  readonly strings: StringPool
  readonly instances: LiveInstances
  readonly calls: LiveCalls
  readonly boards: LiveBoards
  /** Trip → its first live instance; NONE for most. */
  readonly instanceOfTrip: Column<TripIndex, InstanceIndex>
}

/** The live instance of a trip on a day, and of a run where it is by frequency; undefined where feeds are silent. */
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

/** The departure that boards sort and cut by, in seconds after `meta.baseSeconds`. */
export function effectiveDeparture(
  { calls, instances }: Pick<Overlay, 'calls' | 'instances'>,
  call: LiveCallIndex,
): number {
  const isShown = (calls.flags[call] & (CALL_PREDICTED | CALL_SKIPPED)) === CALL_PREDICTED
  const isCanceled = instances.state[calls.instance[call]] === INSTANCE_CANCELED
  return isShown && !isCanceled ? calls.departure[call] : calls.scheduledDeparture[call]
}

/** The headsign at a live call as a number of the timetable's pool; undefined if a feed gives it, or it has no trip. */
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
 * What a rider reads on a live trip at a call: the call's own headsign, live or of the timetable; else the live one of the
 * trip, else the timetable's.
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
