// Converts the towns to columns of the snapshot file for addresses, and creates the towns from such columns.
import { columnArray, type TypedArray } from '../../loaders/columns.ts'
import { type ColumnGroup, type ColumnTypes, namesOf, U8, U32 } from '../../loaders/snapshot-file.ts'
import { openWholeSet, type TakeColumn, wholeSetColumns, wholeSetTypes } from './place-set-columns.ts'
import type { TownPlaces } from './town-places.ts'

const PREFIX = 'townPlaces.'
const OWN_COLUMNS: ColumnGroup<Exclude<keyof TownPlaces, 'set' | 'strings'>> = {
  code: U32,
  name: U32,
  town: U32,
  isPart: U8,
  ids: U32,
}

/** The types of the columns, by column name. */
export const TOWN_PLACES_TYPES: readonly (readonly [name: string, types: ColumnTypes])[] = [
  ...wholeSetTypes(PREFIX),
  [`${PREFIX}strings.bytes`, U8],
  [`${PREFIX}strings.offsets`, U32],
  ...namesOf(OWN_COLUMNS).map((name): [string, ColumnTypes] => [PREFIX + name, OWN_COLUMNS[name]]),
]

/** Lists all columns of the towns with their names. */
export function townPlacesColumns(places: TownPlaces): [name: string, column: TypedArray][] {
  return [
    ...wholeSetColumns(PREFIX, places.set),
    [`${PREFIX}strings.bytes`, places.strings.bytes],
    [`${PREFIX}strings.offsets`, columnArray(places.strings.offsets)],
    ...namesOf(OWN_COLUMNS).map((name): [string, TypedArray] => [PREFIX + name, columnArray(places[name])]),
  ]
}

/**
 * Creates the towns from the columns of a file, without copying them.
 * @param bytes returns the string column with a given name
 */
export function openTownPlaces(take: TakeColumn, bytes: (name: string) => Uint8Array): TownPlaces {
  return {
    set: openWholeSet(PREFIX, take),
    strings: { bytes: bytes(`${PREFIX}strings.bytes`), offsets: take(`${PREFIX}strings.offsets`) },
    code: take(`${PREFIX}code`),
    name: take(`${PREFIX}name`),
    town: take(`${PREFIX}town`),
    isPart: take(`${PREFIX}isPart`),
    ids: take(`${PREFIX}ids`),
  }
}
