// The places of one source as columns: names by word, the places of each name, and their positions. Addresses are one
// set, stops and areas of a network another; the same code searches both.
import type { Column, Index } from '../../loaders/columns.ts'
import type { NameIndex } from '../text/name-index.ts'

/** A place of a set. Places of the same name are consecutive. */
export type EntryIndex = Index<'Entry'>

/** The columns that are searched. */
export interface PlaceSet {
  readonly names: NameIndex
  /** Name → its first place; one longer than the names. */
  readonly entryOffset: Column<number, EntryIndex>
  readonly towns: NameIndex
  /** Place → its town; NONE if it has none. */
  readonly town: Column<EntryIndex>
  /** Place → its postcode as a five-digit number; NONE without one. */
  readonly postcode: Column<EntryIndex>
  /** Importance from 0 to 255, on a logarithmic scale. */
  readonly importance: Column<EntryIndex>
  /** In units of 1e-7 degrees. */
  readonly lat: Column<EntryIndex>
  readonly lon: Column<EntryIndex>
}

/** Finds the houses of a place by number. */
export interface HouseFinder {
  /**
   * The house with a number and exactly this suffix, or without one if empty; NONE if there is none.
   * If the suffix `isUnfinished`, also a house whose suffix starts with it.
   */
  findHouse(entry: EntryIndex, asked: { number: number; suffix: string; isUnfinished: boolean }): number
  /** A house with a number and any suffix; NONE if there is none. */
  findNumber(entry: EntryIndex, number: number): number
}

/** A hit and its score. */
export interface EntryHit {
  readonly entry: EntryIndex
  /** The requested house; NONE without one. */
  readonly house: number
  /** 0 to 1; see place-score.ts. */
  readonly score: number
}
