// Walks in straight lines, multiplied by a detour factor. Used for networks without a street extract, and for places
// that are not on a street.
import { findInWalk, metersWalkedIn, walkMeters, walkSeconds } from '../spatial/walking.ts'
import { doorsOfStop, waysFromStop } from '../timetable/station-ways.ts'
import type { StopIndex, Timetable } from '../timetable/timetable.ts'
import type { AroundQuestion, StopWalk, Walk, WalkCourse, WalkEnd, WalkSource, Walks } from './walks.ts'

/** Walks in straight lines to, from and between the stops of a timetable. */
export class StraightWalks implements Walks {
  private readonly timetable: Timetable

  constructor(timetable: Timetable) {
    this.timetable = timetable
  }

  *around(end: WalkEnd, { maxMeters, isEgress, isWanted }: AroundQuestion): Generator<StopWalk> {
    const { stops, pointTrees } = this.timetable
    for (const hit of findInWalk(pointTrees.stops, stops, { lat: end.lat, lon: end.lon, maxMeters })) {
      const stop = hit.index
      if (!isWanted(stop)) continue
      const inside = insideSeconds(this.timetable, end, { stop, isEgress })
      const seconds = inside ?? this.secondsByDoors(end, stop, isEgress)
      if (seconds === Infinity) continue
      if (seconds === undefined) yield { stop, meters: hit.meters, seconds: hit.seconds }
      // The length is computed from the duration, but is limited to `maxMeters`.
      else yield { stop, meters: Math.min(metersWalkedIn(seconds), maxMeters), seconds }
    }
  }

  between(from: WalkEnd, to: WalkEnd, maxMeters: number): Walk | undefined {
    const meters = walkMeters(from, to)
    return meters > maxMeters ? undefined : { meters, seconds: walkSeconds(meters) }
  }

  *near(stop: StopIndex, maxMeters: number): Generator<StopWalk> {
    const { stops, pointTrees } = this.timetable
    const here = placeOf(this.timetable, stop)
    for (const { index, meters, seconds } of findInWalk(pointTrees.stops, stops, { ...here, maxMeters })) {
      yield { stop: index, meters, seconds }
    }
  }

  change(from: StopIndex, to: StopIndex): Walk {
    const inside = insideWalk(this.timetable, from, to)
    if (inside !== undefined) return inside
    const meters = walkMeters(placeOf(this.timetable, from), placeOf(this.timetable, to))
    return { meters, seconds: walkSeconds(meters) }
  }

  sourceOf(from: WalkEnd, to: WalkEnd): WalkSource {
    return isInside(this.timetable, from, to) ? 'pathways' : 'straight'
  }

  course(from: WalkEnd, to: WalkEnd): WalkCourse {
    return { source: this.sourceOf(from, to), points: [from, to], steps: undefined, isAccessible: false }
  }

  /** Duration of the walk through the fastest entrance of a stop; undefined if the stop has no entrances. */
  private secondsByDoors(end: WalkEnd, stop: StopIndex, isEgress: boolean): number | undefined {
    const doors = doorsOfStop(this.timetable, stop, isEgress ? 'out' : 'in')
    if (doors.length === 0) return undefined
    return Math.min(...doors.map((door) => walkSeconds(walkMeters(end, door)) + door.seconds))
  }
}

/**
 * Duration in seconds of the walk along pathways between an end and a stop. Undefined if the end is not a stop or if no
 * pathways connect the two.
 */
export function insideSeconds(
  timetable: Timetable,
  { place }: WalkEnd,
  { stop, isEgress }: { readonly stop: StopIndex; readonly isEgress: boolean },
): number | undefined {
  if (place?.kind !== 'stop') return undefined
  const [from, to] = isEgress ? [stop, place.stop] : [place.stop, stop]
  return waysFromStop(timetable, from).get(to)
}

/** The walk between two stops along pathways; undefined if no pathways connect them. */
export function insideWalk(timetable: Timetable, from: StopIndex, to: StopIndex): Walk | undefined {
  if (from === to) return { meters: 0, seconds: 0 }
  const seconds = waysFromStop(timetable, from).get(to)
  return seconds === undefined ? undefined : { meters: metersWalkedIn(seconds), seconds }
}

/** Whether pathways lead from one end to the other. */
export function isInside(timetable: Timetable, from: WalkEnd, to: WalkEnd): boolean {
  return (
    to.place?.kind === 'stop' && insideSeconds(timetable, from, { stop: to.place.stop, isEgress: false }) !== undefined
  )
}

/** A stop as an end of a walk. */
export function placeOf({ stops }: Timetable, stop: StopIndex): WalkEnd {
  return { lat: stops.lat[stop], lon: stops.lon[stop], place: { kind: 'stop', stop } }
}
