// The stops and areas near a place: an area replaces its stops if it and several of them are within reach. Results are
// sorted only as far as they are read.
import { NearestFirst } from '../../indexes/spatial/nearest-first.ts'
import { type Circle, visitWithin } from '../../indexes/spatial/point-tree.ts'
import { modeWord } from '../../indexes/timetable/modes.ts'
import type { AreaIndex, StopIndex } from '../../indexes/timetable/timetable.ts'
import { NONE } from '../../loaders/columns.ts'
import type { Place, SnapshotView } from '../rendering/snapshot-view.ts'
import { linesOf } from '../rendering/stop-text.ts'

/** A stop or area within reach. */
export interface NearPlace {
  readonly view: SnapshotView
  readonly place: Place
  /** Great-circle distance, not rounded. */
  readonly distanceMeters: number
}

/** The input of a search. */
export interface NearQuery extends Circle {
  /** All if undefined. */
  readonly modes?: readonly string[] | undefined
}

/** More than the stops and areas of a view. */
const VIEW_STRIDE = 2 ** 32
/** Marks an area that replaces its stops. */
const STANDS = 0xffff_ffff

/** The points of one search; a search ends before the next begins. */
const nearest = new NearestFirst()
const stopNumbers: StopIndex[] = []
const stopMeters: number[] = []
/** Area → how many of its stops are within reach, or STANDS; all 0 between two searches. */
let childCounts = new Uint32Array(0)

/** The places of several networks in a circle, nearest first, ties by network, kind, id. Valid until the next call. */
export class NearPlaces {
  private readonly views: readonly SnapshotView[]
  /** The total count. */
  readonly count: number

  constructor(views: readonly SnapshotView[], query: NearQuery) {
    this.views = views.length === 1 ? views : views.toSorted(bySlug)
    nearest.clear()
    for (const [at, view] of this.views.entries()) addPlaces(view, query, at * VIEW_STRIDE)
    this.count = nearest.length
  }

  /** The next place; undefined if there is none. */
  next(): NearPlace | undefined {
    if (nearest.length === 0) return undefined
    const distanceMeters = nearest.firstMeters
    const number = nearest.take()
    const viewAt = Math.floor(number / VIEW_STRIDE)
    const view = this.views[viewAt]
    // Stops and areas are numbered by id; the word `area` sorts before `stop`.
    const own = number - viewAt * VIEW_STRIDE
    const areaCount = view.timetable.areas.id.length
    const place: Place =
      own < areaCount
        ? { kind: 'area', area: own as AreaIndex }
        : { kind: 'stop', stop: (own - areaCount) as StopIndex }
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

/** By the first part of ids. */
function bySlug(a: SnapshotView, b: SnapshotView): number {
  return `${a.slug}:` < `${b.slug}:` ? -1 : 1
}

/** Adds the places of one network, numbered from `base` on. */
function addPlaces(view: SnapshotView, { modes, ...circle }: NearQuery, base: number): void {
  const { stops, areas, pointTrees } = view.timetable
  const areaCount = areas.id.length
  if (childCounts.length < areaCount) childCounts = new Uint32Array(areaCount)
  let stopCount = 0
  const visitStop = (stop: StopIndex, meters: number): void => {
    if (modes !== undefined && !servesModes(view, { kind: 'stop', stop }, modes)) return
    stopNumbers[stopCount] = stop
    stopMeters[stopCount++] = meters
    const area = stops.area[stop]
    if (area !== NONE) childCounts[area] = childCounts[area] + 1
  }
  visitWithin(pointTrees.stops, stops, { ...circle, visit: visitStop })
  const visitArea = (area: AreaIndex, meters: number): void => {
    if (childCounts[area] <= 1) return
    childCounts[area] = STANDS
    nearest.add(base + area, meters)
  }
  visitWithin(pointTrees.areas, areas, { ...circle, visit: visitArea })
  for (let at = 0; at < stopCount; at++) {
    const stop = stopNumbers[at]
    const area = stops.area[stop]
    if (area === NONE || childCounts[area] !== STANDS) nearest.add(base + areaCount + stop, stopMeters[at])
  }
  for (let at = 0; at < stopCount; at++) {
    const area = stops.area[stopNumbers[at]]
    if (area !== NONE) childCounts[area] = 0
  }
}

/** Whether any line of a stop or area has one of these modes. */
function servesModes(view: SnapshotView, place: Place, modes: readonly string[]): boolean {
  return linesOf(view, place).some((line) => modes.includes(modeWord(view.timetable.lines.mode[line])))
}
