// The addresses of a thread: searched by words and by location, and used for the town of a stop.
import { findAddress } from '../../indexes/places/address-ids.ts'
import { type AddressIndex, findNearestHouse, type HouseHit } from '../../indexes/places/address-index.ts'
import { type AddressPlace, addressPlace, townOf } from '../../indexes/places/address-places.ts'
import { AddressSearch } from '../../indexes/places/place-search.ts'
import type { EntryIndex } from '../../indexes/places/place-set.ts'
import { findTown, townPlace } from '../../indexes/places/town-places.ts'
import type { HouseIndex, StreetIndex } from '../../loaders/ban/addresses.ts'
import type { Towns } from '../rendering/snapshot-view.ts'
import { type OpenedAddresses, openAddresses } from './address-store.ts'

/** The location of the address snapshot, and its credits. */
export interface AddressesMessage {
  readonly path: string
  readonly attribution: readonly string[]
}

/** Maximum distance from a point to its nearest address. */
export const NEAREST_ADDRESS_METERS = 200
/** A stop is in the town of an address within this distance. */
const TOWN_METERS = 500

/** Addresses, ready for queries. */
export class ServedAddresses {
  readonly search: AddressSearch
  /** Changes with the content. */
  readonly id: string
  readonly attribution: readonly string[]
  /** When the snapshot was made, true time in milliseconds after 1970. */
  readonly madeAtMillis: number
  private readonly index: AddressIndex

  constructor(opened: Omit<OpenedAddresses, 'opened' | 'stamp'>, attribution: readonly string[]) {
    this.index = opened.index
    this.search = new AddressSearch(opened.index)
    this.id = opened.id
    this.attribution = attribution
    this.madeAtMillis = opened.madeAtMillis
  }

  /** An address as text. */
  placeOf(street: StreetIndex, house: HouseIndex | undefined): AddressPlace {
    return addressPlace(this.index.addresses, street, house)
  }

  /** A town as text. */
  townPlace(town: EntryIndex): AddressPlace {
    return townPlace(this.index.towns, town)
  }

  /** The address or the town with an id; undefined if there is none. */
  findById(id: string): AddressPlace | undefined {
    const found = findAddress(this.index.addresses, this.index.ids, id)
    if (found !== undefined) return this.placeOf(found.street, found.house)
    const town = findTown(this.index.towns, id)
    return town === undefined ? undefined : this.townPlace(town)
  }

  /** The nearest address within the maximum distance. */
  findNearest(point: { readonly lat: number; readonly lon: number }, radiusMeters: number): HouseHit | undefined {
    return findNearestHouse(this.index, { ...point, radiusMeters })
  }

  /**
   * The name of a point: its nearest address, or the street if houses have no numbers; undefined if there is none
   * nearby.
   */
  labelNear(point: { readonly lat: number; readonly lon: number }): string | undefined {
    const nearest = this.findNearest(point, NEAREST_ADDRESS_METERS)
    return nearest && this.placeOf(nearest.street, nearest.house).label
  }

  /** The town of the nearest address; empty if none is near. */
  townAt(lat: number, lon: number): string {
    return townNear(this.index, { lat, lon })
  }
}

function townNear(index: AddressIndex, point: { readonly lat: number; readonly lon: number }): string {
  const nearest = findNearestHouse(index, { ...point, radiusMeters: TOWN_METERS })
  return nearest === undefined ? '' : townOf(index.addresses, nearest.street)
}

/** The towns alone, for an import. */
export function townsOf({ id, index }: Pick<OpenedAddresses, 'id' | 'index'>): Towns {
  return { id, townAt: (lat, lon) => townNear(index, { lat, lon }) }
}

/** Opens addresses for a thread. Throws if the given snapshot no longer exists. */
export function serveAddresses(message: AddressesMessage | undefined): ServedAddresses | undefined {
  if (message === undefined) return undefined
  const opened = openAddresses(message.path)
  if (opened === undefined) throw new Error(`the snapshot of addresses is not usable: ${message.path}`)
  return new ServedAddresses(opened, message.attribution)
}
