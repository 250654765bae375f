// Converts the stops and areas of a network to the columns of a snapshot file, and creates a place set from such
// columns.
import { columnArray, sealColumn, type TypedArray } from '../../loaders/columns.ts'
import {
  type ColumnGroup,
  type ColumnTypes,
  checkColumns,
  F64,
  type NamedColumns,
  namesOf,
  U8,
  U32,
} from '../../loaders/snapshot-file.ts'
import type { PrefixTree } from '../text/prefix-tree.ts'
import { openWholeSet, type TakeColumn, wholeSetColumns, wholeSetTypes } from './place-set-columns.ts'
import type { StopPlaces } from './stop-places.ts'

const CODE_COLUMNS: ColumnGroup<keyof PrefixTree> = {
  tokenBytes: U8,
  tokenOffset: U32,
  postingOffset: U32,
  posting: U32,
}
const OWN_COLUMNS: ColumnGroup<Exclude<keyof StopPlaces, 'set' | 'codes'>> = {
  numberOf: U32,
  hullLat: F64,
  hullLon: F64,
}

const COLUMNS: ReadonlyMap<string, ColumnTypes> = new Map([
  ...wholeSetTypes(''),
  ...namesOf(CODE_COLUMNS).map((name): [string, ColumnTypes] => [`codes.${name}`, CODE_COLUMNS[name]]),
  ...namesOf(OWN_COLUMNS).map((name): [string, ColumnTypes] => [name, OWN_COLUMNS[name]]),
])

/** All columns by name. */
export function stopPlacesColumns(places: StopPlaces): NamedColumns {
  return new Map<string, TypedArray>([
    ...wholeSetColumns('', places.set),
    ...namesOf(CODE_COLUMNS).map((name): [string, TypedArray] => [`codes.${name}`, columnArray(places.codes[name])]),
    ...namesOf(OWN_COLUMNS).map((name): [string, TypedArray] => [name, columnArray(places[name])]),
  ])
}

/**
 * Creates the set from the columns of a file, without copying them. Throws SnapshotUnusable if the columns belong to
 * another version of the format.
 */
export function openStopPlaces(columns: NamedColumns): StopPlaces {
  checkColumns(columns, COLUMNS)
  const take: TakeColumn = (name) => {
    const column = columns.get(name)
    if (column === undefined) throw new Error(`the stop-places file has no column ${name}`)
    return sealColumn(column)
  }
  return {
    set: openWholeSet('', take),
    numberOf: take('numberOf'),
    codes: {
      tokenBytes: take('codes.tokenBytes'),
      tokenOffset: take('codes.tokenOffset'),
      postingOffset: take('codes.postingOffset'),
      posting: take('codes.posting'),
    },
    hullLat: take('hullLat'),
    hullLon: take('hullLon'),
  }
}
