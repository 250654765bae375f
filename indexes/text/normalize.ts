// Normalizes words for search: no accents, case or punctuation.

const NOT_ASCII = /[^\0-\x7f]/
const MARKS = /\p{M}+/gu
const NOT_WORD = /[^\p{L}\p{N}]+/u
const NOT_ASCII_WORD = /[^a-z0-9]+/
/** Letters that Unicode does not decompose, and the plain letters that people type instead. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  œ: 'oe',
  æ: 'ae',
  ß: 'ss',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
}
const SPECIAL_LETTERS = /[œæßłøđðþħı]/g

/** The normalized words of a string, in order: `Św. Wawrzyńca` gives `sw`, `wawrzynca`. */
export function normalizeWords(text: string): string[] {
  const words = NOT_ASCII.test(text) ? plainText(text).split(NOT_WORD) : text.toLowerCase().split(NOT_ASCII_WORD)
  return words.filter((word) => word !== '')
}

/**
 * Maximum total number of UTF-8 bytes in a query's words and the spaces between them: enough for 120 characters of up
 * to four bytes.
 */
export const QUERY_BYTES = 480
/** Maximum number of UTF-8 bytes per UTF-16 code unit. */
const BYTES_PER_UNIT = 3

/**
 * The normalized words of a query, cut at QUERY_BYTES to limit the cost of the search. Only queries with characters
 * that normalize to several characters, such as Hangul and ligatures, are long enough to be cut.
 */
export function queryWords(text: string): string[] {
  const words = normalizeWords(text)
  if (words.join(' ').length * BYTES_PER_UNIT <= QUERY_BYTES) return words
  const kept: string[] = []
  let left = QUERY_BYTES
  for (const word of words) {
    const start = startWithin(word, left)
    if (start !== '') kept.push(start)
    if (start !== word) break
    left -= Buffer.byteLength(word) + 1
  }
  return kept
}

/** The longest prefix of a string that has at most `byteCount` UTF-8 bytes and does not split a character. */
function startWithin(text: string, byteCount: number): string {
  let end = 0
  let left = byteCount
  for (const character of text) {
    left -= Buffer.byteLength(character)
    if (left < 0) break
    end += character.length
  }
  return text.slice(0, end)
}

function plainText(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(MARKS, '')
    .replace(SPECIAL_LETTERS, (letter) => PLAIN_LETTERS[letter] ?? letter)
}
