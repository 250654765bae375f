// Upper bounds on how well the places of a network can match a query, computed from one small table. A search in many
// networks opens only the networks that may have one of the best hits. Each key of the table stands for a kind of word:
//
//   ^br, ^bro …  the start of a word, up to five letters. Stores the highest importance of all names that contain a
//                word with this start, and that of all names whose first word has this start
//   =broadway    a whole word. Stores the highest importance of all names that contain the word, and that of all names
//                in which it is the only significant word
//   #BDW         a code
//
// Starts and whole words also store whether the name of a town contains them.
import { type Column, columnArray, sealColumn } from '../../loaders/columns.ts'
import { type ColumnTypes, checkColumns, I32, type NamedColumns, U32 } from '../../loaders/snapshot-file.ts'
import { countBits } from '../text/edit-distance.ts'
import { ALTERNATIVE, type NameIndex } from '../text/name-index.ts'
import type { Postings } from '../text/postings.ts'
import { type PrefixTree, tokenText } from '../text/prefix-tree.ts'
import type { StopPlaces } from './stop-places.ts'

/** The table of one network. */
export interface WordBounds {
  /**
   * A hash table with open addressing. Each slot has two values: the hash of a key (0 if the slot is empty), and the
   * facts about the key (importances and flags, as bits). The number of slots is a power of two.
   */
  readonly slots: Column<number>
  /** The box around the places: south, west, north and east, in units of 1e-7 degrees. Empty if there are no places. */
  readonly box: Column<number>
  /**
   * Two sets of 32 bits: the lengths of all codes, and the first code units of all codes, both modulo 32. They exclude
   * most queries that are not codes.
   */
  readonly codeShapes: Column<number>
}

/** Maximum length of a word start in the table. A longer start is looked up by its first five letters. */
export const MOST_START_LETTERS = 5
/** Number of bits for an importance. The importance is stored plus one, so that 0 means none. */
export const FACT_BITS = 9
export const FACT_MASK = 2 ** FACT_BITS - 1
export const START_FACT = FACT_MASK << FACT_BITS
export const TOWN_FACT = 1 << (2 * FACT_BITS)
export const CODE_FACT = 1 << (2 * FACT_BITS + 1)
/** Number of column values per slot. */
const SLOT = 2

/** Builds the table. */
export function buildWordBounds({ set, codes }: StopPlaces): WordBounds {
  const facts = new Map<number, number>()
  const add = (key: string, fact: { readonly any?: number; readonly start?: number; readonly flag?: number }) => {
    const hash = hashOf(key)
    const { any = 0, start = 0, flag = 0 } = fact
    const known = facts.get(hash) ?? 0
    const most = Math.max(known & FACT_MASK, any) | (Math.max((known >>> FACT_BITS) & FACT_MASK, start) << FACT_BITS)
    facts.set(hash, most | (known & (TOWN_FACT | CODE_FACT)) | flag)
  }
  const { names, towns, nameImportance } = set
  const sole = soleImportance(names, nameImportance)
  eachToken(names, (token, { whole, starts }) => {
    const any = 1 + mostOf(names, token, nameImportance)
    const start = 1 + mostOf(names.starts, token, nameImportance)
    add(whole, { any, start: sole[token] })
    for (const key of starts) add(key, { any, start })
  })
  eachToken(towns, (_, { whole, starts }) => {
    for (const key of [whole, ...starts]) add(key, { flag: TOWN_FACT })
  })
  for (let token = 0; token + 1 < codes.tokenOffset.length; token++) {
    add(codeKey(tokenText(codes, token)), { flag: CODE_FACT })
  }
  return { slots: layOut(facts), box: boxOf(set), codeShapes: shapesOf(codes) }
}

/** The columns of the table by name. */
export function wordBoundsColumns({ slots, box, codeShapes }: WordBounds): NamedColumns {
  return new Map([
    ['slots', columnArray(slots)],
    ['box', columnArray(box)],
    ['codeShapes', columnArray(codeShapes)],
  ])
}

/**
 * Creates the table from the columns of a file. Throws SnapshotUnusable if they belong to another version of the
 * format.
 */
export function openWordBounds(columns: NamedColumns): WordBounds {
  checkColumns(columns, COLUMN_TYPES)
  const [slots, box, codeShapes] = ['slots', 'box', 'codeShapes'].map((name) => columns.get(name))
  if (slots === undefined || box === undefined || codeShapes === undefined)
    throw new Error('checkColumns accepted the columns, but at least one of "slots", "box" and "codeShapes" is missing')
  return { slots: sealColumn(slots), box: sealColumn(box), codeShapes: sealColumn(codeShapes) }
}

const COLUMN_TYPES: ReadonlyMap<string, ColumnTypes> = new Map([
  ['slots', U32],
  ['box', I32],
  ['codeShapes', U32],
])

/** The keys under which the table stores a token: the whole token, and its starts. */
interface TokenKeys {
  readonly whole: string
  readonly starts: readonly string[]
}

function eachToken(index: NameIndex, visit: (token: number, keys: TokenKeys) => void): void {
  for (let token = 0; token + 1 < index.tokenOffset.length; token++) {
    const text = tokenText(index, token)
    const starts: string[] = []
    for (let letters = 1; letters <= Math.min(text.length, MOST_START_LETTERS); letters++) {
      starts.push(startKey(text.slice(0, letters)))
    }
    visit(token, { whole: wholeKey(text), starts })
  }
}

/**
 * Token → the highest importance, plus one, of the names in which it is the only significant word; 0 if there are none.
 */
function soleImportance(
  { tokenOffset, nameOffset, nameToken, nameCore }: NameIndex,
  nameImportance: Column<number>,
): Uint16Array {
  const sole = new Uint16Array(tokenOffset.length)
  for (let name = 0; name < nameCore.length; name++) {
    if (countBits(nameCore[name]) !== 1) continue
    const only = 31 - Math.clz32(nameCore[name])
    let position = -1
    for (let at = nameOffset[name]; at < nameOffset[name + 1]; at++) {
      const isAlternative = nameToken[at] >= ALTERNATIVE
      if (!isAlternative) position++
      const token = isAlternative ? nameToken[at] - ALTERNATIVE : nameToken[at]
      if (position === only) sole[token] = Math.max(sole[token], nameImportance[name] + 1)
    }
  }
  return sole
}

/** The highest importance of all names that contain a token; −1 if there are none. */
function mostOf({ posting, postingOffset }: Postings, token: number, nameImportance: Column<number>): number {
  // Names are numbered in descending order of importance, so the first posting is the most important name.
  return postingOffset[token] === postingOffset[token + 1] ? -1 : nameImportance[posting[postingOffset[token]]]
}

function layOut(facts: ReadonlyMap<number, number>): Column<number> {
  let size = 1
  while (size < 2 * facts.size) size *= 2
  const slots = new Uint32Array(size * SLOT)
  for (const [hash, fact] of facts) {
    let slot = hash & (size - 1)
    while (slots[slot * SLOT] !== 0) slot = (slot + 1) & (size - 1)
    slots[slot * SLOT] = hash
    slots[slot * SLOT + 1] = fact
  }
  return sealColumn(slots)
}

function boxOf({ lat, lon }: StopPlaces['set']): Column<number> {
  if (lat.length === 0) return sealColumn(new Int32Array(0))
  const edges = [columnArray(lat), columnArray(lon)].map((values) => {
    let [low, high] = [values[0], values[0]]
    for (const value of values) {
      if (value < low) low = value
      if (value > high) high = value
    }
    return { low, high }
  })
  const [{ low: south, high: north }, { low: west, high: east }] = edges
  return sealColumn(Int32Array.of(south, west, north, east))
}

/** The hash of a key; never 0. Keys with the same hash share their facts. */
export function hashOf(key: string): number {
  return Bun.hash.xxHash32(key) || 1
}

export function startKey(text: string): string {
  return `^${text}`
}

export function wholeKey(text: string): string {
  return `=${text}`
}

export function codeKey(text: string): string {
  return `#${text}`
}

/** The two bits of `codeShapes` for the length and the first code unit of a code. */
export function codeShape(text: string): readonly [length: number, first: number] {
  return [1 << text.length, 1 << text.charCodeAt(0)]
}

function shapesOf(codes: PrefixTree): Column<number> {
  const shapes = new Uint32Array(2)
  for (let token = 0; token + 1 < codes.tokenOffset.length; token++) {
    for (const [at, bit] of codeShape(tokenText(codes, token)).entries()) shapes[at] |= bit
  }
  return sealColumn(shapes)
}

/** Calls `visit` with the hash of each key. */
export function eachHash({ slots }: WordBounds, visit: (hash: number) => void): void {
  for (let at = 0; at < slots.length; at += SLOT) if (slots[at] !== 0) visit(slots[at])
}

/** The facts about the key with this hash; 0 if the table does not contain the key. */
export function factOf({ slots }: WordBounds, hash: number): number {
  const mask = slots.length / SLOT - 1
  let slot = hash & mask
  for (let key = slots[slot * SLOT]; key !== 0; key = slots[slot * SLOT]) {
    if (key === hash) return slots[slot * SLOT + 1]
    slot = (slot + 1) & mask
  }
  return 0
}
