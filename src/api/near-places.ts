// The stops and areas near a place: an area stands for its stops where it is in reach and several of them are.
import { findWithin } from '../../indexes/spatial/point-tree.ts'
import { modeWord } from '../../indexes/timetable/modes.ts'
import { areaOfStop } from '../../indexes/timetable/stops.ts'
import type { Place, SnapshotView } from '../rendering/snapshot-view.ts'
import { linesOf } from '../rendering/stop-text.ts'
import { placeLocalId } from './stop-order.ts'

/** A circle on the ground; the center in degrees. */
export interface Circle {
  readonly lat: number
  readonly lon: number
  readonly radiusMeters: number
}

/** A stop or area in reach. */
export interface NearPlace {
  readonly view: SnapshotView
  readonly place: Place
  /** Great-circle, not rounded. */
  readonly distanceMeters: number
}

/** The places of several networks in a circle, nearest first, ties by network, kind and id. */
export function nearPlaces(
  views: readonly SnapshotView[],
  circle: Circle,
  modes: readonly string[] | undefined,
): NearPlace[] {
  return views.flatMap((view) => nearPlacesOf(view, circle, modes)).sort(compareNear)
}

function compareNear(a: NearPlace, b: NearPlace): number {
  if (a.distanceMeters !== b.distanceMeters) return a.distanceMeters - b.distanceMeters
  const [left, right] = [nearId(a), nearId(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

function nearId({ view, place }: NearPlace): string {
  return `${view.slug}:${place.kind}:${placeLocalId(view, place)}`
}

function nearPlacesOf(view: SnapshotView, circle: Circle, modes: readonly string[] | undefined): NearPlace[] {
  const { stops, areas, pointTrees } = view.timetable
  const stopsInReach = findWithin(pointTrees.stops, stops, circle).filter(
    ({ index }) => modes === undefined || servesModes(view, { kind: 'stop', stop: index }, modes),
  )
  const childCount = new Map<number, number>()
  for (const { index } of stopsInReach) {
    const area = areaOfStop(view.timetable, index)
    if (area !== undefined) childCount.set(area, (childCount.get(area) ?? 0) + 1)
  }
  const areasInReach = findWithin(pointTrees.areas, areas, circle).filter(
    ({ index }) => (childCount.get(index) ?? 0) > 1,
  )
  const standsForStops = new Set(areasInReach.map(({ index }) => index))
  const places: NearPlace[] = areasInReach.map(({ index, distanceMeters }) => ({
    view,
    place: { kind: 'area', area: index },
    distanceMeters,
  }))
  for (const { index: stop, distanceMeters } of stopsInReach) {
    if (!standsForStops.has(stops.area[stop])) places.push({ view, place: { kind: 'stop', stop }, distanceMeters })
  }
  return places
}

/** Whether some line of a stop or area is of one of these modes. */
function servesModes(view: SnapshotView, place: Place, modes: readonly string[]): boolean {
  return linesOf(view, place).some((line) => modes.includes(modeWord(view.timetable.lines.mode[line])))
}
