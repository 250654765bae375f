// A set of places of one source as columns: names by their words, what bears each name, and where that lies. Streets with
// houses are one set, stops and areas of a network another; both are searched by one code.
import type { Column, Index } from '../../loaders/columns.ts'
import type { NameIndex } from '../text/name-index.ts'

/** A place of a set. Places of one name are consecutive. */
export type EntryIndex = Index<'Entry'>

/** The columns that are searched. */
export interface PlaceSet {
  readonly names: NameIndex
  /** Name → its first place; one longer than the names. */
  readonly entryOffset: Column<number, EntryIndex>
  readonly towns: NameIndex
  /** Place → its town; NONE where it has none. */
  readonly town: Column<EntryIndex>
  /** Place → its postcode as a number of five digits; NONE without one. */
  readonly postcode: Column<EntryIndex>
  /** 0 to 255: how much is there, on a scale of logarithms. */
  readonly importance: Column<EntryIndex>
  /** In units of 1e-7 degrees. */
  readonly lat: Column<EntryIndex>
  readonly lon: Column<EntryIndex>
}

/** What takes the numbers of a query at a place. */
export interface HouseFinder {
  /**
   * The house of a place with a number and just this suffix, none where it is empty; NONE where there is no such house.
   * While a suffix `isUnfinished`, also a house whose suffix begins so.
   */
  findHouse(entry: EntryIndex, asked: { number: number; suffix: string; isUnfinished: boolean }): number
  /** A house of a place with a number, whatever its suffix; NONE where there is none. */
  findNumber(entry: EntryIndex, number: number): number
}

/** A place found, and how well. */
export interface EntryHit {
  readonly entry: EntryIndex
  /** The house of it that was asked for; NONE without one. */
  readonly house: number
  /** 0 to 1; see place-score.ts. */
  readonly score: number
}
