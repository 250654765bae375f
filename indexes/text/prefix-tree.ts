// Words by prefix: sorted tokens with the numbers of the texts that contain them. Handles words, not what is numbered.
import { type Column, columnArray, firstWhere } from '../../loaders/columns.ts'
import { compareWithAscii, isAscii } from './ascii-order.ts'

/** Sorted tokens and their postings in flat columns. */
export interface PrefixTree {
  /** Distinct tokens as UTF-8, sorted by UTF-16 code units. */
  readonly tokenBytes: Column<number>
  /** Token → start of its bytes; one longer. */
  readonly tokenOffset: Column<number>
  /** Token → its first posting; one longer. */
  readonly postingOffset: Column<number>
  /** Ascending within a token. */
  readonly posting: Column<number>
}

/** Tokens from `first` to before `end`. */
export interface TokenRange {
  readonly first: number
  readonly end: number
}

const decoder = new TextDecoder()

/** The token with this number. */
export function tokenText(tree: PrefixTree, token: number): string {
  const bytes = columnArray(tree.tokenBytes)
  return decoder.decode(bytes.subarray(tree.tokenOffset[token], tree.tokenOffset[token + 1]))
}

/** Compares a token with a text, as compareWithAscii does. */
function compareToken(tree: PrefixTree, token: number, text: string): number {
  const other = tokenText(tree, token)
  if (other === text) return 0
  return other < text ? -1 : other.startsWith(text) ? 1 : 2
}

/** The tokens with a prefix, by two binary searches. */
export function findTokens(tree: PrefixTree, prefix: string): TokenRange {
  const { tokenOffset } = tree
  const bytes = columnArray(tree.tokenBytes)
  const compare = isAscii(prefix)
    ? (token: number) => compareWithAscii({ bytes, start: tokenOffset[token], end: tokenOffset[token + 1] }, prefix)
    : (token: number) => compareToken(tree, token, prefix)
  const tokenCount = Math.max(0, tokenOffset.length - 1)
  const first = firstWhere(0, tokenCount, (token) => compare(token) >= 0)
  return { first, end: firstWhere(first, tokenCount, (token) => compare(token) > 1) }
}

/**
 * The postings, ascending, that match every prefix with some token, in any order. `postingLimit` is above every
 * posting. Costs one pass over the postings of all matching tokens.
 */
export function findPostings(tree: PrefixTree, prefixes: readonly string[], postingLimit: number): number[] {
  const { postingOffset, posting } = tree
  const ranges = longestOf(prefixes).map((prefix) => {
    const { first, end } = findTokens(tree, prefix)
    return { start: postingOffset[first] ?? 0, end: postingOffset[end] ?? 0 }
  })
  // Rarest first: later prefixes only filter the matches of earlier ones.
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

/** The distinct prefixes that are not prefixes of another one, which would match the same tokens. */
function longestOf(prefixes: readonly string[]): string[] {
  const sorted = [...new Set(prefixes)].sort()
  return sorted.filter((prefix, at) => !(sorted[at + 1]?.startsWith(prefix) ?? false))
}
