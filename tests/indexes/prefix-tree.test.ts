// Tests how strings are split into words, and which strings are found by prefixes of their words. Fails if an accent,
// the case or the script makes two spellings of one word differ, or if a search for a word misses a string that
// contains the word.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { normalizeWords } from '../../indexes/text/normalize.ts'
import { findPostings, findTokens, type PrefixTree, tokenText } from '../../indexes/text/prefix-tree.ts'
import { sealColumn } from '../../loaders/columns.ts'
import { bySize, SEED } from '../size.ts'

const RUNS = { seed: SEED, numRuns: bySize({ quick: 300, ci: 2_000, full: 20_000 }) }

/** The prefix tree of some strings, each given as its tokens. It is built in the simplest way. */
function treeOf(texts: readonly (readonly string[])[]): PrefixTree {
  const tokens = [...new Set(texts.flat())].sort()
  const encoded = tokens.map((token) => new TextEncoder().encode(token))
  const postings = tokens.map((token) => texts.flatMap((each, number) => (each.includes(token) ? [number] : [])))
  const offsets = (lengths: readonly number[]) => {
    const sums = [0]
    for (const length of lengths) sums.push((sums.at(-1) ?? 0) + length)
    return sealColumn<number>(Uint32Array.from(sums))
  }
  return {
    tokenBytes: sealColumn<number>(Uint8Array.from(encoded.flatMap((bytes) => [...bytes]))),
    tokenOffset: offsets(encoded.map((bytes) => bytes.length)),
    postingOffset: offsets(postings.map((each) => each.length)),
    posting: sealColumn<number>(Uint32Array.from(postings.flat())),
  }
}

test('words lose case, accents and punctuation only', () => {
  expect(
    [
      'Św. Wawrzyńca',
      'L’Hôpital-St.Jean',
      'Straße',
      'Œuvre Ærø',
      'Łódź Đà Nẵng',
      'İstanbul ISPARTA ılıca',
      '12bis/A',
      'Київ',
      ' - ',
      '',
    ].map(normalizeWords),
  ).toEqual([
    ['sw', 'wawrzynca'],
    ['l', 'hopital', 'st', 'jean'],
    ['strasse'],
    ['oeuvre', 'aero'],
    ['lodz', 'da', 'nang'],
    ['istanbul', 'isparta', 'ilica'],
    ['12bis', 'a'],
    ['киів'],
    [],
    [],
  ])
})

test('splitting words again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const words = normalizeWords(text)
      expect(normalizeWords(words.join(' '))).toEqual(words)
    }),
    RUNS,
  )
})

const token = fc.string({
  unit: fc.constantFrom('a', 'b', 'é', '\ufb01', '\u{1d41a}', '0'),
  minLength: 1,
  maxLength: 4,
})

test('tokens by prefix are those that start with it', () => {
  fc.assert(
    fc.property(fc.array(fc.array(token, { maxLength: 5 }), { maxLength: 12 }), token, (texts, prefix) => {
      const tree = treeOf(texts)
      const { first, end } = findTokens(tree, prefix)
      const found = Array.from({ length: end - first }, (_, order) => tokenText(tree, first + order))
      expect(found).toEqual([...new Set(texts.flat())].sort().filter((each) => each.startsWith(prefix)))
    }),
    RUNS,
  )
})

test('a string is found if every prefix starts one of its tokens', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(token, { maxLength: 5 }), { maxLength: 12 }),
      fc.array(token, { maxLength: 3 }),
      (texts, prefixes) => {
        const expected = texts.flatMap((tokens, number) =>
          prefixes.length > 0 && prefixes.every((prefix) => tokens.some((each) => each.startsWith(prefix)))
            ? [number]
            : [],
        )
        expect(findPostings(treeOf(texts), prefixes, texts.length)).toEqual(expected)
      },
    ),
    RUNS,
  )
})
