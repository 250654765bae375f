// Finds words by prefix: sorted tokens, and for each token the numbers of the names or codes that contain it. The names
// and codes themselves are stored elsewhere.
import { type Column, columnArray } from '../../loaders/columns.ts'
import { isAscii } from './ascii-order.ts'

/** Sorted tokens and their postings in flat columns. */
export interface PrefixTree {
  /** Distinct tokens as UTF-8, sorted by UTF-16 code units. */
  readonly tokenBytes: Column<number>
  /** Token → the start of its bytes; one extra entry marks the end. */
  readonly tokenOffset: Column<number>
  /** Token → its first posting; one extra entry marks the end. */
  readonly postingOffset: Column<number>
  /** For each token, the numbers of the items (such as names) that contain it. */
  readonly posting: Column<number>
}

/** Tokens from `first` to before `end`. */
export interface TokenRange {
  readonly first: number
  readonly end: number
}

const decoder = new TextDecoder()

/** A token as a string. */
export function tokenText(tree: PrefixTree, token: number): string {
  const bytes = columnArray(tree.tokenBytes)
  return decoder.decode(bytes.subarray(tree.tokenOffset[token], tree.tokenOffset[token + 1]))
}

/**
 * Compares a token with a string by code units. Returns −1 if the token sorts before the string, 0 if they are equal, 1
 * if the token starts with the string and is longer, and 2 if the token sorts after everything that starts with the
 * string.
 */
function compareToken(tree: PrefixTree, token: number, text: string): number {
  const other = tokenText(tree, token)
  if (other === text) return 0
  return other < text ? -1 : other.startsWith(text) ? 1 : 2
}

/** The tokens that start with a prefix, found by two binary searches. */
export function findTokens(tree: PrefixTree, prefix: string): TokenRange {
  const tokenCount = Math.max(0, tree.tokenOffset.length - 1)
  const compare = isAscii(prefix) ? compareAsciiToken : compareToken
  let low = 0
  let high = tokenCount
  // All tokens from `last` on sort after the tokens with the prefix.
  let last = tokenCount
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = compare(tree, middle, prefix)
    if (order < 0) low = middle + 1
    else high = middle
    if (order > 1) last = middle
  }
  const first = low
  high = last
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(tree, middle, prefix) > 1) high = middle
    else low = middle + 1
  }
  return { first, end: low }
}

/** The token that equals a word; −1 if there is none. `range` must be the tokens that start with the word. */
export function findToken(tree: PrefixTree, word: string, range = findTokens(tree, word)): number {
  const { first, end } = range
  return first < end && (isAscii(word) ? compareAsciiToken : compareToken)(tree, first, word) === 0 ? first : -1
}

function compareAsciiToken({ tokenBytes, tokenOffset }: PrefixTree, token: number, text: string): number {
  const start = tokenOffset[token]
  const length = tokenOffset[token + 1] - start
  const most = Math.min(length, text.length)
  for (let at = 0; at < most; at++) {
    const order = tokenBytes[start + at] - text.charCodeAt(at)
    if (order !== 0) return order < 0 ? -1 : 2
  }
  if (length === text.length) return 0
  return length < text.length ? -1 : 1
}

/**
 * The numbers of the items in which every prefix is the start of some token, ascending. `postingLimit` is greater than
 * every posting. Reads the postings of all matching tokens once.
 */
export function findPostings(tree: PrefixTree, prefixes: readonly string[], postingLimit: number): number[] {
  const { postingOffset, posting } = tree
  const ranges = longestOf(prefixes).map((prefix) => {
    const { first, end } = findTokens(tree, prefix)
    return { start: postingOffset[first] ?? 0, end: postingOffset[end] ?? 0 }
  })
  // Starts with the rarest prefix, because the other prefixes only filter the items that match it.
  ranges.sort((left, right) => left.end - left.start - (right.end - right.start))
  const lastRange = ranges.at(-1)
  if (lastRange === undefined || ranges[0]?.start === ranges[0]?.end) return []
  const matchedCount = new Uint16Array(postingLimit)
  for (const [order, range] of ranges.entries()) {
    for (let at = range.start; at < range.end; at++) {
      const text = posting[at]
      if (matchedCount[text] === order) matchedCount[text] = order + 1
    }
  }
  const found: number[] = []
  for (let text = 0; text < postingLimit; text++) {
    if (matchedCount[text] === ranges.length) found.push(text)
  }
  return found
}

/**
 * The distinct prefixes, without those that are the start of a longer one. A text must match every prefix, and a text
 * that matches the longer prefix always matches the shorter one.
 */
function longestOf(prefixes: readonly string[]): string[] {
  const sorted = [...new Set(prefixes)].sort()
  return sorted.filter((prefix, at) => !(sorted[at + 1]?.startsWith(prefix) ?? false))
}
