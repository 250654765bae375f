// The complete address index: columns, the set for text search, and the points for spatial search. It is stored in its
// own snapshot file and used in place, without a copy.
import type { Addresses, HouseIndex, StreetIndex } from '../../loaders/ban/addresses.ts'
import { streetOfHouse } from '../../loaders/ban/addresses.ts'
import { columnArray, sealColumn, type TypedArray } from '../../loaders/columns.ts'
import {
  type ColumnGroup,
  type ColumnTypes,
  checkColumns,
  I32,
  type NamedColumns,
  namesOf,
  U8,
  U16,
  U32,
} from '../../loaders/snapshot-file.ts'
import { buildPackedPoints, findNearestPoint, type PackedPoints } from '../spatial/packed-points.ts'
import { type AddressIds, buildAddressIds } from './address-ids.ts'
import { buildAddressSet } from './address-places.ts'
import type { PlaceSet } from './place-set.ts'
import { openPlaceSet, PLACE_SET_COLUMNS, placeSetColumns, type TakeColumn } from './place-set-columns.ts'
import { buildTownPlaces, type TownPlaces } from './town-places.ts'
import { openTownPlaces, TOWN_PLACES_TYPES, townPlacesColumns } from './town-places-columns.ts'

/** The index of all addresses. */
export interface AddressIndex {
  readonly addresses: Addresses
  readonly set: PlaceSet
  readonly points: PackedPoints
  readonly ids: AddressIds
  readonly towns: TownPlaces
}

/** A house found by position. */
export interface HouseHit {
  readonly street: StreetIndex
  readonly house: HouseIndex
  /** Distance in meters, not rounded. */
  readonly distanceMeters: number
}

/**
 * Builds the index.
 * @param onPart called after each large part is built; the input of that part can then be garbage-collected
 */
export function buildAddressIndex(addresses: Addresses, onPart: () => void = () => {}): AddressIndex {
  const set = buildAddressSet(addresses)
  onPart()
  const points = buildPackedPoints(addresses.houses)
  onPart()
  return { addresses, set, points, ids: buildAddressIds(addresses), towns: buildTownPlaces(addresses) }
}

/** The nearest house within a distance. Ties are broken by street, number and suffix. */
export function findNearestHouse(
  { addresses, points }: AddressIndex,
  circle: { readonly lat: number; readonly lon: number; readonly radiusMeters: number },
): HouseHit | undefined {
  const hit = findNearestPoint(points, addresses.houses, circle)
  if (hit === undefined) return undefined
  const house = hit.index as HouseIndex
  return { street: streetOfHouse(addresses, house), house, distanceMeters: hit.distanceMeters }
}

/** All columns by name, for a snapshot file. Columns that the place set shares with the addresses are stored once. */
export function addressIndexColumns({ addresses, set, points, ids, towns }: AddressIndex): NamedColumns {
  const columns = new Map<string, TypedArray>()
  const put = (name: string, column: { readonly length: number }) => columns.set(name, columnArray(column))
  for (const name of namesOf(STRING_COLUMNS)) put(`strings.${name}`, addresses.strings[name])
  for (const name of namesOf(COMMUNE_COLUMNS)) put(`communes.${name}`, addresses.communes[name])
  for (const name of namesOf(STREET_COLUMNS)) put(`streets.${name}`, addresses.streets[name])
  for (const name of namesOf(HOUSE_COLUMNS)) put(`houses.${name}`, addresses.houses[name])
  for (const name of namesOf(OWN_ID_COLUMNS)) put(`ownIds.${name}`, addresses.ownIds[name])
  put('suffixes', addresses.suffixes)
  for (const [name, column] of placeSetColumns(set)) put(name, column)
  for (const [name, column] of townPlacesColumns(towns)) put(name, column)
  for (const name of namesOf(POINT_COLUMNS)) put(`points.${name}`, points[name])
  for (const name of namesOf(ID_COLUMNS)) put(`ids.${name}`, ids[name])
  return columns
}

/**
 * Opens the index over the columns of a snapshot file. Throws SnapshotUnusable if the columns were written by another
 * version.
 */
export function openAddressIndex(columns: NamedColumns): AddressIndex {
  checkColumns(columns, COLUMNS)
  const array = (name: string): TypedArray => {
    const column = columns.get(name)
    if (column === undefined) throw new Error(`the address snapshot has no column ${name}`)
    return column
  }
  const take: TakeColumn = (name) => sealColumn(array(name))
  const bytes = (name: string): Uint8Array => {
    const column = array(name)
    if (!(column instanceof Uint8Array))
      throw new Error(
        `the column ${name} of the address snapshot must be a Uint8Array, not a ${column.constructor.name}`,
      )
    return column
  }
  const addresses: Addresses = {
    strings: { bytes: bytes('strings.bytes'), offsets: take('strings.offsets') },
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
  const set = openPlaceSet(take, {
    town: take('streets.commune'),
    lat: take('streets.lat'),
    lon: take('streets.lon'),
  })
  const points = { order: take<number, number>('points.order'), boxes: take<number, number>('points.boxes') }
  const ids = { streets: take<number, number>('ids.streets'), ownIds: take<number, number>('ids.ownIds') }
  return { addresses, set, points, ids, towns: openTownPlaces(take, bytes) }
}

const STRING_COLUMNS: ColumnGroup<keyof Addresses['strings']> = { bytes: U8, offsets: U32 }
const COMMUNE_COLUMNS: ColumnGroup<Exclude<keyof Addresses['communes'], 'count'>> = { code: U32, name: U32 }
const STREET_COLUMNS: ColumnGroup<Exclude<keyof Addresses['streets'], 'count'>> = {
  id: U32,
  name: U32,
  commune: U32,
  formerCommune: U32,
  postcode: U32,
  lat: I32,
  lon: I32,
  houseOffset: U32,
}
const HOUSE_COLUMNS: ColumnGroup<Exclude<keyof Addresses['houses'], 'count'>> = {
  number: U16,
  suffix: U16,
  lat: I32,
  lon: I32,
}
const OWN_ID_COLUMNS: ColumnGroup<keyof Addresses['ownIds']> = { house: U32, bytes: U8, offset: U32 }
const POINT_COLUMNS: ColumnGroup<keyof PackedPoints> = { order: U32, boxes: I32 }
const ID_COLUMNS: ColumnGroup<keyof AddressIds> = { streets: U32, ownIds: U32 }

const GROUPS = {
  strings: STRING_COLUMNS,
  communes: COMMUNE_COLUMNS,
  streets: STREET_COLUMNS,
  houses: HOUSE_COLUMNS,
  ownIds: OWN_ID_COLUMNS,
  points: POINT_COLUMNS,
  ids: ID_COLUMNS,
}

/** The name of every column of the index in a snapshot file → the types that the column may have. */
const COLUMNS: ReadonlyMap<string, ColumnTypes> = new Map([
  ['suffixes', U32],
  ...PLACE_SET_COLUMNS,
  ...TOWN_PLACES_TYPES,
  ...Object.entries(GROUPS).flatMap(([group, columns]) =>
    Object.entries(columns).map(([name, types]) => [`${group}.${name}`, types] as const),
  ),
])
