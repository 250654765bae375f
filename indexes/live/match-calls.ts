// Matches each StopTimeUpdate of a trip to a call: by stop_sequence if possible, otherwise by stop and order. Ambiguous
// and contradictory updates are ignored and counted.
import { NONE } from '../../loaders/columns.ts'
import type { StopTimeUpdate } from '../../loaders/gtfs-rt/message.ts'
import { findArea } from '../timetable/areas.ts'
import { findStop } from '../timetable/stops.ts'
import type { AreaIndex, StopIndex, Timetable } from '../timetable/timetable.ts'

/** The reasons why an update matches no call. */
export type CallFailure = 'unknown_stop' | 'unknown_sequence' | 'stop_mismatch' | 'ambiguous_stop' | 'repeated_call'

/** The data about a trip's calls that matching needs. */
export interface TripCalls {
  readonly stops: readonly StopIndex[]
  /** The feed's stop_sequence for each call. */
  readonly sequences: readonly number[]
}

/** The updates that match the calls of one trip. */
export interface MatchedCalls {
  /** Call → its update; undefined if the feed has no update for the call. */
  readonly updates: readonly (StopTimeUpdate | undefined)[]
  /** Call → its new platform; NONE if the platform is unchanged. */
  readonly platforms: readonly number[]
}

/** Finds stops and areas by a feed's ids. Caches the results. */
export class StopFinder {
  private readonly timetable: Timetable
  private readonly stopById = new Map<string, StopIndex | undefined>()
  private readonly areaById = new Map<string, AreaIndex | undefined>()

  constructor(timetable: Timetable) {
    this.timetable = timetable
  }

  stop(feedId: string): StopIndex | undefined {
    if (!this.stopById.has(feedId)) this.stopById.set(feedId, findStop(this.timetable, feedId))
    return this.stopById.get(feedId)
  }

  area(feedId: string): AreaIndex | undefined {
    if (!this.areaById.has(feedId)) this.areaById.set(feedId, findArea(this.timetable, feedId))
    return this.areaById.get(feedId)
  }

  isInArea(stop: StopIndex, area: AreaIndex): boolean {
    return this.timetable.stops.area[stop] === area
  }

  /** Whether two stops are in the same station. */
  isSameStation(one: StopIndex, other: StopIndex): boolean {
    const { area } = this.timetable.stops
    return area[one] !== NONE && area[one] === area[other]
  }
}

/** Matches updates to the calls of a trip. */
export function matchCalls(
  calls: TripCalls,
  updates: readonly StopTimeUpdate[],
  find: StopFinder,
  count: (failure: CallFailure) => void,
): MatchedCalls {
  const found: (StopTimeUpdate | undefined)[] = new Array(calls.stops.length).fill(undefined)
  const platforms: number[] = new Array(calls.stops.length).fill(NONE)
  const place = (update: StopTimeUpdate, at: number) => {
    if (found[at] !== undefined) return count('repeated_call')
    found[at] = update
    platforms[at] = platformOf(update, calls.stops[at], find)
  }
  const open: { readonly update: StopTimeUpdate; readonly candidates: readonly number[]; readonly order: number }[] = []
  const placedAt = new Map<number, number>()
  for (const [order, update] of updates.entries()) {
    const candidates = candidatesOf(calls, update, find)
    if (typeof candidates === 'string') count(candidates)
    else if (candidates.length > 1) open.push({ update, candidates, order })
    else {
      place(update, candidates[0])
      placedAt.set(order, candidates[0])
    }
  }
  // If a trip calls twice at the stop of an update, the update is for the call that lies between the calls of the
  // neighboring updates.
  for (const { update, candidates, order } of open) {
    const after = lastBefore(placedAt, order)
    const before = firstBehind(placedAt, order, calls.stops.length)
    const inside = candidates.filter((at) => at > after && at < before)
    if (inside.length !== 1) count('ambiguous_stop')
    else {
      place(update, inside[0])
      placedAt.set(order, inside[0])
    }
  }
  return { updates: found, platforms }
}

/** The calls of a trip to which a feed's stop_sequence and stop id may refer. */
export function callsNamed(
  calls: TripCalls,
  named: Pick<StopTimeUpdate, 'stopSequence' | 'stopId'>,
  find: StopFinder,
): readonly number[] {
  const candidates = candidatesOf(calls, named, find)
  return typeof candidates === 'string' ? [] : candidates
}

function lastBefore(placedAt: ReadonlyMap<number, number>, order: number): number {
  let last = -1
  for (const [other, at] of placedAt) if (other < order) last = Math.max(last, at)
  return last
}

function firstBehind(placedAt: ReadonlyMap<number, number>, order: number, end: number): number {
  let first = end
  for (const [other, at] of placedAt) if (other > order) first = Math.min(first, at)
  return first
}

/** The calls of a trip to which an update may refer. If there are none, the reason. */
function candidatesOf(
  calls: TripCalls,
  update: Pick<StopTimeUpdate, 'stopSequence' | 'stopId'>,
  find: StopFinder,
): readonly number[] | CallFailure {
  const { stopSequence, stopId } = update
  const bySequence = stopSequence === undefined ? -1 : calls.sequences.indexOf(stopSequence)
  if (stopId === undefined) return bySequence >= 0 ? [bySequence] : 'unknown_sequence'
  const byStop = callsAt(calls, stopId, find)
  if (bySequence < 0) return byStop.length > 0 ? byStop : 'unknown_stop'
  if (byStop.includes(bySequence)) return [bySequence]
  const stop = find.stop(stopId)
  if (stop !== undefined && find.isSameStation(stop, calls.stops[bySequence])) return [bySequence]
  return byStop.length === 1 ? byStop : 'stop_mismatch'
}

/** The calls at a stop. If the id belongs to a station, the calls at any of its platforms. */
function callsAt(calls: TripCalls, stopId: string, find: StopFinder): number[] {
  const stop = find.stop(stopId)
  const places: number[] = []
  if (stop !== undefined) {
    for (const [at, each] of calls.stops.entries()) if (each === stop) places.push(at)
    return places
  }
  const area = find.area(stopId)
  if (area === undefined) return places
  for (const [at, each] of calls.stops.entries()) if (find.isInArea(each, area)) places.push(at)
  return places
}

/**
 * The new platform of a call: the assigned stop, otherwise the stop that the update names. NONE if the platform is
 * unchanged, or if that stop is not in the same station as the call's stop.
 */
function platformOf({ assignedStopId, stopId }: StopTimeUpdate, at: StopIndex, find: StopFinder): number {
  const named = assignedStopId ?? stopId
  const stop = named === undefined ? undefined : find.stop(named)
  return stop !== undefined && stop !== at && find.isSameStation(stop, at) ? stop : NONE
}
