// GET places. One search is by words and lists stops and addresses together; the other finds the places nearest to a
// point.
import { Elysia } from 'elysia'
import type { AddressPlace } from '../../indexes/places/address-places.ts'
import { type PlaceQuery, parseQuery } from '../../indexes/places/place-query.ts'
import type { NamedStreet } from '../../indexes/streets/street-snap.ts'
import { documented } from '../contract/documented.ts'
import { ROUTES } from '../contract/routes.ts'
import { Problem } from '../http/problem.ts'
import { alikeLabels } from '../places/alike-labels.ts'
import { type FoundPlace, findPlaces, findPlacesInSlices, LEAST_FILTERED } from '../places/place-hits.ts'
import { NEAREST_ADDRESS_METERS, type ServedAddresses } from '../places/served-addresses.ts'
import { ENVELOPE_START, namedNetwork, placeSourcesText, pushMeta } from '../rendering/envelope.ts'
import { COMMA, fragment, JsonBytes, LIST_END } from '../rendering/json-bytes.ts'
import { type SnapshotView, snapshotTagOf } from '../rendering/snapshot-view.ts'
import { endpoint, type Rendered, StaticAnswer } from '../requests/endpoint.ts'
import type { Service } from '../requests/service.ts'
import { hasStreets, nearestStreet } from '../streets/named-streets.ts'
import { NearPlaces } from './near-places.ts'

/** Maximum distance of the nearest stops, in meters. */
const STOP_METERS = 1000
/** Maximum distance of the nearest street, in meters. */
const STREET_METERS = 200
/** Maximum number of stops to list near a point. */
const NEAR_STOPS = 5

const LIST_START = fragment(`${ENVELOPE_START}[`)
const REVERSE_START = fragment(`${ENVELOPE_START}{"address":`)
const STOPS_START = fragment(',"stops":[')
const STREET_START = fragment('],"street":')
const REVERSE_END = fragment(']}')
const STREET_END = fragment('}')
/** A buffer for the response that is being written. */
const answer = new JsonBytes()

/** The place routes: by words, and near a point. */
export const placesApi = (service: Service) =>
  new Elysia({ name: 'api.places' })
    .get(ROUTES.places.path, byWords(service), documented(ROUTES.places))
    .get(ROUTES.placesReverse.path, reverse(service), documented(ROUTES.placesReverse))

const byWords = (service: Service) =>
  endpoint(service, ROUTES.places, ({ values, nowMillis }) => {
    const { providers = PROVIDERS } = values
    const query = parseQuery(values.q)
    const hasStops = providers.includes('stops')
    const selected = selectFor(service, { networks: values.networks, hasStops, point: query.point })
    if (selected instanceof Problem) return selected
    const { views, isAll, around } = selected
    const addresses = providers.includes('addresses') ? service.addresses : undefined
    const search = { ...values, query, views, isAll, addresses, around, counts: service.counts }
    const found = { views, addresses, values, nowMillis }
    return new StaticAnswer(tagOf(selected.tag, addresses), () => {
      const rows = listPlaces(search)
      return rows instanceof Promise
        ? rows.then((later) => writeFound(service, { ...found, rows: later }))
        : writeFound(service, { ...found, rows })
    })
  })

/** The places that were found, and the request that they answer. */
interface FoundRows {
  readonly rows: readonly FoundPlace[]
  readonly views: readonly SnapshotView[]
  readonly addresses: ServedAddresses | undefined
  readonly values: { readonly networks?: readonly string[] | undefined; readonly limit: number }
  readonly nowMillis: number
}

function writeFound(service: Service, { rows, views, addresses, values, nowMillis }: FoundRows): Rendered {
  const additions = alikeLabels(rows)
  const out = answer.clear()
  out.push(LIST_START)
  for (let at = 0; at < rows.length; at++) {
    if (at > 0) out.pushByte(COMMA)
    writeRow(out, rows[at], additions.get(rows[at]))
  }
  const shown = new Set(rows.flatMap((row) => (row.kind === 'stop' ? [row.view] : [])))
  const credited = service.views.credited(values.networks, views, shown)
  out.pushByte(LIST_END)
  pushMeta(out, {
    nowMillis,
    units: ROUTES.places.cost,
    freshness: 'scheduled',
    count: rows.length,
    limit: values.limit,
    ...namedNetwork(values.networks),
    attribution: creditsOf(credited, addresses),
    sources: placeSourcesText(credited, addresses, nowMillis),
    reason: rows.length === 0 ? 'no_matches' : undefined,
  })
  return { body: out.view() }
}

const reverse = (service: Service) =>
  endpoint(service, ROUTES.placesReverse, ({ values, nowMillis }) => {
    const views = service.views.selectAround(undefined, around(values.near))
    if (views instanceof Problem && views.reason !== 'not_ready') return views
    const { addresses } = service
    const nearViews = views instanceof Problem ? [] : views
    return new StaticAnswer(tagOf(snapshotTagOf(nearViews), addresses) + streetsTag(nearViews), () => {
      const out = answer.clear()
      const { isFound, shown, street } = writeReverse(out, { views: nearViews, addresses, near: values.near })
      const credited = service.views.credited(undefined, nearViews, shown)
      pushMeta(out, {
        nowMillis,
        units: ROUTES.placesReverse.cost,
        freshness: 'scheduled',
        attribution: street === undefined ? creditsOf(credited, addresses) : writeCredits(credited, addresses, true),
        sources: placeSourcesText(credited, addresses, nowMillis),
        reason: isFound ? undefined : 'no_places_in_range',
      })
      return { body: out.view() }
    })
  })

const PROVIDERS: readonly string[] = ['stops', 'addresses']

/** The networks to search. */
interface SelectedViews {
  readonly views: readonly SnapshotView[]
  /** Whether `views` contains all networks that are ready. */
  readonly isAll: boolean
  readonly tag: string
  /** The networks near which addresses are searched; undefined to search everywhere. */
  readonly around: readonly SnapshotView[] | undefined
}

/**
 * Selects the networks to search. Networks that the request names must be ready, even if it asks only for addresses.
 */
function selectFor(
  { views }: Service,
  of: {
    readonly networks: readonly string[] | undefined
    readonly hasStops: boolean
    readonly point: PlaceQuery['point']
  },
): SelectedViews | Problem {
  const { networks, hasStops, point } = of
  if (networks === undefined) {
    const { list, tag, extents } = views.ready()
    if (!hasStops) return NO_VIEWS
    if (point === undefined) return { views: list, isAll: true, tag, around: undefined }
    const near = extents.around(around(point)).flatMap((at) => list[at] ?? [])
    return { views: near, isAll: false, tag: snapshotTagOf(near), around: undefined }
  }
  const selected = views.select(networks)
  if (selected instanceof Problem) return selected
  return { views: hasStops ? selected : [], isAll: false, tag: snapshotTagOf(selected), around: selected }
}

const NO_VIEWS: SelectedViews = { views: [], isAll: false, tag: snapshotTagOf([]), around: undefined }

/** The last computed tag, and the string that it was computed from. The next response usually has the same tag. */
let lastTag = { source: '', tag: '' }

function tagOf(viewsTag: string, addresses: ServedAddresses | undefined): string {
  const source = `${viewsTag} ${addresses?.id ?? ''}`
  if (source !== lastTag.source) lastTag = { source, tag: Bun.hash.wyhash(source).toString(36) }
  return lastTag.tag
}

/**
 * A network's view → the rendered credits of this network and of the addresses. An entry is valid while the addresses
 * stay the same.
 */
const knownCredits = new WeakMap<
  SnapshotView,
  { readonly addresses: ServedAddresses | undefined; readonly text: string }
>()

function creditsOf(views: readonly SnapshotView[], addresses: ServedAddresses | undefined): string {
  const [only] = views
  if (only === undefined || views.length > 1) return writeCredits(views, addresses)
  let credits = knownCredits.get(only)
  if (credits === undefined || credits.addresses !== addresses) {
    credits = { addresses, text: writeCredits(views, addresses) }
    knownCredits.set(only, credits)
  }
  return credits.text
}

function writeCredits(
  views: readonly SnapshotView[],
  addresses: ServedAddresses | undefined,
  namesStreet = false,
): string {
  const ofStreets = namesStreet ? views.flatMap(({ network }) => network.streets?.attribution ?? []) : []
  const lines = [...views.flatMap(({ attribution }) => attribution), ...(addresses?.attribution ?? []), ...ofStreets]
  return JSON.stringify([...new Set(lines)])
}

interface PlaceSearch {
  readonly query: PlaceQuery
  readonly near: { readonly lat: number; readonly lon: number } | undefined
  readonly limit: number
  readonly views: readonly SnapshotView[]
  readonly isAll: boolean
  readonly addresses: ServedAddresses | undefined
  readonly around: readonly SnapshotView[] | undefined
  readonly counts: Service['counts']
}

/** The places that match a query, best first. If the query is a pair of coordinates, the places near that point. */
function listPlaces({ query, ...search }: PlaceSearch): readonly FoundPlace[] | Promise<readonly FoundPlace[]> {
  if (query.point !== undefined) return placesNear(query.point, search)
  const order = { query, ...search, isFarLast: true }
  // A search of few networks is short, so it does not have to run in slices.
  return search.views.length < LEAST_FILTERED ? findPlaces(order) : findPlacesInSlices(order)
}

/** The address nearest to a point and the stops around the point, all sorted by distance. */
function placesNear(
  point: { lat: number; lon: number },
  among: Pick<PlaceSearch, 'views' | 'addresses' | 'limit'>,
): readonly FoundPlace[] {
  const { views, addresses, limit } = among
  const nearest = addresses?.findNearest(point, NEAREST_ADDRESS_METERS)
  const scoreAt = (meters: number) => 1 - meters / STOP_METERS / 2
  const rows: FoundPlace[] = []
  if (addresses !== undefined && nearest !== undefined) {
    const address = addresses.placeOf(nearest.street, nearest.house)
    rows.push({ kind: 'address', address, score: scoreAt(nearest.distanceMeters) })
  }
  for (const { view, place, distanceMeters } of new NearPlaces(views, around(point)).take(limit)) {
    rows.push({ kind: 'stop', view, place, score: scoreAt(distanceMeters) })
  }
  return rows.sort((a, b) => roundScore(b.score) - roundScore(a.score)).slice(0, limit)
}

function around(point: { readonly lat: number; readonly lon: number }) {
  return { ...point, radiusMeters: STOP_METERS }
}

/** A tag that changes when a network's street map changes. */
function streetsTag(views: readonly SnapshotView[]): string {
  return views.map(({ network }) => (network.streets === undefined ? '' : `.${network.streets.id}`)).join('')
}

/**
 * Writes the envelope up to the end of `data`. Returns whether anything was found, the networks whose stops are shown,
 * and the nearest street.
 */
function writeReverse(
  out: JsonBytes,
  {
    views,
    addresses,
    near,
  }: Pick<PlaceSearch, 'views' | 'addresses'> & { readonly near: { readonly lat: number; readonly lon: number } },
): { readonly isFound: boolean; readonly shown: ReadonlySet<SnapshotView>; readonly street: NamedStreet | undefined } {
  const nearest = addresses?.findNearest(near, NEAREST_ADDRESS_METERS)
  const address = nearest === undefined ? undefined : addresses?.placeOf(nearest.street, nearest.house)
  out.push(REVERSE_START)
  out.pushText(
    nearest === undefined || address === undefined
      ? 'null'
      : JSON.stringify({
          id: `ban:${address.id}`,
          kind: 'address',
          label: address.label,
          lat: address.lat,
          lon: address.lon,
          source: 'ban',
          distance_meters: Math.round(nearest.distanceMeters),
        }),
  )
  out.push(STOPS_START)
  const places = new NearPlaces(views, around(near)).take(NEAR_STOPS)
  for (const [at, { view, place, distanceMeters }] of places.entries()) {
    if (at > 0) out.pushByte(COMMA)
    view.places.writeNear(out, place, distanceMeters)
  }
  const isFound = address !== undefined || places.length > 0
  const shown = new Set(places.map(({ view }) => view))
  if (!hasStreets(views)) {
    out.push(REVERSE_END)
    return { isFound, shown, street: undefined }
  }
  const street = address === undefined ? nearestStreet(views, { ...near, radiusMeters: STREET_METERS }) : undefined
  out.push(STREET_START)
  const { name, meters } = street ?? { name: '', meters: 0 }
  out.pushText(street === undefined ? 'null' : JSON.stringify({ name, distance_meters: Math.round(meters) }))
  out.push(STREET_END)
  return { isFound: isFound || street !== undefined, shown, street }
}

/** @param addition text to add to the label; set if the row would otherwise look like another row */
function writeRow(out: JsonBytes, found: FoundPlace, addition: string | undefined): void {
  const score = roundScore(found.score)
  if (found.kind === 'address') out.pushText(JSON.stringify(addressRow(found.address, found.score)))
  else if (addition === undefined) found.view.places.writeFound(out, found.place, score)
  else found.view.places.writeFoundAs(out, found.place, { score, addition })
}

function addressRow(address: AddressPlace, score: number) {
  const { id, name, label, lat, lon, town, postcode } = address
  return {
    id: `ban:${id}`,
    kind: 'address',
    name,
    label,
    lat,
    lon,
    network: null,
    stop_id: null,
    town,
    postcode: postcode === '' ? null : postcode,
    source: 'ban',
    score: roundScore(score),
  }
}

/** Rounds a score to three decimals; further decimals would suggest an accuracy that scores do not have. */
function roundScore(score: number): number {
  return Math.round(score * 1000) / 1000
}
