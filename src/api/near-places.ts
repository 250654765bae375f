// The stops and areas near a point. An area replaces its stops if the area and at least two of the stops are within
// reach. Results are sorted only as far as they are read.
import { FixedPoint } from '../../indexes/spatial/great-circle.ts'
import { NearestFirst } from '../../indexes/spatial/nearest-first.ts'
import { type Circle, visitTreeAround } from '../../indexes/spatial/point-tree.ts'
import { modeWord } from '../../indexes/timetable/modes.ts'
import type { AreaIndex, StopIndex, Timetable } from '../../indexes/timetable/timetable.ts'
import { NONE } from '../../loaders/columns.ts'
import { linesOf } from '../rendering/place-lines.ts'
import { type Place, placeAt, type SnapshotView } from '../rendering/snapshot-view.ts'

/** A stop or area within reach. */
export interface NearPlace {
  readonly view: SnapshotView
  readonly place: Place
  /** Great-circle distance, not rounded. */
  readonly distanceMeters: number
}

/** A circle to search, and the modes to include. */
export interface NearQuery extends Circle {
  /** Undefined for all modes. */
  readonly modes?: readonly string[] | undefined
}

/**
 * The place numbers of a network start this far after those of the previous network. No network has this many stops and
 * areas.
 */
const VIEW_STRIDE = 2 ** 32
/** Stored in place of an area's count once the area replaces its stops. */
const REPLACED = 0xffff_ffff

/**
 * The places that a search found. All searches share this object, because each search ends before the next one begins.
 */
const nearest = new NearestFirst()

/**
 * The places of several networks within a circle, nearest first. Places at the same distance are ordered by network,
 * kind and id. An instance is valid until the next one is created.
 */
export class NearPlaces {
  private readonly views: readonly SnapshotView[]
  /** Number of places in the circle. */
  readonly count: number

  constructor(views: readonly SnapshotView[], query: NearQuery) {
    this.views = views.length === 1 ? views : views.toSorted(bySlug)
    nearest.clear()
    for (let at = 0; at < this.views.length; at++) search.add(this.views[at], query, at * VIEW_STRIDE)
    this.count = nearest.length
  }

  /** The next place; undefined if there is none. */
  next(): NearPlace | undefined {
    if (nearest.length === 0) return undefined
    const distanceMeters = nearest.firstMeters
    const number = nearest.take()
    const viewAt = Math.floor(number / VIEW_STRIDE)
    const view = this.views[viewAt]
    // Areas are numbered first, by index, then stops. Places at the same distance are returned in the order of their
    // numbers. This is the order of their public ids, because `area` sorts before `stop`.
    const own = number - viewAt * VIEW_STRIDE
    const areaCount = view.timetable.areas.id.length
    const place = placeAt(view.timetable, own < areaCount ? own + view.timetable.stops.id.length : own - areaCount)
    return { view, place, distanceMeters }
  }

  /** The next places, up to a limit. */
  take(limit: number): NearPlace[] {
    const places: NearPlace[] = []
    while (places.length < limit) {
      const place = this.next()
      if (place === undefined) break
      places.push(place)
    }
    return places
  }
}

/** Compares networks by the prefix of their public ids. */
function bySlug(a: SnapshotView, b: SnapshotView): number {
  return `${a.slug}:` < `${b.slug}:` ? -1 : 1
}

/** Searches the places of one network. Its memory is reused, so that a search leaves no garbage. */
class NearSearch {
  private timetable: Timetable | undefined
  private view: SnapshotView | undefined
  private modes: readonly string[] | undefined
  private base = 0
  private readonly center = new FixedPoint()
  private radiusMeters = 0
  private stopCount = 0
  private readonly stops: StopIndex[] = []
  private readonly meters: number[] = []
  /** Area → how many of its stops are within reach, or REPLACED. All values are 0 between searches. */
  private childCounts = new Uint32Array(0)

  /** Adds the places of a network; their numbers start at `base`. */
  add(view: SnapshotView, query: NearQuery, base: number): void {
    const { timetable } = view
    const { stops, areas, pointTrees } = timetable
    const areaCount = areas.id.length
    if (this.childCounts.length < areaCount) this.childCounts = new Uint32Array(areaCount)
    this.timetable = timetable
    this.view = view
    this.modes = query.modes
    this.base = base
    this.center.moveTo(query.lat, query.lon)
    this.radiusMeters = query.radiusMeters
    this.stopCount = 0
    visitTreeAround(pointTrees.stops, query, this.visitStop)
    visitTreeAround(pointTrees.areas, query, this.visitArea)
    const { childCounts } = this
    for (let at = 0; at < this.stopCount; at++) {
      const stop = this.stops[at]
      const area = stops.area[stop]
      if (area === NONE || childCounts[area] !== REPLACED) nearest.add(base + areaCount + stop, this.meters[at])
    }
    for (let at = 0; at < this.stopCount; at++) {
      const area = stops.area[this.stops[at]]
      if (area !== NONE) childCounts[area] = 0
    }
    // The search must not keep an old snapshot alive.
    this.timetable = undefined
    this.view = undefined
  }

  private readonly visitStop = (found: number): boolean => {
    const { timetable, view, modes } = this
    if (timetable === undefined || view === undefined) return false
    const { stops } = timetable
    const stop = found as StopIndex
    const meters = this.center.metersTo(stops.lat[stop], stops.lon[stop])
    if (!(meters <= this.radiusMeters)) return false // negated, so that NaN (no location) is rejected too
    if (modes !== undefined && !servesModes(view, { kind: 'stop', stop }, modes)) return false
    this.stops[this.stopCount] = stop
    this.meters[this.stopCount++] = meters
    const area = stops.area[stop]
    if (area !== NONE) this.childCounts[area] = this.childCounts[area] + 1
    return false
  }

  private readonly visitArea = (found: number): boolean => {
    const { timetable, childCounts } = this
    if (timetable === undefined || childCounts[found] <= 1) return false
    const { areas } = timetable
    const area = found as AreaIndex
    const meters = this.center.metersTo(areas.lat[area], areas.lon[area])
    if (!(meters <= this.radiusMeters)) return false // negated, so that NaN (no location) is rejected too
    childCounts[found] = REPLACED
    nearest.add(this.base + found, meters)
    return false
  }
}

const search = new NearSearch()

/** Whether any line of a stop or area has one of these modes. */
function servesModes(view: SnapshotView, place: Place, modes: readonly string[]): boolean {
  return linesOf(view, place).some((line) => modes.includes(modeWord(view.timetable.lines.mode[line])))
}
