// Where a journey starts and ends: what the texts of `from` and `to` mean, and in which network both lie.

import { parseQuery } from '../../indexes/places/place-query.ts'
import type { StopIndex, Timetable } from '../../indexes/timetable/timetable.ts'
import { parsePoint } from '../contract/parameter-parser.ts'
import { Problem, refusedParameter } from '../http/problem.ts'
import { findPlaces } from '../places/place-hits.ts'
import type { ServedAddresses } from '../places/served-addresses.ts'
import { endAt, type JourneyEnd } from '../rendering/journey.ts'
import { parsePublicId, resolvePlace } from '../rendering/public-ids.ts'
import type { SnapshotView, SnapshotViews } from '../rendering/snapshot-view.ts'

/** Both ends, in the network they have in common. */
export interface JourneyEnds {
  readonly view: SnapshotView
  readonly from: JourneyEnd
  readonly to: JourneyEnd
  /** Whether both lie within the network, its surroundings included. */
  readonly isInside: boolean
}

/** What is asked for. */
export interface EndsQuestion {
  readonly from: string
  readonly to: string
  /** A slug. */
  readonly network: string | undefined
  /** How far one may walk: how far from its stops a network still is of use. */
  readonly maxWalkMeters: number
}

/** Degrees. */
interface Bounds {
  readonly minLat: number
  readonly maxLat: number
  readonly minLon: number
  readonly maxLon: number
}

/** Where ends are looked for. */
export interface EndsGround {
  readonly views: SnapshotViews
  readonly addresses?: ServedAddresses | undefined
}

/** The ends of a journey, or why there are none. */
export function resolveEnds(ground: EndsGround, question: EndsQuestion): JourneyEnds | Problem {
  const { network } = question
  const { views } = ground
  const named = network === undefined ? undefined : views.find(network)
  if (named instanceof Problem) {
    if (named.reason !== 'not_found') return named
    return refusedParameter('network', `network is ${JSON.stringify(network)}, which is no network.`, 'not_found')
  }
  const candidates = named === undefined ? views.select(undefined) : [named]
  if (candidates instanceof Problem) return candidates
  const from = findEnd(ground, 'from', question, candidates)
  if (from instanceof Problem) return from
  const to = findEnd(ground, 'to', question, candidates)
  if (to instanceof Problem) return to
  const common = candidates
    .filter((view) => from.has(view) && to.has(view))
    .sort((a, b) => sizeOf(boundsOf(a.timetable)) - sizeOf(boundsOf(b.timetable)))
  const view = common[0]
  const [start, end] = view === undefined ? [] : [from.get(view), to.get(view)]
  if (view === undefined || start === undefined || end === undefined) {
    return refusedParameter('to', 'from and to have no common network.', 'invalid_location')
  }
  return { view, from: start.end, to: end.end, isInside: start.isInside && end.isInside }
}

/** A text that can only be meant as coordinates. */
const TWO_NUMBERS = /^\s*[+-]?[\d.]+\s*,\s*[+-]?[\d.]+\s*$/

/** How ids of addresses begin: no network has this name. */
const ADDRESS_ID = 'ban:'

/** What an end is in each network that has it. */
type Found = ReadonlyMap<SnapshotView, { readonly end: JourneyEnd; readonly isInside: boolean }>

function findEnd(
  { views, addresses }: EndsGround,
  param: 'from' | 'to',
  question: EndsQuestion,
  candidates: readonly SnapshotView[],
): Found | Problem {
  const text = question[param]
  const point = parsePoint(text)
  if (point !== undefined) return findAround(param, point, question, candidates)
  if (TWO_NUMBERS.test(text)) return unknown(param, `is ${JSON.stringify(text)}, which is no place on earth as lat,lon`)
  const id = parsePublicId(text)
  if (id?.kind === 'stop' || id?.kind === 'area') {
    const found = resolvePlace(views, text)
    if (found instanceof Problem) {
      return found.reason === 'not_ready' ? found : unknown(param, `is ${JSON.stringify(text)}, which no network has`)
    }
    return new Map([[found.view, { end: endAt(found.view.timetable, found.place), isInside: true }]])
  }
  if (text.startsWith(ADDRESS_ID)) {
    const address = addresses?.findById(text.slice(ADDRESS_ID.length))
    if (address === undefined) return unknown(param, `is ${JSON.stringify(text)}, which is no known address`)
    return findAround(param, address, question, candidates)
  }
  return findByText({ param, text, near: placeOfOther(question, param), question }, addresses, candidates)
}

/** Where the other end is, if it is written as a place: among places named alike the one near it is meant. */
function placeOfOther(question: EndsQuestion, param: 'from' | 'to') {
  return parsePoint(question[param === 'from' ? 'to' : 'from'])
}

/** A hit that has less of the words than this is not what was meant. */
const LEAST_SCORE = 0.3
/** Hits of one name may be of several networks. */
const HITS = 8

/** The place that is meant by some words: the best hit, and those of other networks that are as good. */
function findByText(
  asked: {
    readonly param: 'from' | 'to'
    readonly text: string
    readonly near: { readonly lat: number; readonly lon: number } | undefined
    readonly question: EndsQuestion
  },
  addresses: ServedAddresses | undefined,
  candidates: readonly SnapshotView[],
): Found | Problem {
  const { param, text, near, question } = asked
  const query = parseQuery(text)
  if (query.point !== undefined) return findAround(param, query.point, question, candidates)
  const hits = findPlaces({ query, near, limit: HITS, views: candidates, addresses })
  const [best] = hits
  if (best === undefined || best.score < LEAST_SCORE) {
    return unknown(param, `is ${JSON.stringify(text)}, under which no place is known`)
  }
  if (best.kind === 'address') return findAround(param, best.address, question, candidates)
  const found = new Map<SnapshotView, { end: JourneyEnd; isInside: boolean }>()
  for (const hit of hits) {
    if (hit.kind !== 'stop' || hit.score < best.score || found.has(hit.view)) continue
    found.set(hit.view, { end: endAt(hit.view.timetable, hit.place), isInside: true })
  }
  return found
}

/** A place on the ground is of every network that reaches it; a network that was asked for is told of it in any case. */
function findAround(
  param: 'from' | 'to',
  point: { readonly lat: number; readonly lon: number; readonly label?: string },
  { network, maxWalkMeters }: EndsQuestion,
  candidates: readonly SnapshotView[],
): Found | Problem {
  const { lat, lon, label } = point
  const end: JourneyEnd = { lat, lon, place: undefined, label }
  const found = new Map<SnapshotView, { end: JourneyEnd; isInside: boolean }>()
  for (const view of candidates) {
    const isInside = isWithin(boundsOf(view.timetable), point, maxWalkMeters)
    if (isInside || network !== undefined) found.set(view, { end, isInside })
  }
  return found.size > 0 ? found : unknown(param, `lies outside every network`)
}

function unknown(param: string, what: string): Problem {
  return refusedParameter(param, `${param} ${what}.`, 'invalid_location')
}

const bounds = new WeakMap<Timetable, Bounds>()

/** The box of a network's stops. */
function boundsOf(timetable: Timetable): Bounds {
  return bounds.getOrInsertComputed(timetable, () => {
    const { stops } = timetable
    let [minLat, maxLat, minLon, maxLon] = [Infinity, -Infinity, Infinity, -Infinity]
    for (let stop = 0 as StopIndex; stop < stops.id.length; stop++) {
      minLat = Math.min(minLat, stops.lat[stop])
      maxLat = Math.max(maxLat, stops.lat[stop])
      minLon = Math.min(minLon, stops.lon[stop])
      maxLon = Math.max(maxLon, stops.lon[stop])
    }
    return { minLat, maxLat, minLon, maxLon }
  })
}

const METERS_PER_DEGREE = 111_195

function isWithin(box: Bounds, { lat, lon }: { lat: number; lon: number }, marginMeters: number): boolean {
  const margin = marginMeters / METERS_PER_DEGREE
  const marginLon = margin / Math.max(0.01, Math.cos((lat * Math.PI) / 180))
  return (
    lat >= box.minLat - margin &&
    lat <= box.maxLat + margin &&
    lon >= box.minLon - marginLon &&
    lon <= box.maxLon + marginLon
  )
}

/** Square degrees: smaller is nearer to what is meant. */
function sizeOf({ minLat, maxLat, minLon, maxLon }: Bounds): number {
  return (maxLat - minLat) * (maxLon - minLon)
}
