// Addresses by their ids. The ids of houses begin with their street's, so that streets are compared, byte by byte, and then
// the houses of one; asked for rarely, and 100 000 streets are compared in a few milliseconds.
import {
  type Addresses,
  type HouseIndex,
  houseId,
  type StreetIndex,
  streetOfHouse,
} from '../../loaders/ban/addresses.ts'
import { columnArray } from '../../loaders/columns.ts'

/** What an id names: a house, or a street as a whole. */
export interface NamedAddress {
  readonly street: StreetIndex
  readonly house: HouseIndex | undefined
}

const encoder = new TextEncoder()

/** The address of an id; undefined where none has it. */
export function findAddress(addresses: Addresses, id: string): NamedAddress | undefined {
  const bytes = encoder.encode(id)
  return findByStreet(addresses, id, bytes) ?? findByOwnId(addresses, bytes)
}

function findByStreet(addresses: Addresses, id: string, bytes: Uint8Array): NamedAddress | undefined {
  const { streets, strings } = addresses
  const ids = columnArray(streets.id)
  const offsets = columnArray(strings.offsets)
  for (let street = 0 as StreetIndex; street < streets.count; street++) {
    const start = offsets[ids[street] as number] as number
    const length = (offsets[(ids[street] as number) + 1] as number) - start
    if (length === 0 || length > bytes.length || !isSame(strings.bytes, start, bytes, length)) continue
    if (length === bytes.length) return { street, house: undefined }
    const end = streets.houseOffset[(street + 1) as StreetIndex]
    for (let house = streets.houseOffset[street]; house < end; house++) {
      if (houseId(addresses, street, house) === id) return { street, house }
    }
  }
  return undefined
}

function findByOwnId(addresses: Addresses, bytes: Uint8Array): NamedAddress | undefined {
  const { ownIds } = addresses
  const all = columnArray(ownIds.bytes) as Uint8Array
  for (let at = 0; at < ownIds.house.length; at++) {
    const start = ownIds.offset[at]
    const length = ownIds.offset[at + 1] - start
    if (length !== bytes.length || !isSame(all, start, bytes, length)) continue
    const house = ownIds.house[at]
    return { street: streetOfHouse(addresses, house), house }
  }
  return undefined
}

function isSame(bytes: Uint8Array, start: number, others: Uint8Array, length: number): boolean {
  for (let at = 0; at < length; at++) if (bytes[start + at] !== others[at]) return false
  return true
}
