// Tests the string pool. It must give one number to each distinct string, and return the exact string for each number.
// Fails if two strings share a number, if a string has two numbers, or if a string is damaged when the pool grows.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { countTexts, EMPTY_STRING, type StringIndex, StringPoolBuilder, textOf } from '../../loaders/strings.ts'
import { bySize, SEED } from '../size.ts'

const encoder = new TextEncoder()
const runs = { seed: SEED, numRuns: bySize({ quick: 200, ci: 2_000, full: 20_000 }) }
/** Letters of one to four bytes, and the byte-order mark, which is kept like any other character. */
const LETTERS = ['a', 'b', '0', ' ', '"', 'é', 'ß', '–', '駅', '🚋', '\ufeff']

/** Adds strings to a pool and checks each number against a Map. */
function internAll(builder: StringPoolBuilder, numbers: Map<string, number>, texts: readonly string[]): void {
  for (const text of texts) {
    const known = numbers.get(text)
    const index = builder.internText(text)
    if (known === undefined) numbers.set(text, numbers.size)
    if (index !== numbers.get(text)) throw new Error(`"${text}" is ${index}, expected ${numbers.get(text)}`)
  }
}

test('the empty string is 0 in every pool', () => {
  const builder = new StringPoolBuilder()
  expect([builder.count, builder.internText(''), builder.textOf(EMPTY_STRING)]).toEqual([1, EMPTY_STRING, ''])
  expect(textOf(builder.seal(), EMPTY_STRING)).toBe('')
})

test('numbers follow the order of first occurrence, as in a Map, and lead back to the string', () => {
  const text = fc.string({ unit: fc.constantFrom(...LETTERS), maxLength: 4 })
  fc.assert(
    fc.property(fc.array(text, { maxLength: 60 }), (texts) => {
      const builder = new StringPoolBuilder()
      const numbers = new Map([['', 0]])
      internAll(builder, numbers, texts)
      const pool = builder.seal()
      const back = [...numbers.keys()].map((_, index) => textOf(pool, index as StringIndex))
      expect(back).toEqual([...numbers.keys()])
      expect(countTexts(pool)).toBe(numbers.size)
    }),
    runs,
  )
})

test('a hundred thousand strings, long and short, many of them repeated', () => {
  // A simple generator (xorshift), so that the strings are the same in every run.
  let state = 0x9e3779b9
  const random = (below: number) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
  const texts = Array.from({ length: 100_000 }, () =>
    Array.from({ length: random(12) }, () => LETTERS[random(LETTERS.length)]).join(''),
  )
  // A string that is longer than the initial capacity of the pool.
  texts.splice(50_000, 0, 'x'.repeat(500_000))
  const builder = new StringPoolBuilder()
  const numbers = new Map([['', 0]])
  internAll(builder, numbers, texts)
  internAll(builder, numbers, texts)
  const pool = builder.seal()
  expect(countTexts(pool)).toBe(numbers.size)
  let wrong = 0
  for (const [text, index] of numbers) if (textOf(pool, index as StringIndex) !== text) wrong++
  expect(wrong).toBe(0)
})

test('a byte range is a string, independent of the bytes around it', () => {
  const builder = new StringPoolBuilder()
  const bytes = encoder.encode('xGarey,Gare')
  const gare = builder.internBytes(bytes, 1, 5)
  expect([builder.internBytes(bytes, 7, 11), builder.internText('Gare')]).toEqual([gare, gare])
  expect(builder.internBytes(bytes, 1, 6)).not.toBe(gare)
  expect([
    builder.matches(gare, bytes, { start: 7, end: 11 }),
    builder.matches(gare, bytes, { start: 1, end: 6 }),
    builder.matches(gare, bytes, { start: 1, end: 4 }),
    builder.matches(EMPTY_STRING, bytes, { start: 4, end: 4 }),
  ]).toEqual([true, false, false, true])
})

test('a builder extends a sealed pool: old strings keep their numbers, and the pool is unchanged', () => {
  const first = new StringPoolBuilder()
  const numbers = new Map([['', 0]])
  internAll(
    first,
    numbers,
    Array.from({ length: 10_000 }, (_, i) => `stop ${i}`),
  )
  const pool = first.seal()
  const before = { bytes: pool.bytes.slice(), count: countTexts(pool) }
  const second = StringPoolBuilder.from(pool)
  internAll(
    second,
    numbers,
    Array.from({ length: 30_000 }, (_, i) => `stop ${i + 5_000}`),
  )
  const wider = second.seal()
  expect([countTexts(wider), numbers.size]).toEqual([35_001, 35_001])
  for (const [text, index] of [...numbers].filter(([, index]) => index % 97 === 0))
    expect(textOf(wider, index as StringIndex)).toBe(text)
  expect({ bytes: pool.bytes, count: countTexts(pool) }).toEqual(before)
})

test('a builder extends an empty pool', () => {
  const builder = StringPoolBuilder.from(new StringPoolBuilder().seal())
  const numbers = new Map([['', 0]])
  internAll(
    builder,
    numbers,
    Array.from({ length: 100 }, (_, i) => `${i}`),
  )
  expect(builder.count).toBe(101)
})
