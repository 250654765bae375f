// GET places by words, stops and addresses in one list; and what is nearest to a point.
import { Elysia } from 'elysia'
import type { AddressPlace } from '../../indexes/places/address-places.ts'
import { parseQuery } from '../../indexes/places/place-query.ts'
import { textOf } from '../../loaders/strings.ts'
import { documented } from '../contract/documented.ts'
import { ROUTES } from '../contract/routes.ts'
import { Problem } from '../http/problem.ts'
import { findPlaces } from '../places/place-hits.ts'
import { NEAREST_ADDRESS_METERS, type ServedAddresses } from '../places/served-addresses.ts'
import { namedNetwork, placeSourcesText, writeEnvelope } from '../rendering/envelope.ts'
import { degrees } from '../rendering/line-geometry.ts'
import { areaId, stopId } from '../rendering/public-ids.ts'
import { type Place, type SnapshotView, snapshotTagOf } from '../rendering/snapshot-view.ts'
import { endpoint, StaticAnswer } from '../requests/endpoint.ts'
import type { Service } from '../requests/service.ts'
import { nearPlaces } from './near-places.ts'

/** The nearest stops are at most so far away. */
const STOP_METERS = 1000
/** Stops near a point. */
const NEAR_STOPS = 5

/** Places by words, and near a point. */
export const placesApi = (service: Service) =>
  new Elysia({ name: 'api.places' })
    .get(
      ROUTES.places.path,
      endpoint(service, ROUTES.places, ({ values, nowMillis }) => {
        const { providers = PROVIDERS } = values
        const views = viewsOf(service, values.networks, providers.includes('stops'))
        if (views instanceof Problem) return views
        const addresses = providers.includes('addresses') ? service.addresses : undefined
        return new StaticAnswer(tagOf(views, addresses), () => {
          const rows = listPlaces({ ...values, views, addresses })
          return {
            body: writeEnvelope(`[${rows.map((row) => JSON.stringify(row)).join(',')}]`, {
              nowMillis,
              units: ROUTES.places.cost,
              freshness: 'scheduled',
              count: rows.length,
              limit: values.limit,
              ...namedNetwork(values.networks),
              attribution: creditsOf(views, addresses),
              sources: placeSourcesText(views, addresses, nowMillis),
              reason: rows.length === 0 ? 'no_matches' : undefined,
            }),
          }
        })
      }),
      documented(ROUTES.places),
    )
    .get(
      ROUTES.placesReverse.path,
      endpoint(service, ROUTES.placesReverse, ({ values, nowMillis }) => {
        const views = viewsOf(service, undefined, true)
        if (views instanceof Problem) return views
        const { addresses } = service
        return new StaticAnswer(tagOf(views, addresses), () => {
          const found = reverse(views, addresses, values.near)
          return {
            body: writeEnvelope(JSON.stringify(found), {
              nowMillis,
              units: ROUTES.placesReverse.cost,
              freshness: 'scheduled',
              attribution: creditsOf(views, addresses),
              sources: placeSourcesText(views, addresses, nowMillis),
              reason: found.address === null && found.stops.length === 0 ? 'no_places_in_range' : undefined,
            }),
          }
        })
      }),
      documented(ROUTES.placesReverse),
    )

const PROVIDERS: readonly string[] = ['stops', 'addresses']

/** The networks that are searched; those that are named must be there, whichever kind of place is asked for. */
function viewsOf(
  { views }: Service,
  networks: readonly string[] | undefined,
  hasStops: boolean,
): readonly SnapshotView[] | Problem {
  if (networks === undefined) return hasStops ? views.listReady() : []
  const selected = views.select(networks)
  return selected instanceof Problem || hasStops ? selected : []
}

function tagOf(views: readonly SnapshotView[], addresses: ServedAddresses | undefined): string {
  return Bun.hash.wyhash(`${snapshotTagOf(views)} ${addresses?.id ?? ''}`).toString(36)
}

function creditsOf(views: readonly SnapshotView[], addresses: ServedAddresses | undefined): string {
  const lines = [...views.flatMap(({ attribution }) => attribution), ...(addresses?.attribution ?? [])]
  return JSON.stringify([...new Set(lines)])
}

interface Asked {
  readonly q: string
  readonly near: { readonly lat: number; readonly lon: number } | undefined
  readonly limit: number
  readonly views: readonly SnapshotView[]
  readonly addresses: ServedAddresses | undefined
}

/** The places of a query, best first; a query that is a point finds what is near it. */
function listPlaces({ q, ...asked }: Asked) {
  const query = parseQuery(q)
  if (query.point !== undefined) return placesNear(query.point, asked)
  return findPlaces({ query, ...asked }).map((found) =>
    found.kind === 'stop' ? stopRow(found.view, found.place, found.score) : addressRow(found.address, found.score),
  )
}

/** The nearest address, then the stops around, by distance. */
function placesNear(point: { lat: number; lon: number }, among: Omit<Asked, 'q' | 'near'>) {
  const { views, addresses, limit } = among
  const nearest = addresses?.findNearest(point, NEAREST_ADDRESS_METERS)
  const scoreAt = (meters: number) => 1 - meters / STOP_METERS / 2
  const rows: { readonly score: number }[] = []
  if (addresses !== undefined && nearest !== undefined) {
    rows.push(addressRow(addresses.placeOf(nearest.street, nearest.house), scoreAt(nearest.distanceMeters)))
  }
  for (const near of nearPlaces(views, { ...point, radiusMeters: STOP_METERS }, undefined).slice(0, limit)) {
    rows.push(stopRow(near.view, near.place, scoreAt(near.distanceMeters)))
  }
  return rows.sort((a, b) => b.score - a.score).slice(0, limit)
}

function reverse(
  views: readonly SnapshotView[],
  addresses: ServedAddresses | undefined,
  point: { readonly lat: number; readonly lon: number },
) {
  const nearest = addresses?.findNearest(point, NEAREST_ADDRESS_METERS)
  const address = nearest === undefined ? undefined : addresses?.placeOf(nearest.street, nearest.house)
  const stops = nearPlaces(views, { ...point, radiusMeters: STOP_METERS }, undefined).slice(0, NEAR_STOPS)
  return {
    address:
      nearest === undefined || address === undefined
        ? null
        : {
            id: `ban:${address.id}`,
            kind: 'address',
            label: address.label,
            lat: address.lat,
            lon: address.lon,
            source: 'ban',
            distance_meters: Math.round(nearest.distanceMeters),
          },
    stops: stops.map(({ view, place, distanceMeters }) => {
      const { id, kind, name, lat, lon } = stopFacts(view, place)
      return { id, kind, name, lat, lon, network: view.slug, distance_meters: Math.round(distanceMeters) }
    }),
  }
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

function stopRow(view: SnapshotView, place: Place, score: number) {
  const { id, kind, name, lat, lon } = stopFacts(view, place)
  const town = view.townAt(lat, lon)
  return {
    id,
    kind,
    name,
    label: town === '' ? name : `${name}, ${town}`,
    lat,
    lon,
    network: view.slug,
    stop_id: id,
    town,
    postcode: null,
    source: 'store',
    score: roundScore(score),
  }
}

function stopFacts(view: SnapshotView, place: Place) {
  const { stops, areas, strings } = view.timetable
  if (place.kind === 'area') {
    const { area } = place
    const [lat, lon] = [degrees(areas.lat[area]), degrees(areas.lon[area])]
    return { id: areaId(view, area), kind: 'area', name: textOf(strings, areas.name[area]), lat, lon }
  }
  const { stop } = place
  const [lat, lon] = [degrees(stops.lat[stop]), degrees(stops.lon[stop])]
  return { id: stopId(view, stop), kind: 'stop', name: textOf(strings, stops.name[stop]), lat, lon }
}

/** Three decimals tell more than the score knows. */
function roundScore(score: number): number {
  return Math.round(score * 1000) / 1000
}
