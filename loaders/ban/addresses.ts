// Addresses as typed columns, shared by all networks. Start reading this folder here. Streets are sorted by name, and
// the houses on a street by number and suffix.

import { type Column, columnArray, firstWhere, type Index, nextIndex } from '../columns.ts'
import { EMPTY_STRING, type StringIndex, type StringPool, textOf } from '../strings.ts'

/** A commune, numbered by its code. */
export type CommuneIndex = Index<'Commune'>
/**
 * A street, a part of a street with its own postcode, or a lieu-dit (a named place, usually without house numbers).
 * Sorted by name, then commune, postcode and id.
 */
export type StreetIndex = Index<'Street'>
/** A house on a street. The houses on a street are consecutive, sorted by number, then suffix. */
export type HouseIndex = Index<'House'>
/** A distinct house-number suffix, such as `bis`; 0 means none. */
export type SuffixIndex = Index<'Suffix'>

export interface Communes {
  readonly count: number
  /** INSEE code. */
  readonly code: Column<CommuneIndex, StringIndex>
  readonly name: Column<CommuneIndex, StringIndex>
}

export interface Streets {
  readonly count: number
  /**
   * The beginning that the ids of all houses on the street have in common; for a lieu-dit, its own id. If the house ids
   * have a different form: the tax office's id for the street (FANTOIR), or commune and name.
   */
  readonly id: Column<StreetIndex, StringIndex>
  readonly name: Column<StreetIndex, StringIndex>
  readonly commune: Column<StreetIndex, CommuneIndex>
  /** The former commune if communes were merged; otherwise empty. */
  readonly formerCommune: Column<StreetIndex, StringIndex>
  /** Empty if unknown. */
  readonly postcode: Column<StreetIndex, StringIndex>
  /**
   * A point on the street, in units of 1e-7 degrees: the house nearest to the center of all its houses, or the point of
   * the lieu-dit.
   */
  readonly lat: Column<StreetIndex>
  readonly lon: Column<StreetIndex>
  /** Street → its first house; has one extra entry. Most lieux-dits have no houses. */
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

/**
 * The house ids that cannot be derived from street, number and suffix: all ids in files with an older layout, but only
 * a few in files with the current layout.
 */
export interface OwnIds {
  /** The houses whose ids are in `bytes`, ascending. */
  readonly house: Column<number, HouseIndex>
  /** The ids in UTF-8, concatenated. */
  readonly bytes: Column<number>
  /** Index in `house` → start of its id; has one extra entry. */
  readonly offset: Column<number>
}

export interface Addresses {
  readonly strings: StringPool
  readonly communes: Communes
  readonly streets: Streets
  readonly houses: Houses
  /** The suffixes in lower case: `bis`, `b`, `ter`, `s1`. */
  readonly suffixes: Column<SuffixIndex, StringIndex>
  readonly ownIds: OwnIds
}

/** Degrees per coordinate unit. A unit is about a centimeter. */
export const DEGREES_PER_UNIT = 1e-7
/** The largest house number that is accepted. */
export const MAX_HOUSE_NUMBER = 65_534
/** Number of digits that a house number has in an id. */
const ID_NUMBER_DIGITS = 5

/** All streets, in order. */
export function* eachStreet({ streets }: Pick<Addresses, 'streets'>): Generator<StreetIndex> {
  for (let street = 0 as StreetIndex; street < streets.count; street = nextIndex(street)) yield street
}

/** All communes, in order. */
export function* eachCommune({ communes }: Pick<Addresses, 'communes'>): Generator<CommuneIndex> {
  for (let commune = 0 as CommuneIndex; commune < communes.count; commune = nextIndex(commune)) yield commune
}

const decoder = new TextDecoder()

/** The part of a house's id after the street id, in the current format. Example: `_00012_bis`. */
export function idTail(number: number, suffix: string): string {
  const digits = String(number).padStart(ID_NUMBER_DIGITS, '0')
  return suffix === '' ? `_${digits}` : `_${digits}_${suffix}`
}

/** The id of a house, as in the source file. */
export function houseId(addresses: Addresses, street: StreetIndex, house: HouseIndex): string {
  const own = findOwnId(addresses.ownIds, house)
  if (own !== undefined) return own
  const { houses, streets, strings } = addresses
  return textOf(strings, streets.id[street]) + idTail(houses.number[house], houseSuffix(addresses, house))
}

/** A house's suffix in lower case; empty if it has none. */
export function houseSuffix({ houses, suffixes, strings }: Addresses, house: HouseIndex): string {
  const text = suffixes[houses.suffix[house]]
  return text === EMPTY_STRING ? '' : textOf(strings, text)
}

/** The street of a house. */
export function streetOfHouse({ streets }: Addresses, house: HouseIndex): StreetIndex {
  const past = firstWhere(1 as StreetIndex, streets.count as StreetIndex, (each) => streets.houseOffset[each] > house)
  return (past - 1) as StreetIndex
}

function findOwnId({ house: houses, bytes, offset }: OwnIds, house: HouseIndex): string | undefined {
  const at = firstWhere(0, houses.length, (each) => houses[each] >= house)
  if (at === houses.length || houses[at] !== house) return undefined
  return decoder.decode(columnArray(bytes).subarray(offset[at], offset[at + 1]))
}
