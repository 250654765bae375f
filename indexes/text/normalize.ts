// Words as they are compared in searches: no accents, no case, no punctuation. Knows words, not places.

const NOT_ASCII = /[^\0-\x7f]/
const MARKS = /\p{M}+/gu
const NOT_WORD = /[^\p{L}\p{N}]+/u
const NOT_ASCII_WORD = /[^a-z0-9]+/
/** Letters that no decomposition takes apart, as people type them without the right keyboard. */
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

/** The words of a text in their order, plain and lower-case: `Św. Wawrzyńca` gives `sw`, `wawrzynca`. */
export function normalizeWords(text: string): string[] {
  const words = NOT_ASCII.test(text) ? plainText(text).split(NOT_WORD) : text.toLowerCase().split(NOT_ASCII_WORD)
  return words.filter((word) => word !== '')
}

function plainText(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(MARKS, '')
    .replace(SPECIAL_LETTERS, (letter) => PLAIN_LETTERS[letter] ?? letter)
}
