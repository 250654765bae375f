// Finds the houses of a street by number and suffix. `b` and `bis` are equivalent, and so are `t` and `ter`.

import { type Addresses, type HouseIndex, houseSuffix, type StreetIndex } from '../../loaders/ban/addresses.ts'
import { firstWhere, nextIndex } from '../../loaders/columns.ts'

const LONG_SUFFIX: ReadonlyMap<string, string> = new Map([
  ['b', 'bis'],
  ['t', 'ter'],
  ['q', 'quater'],
])

function longForm(suffix: string): string {
  return LONG_SUFFIX.get(suffix) ?? suffix
}

/** The first house with the given number, preferably one without a suffix; undefined if there is none. */
export function findNumber(
  { streets, houses }: Addresses,
  street: StreetIndex,
  number: number,
): HouseIndex | undefined {
  const end = streets.houseOffset[nextIndex(street)]
  const house = firstWhere(streets.houseOffset[street], end, (each) => houses.number[each] >= number)
  return house < end && houses.number[house] === number ? house : undefined
}

/** The highest house number of a street; 0 if it has no houses. */
export function highestNumber({ streets, houses }: Addresses, street: StreetIndex): number {
  const end = streets.houseOffset[nextIndex(street)]
  return end === streets.houseOffset[street] ? 0 : houses.number[(end - 1) as HouseIndex]
}

/**
 * Finds the house with a number and suffix. Accepts the exact suffix, an equivalent one or, while the user types, a
 * longer one that starts with the typed suffix. Undefined if there is none. `first` is the first house with the number.
 */
export function findSuffix(
  addresses: Addresses,
  first: HouseIndex,
  wanted: { readonly suffix: string; readonly isUnfinished: boolean; readonly end: HouseIndex },
): HouseIndex | undefined {
  const { houses } = addresses
  const number = houses.number[first]
  let sameForm: HouseIndex | undefined
  let begun: HouseIndex | undefined
  for (let house = first; house < wanted.end && houses.number[house] === number; house++) {
    const suffix = houseSuffix(addresses, house)
    if (suffix === wanted.suffix) return house
    if (suffix === '') continue
    if (longForm(suffix) === longForm(wanted.suffix)) sameForm ??= house
    if (wanted.isUnfinished && longForm(suffix).startsWith(wanted.suffix)) begun ??= house
  }
  return sameForm ?? begun
}

/**
 * A house number for display: `12`, `12 bis`, `12B`. A single letter is not expanded: `b` does not always mean `bis`.
 */
export function houseNumberText(number: number, suffix: string): string {
  if (suffix === '') return String(number)
  return WORD.test(suffix) ? `${number} ${suffix}` : `${number}${suffix.toUpperCase()}`
}

/** Matches suffixes of several letters, such as `bis`, `ter` and `quater`. */
const WORD = /^[a-z]{3,}$/
