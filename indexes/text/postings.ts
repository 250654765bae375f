// The names that contain a word, as lists; for frequent words, and for starts of one to three letters, also as bits
// that are computed in advance. A query combines bits instead of walking through hundreds of thousands of postings.
import { type Column, columnArray, sealColumn } from '../../loaders/columns.ts'
import type { TokenRange } from './prefix-tree.ts'

/** The names of each token, and the sets of frequent ones. */
export interface Postings {
  /** Token → its first posting; has one extra entry. */
  readonly postingOffset: Column<number>
  /** Ascending within a token. */
  readonly posting: Column<number>
  /** Ranges of tokens whose names are kept as a set, sorted by first token, then by end. */
  readonly frequentFirst: Column<number>
  readonly frequentEnd: Column<number>
  /** One bit per name, all sets one after another. */
  readonly frequentBits: Column<number>
}

/** Longest start of a word with a precomputed set. */
const MAX_START_LETTERS = 3
/** A set is kept if it has at least one name in this many: it then takes little more memory than its postings. */
const NAMES_PER_MEMBER = 64
/** In smaller indexes the postings are as fast. */
const LEAST_NAMES = 4096

/** Words of 32 bits that one set of names takes. */
export function bitWords(nameCount: number): number {
  return (nameCount + 31) >>> 5
}

/** Each name once per distinct token, by counting sort. `visit` calls with all tokens of the names in order. */
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

/** The ranges with enough postings: of whole words, and of starts. */
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

/** The kept set of a range of tokens; undefined if it is not kept. */
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

/** The 32-bit words at a position of a column. */
function bitsOf(column: Column<number>, start: number, count: number): Uint32Array {
  const { buffer, byteOffset } = columnArray(column)
  return new Uint32Array(buffer, byteOffset + start * Uint32Array.BYTES_PER_ELEMENT, count)
}
