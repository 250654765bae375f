// Parses a typed query: words that may be house numbers, suffixes or postcodes, or a point given as coordinates.
import { classOfTyped, classOfWord, LINK_WORD, SIGNIFICANT } from '../text/abbreviations.ts'
import { queryWords } from '../text/normalize.ts'
import { POSTCODE_DIGITS } from './place-set.ts'

/** One word of a query. */
export interface QueryWord {
  readonly text: string
  /** The last word may be incomplete. */
  readonly isLast: boolean
  /** The number, if the word has only digits; otherwise −1. */
  readonly digits: number
  /** The house number in `12`, `12b` or `12bis`; otherwise −1. */
  readonly houseNumber: number
  /** The suffix in the word itself, or the word as a suffix of the preceding number; empty if it cannot be one. */
  readonly suffix: string
  /** Directly follows a number and may be its suffix. */
  readonly isSuffix: boolean
  /** Says little about which place is meant: `rue`, `station`, `de`. */
  readonly isGeneric: boolean
  /** Is an article or a preposition. */
  readonly isLink: boolean
}

/** A parsed query. */
export interface PlaceQuery {
  readonly words: readonly QueryWord[]
  /** Set if the query is a point. Degrees. */
  readonly point: { readonly lat: number; readonly lon: number } | undefined
}

/** Maximum number of words used: they are bits of one number, and more words hardly narrow the search. */
export const MAX_QUERY_WORDS = 31
/** Maximum number of words that may be suffixes: an address has one, and another number may precede it. */
const MAX_SUFFIX_WORDS = 2
/** Minimum length of a last word that counts as complete. */
const LEAST_GENERIC_LETTERS = 3

const DIGITS = /^[0-9]{1,9}$/
const NUMBER_WITH_SUFFIX = /^([0-9]{1,5})(quater|quinquies|sexies|[a-z]{1,3}[0-9]{0,2})$/
const SUFFIX = /^(?:b|bi|bis|t|te|ter|q|qu|qua|quat|quate|quater|quin[a-z]*|sex[a-z]*|[a-z][0-9]?)$/
const BETWEEN_NUMBERS = /[,;\s]/
const DEGREES = /^[+-]?\d{1,3}(?:\.\d{1,20})?$/
const DECIMAL_POINT = '.'

/** Parses a query. */
export function parseQuery(text: string): PlaceQuery {
  const texts = distinctPairs(queryWords(text)).slice(0, MAX_QUERY_WORDS)
  const words: QueryWord[] = []
  for (const [at, word] of texts.entries()) {
    const maySuffix = words.filter(({ isSuffix }) => isSuffix).length < MAX_SUFFIX_WORDS
    words.push(toWord(word, { before: maySuffix ? words.at(-1) : undefined, isLast: at === texts.length - 1 }))
  }
  return { words, point: parsePoint(text) }
}

function toWord(
  text: string,
  { before, isLast }: { readonly before: QueryWord | undefined; readonly isLast: boolean },
): QueryWord {
  const digits = DIGITS.test(text) ? Number(text) : -1
  const [, number, suffix] = NUMBER_WITH_SUFFIX.exec(text) ?? []
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

/** The last word may be unfinished unless it is a whole word: `r` may become `rivoli`. */
function isGenericWord(text: string, isLast: boolean): boolean {
  return isLast
    ? text.length >= LEAST_GENERIC_LETTERS && classOfWord(text) !== SIGNIFICANT
    : classOfTyped(text) !== SIGNIFICANT
}

/** Only the first two occurrences of a word count. */
function distinctPairs(words: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return words.filter((word) => {
    const count = (counts.get(word) ?? 0) + 1
    counts.set(word, count)
    return count <= 2
  })
}

/** `48.85, 2.35`: two numbers, latitude first, at least one with decimals. */
function parsePoint(text: string): PlaceQuery['point'] {
  if (!text.includes(DECIMAL_POINT)) return undefined
  const parts = text.split(BETWEEN_NUMBERS).filter((part) => part !== '')
  const [latText = '', lonText = ''] = parts
  if (parts.length !== 2 || !parts.every((part) => DEGREES.test(part))) return undefined
  const lat = Number(latText)
  const lon = Number(lonText)
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : undefined
}
