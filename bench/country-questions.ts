// Generates what people type when they search for an address in a country: prefixes of labels, whole labels, and labels
// that lack a letter of their longest word. Every second label has no house number.
import { addressPlace } from '../indexes/places/address-places.ts'
import { type Addresses, type HouseIndex, streetOfHouse } from '../loaders/ban/addresses.ts'
import { below, type Random } from '../src/demo/seeded-random.ts'

/** An address to search for. */
export interface DrawnAddress {
  readonly house: HouseIndex
  /** The label in lower case without accents. The house number is removed from every second label. */
  readonly label: string
  readonly hasNumber: boolean
}

const LONGEST_TYPED = 60

/** Chooses addresses at random. */
export function drawAddresses(addresses: Addresses, count: number, random: Random): DrawnAddress[] {
  return Array.from({ length: count }, (_, at) => {
    const house = below(random, addresses.houses.count) as HouseIndex
    const { label } = addressPlace(addresses, streetOfHouse(addresses, house), house)
    const plain = label.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
    const hasNumber = at % 2 === 0
    return { house, label: hasNumber ? plain : plain.replace(/^\d+\S*(?: bis| ter| quater)? /, ''), hasNumber }
  })
}

/** The prefixes of a label, from one letter up to `LONGEST_TYPED` letters. */
export function beginnings({ label }: DrawnAddress): string[] {
  const length = Math.min(label.length, LONGEST_TYPED)
  return Array.from({ length }, (_, at) => label.slice(0, at + 1))
}

/** The label without one letter of its longest word. The first letter of the word is never removed. */
export function withoutALetter({ label }: DrawnAddress, random: Random): string {
  const words = label.split(/[^\p{L}\p{N}]+/u).filter((word) => /^\p{L}+$/u.test(word))
  const longest = words.reduce((one, other) => (other.length > one.length ? other : one), '')
  const start = label.indexOf(longest)
  const at = start + 1 + below(random, Math.max(1, longest.length - 1))
  return label.slice(0, at) + label.slice(at + 1)
}
