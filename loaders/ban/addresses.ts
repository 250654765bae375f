// Addresses as typed columns: the table of contents of this folder. They belong to no network and serve all of them.
// Streets are sorted by name, the houses of a street by number and suffix.

import { type Column, columnArray, firstWhere, type Index } from '../columns.ts'
import { EMPTY_STRING, type StringIndex, type StringPool, textOf } from '../strings.ts'

/** A commune, numbered by its code. */
export type CommuneIndex = Index<'Commune'>
/** A street, or a part of one with its own postcode; or a lieu-dit. Numbered by name, then commune, postcode and id. */
export type StreetIndex = Index<'Street'>
/** A house number of a street. The houses of a street are consecutive, by number, then suffix. */
export type HouseIndex = Index<'House'>
/** A distinct repetition suffix; 0 is none. */
export type SuffixIndex = Index<'Suffix'>

export interface Communes {
  readonly count: number
  /** INSEE code. */
  readonly code: Column<CommuneIndex, StringIndex>
  readonly name: Column<CommuneIndex, StringIndex>
}

export interface Streets {
  readonly count: number
  /** The part that the ids of its houses begin with; a lieu-dit's own id. Empty where ids are of another shape. */
  readonly id: Column<StreetIndex, StringIndex>
  readonly name: Column<StreetIndex, StringIndex>
  readonly commune: Column<StreetIndex, CommuneIndex>
  /** The commune that was, before communes were joined; empty where there is none. */
  readonly formerCommune: Column<StreetIndex, StringIndex>
  /** Empty where it is not given. */
  readonly postcode: Column<StreetIndex, StringIndex>
  /** A point on it, in units of 1e-7 degrees: the house nearest to the middle of all, or the lieu-dit's own. */
  readonly lat: Column<StreetIndex>
  readonly lon: Column<StreetIndex>
  /** Street → its first house; one longer. A lieu-dit mostly has none. */
  readonly houseOffset: Column<StreetIndex, HouseIndex>
}

export interface Houses {
  readonly count: number
  /** 0 to MAX_HOUSE_NUMBER. */
  readonly number: Column<HouseIndex>
  readonly suffix: Column<HouseIndex, SuffixIndex>
  /** In units of 1e-7 degrees, WGS 84. */
  readonly lat: Column<HouseIndex>
  readonly lon: Column<HouseIndex>
}

/** Ids that are not made of street, number and suffix: all of an older layout's, hardly any of the present one's. */
export interface OwnIds {
  /** The houses that have one, ascending. */
  readonly house: Column<number, HouseIndex>
  /** UTF-8, one after the other. */
  readonly bytes: Column<number>
  /** Place in `house` → where its id starts; one longer. */
  readonly offset: Column<number>
}

export interface Addresses {
  readonly strings: StringPool
  readonly communes: Communes
  readonly streets: Streets
  readonly houses: Houses
  /** Lower case: `bis`, `b`, `ter`, `s1`. */
  readonly suffixes: Column<SuffixIndex, StringIndex>
  readonly ownIds: OwnIds
}

/** Coordinates are whole numbers of this part of a degree: about a centimeter. */
export const DEGREES_PER_UNIT = 1e-7
/** The largest number a house may have. */
export const MAX_HOUSE_NUMBER = 65_534
/** Digits of a house number within an id. */
const ID_NUMBER_DIGITS = 5

const decoder = new TextDecoder()

/** What an id of the present layout has behind its street's: `_00012_bis`. */
export function idTail(number: number, suffix: string): string {
  const digits = String(number).padStart(ID_NUMBER_DIGITS, '0')
  return suffix === '' ? `_${digits}` : `_${digits}_${suffix}`
}

/** A house's id in its source, unchanged. */
export function houseId(addresses: Addresses, street: StreetIndex, house: HouseIndex): string {
  const own = findOwnId(addresses.ownIds, house)
  if (own !== undefined) return own
  const { houses, streets, strings } = addresses
  return textOf(strings, streets.id[street]) + idTail(houses.number[house], houseSuffix(addresses, house))
}

/** A house's suffix in lower case; empty where it has none. */
export function houseSuffix({ houses, suffixes, strings }: Addresses, house: HouseIndex): string {
  const text = suffixes[houses.suffix[house]]
  return text === EMPTY_STRING ? '' : textOf(strings, text)
}

/** The street a house stands in. */
export function streetOfHouse({ streets }: Addresses, house: HouseIndex): StreetIndex {
  const past = firstWhere(1 as StreetIndex, streets.count as StreetIndex, (each) => streets.houseOffset[each] > house)
  return (past - 1) as StreetIndex
}

function findOwnId({ house: houses, bytes, offset }: OwnIds, house: HouseIndex): string | undefined {
  const at = firstWhere(0, houses.length, (each) => houses[each] >= house)
  if (at === houses.length || houses[at] !== house) return undefined
  return decoder.decode(columnArray(bytes).subarray(offset[at], offset[at + 1]))
}
