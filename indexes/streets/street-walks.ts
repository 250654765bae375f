// Walks along the streets of an extract. A walk starts and ends at a stop or at another place. The links from stops to
// the streets are stored; for other places, the nearest streets are looked up. If the start or the end is not on a
// street, the walk is a straight line. Otherwise, it follows the streets. If the streets do not connect the start with
// the end, there is no walk.
import { LRUCache } from 'lru-cache'
import { type Column, nextIndex, sealColumn } from '../../loaders/columns.ts'
import { greatCircleMeters } from '../spatial/great-circle.ts'
import { findInWalk, metersWalkedIn, walkSeconds } from '../spatial/walking.ts'
import { type Door, doorAt } from '../timetable/station-ways.ts'
import { eachStop, type StopIndex, type Timetable } from '../timetable/timetable.ts'
import { hasDoors } from './build-links.ts'
import { MetPoints } from './met-points.ts'
import {
  type LinkPointIndex,
  linksOf,
  NO_WALK,
  type ProfileLinks,
  pointOfDoor,
  pointOfStop,
  type StopLinks,
} from './stop-links.ts'
import { insideSeconds, insideWalk, isInside, placeOf, StraightWalks } from './straight-walks.ts'
import { StreetBall } from './street-ball.ts'
import { DECIMETERS, type StreetGraph } from './street-graph.ts'
import { SNAP_METERS, StreetSnap, type StreetStart, type WalkProfile } from './street-snap.ts'
import { isTaggedAccessible, pointsOf, stepsOf, wayTo } from './street-way.ts'
import type { AroundQuestion, StopWalk, Walk, WalkCourse, WalkEnd, WalkSource, Walks } from './walks.ts'

/**
 * Number of places for which the points on the streets are cached. All pages of a result and all walks of a journey use
 * the same places.
 */
const KEPT_ENDS = 256
/**
 * Number of walk ends for which the walks to nearby stops are cached. Each page of a result needs these walks again.
 */
const KEPT_REACHES = 64
/**
 * A rule in the feed may allow a transfer that is longer than usual. This is the maximum length of such a transfer
 * along streets.
 */
const RULED_METERS = 5_000
/**
 * Maximum number of meters by which a walk can be shorter than a straight line because of rounding. Edges are rounded
 * to decimeters, and walks through entrances are rounded twice.
 */
const ROUNDING_METERS = 20

/** The reusable memory for searches in a graph. All networks of a thread share it. */
export interface StreetSearch {
  readonly graph: StreetGraph
  readonly snap: StreetSnap
  readonly ball: StreetBall
}

/** Creates the memory for searches in a graph. */
export function openStreetSearch(graph: StreetGraph): StreetSearch {
  return { graph, snap: new StreetSnap(graph), ball: new StreetBall(graph) }
}

/** The direction in which riders use an entrance: into the station or out of it. */
type Way = 'in' | 'out'

/**
 * A point where an end of a walk is connected to the streets. If the point is an entrance of a stop, `off` includes the
 * walk inside the station.
 */
interface EndStart extends StreetStart {
  readonly door?: Door
}

/** The walks of a timetable on a street graph. */
export class StreetWalks implements Walks {
  private readonly timetable: Timetable
  private readonly search: StreetSearch
  private readonly profile: WalkProfile
  private readonly links: StopLinks
  private readonly own: ProfileLinks
  private readonly straight: StraightWalks
  private readonly met: MetPoints
  private readonly startsOfPlace = new LRUCache<string, readonly EndStart[]>({ max: KEPT_ENDS })
  private readonly walksOfEnd = new LRUCache<string, readonly StopWalk[]>({ max: KEPT_REACHES })
  private readonly stopOfPoint: Column<LinkPointIndex, StopIndex>
  private readonly hasUnlinked: boolean

  constructor(
    timetable: Timetable,
    search: StreetSearch,
    { links, profile }: { readonly links: StopLinks; readonly profile: WalkProfile },
  ) {
    this.timetable = timetable
    this.search = search
    this.links = links
    this.profile = profile
    this.own = linksOf(links, profile)
    this.straight = new StraightWalks(timetable)
    this.met = new MetPoints(this.own)
    const { stops, stationWays } = timetable
    const stopOfPoint = Uint32Array.from({ length: stops.id.length + stationWays.doorLat.length }, (_, point) => point)
    let hasUnlinked = false
    for (const stop of eachStop(timetable)) {
      const [first, end] = [stationWays.doorOffset[stop], stationWays.doorOffset[nextIndex(stop)]]
      stopOfPoint.fill(stop, stops.id.length + first, stops.id.length + end)
      hasUnlinked ||= !this.isLinked(stop)
    }
    this.stopOfPoint = sealColumn(stopOfPoint)
    this.hasUnlinked = hasUnlinked
  }

  around(end: WalkEnd, question: AroundQuestion): Iterable<StopWalk> {
    const { maxMeters, isEgress, isWanted } = question
    const starts = this.startsOf(end, isEgress ? 'in' : 'out')
    if (starts.length === 0) return this.straight.around(end, question)
    const key = `${end.place?.kind === 'stop' ? end.place.stop : `${end.lat} ${end.lon}`} ${maxMeters} ${isEgress}`
    let walks = this.walksOfEnd.get(key)
    if (walks === undefined) {
      walks = [...this.walksFrom(end, starts, question)]
      this.walksOfEnd.set(key, walks)
    }
    return walks.filter(({ stop }) => isWanted(stop))
  }

  /** Finds the walks between an end and all stops around it. */
  private walksFrom(
    end: WalkEnd,
    starts: readonly EndStart[],
    { maxMeters, isEgress }: Omit<AroundQuestion, 'isWanted'>,
  ): Iterable<StopWalk> {
    const inside = this.insideOf(end, maxMeters, isEgress)
    const walks = new Map<StopIndex, StopWalk>()
    const add = (walk: StopWalk) => {
      const known = walks.get(walk.stop)
      if (known === undefined || walk.seconds < known.seconds) walks.set(walk.stop, walk)
    }
    for (const [stop, seconds] of inside) {
      if (seconds !== Infinity) add(walkIn(stop, seconds, maxMeters))
    }
    this.search.ball.search(starts, { profile: this.profile, maxMeters })
    this.met.gather(this.search.ball, starts)
    for (let at = 0; at < this.met.count; at++) {
      const point = this.met.points[at]
      const meters = Math.round(this.met.lengthTo(point) / DECIMETERS)
      const stop = this.stopOf(point)
      if (meters > maxMeters || inside.has(stop)) continue
      const indoors = this.indoorSeconds(point, isEgress ? 'out' : 'in')
      if (indoors === 0) add({ stop, meters, seconds: walkSeconds(meters) })
      else if (indoors !== Infinity) add(walkIn(stop, walkSeconds(meters) + indoors, maxMeters))
    }
    if (this.hasUnlinked) {
      const isWanted = (stop: StopIndex) => !this.isLinked(stop) && !inside.has(stop)
      for (const walk of this.straight.around(end, { maxMeters, isEgress, isWanted })) add(walk)
    }
    return walks.values()
  }

  between(from: WalkEnd, to: WalkEnd, maxMeters: number): Walk | undefined {
    const [starts, ends] = [this.startsOf(from, 'out'), this.startsOf(to, 'in')]
    if (starts.length === 0 || ends.length === 0) return this.straight.between(from, to, maxMeters)
    const isStraight = [...starts, ...ends].every(({ door }) => door === undefined)
    if (isStraight && greatCircleMeters(from.lat, from.lon, to.lat, to.lon) > maxMeters + ROUNDING_METERS) {
      return undefined
    }
    this.search.ball.search(starts, { profile: this.profile, maxMeters })
    const found = this.search.ball.walkTo(ends)
    const meters = found === undefined ? Infinity : Math.round(found.decimeters / DECIMETERS)
    return meters > maxMeters ? undefined : { meters, seconds: walkSeconds(meters) }
  }

  *near(stop: StopIndex, maxMeters: number): Generator<StopWalk> {
    if (this.isLinked(stop)) {
      for (const walk of this.storedWalks(stop).values()) if (walk.stop !== stop) yield walk
      if (!this.hasUnlinked) return
    }
    const isWhole = !this.isLinked(stop)
    for (const walk of this.straight.near(stop, maxMeters)) if (isWhole || !this.isLinked(walk.stop)) yield walk
  }

  change(from: StopIndex, to: StopIndex): Walk {
    const inside = insideWalk(this.timetable, from, to)
    if (inside !== undefined) return inside
    const isOff = !this.isLinked(from) || !this.isLinked(to)
    const stored = isOff ? undefined : this.storedWalks(from).get(to)
    if (stored !== undefined) return { meters: stored.meters, seconds: stored.seconds }
    const [start, end] = [placeOf(this.timetable, from), placeOf(this.timetable, to)]
    return this.between(start, end, RULED_METERS) ?? this.straight.change(from, to)
  }

  sourceOf(from: WalkEnd, to: WalkEnd): WalkSource {
    if (isInside(this.timetable, from, to)) return 'pathways'
    const isOn = this.startsOf(from, 'out').length > 0 && this.startsOf(to, 'in').length > 0
    return isOn ? 'streets' : 'straight'
  }

  course(from: WalkEnd, to: WalkEnd, meters: number): WalkCourse {
    const [starts, ends] = [this.startsOf(from, 'out'), this.startsOf(to, 'in')]
    const isOn = starts.length > 0 && ends.length > 0 && !isInside(this.timetable, from, to)
    const { ball, graph } = this.search
    if (isOn) ball.search(starts, { profile: this.profile, maxMeters: meters + ROUNDING_METERS, keepsWays: true })
    const found = isOn ? ball.walkTo(ends) : undefined
    if (found === undefined) return this.straight.course(from, to)
    const way = wayTo(graph, ball, found.end)
    const [first, last] = [doorOf(starts, way.start), doorOf(ends, found.end)]
    const points = [from, ...first, ...pointsOf(graph, way), ...last, to]
    const isAccessible = first.length + last.length === 0 && isTaggedAccessible(graph, way)
    return { source: 'streets', points, steps: stepsOf(graph, way), isAccessible }
  }

  /** Whether a stop or one of its entrances is on a street. */
  private isLinked(stop: StopIndex): boolean {
    const { linkOffset } = this.own
    return this.pointsOf(stop).some((point) => linkOffset[point] < linkOffset[nextIndex(point)])
  }

  /** The points of a stop: its entrances, or the stop itself if it has no entrances. */
  private pointsOf(stop: StopIndex): LinkPointIndex[] {
    const { stationWays } = this.timetable
    if (!hasDoors(stationWays, stop)) return [pointOfStop(stop)]
    const points: LinkPointIndex[] = []
    for (let door = stationWays.doorOffset[stop]; door < stationWays.doorOffset[nextIndex(stop)]; door++) {
      points.push(pointOfDoor(this.timetable, door))
    }
    return points
  }

  private stopOf(point: LinkPointIndex): StopIndex {
    return this.stopOfPoint[point]
  }

  /** The entrance at a point; undefined for a stop, or if the entrance cannot be used in this direction. */
  private doorAt(point: LinkPointIndex, way: Way): Door | undefined {
    const stopCount = this.timetable.stops.id.length
    return point < stopCount ? undefined : doorAt(this.timetable, point - stopCount, way)
  }

  /** Seconds between a point and its stop: 0 for the stop itself, Infinity if the entrance cannot be used. */
  private indoorSeconds(point: LinkPointIndex, way: Way): number {
    if (point < this.timetable.stops.id.length) return 0
    return this.doorAt(point, way)?.seconds ?? Infinity
  }

  /** The points where an end is connected to the streets. Empty if the end is not on a street. */
  private startsOf(end: WalkEnd, way: Way): readonly EndStart[] {
    if (end.place?.kind === 'stop') return this.startsOfStop(end.place.stop, way)
    const key = `${end.lat} ${end.lon}`
    const known = this.startsOfPlace.get(key)
    if (known !== undefined) return known
    const starts = this.search.snap.find(end, { profile: this.profile, farthestMeters: SNAP_METERS })
    this.startsOfPlace.set(key, starts)
    return starts
  }

  private startsOfStop(stop: StopIndex, way: Way): readonly EndStart[] {
    const { linkOffset, edge: edgeOf, toFirst: firstOf, off: offOf } = this.own
    const { edgeLength } = this.search.graph
    const starts: EndStart[] = []
    for (const point of this.pointsOf(stop)) {
      const seconds = this.indoorSeconds(point, way)
      if (seconds === Infinity) continue
      const door = this.doorAt(point, way)
      const end = linkOffset[nextIndex(point)]
      for (let link = linkOffset[point]; link < end; link++) {
        const edge = edgeOf[link]
        const [toFirst, off] = [firstOf[link], offOf[link] + metersWalkedIn(seconds) * DECIMETERS]
        starts.push({ edge, toFirst, toLast: edgeLength[edge] - toFirst, off, door })
      }
    }
    return starts
  }

  /**
   * Stop → duration in seconds of the walk between the end and the stop along the pathways of their station; Infinity
   * if the pathways cannot be used.
   */
  private insideOf(end: WalkEnd, maxMeters: number, isEgress: boolean): ReadonlyMap<StopIndex, number> {
    const inside = new Map<StopIndex, number>()
    const { stationWays, pointTrees, stops } = this.timetable
    if (end.place?.kind !== 'stop' || stationWays.toStop.length === 0) return inside
    for (const { index } of findInWalk(pointTrees.stops, stops, { lat: end.lat, lon: end.lon, maxMeters })) {
      const seconds = insideSeconds(this.timetable, end, { stop: index, isEgress })
      if (seconds !== undefined) inside.set(index, seconds)
    }
    return inside
  }

  /** The stored transfer walks from a stop. Other stop → the walk to it through the best entrances. */
  private storedWalks(stop: StopIndex): Map<StopIndex, StopWalk> {
    const { walkOffset, walkTo, walkFoot, walkStepFree } = this.links
    const lengths = this.profile === 'foot' ? walkFoot : walkStepFree
    const walks = new Map<StopIndex, StopWalk>()
    for (const point of this.pointsOf(stop)) {
      const out = this.indoorSeconds(point, 'out')
      for (let row = walkOffset[point]; row < walkOffset[nextIndex(point)]; row++) {
        const indoors = out + this.indoorSeconds(walkTo[row], 'in')
        if (lengths[row] === NO_WALK || indoors === Infinity) continue
        const meters = Math.round(lengths[row] / DECIMETERS)
        const seconds = walkSeconds(meters) + indoors
        const end = this.stopOf(walkTo[row])
        const known = walks.get(end)
        if (known !== undefined && known.seconds <= seconds) continue
        walks.set(end, { stop: end, meters: indoors === 0 ? meters : metersWalkedIn(seconds), seconds })
      }
    }
    return walks
  }
}

/** A walk of `seconds` to a stop. Its length is computed from the duration, but is at most `maxMeters`. */
function walkIn(stop: StopIndex, seconds: number, maxMeters: number): StopWalk {
  return { stop, meters: Math.min(metersWalkedIn(seconds), maxMeters), seconds }
}

/** A list with the entrance at a start; empty if the start is not an entrance. */
function doorOf(starts: readonly EndStart[], start: StreetStart): readonly Door[] {
  const door = starts.find((each) => each === start)?.door
  return door === undefined ? [] : [door]
}
