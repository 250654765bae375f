// Parses a typed query: words that may be house numbers, suffixes or postcodes, or a point given as coordinates.

import { NONE } from '../../loaders/columns.ts'
import { classOfTyped, classOfWord, LINK_WORD, SIGNIFICANT } from '../text/abbreviations.ts'
import { queryWords } from '../text/normalize.ts'
import { POSTCODE_DIGITS } from './place-set.ts'

/** One word of a query. */
export interface QueryWord {
  readonly text: string
  /** Whether the word is the last word of the query, which may be incomplete. */
  readonly isLast: boolean
  /** The number, if the word has only digits; otherwise −1. */
  readonly digits: number
  /** The house number in `12`, `12b` or `12bis`; otherwise −1. */
  readonly houseNumber: number
  /**
   * In a word such as `12bis`, the suffix. In a word that may be the suffix of the previous word, a number, the whole
   * word. Otherwise empty.
   */
  readonly suffix: string
  /** Whether the word directly follows a number and may be its suffix. */
  readonly isSuffix: boolean
  /** Whether the word hardly narrows the search: `rue`, `station`, `de`. */
  readonly isGeneric: boolean
  /** Whether the word is an article or a preposition. */
  readonly isLink: boolean
}

/** A parsed query. */
export interface PlaceQuery {
  readonly words: readonly QueryWord[]
  /** The words joined by spaces, to be compared with stop codes. */
  readonly code: string
  /** The point in degrees if the query is a point; otherwise undefined. */
  readonly point: { readonly lat: number; readonly lon: number } | undefined
}

/**
 * Maximum number of words that are used. A set of words is stored as the bits of one number. More words would hardly
 * narrow the search.
 */
export const MAX_QUERY_WORDS = 31
/**
 * Maximum number of words that may be suffixes. One may belong to the house number of the address, and one to another
 * number in the query.
 */
const MAX_SUFFIX_WORDS = 2
/** The last word of a query can be generic if it has at least this many letters; a shorter one may be incomplete. */
const LEAST_GENERIC_LETTERS = 3

const DIGITS = /^[0-9]{1,9}$/
const NUMBER_WITH_SUFFIX = /^([0-9]{1,5})(quater|quinquies|sexies|[a-z]{1,3}[0-9]{0,2})$/
const SUFFIX = /^(?:b|bi|bis|t|te|ter|q|qu|qua|quat|quate|quater|quin[a-z]*|sex[a-z]*|[a-z][0-9]?)$/
const BETWEEN_NUMBERS = /[,;\s]/
const DEGREES = /^[+-]?\d{1,3}(?:\.\d{1,20})?$/
const DECIMAL_POINT = '.'
/**
 * A character of a word is a digit if its code is at most this one. Words contain only digits and letters, and letters
 * have higher codes.
 */
const NINE = '9'.charCodeAt(0)

/** Parses a query. */
export function parseQuery(text: string): PlaceQuery {
  const texts = distinctPairs(queryWords(text)).slice(0, MAX_QUERY_WORDS)
  const words: QueryWord[] = []
  let suffixCount = 0
  for (let at = 0; at < texts.length; at++) {
    const before = at > 0 && suffixCount < MAX_SUFFIX_WORDS ? words[at - 1] : undefined
    const word = toWord(texts[at], { before, isLast: at === texts.length - 1 })
    if (word.isSuffix) suffixCount++
    words.push(word)
  }
  return { words, code: texts.join(' '), point: parsePoint(text) }
}

function toWord(
  text: string,
  { before, isLast }: { readonly before: QueryWord | undefined; readonly isLast: boolean },
): QueryWord {
  const isNumber = text.charCodeAt(0) <= NINE
  const digits = isNumber && DIGITS.test(text) ? Number(text) : -1
  const [, number, suffix] = (isNumber && NUMBER_WITH_SUFFIX.exec(text)) || []
  const isSuffix =
    before !== undefined && before.digits >= 0 && before.text.length < POSTCODE_DIGITS && SUFFIX.test(text)
  return {
    text,
    isLast,
    digits,
    houseNumber: number !== undefined ? Number(number) : text.length <= POSTCODE_DIGITS ? digits : -1,
    suffix: suffix ?? (isSuffix ? text : ''),
    isSuffix,
    isGeneric: isGenericWord(text, isLast),
    isLink: classOfTyped(text) === LINK_WORD,
  }
}

/**
 * Whether a word is generic. The last word may be unfinished (`r` may become `rivoli`), so it is generic only if it is
 * long enough and not an abbreviation.
 */
function isGenericWord(text: string, isLast: boolean): boolean {
  return isLast
    ? text.length >= LEAST_GENERIC_LETTERS && classOfWord(text) !== SIGNIFICANT
    : classOfTyped(text) !== SIGNIFICANT
}

/** Keeps only the first two occurrences of each word. */
function distinctPairs(words: readonly string[]): readonly string[] {
  if (words.length < 3) return words
  const counts = new Map<string, number>()
  return words.filter((word) => {
    const count = (counts.get(word) ?? 0) + 1
    counts.set(word, count)
    return count <= 2
  })
}

/** A point such as `48.85, 2.35`: two numbers, latitude first, at least one with decimals. */
function parsePoint(text: string): PlaceQuery['point'] {
  if (!text.includes(DECIMAL_POINT)) return undefined
  const parts = text.split(BETWEEN_NUMBERS).filter((part) => part !== '')
  const [latText = '', lonText = ''] = parts
  if (parts.length !== 2 || !parts.every((part) => DEGREES.test(part))) return undefined
  const lat = Number(latText)
  const lon = Number(lonText)
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : undefined
}

/** Whether a word may be a house number, and has fewer digits than a postcode. */
export function isHouseNumber({ houseNumber, digits, text }: QueryWord): boolean {
  return houseNumber >= 0 && (digits < 0 || text.length < POSTCODE_DIGITS)
}

/** Whether a word is the start of a postcode, such as `75` in 75002. */
export function beginsPostcode(word: QueryWord, postcode: number): boolean {
  if (postcode === NONE || word.digits < 0 || word.text.length > POSTCODE_DIGITS) return false
  return Math.floor(postcode / 10 ** (POSTCODE_DIGITS - word.text.length)) === word.digits
}
