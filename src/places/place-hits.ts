// Places by words for the rest of the service: stops and areas with their views, addresses as text.
import type { AddressPlace } from '../../indexes/places/address-places.ts'
import type { PlaceQuery } from '../../indexes/places/place-query.ts'
import { StopSearch, searchPlaces } from '../../indexes/places/place-search.ts'
import { buildStopPlaces } from '../../indexes/places/stop-places.ts'
import { type Place, placeAt, type SnapshotView } from '../rendering/snapshot-view.ts'
import type { ServedAddresses } from './served-addresses.ts'

/** A place found; the score is from 0 to 1. */
export type FoundPlace =
  | { readonly kind: 'stop'; readonly view: SnapshotView; readonly place: Place; readonly score: number }
  | { readonly kind: 'address'; readonly address: AddressPlace; readonly score: number }

/** The input of a search. */
export interface PlaceSearch {
  readonly query: PlaceQuery
  readonly near: { readonly lat: number; readonly lon: number } | undefined
  readonly limit: number
  readonly views: readonly SnapshotView[]
  readonly addresses: ServedAddresses | undefined
}

/** The places for a query of words, best first. */
export function findPlaces({ query, near, limit, views, addresses }: PlaceSearch): FoundPlace[] {
  const stops = views.map((view, network) => ({ search: stopSearchOf(view), networks: [network] }))
  return searchPlaces({ query, near, limit }, { stops, addresses: addresses?.search }).map((hit): FoundPlace => {
    const { score } = hit
    if (hit.kind === 'stop') {
      const view = views[hit.network]
      if (view === undefined) throw new Error('a hit is of a network that was asked')
      return { kind: 'stop', view, place: placeAt(view.timetable, hit.number), score }
    }
    if (addresses === undefined) throw new Error('without addresses no address is found')
    const address = hit.kind === 'town' ? addresses.townPlace(hit.town) : addresses.placeOf(hit.street, hit.house)
    return { kind: 'address', address, score }
  })
}

const searches = new WeakMap<SnapshotView, StopSearch>()

/** The search of a network's stops; created at first use, dropped with its snapshot. */
function stopSearchOf(view: SnapshotView): StopSearch {
  return searches.getOrInsertComputed(view, () => {
    const { name, city } = view.settings
    return new StopSearch(
      buildStopPlaces([{ timetable: view.timetable, networkWords: `${name} ${city}`, townAt: view.townAt }]),
    )
  })
}
