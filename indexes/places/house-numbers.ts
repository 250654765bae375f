// Houses of a street by number and suffix. `b` and `bis` are one suffix to people, and so are `t` and `ter`.

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

/** The first house of a street with a number: the one without a suffix, where there is one. Undefined without any. */
export function findNumber(
  { streets, houses }: Addresses,
  street: StreetIndex,
  number: number,
): HouseIndex | undefined {
  const end = streets.houseOffset[nextIndex(street)]
  const house = firstWhere(streets.houseOffset[street], end, (each) => houses.number[each] >= number)
  return house < end && houses.number[house] === number ? house : undefined
}

/**
 * The house with a number and a suffix, exactly, else by the suffix's other form, else, while it is typed, one whose
 * suffix begins so. Undefined without any; `first` is the first house with the number.
 */
export function findSuffix(
  addresses: Addresses,
  first: HouseIndex,
  asked: { readonly suffix: string; readonly isUnfinished: boolean; readonly end: HouseIndex },
): HouseIndex | undefined {
  const { houses } = addresses
  const number = houses.number[first]
  let sameForm: HouseIndex | undefined
  let begun: HouseIndex | undefined
  for (let house = first; house < asked.end && houses.number[house] === number; house++) {
    const suffix = houseSuffix(addresses, house)
    if (suffix === asked.suffix) return house
    if (suffix === '') continue
    if (longForm(suffix) === longForm(asked.suffix)) sameForm ??= house
    if (asked.isUnfinished && longForm(suffix).startsWith(asked.suffix)) begun ??= house
  }
  return sameForm ?? begun
}

/** A number as people write it: `12`, `12 bis`, `12B`. A letter is left as its source has it: it need not mean `bis`. */
export function houseNumberText(number: number, suffix: string): string {
  if (suffix === '') return String(number)
  return WORD.test(suffix) ? `${number} ${suffix}` : `${number}${suffix.toUpperCase()}`
}

/** `bis`, `ter`, `quater` and what follows. */
const WORD = /^[a-z]{3,}$/
