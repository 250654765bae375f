// Finds the words that a typed word may mean: the word itself, its other forms, words that start with it, and words of
// which it may be a misspelling.
import { NONE } from '../../loaders/columns.ts'
import { meaningsOf } from './abbreviations.ts'
import type { NameIndex } from './name-index.ts'
import { findNearTokens, type NearTokens } from './near-words.ts'
import { findToken, findTokens } from './prefix-tree.ts'

/** The tokens of one index that a word matches. */
export interface WordMatches extends NearTokens {
  /** The token equal to the word; NONE if no name contains it. */
  readonly literal: number
  /** The tokens that the word abbreviates, and the other form of a number: `2` for `deux`, or the reverse. */
  readonly expansions: readonly number[]
  /** The range of tokens that start with the word, from `first` to before `end`. Empty if the word is complete. */
  readonly first: number
  readonly end: number
  /** The token of the word without its plural ending; NONE if no name contains it. */
  readonly singular: number
}

const PLURAL = /^\p{L}{4,}[sx]$/u
const LEAST_PLURAL = 5

/** A word without its plural ending; undefined if it has none. */
export function singularOf(word: string): string | undefined {
  return word.length >= LEAST_PLURAL && PLURAL.test(word) ? word.slice(0, -1) : undefined
}

/** Finds the tokens for a word, without misspellings. */
export function findWord(index: NameIndex, word: string, isPrefix: boolean): WordMatches {
  const range = findTokens(index, word)
  const expansions: number[] = []
  for (const long of meaningsOf(word)) {
    const token = findToken(index, long)
    if (token >= 0) expansions.push(token)
  }
  const literal = findToken(index, word, range)
  const one = singularOf(word)
  const singular = one === undefined ? -1 : findToken(index, one)
  return {
    literal: literal < 0 ? NONE : literal,
    expansions,
    first: range.first,
    end: isPrefix ? range.end : range.first,
    singular: singular < 0 ? NONE : singular,
    near: NO_TOKENS,
    nearStarts: NO_TOKENS,
    far: NO_TOKENS,
    farStarts: NO_TOKENS,
  }
}

const NO_TOKENS: readonly number[] = []

/**
 * Returns the matches of a word, extended by the tokens of which it may be a misspelling. If the word may be
 * incomplete, tokens with a start that is near the word are also added.
 */
export function withNearTokens(
  index: NameIndex,
  match: WordMatches,
  { text, isUnfinished }: { readonly text: string; readonly isUnfinished: boolean },
): WordMatches {
  return { ...match, ...findNearTokens(index, text, isUnfinished) }
}

/** The kinds of matches, best first. */
export const LITERAL = 7
export const EXPANSION = 6
export const START = 5
export const NEAR = 4
export const NEAR_START = 3
export const FAR = 2
export const FAR_START = 1
export const NO_MATCH = 0

/** Whether a token is a match of this kind for a word. A singular counts as START. */
export function fitsAs(kind: number, match: WordMatches, token: number): boolean {
  switch (kind) {
    case LITERAL:
      return token === match.literal
    case EXPANSION:
      return match.expansions.includes(token)
    case START:
      return (token >= match.first && token < match.end) || token === match.singular
    case NEAR:
      return hasToken(match.near, token)
    case NEAR_START:
      return hasToken(match.nearStarts, token)
    case FAR:
      return hasToken(match.far, token)
    default:
      return hasToken(match.farStarts, token)
  }
}

/** The best kind of match between a token and a word; NO_MATCH if there is none. */
export function fitOf(match: WordMatches, token: number): number {
  if (token === match.literal) return LITERAL
  if (match.expansions.length > 0 && match.expansions.includes(token)) return EXPANSION
  if ((token >= match.first && token < match.end) || token === match.singular) return START
  if (!hasNearTokens(match)) return NO_MATCH
  for (let kind = NEAR; kind > NO_MATCH; kind--) if (fitsAs(kind, match, token)) return kind
  return NO_MATCH
}

/** Whether misspellings were found for a word. */
function hasNearTokens({ near, nearStarts, far, farStarts }: WordMatches): boolean {
  return near.length + nearStarts.length + far.length + farStarts.length > 0
}

/** Whether ascending tokens include a token, by binary search. */
function hasToken(tokens: readonly number[], token: number): boolean {
  let low = 0
  let high = tokens.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (tokens[middle] < token) low = middle + 1
    else high = middle
  }
  return low < tokens.length && tokens[low] === token
}

/** Number of postings of all tokens that match a word. */
export function countPostings({ postingOffset }: NameIndex, match: WordMatches): number {
  let count = postingOffset[match.end] - postingOffset[match.first]
  eachOtherToken(match, (token) => {
    count += postingOffset[token + 1] - postingOffset[token]
  })
  return count
}

/** Calls `call` with each matching token that is not in the range from `first` to `end`. */
export function eachOtherToken(match: WordMatches, call: (token: number) => void): void {
  const { literal, singular, first, end } = match
  if (literal !== NONE && first === end) call(literal)
  if (singular !== NONE) call(singular)
  for (const token of match.expansions) if (token < first || token >= end) call(token)
  if (!hasNearTokens(match)) return
  for (const tokens of [match.near, match.nearStarts, match.far, match.farStarts])
    for (const token of tokens) call(token)
}
