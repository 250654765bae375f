// The results that a search shows: lines of the network, and places in the order of the API.
import type { Line, Place } from './contract.ts'

/** Maximum number of lines before the places, and of lines after them. */
const MOST_LINES = 4
const LEAST_LETTERS = 3

/** A text in the form in which texts are compared: without case and accents. */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim()
}

/** The lines that a search found. */
export interface FoundLines {
  /** Lines found by code, exact matches first; listed before the places. */
  readonly byCode: readonly Line[]
  /** Lines found by words of their name; listed after the places. */
  readonly byName: readonly Line[]
}

/** The lines whose code matches the typed text, such as "12" or "line 12", and the lines whose name contains the text. */
export function matchingLines(lines: readonly Line[], typed: string): FoundLines {
  const sought = folded(typed)
  if (sought === '') return { byCode: [], byName: [] }
  const code = sought.replace(/^(?:line|ligne)\s+/, '')
  const isSame = (line: Line) => folded(line.code) === code
  const begins = (line: Line) => !isSame(line) && line.code !== '' && folded(line.code).startsWith(code)
  const byCode = [...lines.filter(isSame), ...(code === sought ? lines.filter(begins) : [])].slice(0, MOST_LINES)
  // Names are not searched for one or two letters, because too many names contain them.
  const byName =
    sought.length < LEAST_LETTERS
      ? []
      : lines.filter((line) => !byCode.includes(line) && ` ${folded(line.name)}`.includes(` ${sought}`))
  return { byCode, byName: byName.slice(0, MOST_LINES) }
}

/**
 * Puts stops first if their name starts with the typed text as whole words: for "gare", Gare Centrale comes before
 * Garenne.
 */
export function wholeWordsFirst(places: readonly Place[], typed: string): readonly Place[] {
  const sought = folded(typed)
  const beginsWhole = ({ kind, name }: Place) =>
    kind !== 'address' && /^$|^[^\p{L}\p{N}]/u.test(rest(folded(name), sought))
  const [first, others] = [places.filter(beginsWhole), places.filter((place) => !beginsWhole(place))]
  return [...first, ...others]
}

/**
 * The part of a name after the searched text. If the name does not start with the text, returns a letter, so that the
 * name does not count as a match of whole words.
 */
function rest(name: string, sought: string): string {
  return sought !== '' && name.startsWith(sought) ? name.slice(sought.length) : 'x'
}
