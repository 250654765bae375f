// Finds the words that a typed word may mean: itself, its expansions, words it is a prefix of, and misspelled words.
import { type Column, columnArray, NONE } from '../../loaders/columns.ts'
import { expansionsOf } from './abbreviations.ts'
import { countBits, editDistance, editLimit, letterSet } from './edit-distance.ts'
import type { NameIndex } from './name-index.ts'
import { findTokens, tokenText } from './prefix-tree.ts'

/** The tokens of one index that a word matches. */
export interface WordMatches {
  /** The word itself; NONE if no name contains it. */
  readonly literal: number
  /** The expansions of an abbreviation. */
  readonly expansions: readonly number[]
  /** Tokens with the word as a prefix, from `first` to before `end`. Empty if the word is complete. */
  readonly first: number
  readonly end: number
  /** Tokens within one or two edits, also by prefix. Empty unless requested. */
  readonly near: readonly number[]
  readonly nearStarts: readonly number[]
}

/** Finds the tokens of a word. */
export function findWord(index: NameIndex, word: string, isPrefix: boolean): WordMatches {
  const range = findTokens(index, word)
  const isThere = range.first < range.end && tokenText(index, range.first) === word
  const expansions: number[] = []
  for (const long of expansionsOf(word)) {
    const { first, end } = findTokens(index, long)
    if (first < end && tokenText(index, first) === long) expansions.push(first)
  }
  return {
    literal: isThere ? range.first : NONE,
    expansions,
    first: range.first,
    end: isPrefix ? range.end : range.first,
    near: [],
    nearStarts: [],
  }
}

/**
 * The tokens one edit from a word of four letters, or two from one of eight, with the same first letter; if the word
 * may be incomplete, also tokens with such a prefix. Exact matches and prefix matches are excluded.
 */
export function findNearTokens(
  index: NameIndex,
  word: string,
  isPrefix: boolean,
): Pick<WordMatches, 'near' | 'nearStarts'> {
  const near: number[] = []
  const nearStarts: number[] = []
  const limit = editLimit(word.length)
  if (limit === 0) return { near, nearStarts }
  const letters = letterSet(word)
  const { first, end } = findTokens(index, word.slice(0, firstLetterLength(word)))
  const { tokenLetters, tokenOffset } = index
  const array = columnArray(index.tokenBytes)
  const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength)
  for (let token = first; token < end; token++) {
    // Each edit removes at most one of the typed letters.
    if (countBits(letters & ~tokenLetters[token]) > limit) continue
    if (!isPrefix && countBits(tokenLetters[token] & ~letters) > limit) continue
    if (!hasLength(tokenOffset, token, word.length - limit)) continue
    const text = bytes.toString('utf8', tokenOffset[token], tokenOffset[token + 1])
    if (text.startsWith(word)) continue
    if (editDistance(word, text, { limit, asPrefix: false }) <= limit) near.push(token)
    else if (isPrefix && editDistance(word, text, { limit, asPrefix: true }) <= limit) nearStarts.push(token)
  }
  return { near, nearStarts }
}

/** A character outside the BMP has two code units. */
function firstLetterLength(word: string): number {
  return (word.codePointAt(0) ?? 0) > 0xffff ? 2 : 1
}

function hasLength(tokenOffset: Column<number>, token: number, bytes: number): boolean {
  return tokenOffset[token + 1] - tokenOffset[token] >= bytes
}
