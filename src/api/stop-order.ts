// Sort keys for lists of stops and areas, and the start of a page in name order.
import { firstWhere } from '../../loaders/columns.ts'
import { textOf } from '../../loaders/strings.ts'
import { type Place, placeAt, type SnapshotView } from '../rendering/snapshot-view.ts'
import { compareEnds, type PageEnd } from './cursor.ts'

/** The index, in name order, of the first stop or area after a position. */
export function firstNameBehind(view: SnapshotView, end: PageEnd): number {
  const { byName } = view.timetable.placeOrders
  return firstWhere(0, byName.length, (at) => compareEnds(nameEnd(view, byName[at]), end) > 0)
}

/**
 * The position of a stop or area in a list sorted by name. Among equal names, areas come before stops, as `area` sorts
 * before `stop` in public ids.
 */
export function nameEnd(view: SnapshotView, number: number): PageEnd {
  const place = placeAt(view.timetable, number)
  return { key: [placeName(view, place), kindOrder(place)], id: placeLocalId(view, place) }
}

/** The position of a stop or area in a list sorted by relevance; see `searchStops`. */
export function relevanceEnd(view: SnapshotView, number: number, rank: number): PageEnd {
  const { key, id } = nameEnd(view, number)
  return { key: [rank, ...key], id }
}

/** The position of a stop or area in a list sorted by distance. */
export function distanceEnd(view: SnapshotView, number: number, distanceMeters: number): PageEnd {
  const place = placeAt(view.timetable, number)
  return { key: [distanceMeters, kindOrder(place)], id: placeLocalId(view, place) }
}

/** The type of each part of these sort keys. */
export const STOP_KEYS = {
  name: ['string', 'number'],
  relevance: ['number', 'string', 'number'],
  distance: ['number', 'number'],
} as const

function kindOrder(place: Place): number {
  return place.kind === 'area' ? 0 : 1
}

/** The name of a stop or area. */
function placeName(view: SnapshotView, place: Place): string {
  const { stops, areas, strings } = view.timetable
  return textOf(strings, place.kind === 'stop' ? stops.name[place.stop] : areas.name[place.area])
}

/** The id of a stop or area in the feed. */
export function placeLocalId(view: SnapshotView, place: Place): string {
  const { stops, areas, strings } = view.timetable
  return textOf(strings, place.kind === 'stop' ? stops.id[place.stop] : areas.id[place.area])
}
