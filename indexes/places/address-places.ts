// Addresses as a place set (see place-set.ts). Each street and lieu-dit is a place; houses are found by their number.
import {
  type Addresses,
  eachCommune,
  eachStreet,
  type HouseIndex,
  houseId,
  houseSuffix,
  type StreetIndex,
} from '../../loaders/ban/addresses.ts'
import { columnArray, NONE, nextIndex, sealColumn } from '../../loaders/columns.ts'
import { textOf } from '../../loaders/strings.ts'
import { findNumber, findSuffix, highestNumber, houseNumberText } from './house-numbers.ts'
import { buildPlaceSet, type EntryIndex, type HouseFinder, type PlaceSet, parsePostcode } from './place-set.ts'
import { postalTown } from './postal-town.ts'

/** The displayed strings and the position of an address. */
export interface AddressPlace {
  /** The id in the source of the address, unchanged. */
  readonly id: string
  /** The name, such as `12 Rue de la Paix`. */
  readonly name: string
  /** The name with postcode and town, such as `12 Rue de la Paix 75002 Paris`. */
  readonly label: string
  readonly town: string
  /** Empty if the postcode is unknown. */
  readonly postcode: string
  /** Degrees. */
  readonly lat: number
  readonly lon: number
}

/** A street with at least this many houses has the highest importance. */
const LONG_STREET_HOUSES = 1000

/** Builds the place set of the addresses. Each street is a place, and the place number is the index of the street. */
export function buildAddressSet(addresses: Addresses): PlaceSet {
  const { streets, communes, strings } = addresses
  const names: string[] = []
  const entryOffset: number[] = []
  let before = -1
  for (const street of eachStreet(addresses)) {
    const name = streets.name[street]
    if (name === before) continue
    before = name
    names.push(textOf(strings, name))
    entryOffset.push(street)
  }
  entryOffset.push(streets.count)
  const postcode = new Uint32Array(streets.count)
  const importance = new Uint8Array(streets.count)
  for (const street of eachStreet(addresses)) {
    postcode[street] = parsePostcode(textOf(strings, streets.postcode[street]))
    const houseCount = streets.houseOffset[nextIndex(street)] - streets.houseOffset[street]
    importance[street] = Math.min(255, (255 * Math.log1p(houseCount)) / Math.log1p(LONG_STREET_HOUSES))
  }
  const towns: string[] = []
  for (const commune of eachCommune(addresses)) {
    towns.push(textOf(strings, communes.name[commune]))
  }
  return buildPlaceSet({
    names,
    entryOffset,
    towns,
    town: sealColumn(columnArray(streets.commune)),
    postcode: sealColumn(postcode),
    importance: sealColumn(importance),
    lat: sealColumn(columnArray(streets.lat)),
    lon: sealColumn(columnArray(streets.lon)),
    highestNumber: (entry) => highestNumber(addresses, toStreet(entry)),
  })
}

/** Returns a finder that looks up houses by number in a street. */
export function houseFinder(addresses: Addresses): HouseFinder {
  return {
    findHouse(entry, { number, suffix, isUnfinished }) {
      const street = toStreet(entry)
      const first = findNumber(addresses, street, number)
      if (first === undefined) return NONE
      if (suffix === '') return houseSuffix(addresses, first) === '' ? first : NONE
      const end = addresses.streets.houseOffset[nextIndex(street)]
      return findSuffix(addresses, first, { suffix, isUnfinished, end }) ?? NONE
    },
    findNumber: (entry, number) => findNumber(addresses, toStreet(entry), number) ?? NONE,
    highestNumber: (entry) => highestNumber(addresses, toStreet(entry)),
  }
}

function toStreet(entry: EntryIndex): StreetIndex {
  const place: number = entry
  return place as StreetIndex
}

/** The displayed strings and the position of a street, or of a house in it. */
export function addressPlace(addresses: Addresses, street: StreetIndex, house: HouseIndex | undefined): AddressPlace {
  const { streets, houses, strings } = addresses
  const streetName = textOf(strings, streets.name[street])
  const town = townOf(addresses, street)
  const postcode = textOf(strings, streets.postcode[street])
  const isHouse = house !== undefined
  const name = isHouse
    ? `${houseNumberText(houses.number[house], houseSuffix(addresses, house))} ${streetName}`
    : streetName
  return {
    id: isHouse ? houseId(addresses, street, house) : textOf(strings, streets.id[street]),
    name,
    label: [name, postcode, town].filter((part) => part !== '').join(' '),
    town,
    postcode,
    lat: toDegrees(isHouse ? houses.lat[house] : streets.lat[street]),
    lon: toDegrees(isHouse ? houses.lon[house] : streets.lon[street]),
  }
}

/** The town of a street, as written in postal addresses. */
export function townOf({ communes, streets, strings }: Addresses, street: StreetIndex): string {
  return postalTown(textOf(strings, communes.name[streets.commune[street]]))
}

/**
 * Converts units of 1e-7 degrees to degrees. Dividing by 1e7 gives exactly the degrees in the source; multiplying by
 * 1e-7 would not.
 */
function toDegrees(units: number): number {
  return units / 1e7
}
