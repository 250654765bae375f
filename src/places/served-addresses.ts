// The addresses in the form in which a thread uses them: to find addresses by words or by location, and to find a
// stop's town.
import { findAddress } from '../../indexes/places/address-ids.ts'
import { type AddressIndex, findNearestHouse, type HouseHit } from '../../indexes/places/address-index.ts'
import { type AddressPlace, addressPlace, townOf } from '../../indexes/places/address-places.ts'
import { AddressSearch } from '../../indexes/places/place-search.ts'
import type { EntryIndex } from '../../indexes/places/place-set.ts'
import { findTown, townPlace } from '../../indexes/places/town-places.ts'
import type { HouseIndex, StreetIndex } from '../../loaders/ban/addresses.ts'
import type { Towns } from '../rendering/snapshot-view.ts'
import { type OpenedAddresses, openAddresses } from './address-store.ts'

/** The path of the address snapshot, and the credits for the addresses. */
export interface AddressesMessage {
  readonly path: string
  readonly attribution: readonly string[]
}

/** Maximum distance between a point and the address that is used as its label. */
export const NEAREST_ADDRESS_METERS = 200
/** A stop gets the town of its nearest address if that address is at most this far away. */
const TOWN_METERS = 500

/** Addresses, ready for queries. */
export class ServedAddresses {
  readonly search: AddressSearch
  /** An id that changes whenever the content changes. */
  readonly id: string
  readonly attribution: readonly string[]
  /** When the snapshot was made, in Unix milliseconds of the system clock. */
  readonly madeAtMillis: number
  private readonly index: AddressIndex

  constructor(opened: Omit<OpenedAddresses, 'opened' | 'stamp'>, attribution: readonly string[]) {
    this.index = opened.index
    this.search = new AddressSearch(opened.index)
    this.id = opened.id
    this.attribution = attribution
    this.madeAtMillis = opened.madeAtMillis
  }

  /** The name, label and position of an address. @param house undefined for the whole street */
  placeOf(street: StreetIndex, house: HouseIndex | undefined): AddressPlace {
    return addressPlace(this.index.addresses, street, house)
  }

  /** The name, label and position of a town. */
  townPlace(town: EntryIndex): AddressPlace {
    return townPlace(this.index.towns, town)
  }

  /** Finds the address or town that has this id; undefined if there is none. */
  findById(id: string): AddressPlace | undefined {
    const found = findAddress(this.index.addresses, this.index.ids, id)
    if (found !== undefined) return this.placeOf(found.street, found.house)
    const town = findTown(this.index.towns, id)
    return town === undefined ? undefined : this.townPlace(town)
  }

  /** The nearest address within a distance; undefined if there is none. */
  findNearest(point: { readonly lat: number; readonly lon: number }, radiusMeters: number): HouseHit | undefined {
    return findNearestHouse(this.index, { ...point, radiusMeters })
  }

  /**
   * A label for a point: the nearest address with a house number. Undefined if there is none within
   * NEAREST_ADDRESS_METERS.
   */
  labelNear(point: { readonly lat: number; readonly lon: number }): string | undefined {
    const nearest = this.findNearest(point, NEAREST_ADDRESS_METERS)
    return nearest && this.placeOf(nearest.street, nearest.house).label
  }

  /** The town of the nearest address; empty if there is no address within 500 m. */
  townAt(lat: number, lon: number): string {
    return townNear(this.index, { lat, lon })
  }
}

function townNear(index: AddressIndex, point: { readonly lat: number; readonly lon: number }): string {
  const nearest = findNearestHouse(index, { ...point, radiusMeters: TOWN_METERS })
  return nearest === undefined ? '' : townOf(index.addresses, nearest.street)
}

/** What an import needs from the addresses: their id, and the lookup of a point's town. */
export function townsOf({ id, index }: Pick<OpenedAddresses, 'id' | 'index'>): Towns {
  return { id, townAt: (lat, lon) => townNear(index, { lat, lon }) }
}

/**
 * Opens the addresses on a thread; undefined if there are none. Throws if the snapshot is missing, damaged or in the
 * format of another version.
 */
export function serveAddresses(message: AddressesMessage | undefined): ServedAddresses | undefined {
  if (message === undefined) return undefined
  const opened = openAddresses(message.path)
  if (opened === undefined)
    throw new Error(
      `the address snapshot ${message.path} is not usable: it is missing, empty, damaged or from another version`,
    )
  return new ServedAddresses(opened, message.attribution)
}
