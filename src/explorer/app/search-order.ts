// Orders the results of a search: the network's lines, and the places that the API returns. Places keep the order of
// the API, but stops whose names start with the typed text as whole words come first.
import type { Line, Place } from './contract.ts'

/** Maximum number of lines listed before the places, and also of lines listed after them. */
const MOST_LINES = 4
const LEAST_LETTERS = 3

/** Returns a string in the form used for comparisons: in lowercase and without accents. */
function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim()
}

/** The lines that a search found. */
export interface FoundLines {
  /** Lines found by code, exact matches first; listed before the places. */
  readonly byCode: readonly Line[]
  /** Lines found by words in their names; listed after the places. */
  readonly byName: readonly Line[]
}

/**
 * The lines whose code matches the typed text, such as "12" or "line 12", and the lines whose name contains a
 * word that starts with the text.
 */
export function matchingLines(lines: readonly Line[], typed: string): FoundLines {
  const sought = folded(typed)
  if (sought === '') return { byCode: [], byName: [] }
  const code = sought.replace(/^(?:line|ligne)\s+/, '')
  const isSame = (line: Line) => folded(line.code) === code
  const begins = (line: Line) => !isSame(line) && line.code !== '' && folded(line.code).startsWith(code)
  const byCode = [...lines.filter(isSame), ...(code === sought ? lines.filter(begins) : [])].slice(0, MOST_LINES)
  // One or two letters are not searched for in names, because too many names contain them.
  const byName =
    sought.length < LEAST_LETTERS
      ? []
      : lines.filter((line) => !byCode.includes(line) && ` ${folded(line.name)}`.includes(` ${sought}`))
  return { byCode, byName: byName.slice(0, MOST_LINES) }
}

/**
 * Puts stops first if their name starts with the typed text as whole words. For "gare", Gare Centrale then comes before
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
 * name does not count as a whole-word match.
 */
function rest(name: string, sought: string): string {
  return sought !== '' && name.startsWith(sought) ? name.slice(sought.length) : 'x'
}
