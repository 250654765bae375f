// The stops one can walk to from an end of a journey, or from which one can walk to it.
import type { WalkEnds } from '../../indexes/journeys/search-ground.ts'
import { findInWalk } from '../../indexes/spatial/walking.ts'
import { stopsOfArea } from '../../indexes/timetable/areas.ts'
import { STOP_HAS_CALLS, type StopIndex, type Timetable } from '../../indexes/timetable/timetable.ts'
import type { JourneyEnd } from './journey-ends.ts'

/** Stops in reach with the walk to each. */
export interface WalkReach extends WalkEnds {
  readonly meters: readonly number[]
}

/** All stops with calls in reach: an end's own, or those of its area, at no distance; others from its point. */
export function reachOf(timetable: Timetable, end: JourneyEnd, maxMeters: number): WalkReach {
  const { stops, pointTrees } = timetable
  const reached = new Map<number, { readonly seconds: number; readonly meters: number }>()
  for (const stop of stopsAt(timetable, end)) reached.set(stop, { seconds: 0, meters: 0 })
  for (const { index, meters, seconds } of findInWalk(pointTrees.stops, stops, { ...end, maxMeters })) {
    if (!reached.has(index)) reached.set(index, { seconds, meters })
  }
  const used = [...reached].filter(([stop]) => (stops.callKinds[stop as StopIndex] & STOP_HAS_CALLS) !== 0)
  return {
    stops: used.map(([stop]) => stop),
    seconds: used.map(([, { seconds }]) => seconds),
    meters: used.map(([, { meters }]) => meters),
  }
}

function stopsAt(timetable: Timetable, { place }: JourneyEnd): readonly StopIndex[] {
  if (place === undefined) return []
  return place.kind === 'stop' ? [place.stop] : stopsOfArea(timetable, place.area)
}
