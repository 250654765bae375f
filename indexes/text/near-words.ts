// Finds the words of which a typed word may be a misspelling: the tokens of an index within one or two edits of the
// typed word. The sorted tokens are searched like a tree. If several tokens have the same start, the rows of the
// distance table for this start are computed only once. If the start already differs too much, all these tokens are
// skipped.
import type { Column } from '../../loaders/columns.ts'
import { editLimit, editsAllowed, MAX_EDIT_LENGTH } from './edit-distance.ts'
import type { NameIndex } from './name-index.ts'

/** The tokens of which a typed word may be a misspelling, each list ascending. */
export interface NearTokens {
  /** Tokens one edit away from the typed word, with the same first letter. */
  readonly near: readonly number[]
  /** Tokens whose start is one edit away. */
  readonly nearStarts: readonly number[]
  /** Tokens two edits away from the typed word, or with another first letter. */
  readonly far: readonly number[]
  /** Tokens whose start is two edits away or has another first letter. */
  readonly farStarts: readonly number[]
}

export const NO_NEAR_TOKENS: NearTokens = { near: [], nearStarts: [], far: [], farStarts: [] }

/**
 * Maximum number of code units of a token that are compared. A longer start of a token is more than two edits away from
 * any typed word.
 */
const MAX_DEPTH = MAX_EDIT_LENGTH + 3
const ROW = MAX_EDIT_LENGTH + 1

/**
 * At depth × ROW + length: the number of edits between the first `depth` code units of the token and the first `length`
 * code units of the typed word. Reused by each search.
 */
const rows = new Uint8Array((MAX_DEPTH + 1) * ROW)
/** Depth → 1 if a token that shares its first `depth` code units with the current token may be near, otherwise 0. */
const isOpen = new Uint8Array(MAX_DEPTH + 1)
/**
 * Depth → the least number of edits between the whole typed word and any prefix of the current token that has at most
 * `depth` code units.
 */
const leastStart = new Uint8Array(MAX_DEPTH + 1)
const tokenUnits = new Uint16Array(MAX_DEPTH + 2)
const typedUnits = new Uint16Array(ROW)

type WalkedIndex = Pick<NameIndex, 'tokenBytes' | 'tokenOffset' | 'tokenShared'>

/**
 * Finds the tokens near a word of at least four letters. If the word may be incomplete (`isPrefix`), also finds tokens
 * with a start that is near the word. Tokens that start with the word itself are left out.
 */
export function findNearTokens(index: WalkedIndex, word: string, isPrefix: boolean): NearTokens {
  const limit = editLimit(word.length)
  if (limit === 0) return NO_NEAR_TOKENS
  const found: FoundTokens = { near: [], nearStarts: [], far: [], farStarts: [] }
  const { tokenBytes, tokenOffset, tokenShared } = index
  const tokenCount = tokenOffset.length - 1
  const { length } = word
  const startLimit = Math.min(limit, editsAllowed(length, length))
  startRows(word, limit)
  let depth = 0
  for (let token = 0; token < tokenCount; ) {
    if (tokenShared[token] < depth) depth = tokenShared[token]
    if (isOpen[depth] === 0) {
      const first = token
      while (++token < tokenCount && tokenShared[token] >= depth);
      // All these tokens have the same start. If this start or a prefix of it is near the word, all the tokens match.
      const start = leastStart[depth]
      if (isPrefix && start > 0 && start <= startLimit) addRange(listOf(found, start, true), first, token)
      continue
    }
    const units = readUnits(tokenBytes, tokenOffset[token], tokenOffset[token + 1])
    while (depth < units && isOpen[depth] === 1) addRow(++depth, length, limit)
    const distance = depth === units ? rows[depth * ROW + length] : limit + 1
    const start = leastStart[depth]
    if (start > 0 && distance <= Math.min(limit, editsAllowed(length, units)))
      listOf(found, distance, false).push(token)
    else if (isPrefix && start > 0 && start <= startLimit) listOf(found, start, true).push(token)
    token++
  }
  return found
}

type FoundTokens = { readonly [Kind in keyof NearTokens]: number[] }

function listOf(found: FoundTokens, distance: number, isStart: boolean): number[] {
  const isFar = distance > 1 || tokenUnits[0] !== typedUnits[0]
  if (isStart) return isFar ? found.farStarts : found.nearStarts
  return isFar ? found.far : found.near
}

function addRange(to: number[], first: number, end: number): void {
  for (let token = first; token < end; token++) to.push(token)
}

function startRows(word: string, limit: number): void {
  for (let at = 0; at < word.length; at++) typedUnits[at] = word.charCodeAt(at)
  for (let at = 0; at <= word.length; at++) rows[at] = at
  isOpen[0] = 1
  leastStart[0] = Math.min(word.length, limit + 1)
}

/** Computes the row for one more code unit of the token, by optimal string alignment. */
function addRow(depth: number, length: number, limit: number): void {
  const row = depth * ROW
  const last = row - ROW
  const letter = tokenUnits[depth - 1]
  rows[row] = depth
  let least = depth
  for (let at = 1; at <= length; at++) {
    const typed = typedUnits[at - 1]
    let edits = Math.min(rows[last + at - 1] + Number(letter !== typed), rows[last + at] + 1, rows[row + at - 1] + 1)
    const isSwap = depth > 1 && at > 1 && letter === typedUnits[at - 2] && tokenUnits[depth - 2] === typed
    if (isSwap) edits = Math.min(edits, rows[last - ROW + at - 2] + 1)
    rows[row + at] = edits
    if (edits < least) least = edits
  }
  isOpen[depth] = Number(least <= limit && depth < MAX_DEPTH)
  leastStart[depth] = Math.min(leastStart[depth - 1], rows[row + length])
}

/** Reads a token's first UTF-16 code units; returns their number, at most MAX_DEPTH + 1. */
function readUnits(bytes: Column<number>, start: number, end: number): number {
  let units = 0
  for (let at = start; at < end && units <= MAX_DEPTH; ) {
    const byte = bytes[at]
    if (byte < 0x80) {
      tokenUnits[units++] = byte
      at++
    } else if (byte < 0xe0) {
      tokenUnits[units++] = ((byte & 0x1f) << 6) | (bytes[at + 1] & 0x3f)
      at += 2
    } else if (byte < 0xf0) {
      tokenUnits[units++] = ((byte & 0x0f) << 12) | ((bytes[at + 1] & 0x3f) << 6) | (bytes[at + 2] & 0x3f)
      at += 3
    } else {
      const point =
        ((byte & 0x07) << 18) | ((bytes[at + 1] & 0x3f) << 12) | ((bytes[at + 2] & 0x3f) << 6) | (bytes[at + 3] & 0x3f)
      tokenUnits[units++] = 0xd800 + ((point - 0x1_0000) >>> 10)
      if (units <= MAX_DEPTH) tokenUnits[units++] = 0xdc00 + ((point - 0x1_0000) & 0x3ff)
      at += 4
    }
  }
  return units
}
