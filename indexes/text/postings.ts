// The names that contain a word, as lists (postings). For frequent words and for frequent starts of one to three
// letters, these names are also stored as a set of bits. A query combines such sets instead of reading hundreds of
// thousands of postings.
import { type Column, columnArray, sealColumn } from '../../loaders/columns.ts'
import type { TokenRange } from './prefix-tree.ts'

/** The names that contain each token, and the sets of names for frequent tokens and frequent starts of words. */
export interface Postings {
  /** Token → its first posting; one extra entry marks the end. */
  readonly postingOffset: Column<number>
  /** For each token, the numbers of the names that contain it, ascending. */
  readonly posting: Column<number>
  /** Ranges of tokens whose names are stored as a set, sorted by first token, then by end. */
  readonly frequentFirst: Column<number>
  readonly frequentEnd: Column<number>
  /** The sets, one after another. A set has one bit per name. */
  readonly frequentBits: Column<number>
}

/** Maximum number of letters in a start of words for which a set is stored. */
const MAX_START_LETTERS = 3
/**
 * A set is stored if its tokens have at least one posting per 64 names in the index. The bits of the set then need at
 * most twice the memory of these postings.
 */
const NAMES_PER_MEMBER = 64
/** An index with fewer names stores no sets, because reading its postings is as fast as reading bits. */
const LEAST_NAMES = 4096

/** Number of 32-bit words in a set of names. */
export function bitWords(nameCount: number): number {
  return (nameCount + 31) >>> 5
}

/**
 * Builds the postings by counting sort. A name is added once to the postings of each distinct token that it contains.
 * `visit` calls its argument with each token of each name, in the order of the names.
 */
export function buildPostings(
  tokens: readonly string[],
  nameCount: number,
  visit: (post: (token: number, name: number) => void) => void,
): Postings {
  const lastName = new Uint32Array(tokens.length)
  const postingOffset = new Uint32Array(tokens.length + 1)
  const visitOnce = (post: (token: number, name: number) => void) => {
    lastName.fill(0)
    visit((token, name) => {
      if (lastName[token] === name + 1) return
      lastName[token] = name + 1
      post(token, name)
    })
  }
  visitOnce((token) => {
    postingOffset[token + 1] += 1
  })
  for (let token = 0; token < tokens.length; token++) postingOffset[token + 1] += postingOffset[token]
  const next = postingOffset.slice()
  const posting = new Uint32Array(postingOffset[tokens.length])
  visitOnce((token, name) => {
    posting[next[token]++] = name
  })
  const lists = { posting: sealColumn<number>(posting), postingOffset: sealColumn<number>(postingOffset) }
  return { ...lists, ...buildSets(tokens, lists, nameCount) }
}

function buildSets(
  tokens: readonly string[],
  { posting, postingOffset }: Pick<Postings, 'posting' | 'postingOffset'>,
  nameCount: number,
) {
  const ranges = nameCount < LEAST_NAMES ? [] : listRanges(tokens, postingOffset, nameCount / NAMES_PER_MEMBER)
  const words = bitWords(nameCount)
  const bits = new Uint32Array(ranges.length * words)
  for (const [row, { first, end }] of ranges.entries()) {
    const start = row * words
    for (let at = postingOffset[first]; at < postingOffset[end]; at++) {
      const name = posting[at]
      bits[start + (name >>> 5)] |= 1 << (name & 31)
    }
  }
  return {
    frequentFirst: sealColumn<number>(Uint32Array.from(ranges, ({ first }) => first)),
    frequentEnd: sealColumn<number>(Uint32Array.from(ranges, ({ end }) => end)),
    frequentBits: sealColumn<number>(bits),
  }
}

/**
 * The ranges of tokens with at least `least` postings. A range is a single token, or all tokens with the same start.
 */
function listRanges(tokens: readonly string[], postingOffset: Column<number>, least: number): TokenRange[] {
  const ranges = new Map<string, TokenRange>()
  const consider = (first: number, end: number) => {
    if (postingOffset[end] - postingOffset[first] >= least) ranges.set(`${first} ${end}`, { first, end })
  }
  for (let token = 0; token < tokens.length; token++) consider(token, token + 1)
  for (let letters = 1; letters <= MAX_START_LETTERS; letters++) {
    for (let first = 0; first < tokens.length; ) {
      const start = tokens[first].slice(0, letters)
      let end = first + 1
      while (end < tokens.length && tokens[end].startsWith(start)) end++
      consider(first, end)
      first = end
    }
  }
  return [...ranges.values()].sort((a, b) => a.first - b.first || a.end - b.end)
}

/** The stored set of a range of tokens; undefined if there is none. */
export function findFrequent(
  { frequentFirst, frequentEnd, frequentBits }: Postings,
  { first, end }: TokenRange,
  nameCount: number,
): Uint32Array | undefined {
  let low = 0
  let high = frequentFirst.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = frequentFirst[middle] - first || frequentEnd[middle] - end
    if (order === 0) {
      const words = bitWords(nameCount)
      return bitsOf(frequentBits, middle * words, words)
    }
    if (order < 0) low = middle + 1
    else high = middle
  }
  return undefined
}

/** A view of `count` 32-bit words in a column. */
function bitsOf(column: Column<number>, start: number, count: number): Uint32Array {
  const { buffer, byteOffset } = columnArray(column)
  return new Uint32Array(buffer, byteOffset + start * Uint32Array.BYTES_PER_ELEMENT, count)
}
