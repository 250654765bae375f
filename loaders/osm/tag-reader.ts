// Reads the tags of one element at a time. Keys and values that are in the word table are compared by their numbers and
// not as strings. In this file, a *word* is the number of a string in the word table.
import type { ElementColumns } from './element-table.ts'
import type { PbfBlock } from './pbf-block.ts'
import { UNKNOWN_WORD, type WordTable } from './word-table.ts'

/** A set of words from a word table: word → 1 if it is in the set, otherwise 0. */
export type WordSet = Uint8Array

/** Creates a set of strings, all of which must be in the word table. */
export function wordSet(table: WordTable, words: readonly string[]): WordSet {
  const set = new Uint8Array(table.size)
  for (const word of words) set[table.number(word)] = 1
  return set
}

/** Reads the values of tags by key. Call `open` for a block, `take` for an element, then the other methods. */
export class TagReader {
  private readonly table: WordTable
  private block: PbfBlock | undefined
  /** Number of a string in the block → its word; 0 if the string is not in the table. */
  private words: Uint16Array = new Uint16Array(0)
  /** Word of a key → number of the string with its value, plus 1; 0 if the element does not have the key. */
  private readonly values: Uint32Array
  private readonly keys: number[] = []

  constructor(table: WordTable) {
    this.table = table
    this.values = new Uint32Array(table.size)
  }

  /** Starts a block: finds the words of its strings. */
  open(block: PbfBlock): void {
    this.block = block
    this.words = block.wordsOf(this.table)
  }

  /** Reads the tags of an element in the block. */
  take({ tagOffset, tags }: ElementColumns, element: number): void {
    const { values, keys, words } = this
    for (const key of keys) values[key] = 0
    keys.length = 0
    const end = tagOffset[element + 1]
    for (let at = tagOffset[element]; at < end; at += 2) {
      const key = words[tags[at]]
      if (key === UNKNOWN_WORD) continue
      values[key] = tags[at + 1] + 1
      keys.push(key)
    }
  }

  has(key: number): boolean {
    return this.values[key] !== 0
  }

  /** The word of a key's value; 0 if the element does not have the key, or if the value is not in the table. */
  word(key: number): number {
    const value = this.values[key]
    return value === 0 ? UNKNOWN_WORD : this.words[value - 1]
  }

  /** Whether a key's value is in a set. */
  isIn(key: number, set: WordSet): boolean {
    const word = this.word(key)
    return word !== UNKNOWN_WORD && set[word] === 1
  }

  /** The number that a key's value has among the block's strings; undefined if the element does not have the key. */
  valueOf(key: number): number | undefined {
    const value = this.values[key]
    return value === 0 ? undefined : value - 1
  }

  /** A key's value as a string; undefined if the element does not have the key. */
  text(key: number): string | undefined {
    const value = this.values[key]
    return value === 0 ? undefined : this.block?.text(value - 1)
  }

  /** The bytes of a key's value; undefined if the element does not have the key. Valid until the next block is opened. */
  bytes(key: number): Uint8Array | undefined {
    const value = this.values[key]
    return value === 0 ? undefined : this.block?.textBytes(value - 1)
  }
}
