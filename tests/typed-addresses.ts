// Generates the ways in which people type an address: without accents, abbreviated, with a typing error, or in a
// different order. Random choices depend on a seed, so that a run can be repeated.

/** An address as it is officially written. */
export interface WrittenAddress {
  /** `12` or `12 bis`. */
  readonly number: string
  readonly street: string
  readonly postcode: string
  readonly town: string
}

/** A source of random whole numbers that are at least 0 and less than `bound`. */
export type Dice = (bound: number) => number

/** Xorshift, which gives the same numbers on every machine. */
export function seededDice(seed: number): Dice {
  let state = seed | 1
  return (bound) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % bound
  }
}

/** The ways in which an address is typed. */
export const WAYS = ['exact', 'folded', 'abbreviated', 'typo', 'order', 'no_town', 'town_first'] as const
export type Way = (typeof WAYS)[number]

const SHORT: readonly (readonly [RegExp, string])[] = [
  [/\bboulevard\b/, 'bd'],
  [/\bavenue\b/, 'av'],
  [/\brue\b/, 'r'],
  [/\bplace\b/, 'pl'],
  [/\bcours\b/, 'crs'],
  [/\bimpasse\b/, 'imp'],
  [/\bchemin\b/, 'ch'],
  [/\bsaint\b/, 'st'],
  [/\bsainte\b/, 'ste'],
  [/\bfaubourg\b/, 'fbg'],
  [/\bsquare\b/, 'sq'],
  [/\bgeneral\b/, 'gal'],
  [/\bquai\b/, 'qu'],
  [/\bpassage\b/, 'pass'],
  [/\bdocteur\b/, 'dr'],
]

/** Types an address in one of these ways. */
export function typeAddress(address: WrittenAddress, way: Way, dice: Dice): string {
  const { number, street, postcode, town } = address
  const plain = fold(street)
  switch (way) {
    case 'exact':
      return `${number} ${street} ${postcode} ${town}`
    case 'folded':
      return fold(`${number} ${street} ${postcode} ${town}`)
    case 'abbreviated':
      return `${number} ${shorten(plain)} ${postcode} ${fold(town)}`
    case 'typo':
      return `${number} ${slip(plain, dice)} ${postcode} ${fold(town)}`
    case 'order':
      return shuffle([number, ...plain.split(/[\s'’-]+/), postcode, fold(town)], dice).join(' ')
    case 'no_town':
      return `${number} ${plain}`
    case 'town_first':
      return `${fold(town)} ${plain} ${number}`
  }
}

/** Converts a string to lower case without accents, which is what most people type. */
export function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('œ', 'oe')
}

/** Abbreviates the words of a street name that are usually abbreviated. */
export function shorten(plain: string): string {
  return SHORT.reduce((text, [long, short]) => text.replace(long, short), plain)
}

/**
 * Makes a typing error in a random word of four or more letters: one letter is left out, inserted, replaced, or swapped
 * with its neighbor.
 */
function slip(plain: string, dice: Dice): string {
  const words = plain.split(' ')
  const long = words.flatMap((word, at) => (word.length >= 4 ? [at] : []))
  if (long.length === 0) return plain
  const at = long[dice(long.length)]
  const word = words[at]
  const letter = 1 + dice(word.length - 1)
  const other = String.fromCharCode(97 + dice(26))
  const kinds = [
    word.slice(0, letter) + word.slice(letter + 1),
    word.slice(0, letter) + other + word.slice(letter),
    word.slice(0, letter) + other + word.slice(letter + 1),
    word.slice(0, letter - 1) + word.charAt(letter) + word.charAt(letter - 1) + word.slice(letter + 1),
  ]
  words[at] = kinds[dice(kinds.length)]
  return words.join(' ')
}

/** The items in random order. */
export function shuffle<T>(items: readonly T[], dice: Dice): T[] {
  const shuffled = [...items]
  for (let at = shuffled.length - 1; at > 0; at--) {
    const other = dice(at + 1)
    const kept = shuffled[at]
    shuffled[at] = shuffled[other]
    shuffled[other] = kept
  }
  return shuffled
}
