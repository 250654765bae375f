// Names by word: each distinct word once, the names that contain it, and the words of each name in order, with the
// expansions of abbreviations. Handles names by number, not the places that have them.
//
//   tokens      de · la · paix · pl · place · rue          sorted
//   posting     names of each token, ascending
//   nameToken   rue de la paix | pl (place) kleber …       `(…)` marked ALTERNATIVE: stands where the one before does
import { type Column, GrowingColumn, sealColumn } from '../../loaders/columns.ts'
import { type ColumnGroup, U8, U32 } from '../../loaders/snapshot-file.ts'
import { expansionsOf, isGenericWord } from './abbreviations.ts'
import { letterSet } from './edit-distance.ts'
import { normalizeWords } from './normalize.ts'
import type { PrefixTree } from './prefix-tree.ts'

/** The index. */
export interface NameIndex extends PrefixTree {
  /** Token → the set of its letters. */
  readonly tokenLetters: Column<number>
  /** Token → 1 if it is a generic word. */
  readonly isGeneric: Column<number>
  /** Name → its first token in `nameToken`; one longer than the names. */
  readonly nameOffset: Column<number>
  /** Name → number of its words, up to MAX_NAME_WORDS. */
  readonly nameWords: Column<number>
  /** A token, or ALTERNATIVE + a token. */
  readonly nameToken: Column<number>
}

/** Marks a token that is an alternative to the one before it. */
export const ALTERNATIVE = 0x8000_0000
/** Most words indexed per name: their positions fit in 32 bits. */
export const MAX_NAME_WORDS = 31

/** The words of a name by position, each with its alternatives. */
function wordsByPlace(name: string): readonly (readonly string[])[] {
  return normalizeWords(name)
    .slice(0, MAX_NAME_WORDS)
    .map((word) => [word, ...expansionsOf(word)])
}

/** Builds the index. Names are numbered in the order given. */
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
  // The default order is by UTF-16 code units.
  const tokens = [...tokenNumber.keys()].sort()
  const rankOf = new Uint32Array(tokens.length)
  for (const [rank, token] of tokens.entries()) rankOf[tokenNumber.get(token) as number] = rank
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
  const letters = new Uint32Array(tokens.length)
  const isGeneric = new Uint8Array(tokens.length)
  for (const [token, text] of tokens.entries()) {
    tokenOffset[token + 1] = tokenOffset[token] + Buffer.byteLength(text)
    letters[token] = letterSet(text)
    isGeneric[token] = Number(isGenericWord(text))
  }
  const { posting, postingOffset } = postNames(tokens.length, nameOffset, nameToken)
  const nameWords = new Uint8Array(nameOffset.length - 1)
  for (let name = 0; name < nameWords.length; name++) {
    let words = 0
    for (let at = nameOffset[name]; at < nameOffset[name + 1]; at++) {
      words += Number(nameToken[at] < ALTERNATIVE)
    }
    nameWords[name] = words
  }
  return {
    tokenBytes: sealColumn(new Uint8Array(bytes)),
    tokenOffset: sealColumn(tokenOffset),
    tokenLetters: sealColumn(letters),
    isGeneric: sealColumn(isGeneric),
    posting: sealColumn(posting),
    postingOffset: sealColumn(postingOffset),
    nameOffset,
    nameWords: sealColumn(nameWords),
    nameToken,
  }
}

/** Each name once per distinct token, by counting sort. */
function postNames(tokenCount: number, nameOffset: Column<number>, nameToken: Column<number>) {
  const lastName = new Uint32Array(tokenCount)
  const postingOffset = new Uint32Array(tokenCount + 1)
  const visit = (post: (token: number, name: number) => void) => {
    lastName.fill(0)
    for (let name = 0; name + 1 < nameOffset.length; name++) {
      for (let at = nameOffset[name]; at < nameOffset[name + 1]; at++) {
        const marked = nameToken[at]
        const token = marked >= ALTERNATIVE ? marked - ALTERNATIVE : marked
        if (lastName[token] === name + 1) continue
        lastName[token] = name + 1
        post(token, name)
      }
    }
  }
  visit((token) => {
    postingOffset[token + 1] = postingOffset[token + 1] + 1
  })
  for (let token = 0; token < tokenCount; token++) {
    postingOffset[token + 1] = postingOffset[token + 1] + postingOffset[token]
  }
  const next = postingOffset.slice()
  const posting = new Uint32Array(postingOffset[tokenCount])
  visit((token, name) => {
    const at = next[token]
    posting[at] = name
    next[token] = at + 1
  })
  return { posting, postingOffset }
}

/** Number of names in an index. */
export function countNames({ nameOffset }: NameIndex): number {
  return nameOffset.length - 1
}

/** Its columns by name. */
export const NAME_INDEX_COLUMNS: ColumnGroup<keyof NameIndex> = {
  tokenBytes: U8,
  tokenOffset: U32,
  tokenLetters: U32,
  isGeneric: U8,
  posting: U32,
  postingOffset: U32,
  nameOffset: U32,
  nameWords: U8,
  nameToken: U32,
}
