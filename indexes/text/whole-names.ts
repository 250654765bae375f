// A hash table for finding the names that consist of exactly the given words, in any order.
import { type Column, columnArray, sealColumn } from '../../loaders/columns.ts'
import { ALTERNATIVE, countNames, type NameIndex } from './name-index.ts'

/**
 * The slots of a hash table with open addressing: 0 if the slot is empty, otherwise the number of a name plus one. The
 * number of slots is a power of two.
 */
export type WholeNames = Column<number>

/**
 * If words of a name have alternatives, the table contains the name once for each combination of alternatives, but at
 * most MAX_FORMS times.
 */
const MAX_FORMS = 16

/**
 * The hash of a token. The hash of a name is the sum of its token hashes, so the order of the words does not matter.
 */
export function tokenWeight(token: number): number {
  const mixed = Math.imul(token + 1, 0x9e37_79b1)
  return Math.imul(mixed ^ (mixed >>> 15), 0x85eb_ca6b) | 0
}

function slotOf(sum: number, mask: number): number {
  const mixed = Math.imul(sum ^ (sum >>> 16), 0x21f0_aaad)
  return (mixed ^ (mixed >>> 15)) & mask
}

/** Builds the table. */
export function buildWholeNames(index: NameIndex): WholeNames {
  const nameCount = countNames(index)
  let formCount = 0
  for (let name = 0; name < nameCount; name++) formCount += sumsOf(index, name).length
  let size = 1
  while (size * 2 < formCount * 3) size *= 2
  const slots = new Uint32Array(size)
  for (let name = 0; name < nameCount; name++) {
    for (const sum of sumsOf(index, name)) {
      let slot = slotOf(sum, size - 1)
      while (slots[slot] !== 0 && slots[slot] !== name + 1) slot = (slot + 1) & (size - 1)
      slots[slot] = name + 1
    }
  }
  return sealColumn(slots)
}

/** The hashes of a name, one for each combination of alternatives; empty for a name without words. */
function sumsOf({ nameOffset, nameToken }: NameIndex, name: number): number[] {
  const end = nameOffset[name + 1]
  let sums = nameOffset[name] === end ? [] : [0]
  for (let at = nameOffset[name]; at < end; ) {
    const weights = [tokenWeight(nameToken[at++])]
    for (; at < end && nameToken[at] >= ALTERNATIVE; at++) weights.push(tokenWeight(nameToken[at] - ALTERNATIVE))
    sums = weights.flatMap((weight) => sums.map((sum) => (sum + weight) | 0)).slice(0, MAX_FORMS)
  }
  return sums
}

/**
 * Adds to `found` the names that have the given number of words and the given hash. May also add wrong names: names
 * that have other words but the same hash, and names with alternatives, whose hashes are not checked.
 */
export function findWholeNames(
  { index, table }: { readonly index: NameIndex; readonly table: WholeNames },
  words: { readonly sum: number; readonly count: number },
  found: number[],
): void {
  const slots = columnArray(table)
  const mask = slots.length - 1
  for (let slot = slotOf(words.sum, mask); slots[slot] !== 0; slot = (slot + 1) & mask) {
    const name = slots[slot] - 1
    if (index.nameWords[name] === words.count && maySum(index, name, words.sum)) found.push(name)
  }
}

/** Whether a name may have this hash. Always true if the name has alternative tokens. */
function maySum({ nameOffset, nameToken }: NameIndex, name: number, sum: number): boolean {
  let own = 0
  for (let at = nameOffset[name]; at < nameOffset[name + 1]; at++) {
    if (nameToken[at] >= ALTERNATIVE) return true
    own = (own + tokenWeight(nameToken[at])) | 0
  }
  return own === sum
}
