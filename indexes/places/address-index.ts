// All that answers about addresses: their columns, the set that is searched by words, the points that are searched by place.
// Kept as one snapshot file of its own, which is read where it lies.
import type { Addresses, HouseIndex, StreetIndex } from '../../loaders/ban/addresses.ts'
import { streetOfHouse } from '../../loaders/ban/addresses.ts'
import { type Column, columnArray, sealColumn, type TypedArray } from '../../loaders/columns.ts'
import type { NamedColumns } from '../../loaders/snapshot-file.ts'
import { buildPackedPoints, findNearestPoint, type PackedPoints } from '../spatial/packed-points.ts'
import { NAME_INDEX_COLUMNS, type NameIndex } from '../text/name-index.ts'
import { type AddressIds, buildAddressIds } from './address-ids.ts'
import { buildAddressSet } from './address-places.ts'
import type { PlaceSet } from './place-set.ts'

/** The index. */
export interface AddressIndex {
  readonly addresses: Addresses
  readonly set: PlaceSet
  readonly points: PackedPoints
  readonly ids: AddressIds
}

/** A house found by place. */
export interface HouseHit {
  readonly street: StreetIndex
  readonly house: HouseIndex
  /** Not rounded. */
  readonly distanceMeters: number
}

/** Builds the index. */
export function buildAddressIndex(addresses: Addresses): AddressIndex {
  return {
    addresses,
    set: buildAddressSet(addresses),
    points: buildPackedPoints(addresses.houses),
    ids: buildAddressIds(addresses),
  }
}

/** The nearest house at most so far from a place; of equally near ones the first by street, number and suffix. */
export function findNearestHouse(
  { addresses, points }: AddressIndex,
  circle: { readonly lat: number; readonly lon: number; readonly radiusMeters: number },
): HouseHit | undefined {
  const hit = findNearestPoint(points, addresses.houses, circle)
  if (hit === undefined) return undefined
  const house = hit.index as HouseIndex
  return { street: streetOfHouse(addresses, house), house, distanceMeters: hit.distanceMeters }
}

/** All columns by name, for a snapshot file. What the set shares with the addresses is there once. */
export function addressIndexColumns({ addresses, set, points, ids }: AddressIndex): NamedColumns {
  const columns = new Map<string, TypedArray>()
  const put = (name: string, column: { readonly length: number }) => columns.set(name, columnArray(column))
  put('strings.bytes', addresses.strings.bytes)
  put('strings.offsets', addresses.strings.offsets)
  for (const name of COMMUNE_COLUMNS) put(`communes.${name}`, addresses.communes[name])
  for (const name of STREET_COLUMNS) put(`streets.${name}`, addresses.streets[name])
  for (const name of HOUSE_COLUMNS) put(`houses.${name}`, addresses.houses[name])
  for (const name of OWN_ID_COLUMNS) put(`ownIds.${name}`, addresses.ownIds[name])
  put('suffixes', addresses.suffixes)
  for (const name of NAME_INDEX_COLUMNS) put(`names.${name}`, set.names[name])
  for (const name of NAME_INDEX_COLUMNS) put(`towns.${name}`, set.towns[name])
  for (const name of SET_COLUMNS) put(`set.${name}`, set[name])
  put('points.order', points.order)
  put('points.boxes', points.boxes)
  put('ids.streets', ids.streets)
  put('ids.ownIds', ids.ownIds)
  return columns
}

/** The index over the columns of a snapshot file. Throws where one is missing. */
export function openAddressIndex(columns: NamedColumns): AddressIndex {
  const array = (name: string): TypedArray => {
    const column = columns.get(name)
    if (column === undefined) throw new Error(`the snapshot of addresses has no column ${name}`)
    return column
  }
  const take: TakeColumn = (name) => sealColumn(array(name))
  const bytes = array('strings.bytes')
  if (!(bytes instanceof Uint8Array)) throw new Error('the texts of a snapshot of addresses are no bytes')
  const addresses: Addresses = {
    strings: { bytes, offsets: take('strings.offsets') },
    communes: {
      count: array('communes.code').length,
      code: take('communes.code'),
      name: take('communes.name'),
    },
    streets: {
      count: array('streets.name').length,
      id: take('streets.id'),
      name: take('streets.name'),
      commune: take('streets.commune'),
      formerCommune: take('streets.formerCommune'),
      postcode: take('streets.postcode'),
      lat: take('streets.lat'),
      lon: take('streets.lon'),
      houseOffset: take('streets.houseOffset'),
    },
    houses: {
      count: array('houses.number').length,
      number: take('houses.number'),
      suffix: take('houses.suffix'),
      lat: take('houses.lat'),
      lon: take('houses.lon'),
    },
    suffixes: take('suffixes'),
    ownIds: { house: take('ownIds.house'), bytes: take('ownIds.bytes'), offset: take('ownIds.offset') },
  }
  const set: PlaceSet = {
    names: openNames('names', take),
    towns: openNames('towns', take),
    entryOffset: take('set.entryOffset'),
    town: take('streets.commune'),
    postcode: take('set.postcode'),
    importance: take('set.importance'),
    lat: take('streets.lat'),
    lon: take('streets.lon'),
  }
  const points = { order: take<number, number>('points.order'), boxes: take<number, number>('points.boxes') }
  return { addresses, set, points, ids: { streets: take('ids.streets'), ownIds: take('ids.ownIds') } }
}

type TakeColumn = <I extends number, Value extends number>(name: string) => Column<I, Value>

function openNames(prefix: string, take: TakeColumn): NameIndex {
  return {
    tokenBytes: take(`${prefix}.tokenBytes`),
    tokenOffset: take(`${prefix}.tokenOffset`),
    tokenLetters: take(`${prefix}.tokenLetters`),
    isGeneric: take(`${prefix}.isGeneric`),
    posting: take(`${prefix}.posting`),
    postingOffset: take(`${prefix}.postingOffset`),
    nameOffset: take(`${prefix}.nameOffset`),
    nameWords: take(`${prefix}.nameWords`),
    nameToken: take(`${prefix}.nameToken`),
  }
}

const COMMUNE_COLUMNS = ['code', 'name'] as const
const STREET_COLUMNS = [
  'id',
  'name',
  'commune',
  'formerCommune',
  'postcode',
  'lat',
  'lon',
  'houseOffset',
] as const satisfies readonly (keyof Addresses['streets'])[]
const HOUSE_COLUMNS = ['number', 'suffix', 'lat', 'lon'] as const
const OWN_ID_COLUMNS = ['house', 'bytes', 'offset'] as const
const SET_COLUMNS = ['entryOffset', 'postcode', 'importance'] as const
