// Finds addresses by id. A house's id starts with its street's id; the few exceptions are in a separate table.
import {
  type Addresses,
  type HouseIndex,
  houseId,
  type StreetIndex,
  streetOfHouse,
} from '../../loaders/ban/addresses.ts'
import { columnArray, nextIndex } from '../../loaders/columns.ts'
import { buildIdTable, findById, type IdSpan, type IdTable } from '../text/id-table.ts'

/** The address that an id refers to: a house, or a whole street. */
export interface NamedAddress {
  readonly street: StreetIndex
  readonly house: HouseIndex | undefined
}

/** Finds streets by id, and those houses whose id does not start with the id of their street. */
export interface AddressIds {
  readonly streets: IdTable
  /** Finds the position of a house id in the column `ownIds` of the addresses. */
  readonly ownIds: IdTable
}

const encoder = new TextEncoder()
const UNDERSCORE = '_'.charCodeAt(0)

/** Builds both id tables. */
export function buildAddressIds(addresses: Addresses): AddressIds {
  return {
    streets: buildIdTable(addresses.streets.count, (street) => streetSpan(addresses, street)),
    ownIds: buildIdTable(addresses.ownIds.house.length, (at) => ownSpan(addresses, at)),
  }
}

/** The address with an id; undefined if there is none. */
export function findAddress(addresses: Addresses, ids: AddressIds, id: string): NamedAddress | undefined {
  const bytes = encoder.encode(id)
  return findStreet(addresses, ids, bytes) ?? findHouse(addresses, ids, { id, bytes }) ?? findOwn(addresses, ids, bytes)
}

function findStreet(addresses: Addresses, { streets }: AddressIds, bytes: Uint8Array): NamedAddress | undefined {
  const span = { bytes, start: 0, end: bytes.length }
  const street = findById(streets, span, (each) => isSame(streetSpan(addresses, each), span))
  return street === undefined ? undefined : { street: street as StreetIndex, house: undefined }
}

/**
 * A house id consists of the id of its street, an underscore, and a remainder that may contain more underscores. A
 * street with several postcodes is stored as several streets with the same id.
 */
function findHouse(
  addresses: Addresses,
  { streets }: AddressIds,
  { id, bytes }: { readonly id: string; readonly bytes: Uint8Array },
): NamedAddress | undefined {
  const { houseOffset } = addresses.streets
  let house: HouseIndex | undefined
  const isItsStreet = (street: StreetIndex, part: IdSpan) => {
    if (!isSame(streetSpan(addresses, street), part)) return false
    const end = houseOffset[nextIndex(street)]
    for (house = houseOffset[street]; house < end; house++) if (houseId(addresses, street, house) === id) return true
    return false
  }
  for (let end = bytes.indexOf(UNDERSCORE); end > 0; end = bytes.indexOf(UNDERSCORE, end + 1)) {
    const part = { bytes, start: 0, end }
    const street = findById(streets, part, (each) => isItsStreet(each as StreetIndex, part))
    if (street !== undefined) return { street: street as StreetIndex, house }
  }
  return undefined
}

function findOwn(addresses: Addresses, { ownIds }: AddressIds, bytes: Uint8Array): NamedAddress | undefined {
  const span = { bytes, start: 0, end: bytes.length }
  const at = findById(ownIds, span, (each) => isSame(ownSpan(addresses, each), span))
  if (at === undefined) return undefined
  const house = addresses.ownIds.house[at]
  return { street: streetOfHouse(addresses, house), house }
}

function streetSpan({ streets, strings }: Addresses, street: number): IdSpan {
  const { offsets, bytes } = strings
  const text = streets.id[street as StreetIndex]
  const all = columnArray(offsets)
  return { bytes, start: all[text], end: all[text + 1] }
}

function ownSpan({ ownIds }: Addresses, at: number): IdSpan {
  return { bytes: columnArray(ownIds.bytes), start: ownIds.offset[at], end: ownIds.offset[at + 1] }
}

function isSame(one: IdSpan, other: IdSpan): boolean {
  const length = one.end - one.start
  if (length !== other.end - other.start) return false
  for (let at = 0; at < length; at++) if (one.bytes[one.start + at] !== other.bytes[other.start + at]) return false
  return true
}
