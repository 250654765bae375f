// The stops within walking distance of an end of a journey.
import type { WalkEnds } from '../../indexes/journeys/search-ground.ts'
import type { Overlay } from '../../indexes/live/overlay.ts'
import { findWithin } from '../../indexes/spatial/point-tree.ts'
import { StraightWalks } from '../../indexes/streets/straight-walks.ts'
import type { Walks } from '../../indexes/streets/walks.ts'
import { stopsOfArea } from '../../indexes/timetable/areas.ts'
import { STOP_HAS_CALLS, STOP_IS_CLOSED, type StopIndex, type Timetable } from '../../indexes/timetable/timetable.ts'
import { columnArray } from '../../loaders/columns.ts'
import type { JourneyEnd } from '../rendering/journey.ts'

/** The stops within walking distance of an end, with the walk between the end and each stop. */
export interface WalkReach extends WalkEnds<StopIndex> {
  readonly meters: readonly number[]
}

/** The longest walk, and its direction: from the origin to stops or, with `isEgress`, from stops to the destination. */
export interface ReachLimit {
  readonly maxMeters: number
  readonly isEgress: boolean
  /** Live data, because live trips may call at stops at which no trip of the timetable calls. */
  readonly overlay?: Overlay | undefined
  /** How walks are computed; straight lines if absent. */
  readonly walks?: Walks | undefined
}

/** For both ends of a journey, the stops within walking distance. */
export interface ReachedEnds {
  /** The longest allowed walk. */
  readonly maxMeters: number
  readonly access: WalkReach
  readonly egress: WalkReach
}

/** Longer walks to try, in this order, if an end has no stop within walking distance and the query sets no maximum. */
const FARTHER_METERS = [1_250, 1_500, 2_000, 2_500]
/** The longest walk by default. */
export const USUAL_WALK_METERS = 1_000
/** The highest allowed value for the longest walk. */
export const LONGEST_WALK_METERS = 2_500

/**
 * For each end, the stops within walking distance. With `mayWalkFarther`, the maximum walk is raised in steps, at most
 * to LONGEST_WALK_METERS, until each end has a stop within walking distance.
 */
export function reachEnds(
  timetable: Timetable,
  { from, to }: { readonly from: JourneyEnd; readonly to: JourneyEnd },
  limit: Omit<ReachLimit, 'isEgress'> & { readonly mayWalkFarther: boolean },
): ReachedEnds {
  let reached = reachBoth(timetable, { from, to }, limit)
  for (const maxMeters of limit.mayWalkFarther ? FARTHER_METERS : []) {
    if (reached.access.stops.length > 0 && reached.egress.stops.length > 0) break
    reached = reachBoth(timetable, { from, to }, { ...limit, maxMeters })
  }
  return reached
}

function reachBoth(
  timetable: Timetable,
  { from, to }: { readonly from: JourneyEnd; readonly to: JourneyEnd },
  limit: Omit<ReachLimit, 'isEgress'>,
): ReachedEnds {
  const access = reachOf(timetable, from, { ...limit, isEgress: false })
  return { maxMeters: limit.maxMeters, access, egress: reachOf(timetable, to, { ...limit, isEgress: true }) }
}

/** Search radius for the nearest stop. */
const NEAREST_STOP_METERS = 10_000

/**
 * The stop with calls that is nearest to an end in a straight line; undefined if there is none within
 * NEAREST_STOP_METERS.
 */
export function nearestStop({ pointTrees, stops }: Timetable, { lat, lon }: JourneyEnd) {
  const hits = findWithin<StopIndex>(pointTrees.stops, stops, { lat, lon, radiusMeters: NEAREST_STOP_METERS })
  const nearest = hits.find(({ index }) => (stops.callKinds[index] & STOP_HAS_CALLS) !== 0)
  return nearest && { stop: nearest.index, meters: Math.round(nearest.distanceMeters) }
}

/**
 * All stops that have calls and are within walking distance of an end. If the end is a stop, that stop has distance
 * zero. If the end is an area, the area's stops have distance zero. Other stops have their distance from the end's
 * point.
 */
export function reachOf(timetable: Timetable, end: JourneyEnd, limit: ReachLimit): WalkReach {
  const { stops } = timetable
  const walks = limit.walks ?? new StraightWalks(timetable)
  const live = limit.overlay && stopsOf(limit.overlay)
  const isUsed = (stop: StopIndex) => {
    const kinds = stops.callKinds[stop]
    return (kinds & STOP_HAS_CALLS) !== 0 || ((kinds & STOP_IS_CLOSED) === 0 && live?.has(stop) === true)
  }
  const reached = new Map<StopIndex, { readonly seconds: number; readonly meters: number }>()
  for (const stop of stopsAt(timetable, end)) reached.set(stop, { seconds: 0, meters: 0 })
  const isWanted = (stop: StopIndex) => !reached.has(stop) && isUsed(stop)
  for (const walk of walks.around(end, { maxMeters: limit.maxMeters, isEgress: limit.isEgress, isWanted })) {
    reached.set(walk.stop, walk)
  }
  const used = [...reached].filter(([stop]) => isUsed(stop))
  return {
    stops: used.map(([stop]) => stop),
    seconds: used.map(([, { seconds }]) => seconds),
    meters: used.map(([, { meters }]) => meters),
  }
}

const stopsOfOverlay = new WeakMap<Overlay, ReadonlySet<number>>()

/** The stops where live trips call. */
function stopsOf(overlay: Overlay): ReadonlySet<number> {
  const known = stopsOfOverlay.get(overlay)
  if (known !== undefined) return known
  const stops = new Set(columnArray(overlay.calls.stop))
  stopsOfOverlay.set(overlay, stops)
  return stops
}

function stopsAt(timetable: Timetable, { place }: JourneyEnd): readonly StopIndex[] {
  if (place === undefined) return []
  return place.kind === 'stop' ? [place.stop] : stopsOfArea(timetable, place.area)
}
