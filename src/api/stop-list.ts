// Pages of a network's stops and areas that pass all filters, sorted by distance, relevance or name.

import { findWithin } from '../../indexes/spatial/point-tree.ts'
import { type RankedHit, searchStops } from '../../indexes/timetable/stop-search.ts'
import type { LineIndex } from '../../indexes/timetable/timetable.ts'
import { firstWhere } from '../../loaders/columns.ts'
import type { Box, Point } from '../contract/parameters.ts'
import { degrees } from '../rendering/line-geometry.ts'
import { linesOf } from '../rendering/place-lines.ts'
import type { LineFilter } from '../rendering/public-ids.ts'
import { type Place, placeAt, type SnapshotView } from '../rendering/snapshot-view.ts'
import { compareEnds, type PageEnd } from './cursor.ts'
import { distanceEnd, firstNameBehind, nameEnd, relevanceEnd, STOP_KEYS } from './stop-order.ts'

/** A request for a list of stops and areas. All filters apply together. */
export interface StopQuestion {
  readonly q: string | undefined
  readonly near: Point | undefined
  readonly radiusMeters: number
  readonly box: Box | undefined
  readonly line: LineFilter
  readonly kind: string | undefined
}

/** A stop or area on a page. */
export interface ListedStop {
  readonly place: Place
  /** Distance from the requested point; undefined if the list is not sorted by distance. */
  readonly distanceMeters: number | undefined
}

/** A page of stops. `end` is the position for the next cursor; null on the last page. */
export interface StopPage {
  readonly items: readonly ListedStop[]
  readonly end: PageEnd | null
}

/** A stop or area that a search found, identified by its number, and its position in the list. */
interface Candidate {
  readonly number: number
  readonly distanceMeters: number | undefined
  readonly end: PageEnd
}

/** The types of the sort key's parts in the cursors for a request. */
export function keyShape(question: StopQuestion) {
  if (question.near !== undefined) return STOP_KEYS.distance
  return question.q === undefined ? STOP_KEYS.name : STOP_KEYS.relevance
}

interface PageLimits {
  readonly limit: number
  readonly start: PageEnd | undefined
}

/** The page of at most `limit` stops after a position in the list. */
export function pageOfStops(view: SnapshotView, question: StopQuestion, page: PageLimits): StopPage {
  if (question.line === 'nothing') return { items: [], end: null }
  const { near, q } = question
  if (near !== undefined) return pageOf(view, byDistance(view, near, question), question, page)
  if (q !== undefined) return pageByRelevance(view, q, question, page)
  return pageByName(view, question, page)
}

function pageByName(view: SnapshotView, question: StopQuestion, page: PageLimits): StopPage {
  const { byName } = view.timetable.placeOrders
  const items: ListedStop[] = []
  let lastNumber = 0
  for (let at = page.start === undefined ? 0 : firstNameBehind(view, page.start); at < byName.length; at++) {
    const number = byName[at]
    if (!passes(view, question, number)) continue
    if (items.length === page.limit) return { items, end: nameEnd(view, lastNumber) }
    items.push({ place: placeAt(view.timetable, number), distanceMeters: undefined })
    lastNumber = number
  }
  return { items, end: null }
}

/** A page of a search by distance. A search by distance has few candidates, so they are sorted again for each page. */
function pageOf(
  view: SnapshotView,
  candidates: readonly Candidate[],
  question: StopQuestion,
  page: PageLimits,
): StopPage {
  const { start, limit } = page
  const left = candidates
    .filter(({ number, end }) => passes(view, question, number) && (start === undefined || compareEnds(end, start) > 0))
    .sort((a, b) => compareEnds(a.end, b.end))
  const shown = left.slice(0, limit)
  return {
    items: shown.map(({ number, distanceMeters }) => ({ place: placeAt(view.timetable, number), distanceMeters })),
    end: left.length > limit ? (shown.at(-1)?.end ?? null) : null,
  }
}

/** A page of a search by relevance. Hits are already sorted, so the filters are applied only until the page is full. */
function pageByRelevance(view: SnapshotView, q: string, question: StopQuestion, page: PageLimits): StopPage {
  const hits = searchStops(view.timetable, q)
  const endOf = ({ number, rank }: RankedHit) => relevanceEnd(view, number, rank)
  const items: ListedStop[] = []
  let last: RankedHit | undefined
  for (let at = firstHitBehind(hits, page.start, endOf); at < hits.length; at++) {
    const hit = hits[at]
    if (!passes(view, question, hit.number)) continue
    if (items.length === page.limit) return { items, end: last === undefined ? null : endOf(last) }
    items.push({ place: placeAt(view.timetable, hit.number), distanceMeters: undefined })
    last = hit
  }
  return { items, end: null }
}

/** The index of the first hit after a position in the list. */
function firstHitBehind(
  hits: readonly RankedHit[],
  start: PageEnd | undefined,
  endOf: (hit: RankedHit) => PageEnd,
): number {
  return start === undefined ? 0 : firstWhere(0, hits.length, (at) => compareEnds(endOf(hits[at]), start) > 0)
}

function byDistance(view: SnapshotView, near: Point, { q, radiusMeters }: StopQuestion): Candidate[] {
  const { stops, areas, pointTrees } = view.timetable
  const circle = { ...near, radiusMeters }
  const stopHits = findWithin(pointTrees.stops, stops, circle)
  const areaHits = findWithin(pointTrees.areas, areas, circle)
  const found = q === undefined ? undefined : new Set(searchStops(view.timetable, q).map(({ number }) => number))
  return [
    ...stopHits,
    ...areaHits.map(({ index, distanceMeters }) => ({ index: stops.id.length + index, distanceMeters })),
  ]
    .filter(({ index }) => found === undefined || found.has(index))
    .map(({ index, distanceMeters }) => ({
      number: index,
      distanceMeters,
      end: distanceEnd(view, index, distanceMeters),
    }))
}

/** Whether a stop or area passes the filters `kind`, `box` and `line`, which are checked without an index. */
function passes(view: SnapshotView, question: StopQuestion, number: number): boolean {
  const { kind, box, line } = question
  const place = placeAt(view.timetable, number)
  if (kind !== undefined && place.kind !== kind) return false
  if (box !== undefined && !isInBox(view, place, box)) return false
  return line === 'all' || (line !== 'nothing' && servesLine(view, place, line))
}

/**
 * Whether a stop or area is inside a box. Compares the coordinates as the API prints them, so that a stop exactly on
 * the edge of a box is inside.
 */
function isInBox(view: SnapshotView, place: Place, box: Box): boolean {
  const { stops, areas } = view.timetable
  const lat = degrees(place.kind === 'stop' ? stops.lat[place.stop] : areas.lat[place.area])
  const lon = degrees(place.kind === 'stop' ? stops.lon[place.stop] : areas.lon[place.area])
  return lat >= box.minLat && lat <= box.maxLat && lon >= box.minLon && lon <= box.maxLon
}

function servesLine(view: SnapshotView, place: Place, line: LineIndex): boolean {
  return linesOf(view, place).includes(line)
}
