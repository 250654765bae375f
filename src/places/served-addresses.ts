// The addresses as a thread answers from them: searched by words and by place, and asked for the town of a stop.
import { findAddress } from '../../indexes/places/address-ids.ts'
import { type AddressIndex, findNearestHouse, type HouseHit } from '../../indexes/places/address-index.ts'
import { type AddressPlace, addressPlace, townOf } from '../../indexes/places/address-places.ts'
import { AddressSearch } from '../../indexes/places/place-search.ts'
import type { HouseIndex, StreetIndex } from '../../loaders/ban/addresses.ts'
import { type OpenedAddresses, openAddresses } from './address-store.ts'

/** Where the snapshot of addresses lies, and whom to credit for them. */
export interface AddressesMessage {
  readonly path: string
  readonly attribution: readonly string[]
}

/** The nearest address of a point is at most so far away. */
export const NEAREST_ADDRESS_METERS = 200
/** A stop is in the town of an address so near. */
const TOWN_METERS = 500

/** Addresses, ready to answer. */
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

  /** An address in words. */
  placeOf(street: StreetIndex, house: HouseIndex | undefined): AddressPlace {
    return addressPlace(this.index.addresses, street, house)
  }

  /** The address of an id; undefined where none has it. */
  findById(id: string): AddressPlace | undefined {
    const found = findAddress(this.index.addresses, this.index.ids, id)
    return found === undefined ? undefined : this.placeOf(found.street, found.house)
  }

  /** The nearest address at most so far away. */
  findNearest(point: { readonly lat: number; readonly lon: number }, radiusMeters: number): HouseHit | undefined {
    return findNearestHouse(this.index, { ...point, radiusMeters })
  }

  /** What a point is called: its nearest address, or the street if houses have no numbers; undefined if none is near. */
  labelNear(point: { readonly lat: number; readonly lon: number }): string | undefined {
    const nearest = this.findNearest(point, NEAREST_ADDRESS_METERS)
    return nearest && this.placeOf(nearest.street, nearest.house).label
  }

  /** The town of the nearest address; empty where none is near. */
  townAt(lat: number, lon: number): string {
    const nearest = this.findNearest({ lat, lon }, TOWN_METERS)
    return nearest === undefined ? '' : townOf(this.index.addresses, nearest.street)
  }
}

/** Opens addresses for a thread. Throws where the snapshot that it was told of is no longer there. */
export function serveAddresses(message: AddressesMessage | undefined): ServedAddresses | undefined {
  if (message === undefined) return undefined
  const opened = openAddresses(message.path)
  if (opened === undefined) throw new Error(`the snapshot of addresses is not usable: ${message.path}`)
  return new ServedAddresses(opened, message.attribution)
}
