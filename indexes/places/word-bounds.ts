// How well the places of a network can match a query at most, from one small table: a search of many networks opens only those
// that may have one of the best hits.
//
//   ^br, ^bro …    starts of words, up to five letters: the highest importance of the names with such a word, and of those
//                  that start with one; whether it is a word of a town
//   =broadway      whole words: the same of names with it, and of those that have no other significant word
//   #BDW           a code
import { type Column, columnArray, sealColumn } from '../../loaders/columns.ts'
import { type ColumnTypes, checkColumns, I32, type NamedColumns, U32 } from '../../loaders/snapshot-file.ts'
import { meaningsOf } from '../text/abbreviations.ts'
import { countBits } from '../text/edit-distance.ts'
import { ALTERNATIVE, type NameIndex } from '../text/name-index.ts'
import type { Postings } from '../text/postings.ts'
import { tokenText } from '../text/prefix-tree.ts'
import { singularOf } from '../text/word-matches.ts'
import { boxDistance, type NearPoint } from './map-distance.ts'
import type { PlaceQuery, QueryWord } from './place-query.ts'
import {
  CODE_SCORE,
  EXTRA_LINK_SHARE,
  EXTRA_TYPE_SHARE,
  FAR_SHARE,
  isFar,
  matchScore,
  NUMBER_SHARE,
  rankOf,
} from './place-score.ts'
import { POSTCODE_DIGITS } from './place-set.ts'
import type { StopPlaces } from './stop-places.ts'

/** The table of a network. */
export interface WordBounds {
  /** Open addressing, a power of two of slots: the hash of a key, 0 if empty, then its facts. */
  readonly slots: Column<number>
  /** The box around the places, south, west, north and east, in units of 1e-7 degrees; empty without places. */
  readonly box: Column<number>
}

/** The highest scores that a network's places can have for a query; NO_HIT if it has none. */
export interface NetworkBound {
  /** Of matches, without the reduction for far places. */
  readonly match: number
  /** Of hits. */
  readonly score: number
}

/** What a word, or a start of one, tells of a network. Importance is −1 if no name has it. */
interface WordFacts {
  /** Of names with the word. */
  readonly any: number
  /** Of names that start with it. */
  readonly start: number
  /** Of names with the whole word, or with what it abbreviates. */
  readonly whole: number
  /** Of those that have no other significant word. */
  readonly sole: number
  readonly isTown: boolean
}

export const NO_HIT = -1

/** Longer starts of words have the facts of this many letters. */
const MOST_START_LETTERS = 5
/** Importance is kept plus one, so that 0 is none. */
const FACT_BITS = 9
const FACT_MASK = 2 ** FACT_BITS - 1
const START_FACT = FACT_MASK << FACT_BITS
const TOWN_FACT = 1 << (2 * FACT_BITS)
const CODE_FACT = 1 << (2 * FACT_BITS + 1)
/** Two numbers a slot. */
const SLOT = 2
/** Distances to boxes are rounded differently from those to places, */
const NEAR_SHARE = 0.999
/** and products of factors from those of hits. */
const ROUNDING = 1e-9

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
  return { slots: layOut(facts), box: boxOf(set) }
}

/** The columns of the table by name. */
export function wordBoundsColumns({ slots, box }: WordBounds): NamedColumns {
  return new Map([
    ['slots', columnArray(slots)],
    ['box', columnArray(box)],
  ])
}

/** The table over the columns of a file. Throws SnapshotUnusable if they are of another version. */
export function openWordBounds(columns: NamedColumns): WordBounds {
  checkColumns(columns, COLUMN_TYPES)
  const [slots, box] = [columns.get('slots'), columns.get('box')]
  if (slots === undefined || box === undefined) throw new Error('the columns were checked')
  return { slots: sealColumn(slots), box: sealColumn(box) }
}

const COLUMN_TYPES: ReadonlyMap<string, ColumnTypes> = new Map([
  ['slots', U32],
  ['box', I32],
])

/** The keys of a token. */
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

/** Token → the highest importance, plus one, of the names of which it is the only significant word; 0 without any. */
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

/** The highest importance of the names of a token; −1 without any. */
function mostOf({ posting, postingOffset }: Postings, token: number, nameImportance: Column<number>): number {
  // Names are numbered best first.
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

/** Different keys may share a hash: their facts are then those of both. Never 0. */
function hashOf(key: string): number {
  return Bun.hash.xxHash32(key) || 1
}

function startKey(text: string): string {
  return `^${text}`
}

function wholeKey(text: string): string {
  return `=${text}`
}

function codeKey(text: string): string {
  return `#${text}`
}

/** A word of a query with the hashes that are looked up. */
interface AskedWord {
  readonly start: number
  readonly whole: number
  /** What it may stand for. */
  readonly meanings: readonly number[]
  /** Whether the name or the town must have it; if it says little, only as long as no word may be left out. */
  readonly isRequired: boolean
  readonly isGeneric: boolean
  /** Factor of hits that lack it, if it says little. */
  readonly extraShare: number
  /** Whether it may be a house number, which no stop has. */
  readonly isNumber: boolean
}

/** What the words of a query tell of a network together. */
interface QueryFacts {
  /** Highest importance of a hit; of one whose name starts with a word; of one whose name is typed in full. */
  most: number
  start: number
  whole: number
  hasTown: boolean
  /** Factor for words that no name and no town has. */
  share: number
}

/** A query, ready to be compared with the tables of many networks. */
export class BoundQuery {
  private readonly words: readonly AskedWord[]
  private readonly code: number
  private readonly metersTo: ReturnType<typeof boxDistance> | undefined
  private readonly isFarLast: boolean
  /** Highest factor of hits that lack words that say little; 0 if there are none to leave out. */
  private readonly extraShare: number

  constructor(
    { words }: PlaceQuery,
    { near, isFarLast = false }: { readonly near: NearPoint | undefined; readonly isFarLast?: boolean },
  ) {
    this.words = words.map(askedWord)
    this.code = hashOf(codeKey(words.map(({ text }) => text).join(' ')))
    this.metersTo = near && boxDistance(near)
    this.isFarLast = isFarLast
    this.extraShare = Math.max(0, ...this.words.filter(mayBeLeftOut).map(({ extraShare }) => extraShare))
  }

  /** Whether hits may lack words that say little. */
  get mayLeaveOut(): boolean {
    return this.extraShare > 0
  }

  /** The highest scores for the words as typed. */
  asTyped(table: WordBounds): NetworkBound {
    return this.boundOf(table, true)
  }

  /** The same if words that say little may be left out. */
  withExtra(table: WordBounds): NetworkBound {
    const typed = this.boundOf(table, true)
    const extra = this.boundOf(table, false)
    return { match: Math.max(typed.match, extra.match), score: Math.max(typed.score, extra.score) }
  }

  private boundOf(table: WordBounds, needsGeneric: boolean): NetworkBound {
    if ((factOf(table, this.code) & CODE_FACT) !== 0) return { match: CODE_SCORE, score: CODE_SCORE }
    const facts = this.factsOf(table, needsGeneric)
    return facts === undefined ? NONE_BOUND : this.scoresOf(table, facts)
  }

  /** Undefined if a word that is needed is missing. */
  private factsOf(table: WordBounds, needsGeneric: boolean): QueryFacts | undefined {
    let [any, start, whole, sole] = [-1, -1, -1, -1]
    let [anyCap, wholeCap] = [255, 255]
    let [extraShare, numberShare] = [1, 1]
    let significantCount = 0
    let hasTown = false
    for (const word of this.words) {
      const facts = factsOf(table, word)
      any = Math.max(any, facts.any)
      start = Math.max(start, facts.start)
      whole = Math.max(whole, facts.whole)
      sole = Math.max(sole, facts.sole)
      if (facts.any >= 0 && !word.isGeneric) significantCount++
      if (facts.isTown) hasTown = true
      else if (word.isRequired && (needsGeneric || !word.isGeneric)) {
        if (facts.any < 0) return undefined
        anyCap = Math.min(anyCap, facts.any)
        wholeCap = Math.min(wholeCap, facts.whole)
      } else if (facts.any >= 0) continue
      else if (mayBeLeftOut(word)) extraShare *= word.extraShare
      else if (word.isNumber) numberShare = NUMBER_SHARE
    }
    // A word of the town alone finds no place: the name has one word at least.
    const most = Math.min(any, anyCap)
    if (most < 0) return undefined
    if (!needsGeneric && extraShare === 1) extraShare = this.extraShare
    const fullest = significantCount > 1 ? whole : sole
    return {
      most,
      start: Math.min(start, most),
      whole: Math.min(fullest, wholeCap, most),
      hasTown,
      share: extraShare * numberShare,
    }
  }

  private scoresOf({ box }: WordBounds, { most, start, whole, hasTown, share }: QueryFacts): NetworkBound {
    const { metersTo, isFarLast } = this
    const meters = metersTo && metersTo(box, 0) * NEAR_SHARE
    const rank = (importance: number) => rankOf(importance, meters)
    const best = Math.max(
      matchScore({ tier: 'core_starts', coverage: 1, rank: rank(most) }),
      start < 0 ? 0 : matchScore({ tier: 'starts', coverage: 1, rank: rank(start) }),
      whole < 0 ? 0 : matchScore({ tier: 'equal', coverage: 1, rank: rank(whole) }),
    )
    const match = meters === undefined && share === 1 ? best : best * share + ROUNDING
    const isReduced = meters !== undefined && isFarLast && isFar(meters) && !hasTown
    return { match, score: isReduced ? match * FAR_SHARE + ROUNDING : match }
  }
}

/** Whether a word says little and hits may lack it. */
function mayBeLeftOut({ isRequired, isGeneric }: AskedWord): boolean {
  return isRequired && isGeneric
}

const NONE_BOUND: NetworkBound = { match: NO_HIT, score: NO_HIT }

function askedWord({ text, digits, houseNumber, isSuffix, isGeneric, isLink }: QueryWord): AskedWord {
  return {
    // The start that a plural shares with its singular.
    start: hashOf(startKey((singularOf(text) ?? text).slice(0, MOST_START_LETTERS))),
    whole: hashOf(wholeKey(text)),
    meanings: meaningsOf(text).map((long) => hashOf(wholeKey(long))),
    isRequired: digits < 0 && houseNumber < 0 && !isSuffix,
    isGeneric,
    extraShare: isLink ? EXTRA_LINK_SHARE : EXTRA_TYPE_SHARE,
    isNumber: houseNumber >= 0 && text.length !== POSTCODE_DIGITS,
  }
}

function factsOf(table: WordBounds, { start, whole, meanings }: AskedWord): WordFacts {
  const begun = factOf(table, start)
  let exact = begun === 0 ? 0 : factOf(table, whole)
  for (const meaning of meanings) exact = united(exact, factOf(table, meaning))
  // A meaning may be the first word of a name, of which its facts do not tell.
  const all = meanings.length === 0 ? begun : united(begun, (exact & ~START_FACT) | ((exact & FACT_MASK) << FACT_BITS))
  return {
    any: (all & FACT_MASK) - 1,
    start: ((all >>> FACT_BITS) & FACT_MASK) - 1,
    whole: (exact & FACT_MASK) - 1,
    sole: ((exact >>> FACT_BITS) & FACT_MASK) - 1,
    isTown: (all & TOWN_FACT) !== 0,
  }
}

function united(one: number, other: number): number {
  const any = Math.max(one & FACT_MASK, other & FACT_MASK)
  const start = Math.max((one >>> FACT_BITS) & FACT_MASK, (other >>> FACT_BITS) & FACT_MASK)
  return any | (start << FACT_BITS) | ((one | other) & (TOWN_FACT | CODE_FACT))
}

function factOf({ slots }: WordBounds, hash: number): number {
  const mask = slots.length / SLOT - 1
  let slot = hash & mask
  for (let key = slots[slot * SLOT]; key !== 0; key = slots[slot * SLOT]) {
    if (key === hash) return slots[slot * SLOT + 1]
    slot = (slot + 1) & mask
  }
  return 0
}
