// Resolves the ends of a journey, which are its origin and its destination: finds the places that `from` and `to` name,
// and the network that covers both places.

import { type PlaceQuery, parseQuery } from '../../indexes/places/place-query.ts'
import { boxOfTree, type GeoBox } from '../../indexes/spatial/point-tree.ts'
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import { textOf } from '../../loaders/strings.ts'
import { parsePoint } from '../contract/parameter-parser.ts'
import { Problem, refusedParameter } from '../http/problem.ts'
import { type FoundPlace, findPlaces, mostScoreOf, type PlaceSearch } from '../places/place-hits.ts'
import type { ServedAddresses } from '../places/served-addresses.ts'
import { endAt, type JourneyEnd } from '../rendering/journey.ts'
import { parsePublicId, resolvePlace } from '../rendering/public-ids.ts'
import type { SnapshotView, SnapshotViews } from '../rendering/snapshot-view.ts'

/** Both ends of a journey, in the network that covers them. */
export interface JourneyEnds {
  readonly view: SnapshotView
  readonly from: JourneyEnd
  readonly to: JourneyEnd
  /** Whether both ends are inside the box around the network's stops, or outside it by at most the longest walk. */
  readonly isInside: boolean
}

/** The request's parameters about the ends. */
export interface EndsQuestion {
  readonly from: string
  readonly to: string
  /** A network slug. */
  readonly network: string | undefined
  /** The longest walk allowed. A network can be used up to this distance from its stops. */
  readonly maxWalkMeters: number
}

/** The data in which the origin and the destination of a journey are looked up. */
export interface EndsGround {
  readonly views: SnapshotViews
  readonly addresses?: ServedAddresses | undefined
  readonly counts?: PlaceSearch['counts']
}

/** The ends of a journey, or the reason why there are none. */
export function resolveEnds(ground: EndsGround, question: EndsQuestion): JourneyEnds | Problem {
  const { network } = question
  const { views } = ground
  const named = network === undefined ? undefined : views.find(network)
  if (named instanceof Problem) {
    if (named.reason !== 'not_found') return named
    return refusedParameter(
      'network',
      `The parameter "network" is ${JSON.stringify(network)}, which is not a known network; expected an id from /v1/networks.`,
      'not_found',
    )
  }
  const candidates = named === undefined ? views.select(undefined) : [named]
  if (candidates instanceof Problem) return candidates
  const from = readEnd(ground, 'from', question, candidates)
  if (from instanceof Problem) return from
  const to = readEnd(ground, 'to', question, candidates)
  if (to instanceof Problem) return to
  return joinEnds(ground, question, { from, to, candidates })
}

/** For each network, the place that was found for an end. */
type Found = ReadonlyMap<SnapshotView, FoundEnd>

interface FoundEnd {
  readonly end: JourneyEnd
  readonly isInside: boolean
  /** How well the place matches the query, from 0 to 1. */
  readonly score: number
}

/**
 * An end as the request gives it: an id or coordinates, already resolved to a place, or words that may match several
 * places.
 */
type EndText = { readonly found: Found } | { readonly words: PlaceQuery }

interface BothTexts {
  readonly from: EndText
  readonly to: EndText
  readonly candidates: readonly SnapshotView[]
}

/** Resolves both ends in the network where they match best; on a tie, in the network with the smallest box. */
function joinEnds(ground: EndsGround, question: EndsQuestion, texts: BothTexts): JourneyEnds | Problem {
  const [from, to] = findBoth(ground, question, texts)
  const scoreIn = (view: SnapshotView) => (from.get(view)?.score ?? 0) + (to.get(view)?.score ?? 0)
  const [view] = texts.candidates
    .filter((each) => from.has(each) && to.has(each))
    .sort((a, b) => scoreIn(b) - scoreIn(a) || sizeOf(boundsOf(a.timetable)) - sizeOf(boundsOf(b.timetable)))
  const [start, end] = view === undefined ? [] : [from.get(view), to.get(view)]
  if (view === undefined || start === undefined || end === undefined) return noCommonNetwork(ground, question, texts)
  // If both ends are given as words, the destination is the best match near the origin.
  const near =
    'words' in texts.from && 'words' in texts.to ? findWords(ground, question, texts.to.words, [view], start.end) : to
  const nearest = near.get(view) ?? end
  return { view, from: start.end, to: nearest.end, isInside: start.isInside && nearest.isInside }
}

/**
 * Resolves both ends. If only one end is given as words, it is looked up only in the networks that have the other end.
 */
function findBoth(ground: EndsGround, question: EndsQuestion, { from, to, candidates }: BothTexts): [Found, Found] {
  if ('words' in from && 'words' in to)
    return findBothWords(ground, question, { from: from.words, to: to.words, candidates })
  const find = (text: EndText, other: EndText): Found => {
    if ('found' in text) return text.found
    if ('words' in other) return findWords(ground, question, text.words, candidates)
    const [known] = other.found.values()
    return findWords(ground, question, text.words, [...other.found.keys()], known?.end)
  }
  return [find(from, to), find(to, from)]
}

/**
 * Resolves two ends that are both given as words. For each network, computes an upper bound on how well both ends can
 * match. Then searches the networks in descending order of this bound, until no remaining network can match better. If
 * no network has both ends, all networks are searched.
 */
function findBothWords(
  ground: EndsGround,
  question: EndsQuestion,
  of: { readonly from: PlaceQuery; readonly to: PlaceQuery; readonly candidates: readonly SnapshotView[] },
): [Found, Found] {
  const wordsEnd = (query: PlaceQuery) => ({
    address: meantAddress(ground, query),
    query,
    found: new Map<SnapshotView, FoundEnd>(),
    mostIn: mostScoreOf(query),
  })
  const from = wordsEnd(of.from)
  const to = wordsEnd(of.to)
  const ends = [from, to]
  const ranked = of.candidates
    .map((view) => ({
      view,
      most: ends.reduce((sum, { mostIn, address }) => sum + Math.max(mostIn(view), address?.score ?? 0), 0),
    }))
    .sort((a, b) => b.most - a.most)
  let best = 0
  for (const { view, most } of ranked) {
    if (most < best) break
    let sum = 0
    for (const { query, address, found } of ends) {
      const end = meantIn(ground, question, { view, query, address })
      if (end === undefined) sum = Number.NEGATIVE_INFINITY
      else {
        found.set(view, end)
        sum += end.score
      }
    }
    best = Math.max(best, sum)
  }
  return [from.found, to.found]
}

/** The error if no network has both ends. It names the text that matches no place or, if both match, the two places. */
function noCommonNetwork(ground: EndsGround, question: EndsQuestion, { from, to, candidates }: BothTexts): Problem {
  const taken: string[] = []
  for (const [param, text] of [
    ['from', from],
    ['to', to],
  ] as const) {
    const found = 'found' in text ? text.found : findWords(ground, question, text.words, candidates)
    const best = [...found].reduce<[SnapshotView, FoundEnd] | undefined>(
      (one, other) => (one === undefined || other[1].score > one[1].score ? other : one),
      undefined,
    )
    if (best === undefined)
      return unknown(
        param,
        `is ${JSON.stringify(question[param])}, which matches no known place; try /v1/places, or send an id or lat,lon`,
      )
    taken.push(`"${param}" matches ${describe(...best)}`)
  }
  return refusedParameter(
    'to',
    `The places in "from" and "to" are in different networks: ${taken.join(', ')}. Choose two places in one network.`,
    'invalid_location',
  )
}

function describe({ slug, timetable }: SnapshotView, { end }: FoundEnd): string {
  const { strings, stops, areas } = timetable
  const { place, label, lat, lon } = end
  if (place === undefined) return label ?? `${lat},${lon}`
  const name = place.kind === 'stop' ? stops.name[place.stop] : areas.name[place.area]
  return `${JSON.stringify(textOf(strings, name))} in ${slug}`
}

/** Text that can only be coordinates. */
const TWO_NUMBERS = /^\s*([+-]?[\d.]+)\s*,\s*([+-]?[\d.]+)\s*$/
/** Prefix of address ids: no network has this name. */
const ADDRESS_ID = 'ban:'
/** Kinds of ids that do not identify places. */
const OTHER_KINDS: readonly string[] = ['line', 'vehicle', 'alert', 'trip', 'direction']

function readEnd(
  ground: EndsGround,
  param: 'from' | 'to',
  question: EndsQuestion,
  candidates: readonly SnapshotView[],
): EndText | Problem {
  const { views, addresses } = ground
  const text = question[param]
  const quoted = JSON.stringify(text)
  const around = (point: GroundPoint) => findAround(param, point, question, { ground, candidates })
  const point = parsePoint(text)
  if (point !== undefined) return around(point)
  const numbers = TWO_NUMBERS.exec(text)
  if (numbers !== null) {
    const hint = swapHint({ lat: Number(numbers[1]), lon: Number(numbers[2]) }, question, { ground, candidates })
    return unknown(
      param,
      `is ${quoted}, which is not a valid point; expected lat,lon with latitude from -90 to 90 and longitude from -180 to 180`,
      hint,
    )
  }
  const id = parsePublicId(text)
  if (id?.kind === 'stop' || id?.kind === 'area') {
    const found = resolvePlace(views, text)
    if (found instanceof Problem) {
      return found.reason === 'not_ready'
        ? found
        : unknown(param, `is ${quoted}, which is not a known stop or area; find ids with /v1/places`)
    }
    const end = endAt(found.view.timetable, found.place)
    return { found: new Map([[found.view, { end, isInside: true, score: 1 }]]) }
  }
  if (id !== undefined && OTHER_KINDS.includes(id.kind)) {
    return unknown(
      param,
      `is ${quoted}, an id of the kind "${id.kind}"; expected the id of a stop, an area or an address`,
    )
  }
  if (text.startsWith(ADDRESS_ID)) {
    const address = addresses?.findById(text.slice(ADDRESS_ID.length))
    return address === undefined
      ? unknown(param, `is ${quoted}, which is not a known address; find addresses with /v1/places`)
      : around(address)
  }
  const words = parseQuery(text)
  return words.point === undefined ? { words } : around(words.point)
}

/** A place with a lower score (from 0 to 1) is not the place that the words mean. */
const LEAST_SCORE = 0.3
/** Number of places to search for. Only the best is used, but a search for fewer might not find the best. */
const HITS = 8

/**
 * For each network, finds the place that the words mean: the network's best stop or area, or an address that matches
 * better and is within walking distance of the network.
 */
function findWords(
  ground: EndsGround,
  question: EndsQuestion,
  query: PlaceQuery,
  views: readonly SnapshotView[],
  near?: Spot,
): Found {
  const address = meantAddress(ground, query, near)
  const found = new Map<SnapshotView, FoundEnd>()
  for (const view of views) {
    const end = meantIn(ground, question, { view, query, address, near })
    if (end !== undefined) found.set(view, end)
  }
  return found
}

/** Finds the best place in the given networks or addresses; undefined if no place matches well enough. */
function bestOf(
  { counts }: EndsGround,
  { query, near }: { readonly query: PlaceQuery; readonly near?: Spot | undefined },
  among: Pick<PlaceSearch, 'views' | 'addresses'>,
): FoundPlace | undefined {
  const [best] = findPlaces({ query, near, limit: HITS, hasTowns: false, counts, ...among })
  return best !== undefined && best.score >= LEAST_SCORE ? best : undefined
}

function meantAddress(ground: EndsGround, query: PlaceQuery, near?: Spot): FoundPlace | undefined {
  return bestOf(ground, { query, near }, { views: [], addresses: ground.addresses })
}

function meantIn(
  ground: EndsGround,
  { network, maxWalkMeters }: EndsQuestion,
  of: {
    readonly view: SnapshotView
    readonly query: PlaceQuery
    readonly address: FoundPlace | undefined
    readonly near?: Spot | undefined
  },
): FoundEnd | undefined {
  const { view, address } = of
  const stop = bestOf(ground, of, { views: [view], addresses: undefined })
  const atStop: FoundEnd | undefined =
    stop?.kind === 'stop' ? { end: endAt(view.timetable, stop.place), isInside: true, score: stop.score } : undefined
  if (address?.kind !== 'address' || (stop !== undefined && stop.score >= address.score)) return atStop
  const isInside = isWithin(boundsOf(view.timetable), address.address, maxWalkMeters)
  if (!isInside && network === undefined) return atStop
  const { lat, lon, label, id } = address.address
  return { end: { lat, lon, place: undefined, label, addressId: id }, isInside, score: address.score }
}

/** A position in degrees. */
interface Spot {
  readonly lat: number
  readonly lon: number
}

interface GroundPoint extends Spot {
  readonly label?: string
  readonly id?: string
}

/**
 * Resolves coordinates in every network within walking distance. If the request names a network, resolves them in that
 * network at any distance.
 */
function findAround(param: 'from' | 'to', point: GroundPoint, question: EndsQuestion, among: Among): EndText | Problem {
  const { network, maxWalkMeters } = question
  const { lat, lon, label, id } = point
  const end: JourneyEnd = { lat, lon, place: undefined, label, addressId: id }
  const found = new Map<SnapshotView, FoundEnd>()
  for (const view of listNear(point, question, among)) {
    const isInside = isWithin(boundsOf(view.timetable), point, maxWalkMeters)
    if (isInside || network !== undefined) found.set(view, { end, isInside, score: 1 })
  }
  if (found.size > 0) return { found }
  return unknown(
    param,
    `is ${JSON.stringify(question[param])}, which is outside every network; expected a place in one of the networks listed at /v1/networks`,
    swapHint(point, question, among),
  )
}

/**
 * A hint for the error message if swapping latitude and longitude would move the point into a network; otherwise empty.
 */
function swapHint(point: Spot, question: EndsQuestion, among: Among): string {
  const swapped = { lat: point.lon, lon: point.lat }
  if (Math.abs(swapped.lat) > 90) return ''
  const isRight = listNear(swapped, question, among).some(({ timetable }) =>
    isWithin(boundsOf(timetable), swapped, question.maxWalkMeters),
  )
  return isRight ? ' The values look like lon,lat; swap them.' : ''
}

function unknown(param: string, what: string, hint = ''): Problem {
  return refusedParameter(param, `The parameter "${param}" ${what}.${hint}`, 'invalid_location')
}

/** The networks in which coordinates are searched. */
interface Among {
  readonly ground: EndsGround
  readonly candidates: readonly SnapshotView[]
}

/** Enlarges a radius by a small margin, because two functions compute slightly different boxes around a circle. */
const BOX_ROOM = 1.01

/** The candidates that may be within walking distance of a point. */
function listNear({ lat, lon }: Spot, question: EndsQuestion, { ground, candidates }: Among): readonly SnapshotView[] {
  if (question.network !== undefined) return candidates
  const near = ground.views.selectAround(undefined, { lat, lon, radiusMeters: question.maxWalkMeters * BOX_ROOM })
  return near instanceof Problem ? candidates : near
}

/** The bounding box of a network's stops. */
function boundsOf({ pointTrees }: Timetable): GeoBox {
  return boxOfTree(pointTrees.stops) ?? NOWHERE
}

const NOWHERE: GeoBox = { minLat: Infinity, maxLat: -Infinity, minLon: Infinity, maxLon: -Infinity }

const METERS_PER_DEGREE = 111_195

function isWithin(box: GeoBox, { lat, lon }: { lat: number; lon: number }, marginMeters: number): boolean {
  const margin = marginMeters / METERS_PER_DEGREE
  const marginLon = margin / Math.max(0.01, Math.cos((lat * Math.PI) / 180))
  return (
    lat >= box.minLat - margin &&
    lat <= box.maxLat + margin &&
    lon >= box.minLon - marginLon &&
    lon <= box.maxLon + marginLon
  )
}

/**
 * Size of a box in square degrees. If several networks match equally well, the smallest of them is most likely meant.
 */
function sizeOf({ minLat, maxLat, minLon, maxLon }: GeoBox): number {
  return (maxLat - minLat) * (maxLon - minLon)
}
