// Finds the names whose words all occur in a query. A name is looked up by a hash of all its words. The remaining words
// of the query may be the town, a number or a postcode, so every combination of query words is looked up.
import { NONE } from '../../loaders/columns.ts'
import { findWholeNames, tokenWeight } from '../text/whole-names.ts'
import type { WordMatches } from '../text/word-matches.ts'
import type { PlaceSet } from './place-set.ts'

/** Maximum number of combinations to look up for a query. */
const MAX_CHOICES = 2048

/** The names that were found, those with the most words first. */
export interface WholeMatches {
  readonly names: readonly number[]
  /** Whether every combination was looked up. */
  readonly isComplete: boolean
}

/**
 * Finds the names. A word of the query matches a token that is equal to it, is one of its expansions, or is the same
 * number in digits or as a word.
 */
export function wholeNamesOf({ names, wholeNames }: PlaceSet, matches: readonly WordMatches[]): WholeMatches {
  const forms = matches.map(({ literal, expansions }) =>
    [literal, ...expansions].filter((token) => token !== NONE).map(tokenWeight),
  )
  const choices = forms.reduce((product, { length }) => product * (length + 1), 1)
  if (choices > MAX_CHOICES) return { names: [], isComplete: false }
  const found: number[] = []
  const choose = (at: number, sum: number, count: number): void => {
    if (at === forms.length) {
      if (count > 0) findWholeNames({ index: names, table: wholeNames }, { sum, count }, found)
      return
    }
    choose(at + 1, sum, count)
    for (const weight of forms[at]) choose(at + 1, (sum + weight) | 0, count + 1)
  }
  choose(0, 0, 0)
  const distinct = [...new Set(found)]
  return { names: distinct.sort((a, b) => names.nameWords[b] - names.nameWords[a] || a - b), isComplete: true }
}
