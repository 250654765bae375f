// An index of names by word. It contains each distinct word once, with the names in which it occurs. It also contains
// the words of each name in order, with the expansions of abbreviations. The index refers to names by number, and does
// not know the places with these names. The caller sorts the names best first, so the postings of each word are also
// best first.
//
//   tokens      de · la · paix · pl · place · rue          sorted
//   posting     names of each token, ascending
//   nameToken   rue de la paix | pl (place) kleber …       `(…)` is marked ALTERNATIVE: at the same position as `pl`
import { type Column, GrowingColumn, NONE, sealColumn } from '../../loaders/columns.ts'
import { classOfWord, expansionsOf, LINK_WORD, SIGNIFICANT } from './abbreviations.ts'
import { normalizeWords } from './normalize.ts'
import { buildPostings, type Postings } from './postings.ts'
import type { PrefixTree } from './prefix-tree.ts'

/** An index of names by word. */
export interface NameIndex extends PrefixTree, Postings {
  /** Like the postings of the index itself, but each token has only the names that start with this token. */
  readonly starts: Postings
  /** Token → the class of its word; see abbreviations.ts. */
  readonly tokenClass: Column<number>
  /** Token → number of leading UTF-16 code units that it shares with the token before it. */
  readonly tokenShared: Column<number>
  /** Name → its first row in `nameToken`; one extra entry marks the end. */
  readonly nameOffset: Column<number>
  /** Name → number of its words, at most MAX_NAME_WORDS. */
  readonly nameWords: Column<number>
  /** Name → the positions of its significant words, as bits; 0 only if the name has no words. */
  readonly nameCore: Column<number>
  /** Name → the token of its first significant word; NONE if it has no words. */
  readonly coreToken: Column<number>
  /** The tokens of all names, name by name. An alternative is stored as ALTERNATIVE plus its token. */
  readonly nameToken: Column<number>
}

/** Added to a token if it is an alternative to the token before it. */
export const ALTERNATIVE = 0x8000_0000
/** Maximum number of words indexed per name, because positions are bits of a 32-bit integer. */
export const MAX_NAME_WORDS = 31

/** The words of a name in order, each with its alternatives. */
function wordsByPlace(name: string): readonly (readonly string[])[] {
  return normalizeWords(name)
    .slice(0, MAX_NAME_WORDS)
    .map((word) => [word, ...expansionsOf(word)])
}

/** Builds the index. */
export function buildNameIndex(names: Iterable<string>): NameIndex {
  const tokenNumber = new Map<string, number>()
  const nameOffset = new GrowingColumn(Uint32Array)
  const nameToken = new GrowingColumn(Uint32Array)
  nameOffset.push(0)
  for (const name of names) {
    for (const words of wordsByPlace(name)) {
      for (const [order, word] of words.entries()) {
        let token = tokenNumber.get(word)
        if (token === undefined) {
          token = tokenNumber.size
          tokenNumber.set(word, token)
        }
        nameToken.push(order === 0 ? token : token + ALTERNATIVE)
      }
    }
    nameOffset.push(nameToken.length)
  }
  // Without a comparison function, `sort` orders strings by UTF-16 code units.
  const tokens = [...tokenNumber.keys()].sort()
  const rankOf = new Uint32Array(tokens.length)
  for (const [rank, token] of tokens.entries()) rankOf[tokenNumber.get(token) ?? 0] = rank
  for (let at = 0; at < nameToken.length; at++) {
    const marked = nameToken.at(at)
    const mark = marked >= ALTERNATIVE ? ALTERNATIVE : 0
    nameToken.set(at, mark + rankOf[marked - mark])
  }
  return layOut(tokens, nameOffset.seal(), nameToken.seal())
}

function layOut(tokens: readonly string[], nameOffset: Column<number>, nameToken: Column<number>): NameIndex {
  const bytes = Buffer.from(tokens.join(''))
  const tokenOffset = new Uint32Array(tokens.length + 1)
  const tokenShared = new Uint8Array(tokens.length)
  for (const [token, text] of tokens.entries()) {
    tokenOffset[token + 1] = tokenOffset[token] + Buffer.byteLength(text)
    tokenShared[token] = token === 0 ? 0 : sharedStart(tokens[token - 1], text)
  }
  const classes = Uint8Array.from(tokens, classOfWord)
  const nameCount = nameOffset.length - 1
  const unmarked = (at: number) => (nameToken[at] >= ALTERNATIVE ? nameToken[at] - ALTERNATIVE : nameToken[at])
  const postings = buildPostings(tokens, nameCount, (post) => {
    for (let name = 0; name < nameCount; name++) {
      for (let at = nameOffset[name]; at < nameOffset[name + 1]; at++) post(unmarked(at), name)
    }
  })
  const starts = buildPostings(tokens, nameCount, (post) => {
    for (let name = 0; name < nameCount; name++) {
      const end = nameOffset[name + 1]
      for (let at = nameOffset[name]; at < end; at++) {
        if (at > nameOffset[name] && nameToken[at] < ALTERNATIVE) break
        post(unmarked(at), name)
      }
    }
  })
  return {
    tokenBytes: sealColumn<number>(new Uint8Array(bytes)),
    tokenOffset: sealColumn<number>(tokenOffset),
    ...postings,
    starts,
    tokenClass: sealColumn(classes),
    tokenShared: sealColumn(tokenShared),
    nameOffset,
    ...describeNames(classes, nameOffset, nameToken),
    nameToken,
  }
}

function sharedStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length, 255)
  let shared = 0
  while (shared < most && one.charCodeAt(shared) === other.charCodeAt(shared)) shared++
  return shared
}

/** Counts the words of each name, and finds its significant ones; see `coreOf`. */
function describeNames(classes: Uint8Array, nameOffset: Column<number>, nameToken: Column<number>) {
  const nameCount = nameOffset.length - 1
  const nameWords = new Uint8Array(nameCount)
  const nameCore = new Uint32Array(nameCount)
  const coreToken = new Uint32Array(nameCount).fill(NONE)
  const placeClass: number[] = []
  const placeToken: number[] = []
  for (let name = 0; name < nameCount; name++) {
    placeClass.length = 0
    placeToken.length = 0
    for (let at = nameOffset[name]; at < nameOffset[name + 1]; at++) {
      const marked = nameToken[at]
      if (marked < ALTERNATIVE) {
        placeClass.push(classes[marked])
        placeToken.push(marked)
        continue
      }
      // An abbreviation is significant if one of its expansions is significant.
      const other = classes[marked - ALTERNATIVE]
      const last = placeClass.length - 1
      const isFirst = nameToken[at - 1] < ALTERNATIVE
      placeClass[last] = isFirst && placeClass[last] === SIGNIFICANT ? other : Math.min(placeClass[last], other)
    }
    nameWords[name] = placeClass.length
    nameCore[name] = coreOf(placeClass)
    if (nameCore[name] !== 0) coreToken[name] = placeToken[31 - Math.clz32(nameCore[name] & -nameCore[name])]
  }
  return {
    nameWords: sealColumn<number>(nameWords),
    nameCore: sealColumn<number>(nameCore),
    coreToken: sealColumn<number>(coreToken),
  }
}

/**
 * The positions of the significant words, as bits. If there are none, as in `Rue de la Gare`, the position of the last
 * word that is not an article or a preposition.
 */
function coreOf(classes: readonly number[]): number {
  let core = 0
  for (const [place, each] of classes.entries()) if (each === SIGNIFICANT) core |= 1 << place
  if (core !== 0 || classes.length === 0) return core >>> 0
  const last = classes.findLastIndex((each) => each !== LINK_WORD)
  return (1 << (last < 0 ? classes.length - 1 : last)) >>> 0
}

/** Number of names in an index. */
export function countNames({ nameOffset }: NameIndex): number {
  return nameOffset.length - 1
}

/** The first token of a name; NONE if the name has no words. */
export function firstToken({ nameOffset, nameToken }: NameIndex, name: number): number {
  const at = nameOffset[name]
  return at === nameOffset[name + 1] ? NONE : nameToken[at]
}
