// Converts a place set to the columns of a snapshot file, and creates a place set from such columns.
import { type Column, columnArray, type TypedArray } from '../../loaders/columns.ts'
import { type ColumnGroup, type ColumnTypes, I32, namesOf, U8, U16, U32 } from '../../loaders/snapshot-file.ts'
import type { NameIndex } from '../text/name-index.ts'
import type { Postings } from '../text/postings.ts'
import type { PlaceSet } from './place-set.ts'

/** The columns that the set of all addresses shares with the street table. A snapshot file stores them only once. */
export type PlaceRows = Pick<PlaceSet, 'town' | 'lat' | 'lon'>

/** Returns the column with a given name from a snapshot file. */
export type TakeColumn = <I extends number, Value extends number>(name: string) => Column<I, Value>

const POSTING_COLUMNS: ColumnGroup<keyof Postings> = {
  posting: U32,
  postingOffset: U32,
  frequentFirst: U32,
  frequentEnd: U32,
  frequentBits: U32,
}

const NAME_COLUMNS: ColumnGroup<Exclude<keyof NameIndex, 'starts' | keyof Postings>> = {
  tokenBytes: U8,
  tokenOffset: U32,
  tokenClass: U8,
  tokenShared: U8,
  nameOffset: U32,
  nameWords: U8,
  nameCore: U32,
  coreToken: U32,
  nameToken: U32,
}

const SET_COLUMNS: ColumnGroup<Exclude<keyof PlaceSet, 'names' | 'towns' | keyof PlaceRows>> = {
  wholeNames: U32,
  firstEntry: U32,
  endEntry: U32,
  nameImportance: U8,
  highestNumber: U16,
  bestEntries: U32,
  blockNumber: U16,
  nameOfEntry: U32,
  townOffset: U32,
  townEntries: U32,
  townBox: I32,
  postcodes: U32,
  postcodeOffset: U32,
  postcodeTown: U32,
  postcode: U32,
  importance: U8,
}

/** The column types of a place set by column name, without the columns in PlaceRows. */
export const PLACE_SET_COLUMNS: ReadonlyMap<string, ColumnTypes> = new Map([
  ...named('names.', NAME_COLUMNS),
  ...named('names.', POSTING_COLUMNS),
  ...named('names.starts.', POSTING_COLUMNS),
  ...named('towns.', NAME_COLUMNS),
  ...named('towns.', POSTING_COLUMNS),
  ...named('towns.starts.', POSTING_COLUMNS),
  ...named('set.', SET_COLUMNS),
])

function named<Name extends string>(prefix: string, group: ColumnGroup<Name>): [name: string, types: ColumnTypes][] {
  return namesOf(group).map((name) => [prefix + name, group[name]])
}

/** Lists the columns of a set with their names, without the columns in PlaceRows. */
export function placeSetColumns(set: PlaceSet): [name: string, column: TypedArray][] {
  return [
    ...nameColumns('names.', set.names),
    ...nameColumns('towns.', set.towns),
    ...namesOf(SET_COLUMNS).map((name): [string, TypedArray] => [`set.${name}`, columnArray(set[name])]),
  ]
}

function nameColumns(prefix: string, index: NameIndex): [name: string, column: TypedArray][] {
  return [
    ...namesOf(NAME_COLUMNS).map((name): [string, TypedArray] => [prefix + name, columnArray(index[name])]),
    ...postingColumns(prefix, index),
    ...postingColumns(`${prefix}starts.`, index.starts),
  ]
}

function postingColumns(prefix: string, postings: Postings): [name: string, column: TypedArray][] {
  return namesOf(POSTING_COLUMNS).map((name) => [prefix + name, columnArray(postings[name])])
}

const ROW_COLUMNS: ColumnGroup<keyof PlaceRows> = { town: U32, lat: I32, lon: I32 }

/** Lists the types of all columns of a set, including those in PlaceRows. Each column name starts with `prefix`. */
export function wholeSetTypes(prefix: string): [name: string, types: ColumnTypes][] {
  return [...PLACE_SET_COLUMNS, ...named('rows.', ROW_COLUMNS)].map(([name, types]) => [prefix + name, types])
}

/** Lists all columns of a set, including those in PlaceRows. Each column name starts with `prefix`. */
export function wholeSetColumns(prefix: string, set: PlaceSet): [name: string, column: TypedArray][] {
  const rows = namesOf(ROW_COLUMNS).map((name): [string, TypedArray] => [`rows.${name}`, columnArray(set[name])])
  return [...placeSetColumns(set), ...rows].map(([name, column]) => [prefix + name, column])
}

/** Creates a set from the columns whose names start with `prefix`, without copying them. */
export function openWholeSet(prefix: string, take: TakeColumn): PlaceSet {
  const under: TakeColumn = (name) => take(prefix + name)
  return openPlaceSet(under, { town: under('rows.town'), lat: under('rows.lat'), lon: under('rows.lon') })
}

/** Creates a set from the columns of a file and the given PlaceRows, without copying them. */
export function openPlaceSet(take: TakeColumn, rows: PlaceRows): PlaceSet {
  return {
    names: openNames('names', take),
    towns: openNames('towns', take),
    wholeNames: take('set.wholeNames'),
    firstEntry: take('set.firstEntry'),
    endEntry: take('set.endEntry'),
    nameImportance: take('set.nameImportance'),
    highestNumber: take('set.highestNumber'),
    bestEntries: take('set.bestEntries'),
    blockNumber: take('set.blockNumber'),
    nameOfEntry: take('set.nameOfEntry'),
    townOffset: take('set.townOffset'),
    townEntries: take('set.townEntries'),
    townBox: take('set.townBox'),
    postcodes: take('set.postcodes'),
    postcodeOffset: take('set.postcodeOffset'),
    postcodeTown: take('set.postcodeTown'),
    postcode: take('set.postcode'),
    importance: take('set.importance'),
    ...rows,
  }
}

function openNames(prefix: string, take: TakeColumn): NameIndex {
  return {
    tokenBytes: take(`${prefix}.tokenBytes`),
    tokenOffset: take(`${prefix}.tokenOffset`),
    tokenClass: take(`${prefix}.tokenClass`),
    tokenShared: take(`${prefix}.tokenShared`),
    ...openPostings(prefix, take),
    starts: openPostings(`${prefix}.starts`, take),
    nameOffset: take(`${prefix}.nameOffset`),
    nameWords: take(`${prefix}.nameWords`),
    nameCore: take(`${prefix}.nameCore`),
    coreToken: take(`${prefix}.coreToken`),
    nameToken: take(`${prefix}.nameToken`),
  }
}

function openPostings(prefix: string, take: TakeColumn): Postings {
  return {
    posting: take(`${prefix}.posting`),
    postingOffset: take(`${prefix}.postingOffset`),
    frequentFirst: take(`${prefix}.frequentFirst`),
    frequentEnd: take(`${prefix}.frequentEnd`),
    frequentBits: take(`${prefix}.frequentBits`),
  }
}
