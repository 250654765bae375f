// Tests how a query is split into words whose total length is limited. A query within the limit is used completely. A
// longer query is cut to a prefix, which finds at least as much as the whole query. Fails if a letter is dropped
// although it fits, if a character is cut in the middle, or if the words exceed the limit.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { normalizeWords, QUERY_BYTES, queryWords } from '../../indexes/text/normalize.ts'
import { SEED } from '../size.ts'

const bytesOf = (words: readonly string[]): number => Buffer.byteLength(words.join(' '))

test('a string that folds to itself is kept whole at 120 characters of one to four bytes', () => {
  for (const letter of ['x', 'é', 'ж', '中', '𠀀', 'a ']) {
    const query = letter.repeat(120 / letter.length)
    expect(queryWords(query)).toEqual(normalizeWords(query))
  }
})

test('computed by hand: 480 bytes stay, and the next letter is cut', () => {
  // 각 consists of three letters of three bytes each: 53 syllables are 477 bytes, and one more letter makes 480.
  expect(bytesOf(queryWords('각'.repeat(120)))).toBe(480)
  expect(queryWords('각'.repeat(53))).toEqual(normalizeWords('각'.repeat(53)))
  expect(queryWords(`${'중'.repeat(53)} 가`)).toEqual(normalizeWords('중'.repeat(53)))
})

test('the words of any query stay within the limit and are the words that were typed, or their beginnings', () => {
  const letters = fc.constantFrom('각', 'ﷺ', 'ﬃ', '🄐', 'a', 'é', '𝔸', '\u0301', ' ', '-', '𠀀')
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 120, size: 'max' }), (characters) => {
      const query = characters.join('')
      const all = normalizeWords(query)
      const words = queryWords(query)
      expect(bytesOf(words)).toBeLessThanOrEqual(QUERY_BYTES)
      for (const [at, word] of words.entries()) {
        expect(word.isWellFormed()).toBe(true)
        if (at < words.length - 1) expect(word).toBe(all[at])
        else expect(all[at]?.startsWith(word)).toBe(true)
      }
      if (bytesOf(all) <= QUERY_BYTES) expect(words).toEqual(all)
      // Fewer than five bytes stay unused. The next character takes at most five: four bytes, and one for a space
      // before it.
      else expect(bytesOf(words)).toBeGreaterThan(QUERY_BYTES - 5)
    }),
    { seed: SEED, numRuns: 300 },
  )
})
