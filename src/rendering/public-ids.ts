// Public ids, `<network>:<kind>:<local id>`, and how they are resolved. The local id is the unchanged id from the feed,
// so it may contain any character, including colons.
import { findArea } from '../../indexes/timetable/areas.ts'
import { findLine } from '../../indexes/timetable/lines.ts'
import { findStop } from '../../indexes/timetable/stops.ts'
import type { AreaIndex, LineIndex, StopIndex } from '../../indexes/timetable/timetable.ts'
import { textOf } from '../../loaders/strings.ts'
import { Problem, refusedParameter } from '../http/problem.ts'
import {
  isCurrent,
  keepFound,
  type LineInView,
  type Place,
  type PlaceInView,
  type SnapshotRows,
  type SnapshotView,
  type SnapshotViews,
  stopsOf,
} from './snapshot-view.ts'

/** The parts of a public id. */
export interface PublicId {
  readonly network: string
  readonly kind: string
  readonly local: string
}

/** Splits an id into its parts; undefined if the id has fewer than two colons or an empty part. */
export function parsePublicId(id: string): PublicId | undefined {
  const first = id.indexOf(':')
  const second = id.indexOf(':', first + 1)
  if (first <= 0 || second <= first + 1 || second + 1 >= id.length) return undefined
  return { network: id.slice(0, first), kind: id.slice(first + 1, second), local: id.slice(second + 1) }
}

/** The public id of a line: `<network>:line:<local id>`. */
export function lineId(view: SnapshotRows, line: LineIndex): string {
  const { lines, strings } = view.timetable
  return `${view.slug}:line:${textOf(strings, lines.id[line])}`
}

/** The public id of a stop: `<network>:stop:<local id>`. */
export function stopId(view: SnapshotRows, stop: StopIndex): string {
  const { stops, strings } = view.timetable
  return `${view.slug}:stop:${textOf(strings, stops.id[stop])}`
}

/** The public id of an area: `<network>:area:<local id>`. */
export function areaId(view: SnapshotRows, area: AreaIndex): string {
  const { areas, strings } = view.timetable
  return `${view.slug}:area:${textOf(strings, areas.id[area])}`
}

/** The line with this id, or the error if there is none. */
export function resolveLine(views: SnapshotViews, id: string): LineInView | Problem {
  const known = views.lines.get(id)
  if (known !== undefined && isCurrent(known.view)) return known
  const found = findLineInView(views, id)
  return found instanceof Problem ? found : keepFound(views.lines, id, found)
}

function findLineInView(views: SnapshotViews, id: string): LineInView | Problem {
  const parsed = parsePublicId(id)
  if (parsed?.kind !== 'line') return unknown('line', id)
  const view = views.find(parsed.network)
  if (view instanceof Problem) return view
  const line = findLine(view.timetable, parsed.local)
  return line === undefined ? unknown('line', id) : { view, line }
}

/** The stop or area with this id, or the error if there is none. */
export function resolvePlace(views: SnapshotViews, id: string): PlaceInView | Problem {
  const known = views.places.get(id)
  if (known !== undefined && isCurrent(known.view)) return known
  const found = findPlaceInView(views, id)
  return found instanceof Problem ? found : keepFound(views.places, id, found)
}

function findPlaceInView(views: SnapshotViews, id: string): PlaceInView | Problem {
  const parsed = parsePublicId(id)
  if (parsed?.kind !== 'stop' && parsed?.kind !== 'area') return unknown('stop', id)
  const view = views.find(parsed.network)
  if (view instanceof Problem) return view
  const place = findPlace(view, parsed.kind, parsed.local)
  return place === undefined ? unknown('stop', id) : { view, place, stops: stopsOf(view, place) }
}

function findPlace(view: SnapshotView, kind: 'stop' | 'area', local: string): Place | undefined {
  if (kind === 'stop') {
    const stop = findStop(view.timetable, local)
    return stop === undefined ? undefined : { kind, stop }
  }
  const area = findArea(view.timetable, local)
  return area === undefined ? undefined : { kind, area }
}

function unknown(what: 'line' | 'stop', id: string): Problem {
  return new Problem('not_found', `No ${what} has the id ${echoedId(id)}. Find ids with ${LISTS[what]}.`)
}

/** An unknown id for an error message: quoted, and shortened if it is long. */
export function echoedId(id: string): string {
  return JSON.stringify(id.length > ECHO_LENGTH ? `${id.slice(0, ECHO_LENGTH)}…` : id)
}

/** Kind → the route that lists its ids. */
const LISTS = { line: '/v1/networks/{network}/lines', stop: '/v1/networks/{network}/stops' } as const
/** Maximum number of characters of an unknown id that an error message quotes. */
const ECHO_LENGTH = 120

/**
 * The lines in one network that match a `line` parameter: all lines, one line, or none if the line is in another
 * network.
 */
export type LineFilter = LineIndex | 'all' | 'nothing'

/** Resolves the `line` parameter to a filter for one network. Returns an error if no network has the line. */
export function resolveLineFilter(
  views: SnapshotViews,
  view: SnapshotView,
  id: string | undefined,
): LineFilter | Problem {
  if (id === undefined) return 'all'
  const found = resolveLine(views, id)
  if (!(found instanceof Problem)) return found.view === view ? found.line : 'nothing'
  // The id names a network that is not ready. The network of `view` is ready, so the line is not in it.
  if (found.reason === 'not_ready') return 'nothing'
  return refusedParameter(
    'line',
    `The parameter "line" is ${JSON.stringify(id)}, which is not a known line; expected an id from ${LISTS.line}.`,
  )
}
