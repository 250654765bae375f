// Tests the edit distance between words. Fails if it differs from the recursive definition of optimal string alignment,
// or if the comparison of two words' letter sets rules out a word that is near enough.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { countBits, editDistance, letterSet } from '../../indexes/text/edit-distance.ts'
import { bySize, SEED } from '../size.ts'

/** Time limit of each test at full size. */
const MILLIS = 300_000

/**
 * The edit distance by its recursive definition: the smallest number of deletions, insertions, replacements and swaps
 * of neighboring letters that turn one word into the other.
 */
function slipsBetween(a: string, b: string): number {
  const known = new Map<string, number>()
  const of = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j
    const key = `${i},${j}`
    const before = known.get(key)
    if (before !== undefined) return before
    const choices = [of(i - 1, j) + 1, of(i, j - 1) + 1, of(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1])]
    if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) choices.push(of(i - 2, j - 2) + 1)
    const least = Math.min(...choices)
    known.set(key, least)
    return least
  }
  return of(a.length, b.length)
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '1'), maxLength: 12 })

test(
  'distances follow the definition, up to the limit',
  () => {
    fc.assert(
      fc.property(word, word, fc.integer({ min: 1, max: 2 }), (typed, other, limit) => {
        const slips = slipsBetween(typed, other)
        expect(editDistance(typed, other, { limit, asPrefix: false })).toBe(Math.min(slips, limit + 1))
        const starts = Array.from({ length: other.length + 1 }, (_, length) => other.slice(0, length))
        const least = Math.min(...starts.map((start) => slipsBetween(typed, start)))
        expect(editDistance(typed, other, { limit, asPrefix: true })).toBe(Math.min(least, limit + 1))
        // Each typing error adds at most one letter that the other word does not have.
        if (slips <= limit) expect(countBits(letterSet(typed) & ~letterSet(other))).toBeLessThanOrEqual(slips)
      }),
      { seed: SEED, numRuns: bySize({ quick: 3_000, ci: 30_000, full: 300_000 }) },
    )
  },
  MILLIS,
)

test('bits are counted, including the sign bit', () => {
  expect([0, 1, 0b1011, -1, 1 << 31].map(countBits)).toEqual([0, 1, 3, 32, 1])
})
