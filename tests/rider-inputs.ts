// Generates, by rules, what riders might type to find places that they know. There are ten ways of typing: whole names,
// parts of names, typing errors, words written together, and others. Each way gets the same number of inputs. Half of
// the inputs are held out from tuning.
import { normalizeWords } from '../indexes/text/normalize.ts'
import { type Dice, fold, seededDice, shorten, shuffle } from './typed-addresses.ts'

/** The ways of typing. */
export const KINDS = [
  'whole',
  'part_way',
  'one_slip',
  'two_slips',
  'first_letter',
  'run_together',
  'abbreviation',
  'order',
  'generic_word',
  'town_or_postcode',
] as const
export type Kind = (typeof KINDS)[number]

/** A place that a rider looks for: a stop, or a house with its street. */
export interface KnownPlace {
  /** `12 Rue de la Paix`, or the name of a stop. */
  readonly name: string
  readonly town: string
  /** Empty for stops. */
  readonly postcode: string
  readonly lat: number
  readonly lon: number
}

/** An input and the place that it means. */
export interface RiderInput<Place extends KnownPlace> {
  readonly kind: Kind
  readonly text: string
  readonly place: Place
  /** The rider's position; undefined if the query does not contain it. */
  readonly near: { readonly lat: number; readonly lon: number } | undefined
  /** Whether the input may not be used for tuning. */
  readonly isHeldOut: boolean
}

const SEED = 20_261_124
/** Maximum difference between the rider's latitude or longitude and the place's, in degrees: a kilometer or two. */
const AWAY = 0.015

/** Generates `perKind` inputs of each kind, for places drawn from a list. The same list gives the same inputs. */
export function riderInputs<Place extends KnownPlace>(places: readonly Place[], perKind: number): RiderInput<Place>[] {
  const dice = seededDice(SEED)
  const inputs: RiderInput<Place>[] = []
  for (const kind of KINDS) {
    for (let made = 0; made < perKind; ) {
      const place = places[dice(places.length)]
      const text = typed(place, kind, dice)
      const near = {
        lat: place.lat + ((dice(2001) - 1000) / 1000) * AWAY,
        lon: place.lon + ((dice(2001) - 1000) / 1000) * AWAY,
      }
      if (text === undefined) continue
      const isNearKnown = kind === 'part_way' || made % 4 < 2
      inputs.push({ kind, text, place, near: isNearKnown ? near : undefined, isHeldOut: made % 2 === 1 })
      made++
    }
  }
  return inputs
}

/** The name of a place as typed in one of the ways; undefined if the name is not suitable for that way. */
function typed(place: KnownPlace, kind: Kind, dice: Dice): string | undefined {
  const plain = dice(2) === 0 ? fold(place.name) : place.name
  switch (kind) {
    case 'whole':
      return plain
    case 'part_way':
      return partOf(fold(place.name), dice)
    case 'one_slip':
      return changeWord(fold(place.name), { least: 4, change: slip }, dice)
    case 'two_slips':
      return twoSlips(fold(place.name), dice)
    case 'first_letter':
      return changeWord(fold(place.name), { least: 5, change: wrongStart }, dice)
    case 'run_together':
      return runTogether(plain, place, dice)
    case 'abbreviation':
      return abbreviated(fold(place.name))
    case 'order':
      return reordered(fold(place.name), dice)
    case 'generic_word':
      return dice(2) === 0 ? withGeneric(fold(place.name), place, dice) : withoutGeneric(fold(place.name))
    case 'town_or_postcode':
      return withTown(plain, place, dice)
  }
}

/**
 * The name without the end of its last word. At least three letters of that word remain. Undefined if the word has
 * fewer than five letters.
 */
function partOf(plain: string, dice: Dice): string | undefined {
  const [last = ''] = /\p{L}{5,}$/u.exec(plain) ?? []
  return last === '' ? undefined : plain.slice(0, plain.length - 1 - dice(last.length - 3))
}

interface WordChange {
  /** Minimum length of a word that may be changed. */
  readonly least: number
  readonly change: (word: string, dice: Dice) => string
}

function changeWord(plain: string, { least, change }: WordChange, dice: Dice): string | undefined {
  const words = plain.split(/(?<=\P{L})|(?=\P{L})/u)
  const long = [...words.keys()].filter((at) => words[at].length >= least && !TYPES.has(words[at]))
  if (long.length === 0) return undefined
  const at = long[dice(long.length)]
  return words.map((word, each) => (each === at ? change(word, dice) : word)).join('')
}

/** Words in which no typing error is made. */
const TYPES = new Set(['rue', 'avenue', 'boulevard', 'place', 'quai', 'square', 'impasse', 'passage', 'gare'])

/**
 * Makes one typing error, but not in the first letter: leaves a letter out, inserts or replaces one, or swaps two
 * neighbors.
 */
function slip(word: string, dice: Dice): string {
  const at = 1 + dice(word.length - 1)
  const other = String.fromCharCode(97 + dice(26))
  const kinds = [
    word.slice(0, at) + word.slice(at + 1),
    word.slice(0, at) + other + word.slice(at),
    word.slice(0, at) + other + word.slice(at + 1),
    at + 1 < word.length
      ? word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2)
      : word.slice(0, -1),
  ]
  const changed = kinds[dice(kinds.length)]
  return changed === word ? word.slice(0, at) + word.slice(at + 1) : changed
}

/** Makes two typing errors in a word of eight letters or more, or one in each of two words of five or more. */
function twoSlips(plain: string, dice: Dice): string | undefined {
  const inLong = changeWord(plain, { least: 8, change: (word, each) => slip(slip(word, each), each) }, dice)
  if (inLong !== undefined && inLong !== plain) return inLong
  const words = plain.split(' ')
  const long = [...words.keys()].filter((at) => /^\p{L}{5,}$/u.test(words[at]) && !TYPES.has(words[at]))
  if (long.length < 2) return undefined
  return words.map((word, at) => (at === long[0] || at === long[1] ? slip(word, dice) : word)).join(' ')
}

function wrongStart(word: string, dice: Dice): string {
  const other = String.fromCharCode(97 + dice(26))
  return dice(2) === 0 ? word.slice(1) : (other === word.charAt(0) ? 'x' : other) + word.slice(1)
}

/**
 * The name with all words written as one, with two neighboring words written as one, or with the postcode attached to
 * its end. Some results keep their capitals.
 */
function runTogether(plain: string, place: KnownPlace, dice: Dice): string | undefined {
  const [, number = '', street = plain] = /^(\d+\S* (?:(?:bis|ter|quater) )?)(.*)$/.exec(plain) ?? []
  const words = street.split(/[\s'’-]+/).filter((word) => word !== '')
  if (words.length < 2) return undefined
  if (place.postcode !== '' && dice(4) === 0) return `${number}${street}${place.postcode}`
  if (dice(2) === 0) return number + words.join('')
  const at = dice(words.length - 1)
  return (
    number +
    words
      .map((word, each) => (each === at ? word : `${word} `))
      .join('')
      .trim()
  )
}

function abbreviated(plain: string): string | undefined {
  const short = shorten(plain)
  return short === plain ? undefined : short
}

function reordered(plain: string, dice: Dice): string | undefined {
  const words = plain.split(/[\s'’-]+/).filter((word) => word !== '')
  if (words.length < 2) return undefined
  const shuffled = shuffle(words, dice).join(' ')
  return shuffled === words.join(' ') ? undefined : shuffled
}

const STOP_WORDS = ['arret', 'station', 'gare', 'place']

/** The name with an additional generic word, such as `station` before a stop's name or `de la` in a street's name. */
function withGeneric(plain: string, { postcode }: KnownPlace, dice: Dice): string {
  if (postcode === '') return `${STOP_WORDS[dice(STOP_WORDS.length)]} ${plain}`
  return plain.replace(/^(\d+\S* (?:(?:bis|ter|quater) )?\S+ )/, `$1${['de', 'de la', 'du', 'des'][dice(4)]} `)
}

const LITTLE = /^(?:rue|avenue|boulevard|place|quai|square|gare|station|de|du|des|la|le|les|l|d)$/

/**
 * The name without its first generic word; undefined if there is none, or if only short or generic words would remain.
 */
function withoutGeneric(plain: string): string | undefined {
  const words = plain.split(/[\s'’-]+/)
  const at = words.findIndex((word) => LITTLE.test(word))
  const rest = words.filter((_, each) => each !== at)
  return at < 0 || !rest.some((word) => word.length >= 4 && !LITTLE.test(word)) ? undefined : rest.join(' ')
}

function withTown(plain: string, { town, postcode }: KnownPlace, dice: Dice): string {
  const ways =
    postcode === ''
      ? [`${plain} ${town}`, `${town} ${plain}`, `${plain}, ${town}`]
      : [
          `${plain} ${town}`,
          `${plain} ${postcode}`,
          `${plain} ${postcode} ${town}`,
          `${plain} ${postcode.slice(0, 2)}`,
          `${town} ${plain}`,
        ]
  return ways[dice(ways.length)]
}

/** Whether two names consist of the same words in the same order. */
export function isSameName(one: string, other: string): boolean {
  return normalizeWords(one).join(' ') === normalizeWords(other).join(' ')
}
