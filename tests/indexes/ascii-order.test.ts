// Tests the functions that compare strings directly in their UTF-8 buffer. Fails if the order differs from that of
// JavaScript strings.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { compareWithAscii } from '../../indexes/text/ascii-order.ts'
import { findText } from '../../indexes/text/sorted-texts.ts'
import { type StringIndex, StringPoolBuilder, textOf } from '../../loaders/strings.ts'
import { bySize, SEED } from '../size.ts'

const RUNS = { seed: SEED, numRuns: bySize({ quick: 500, ci: 3_000, full: 30_000 }) }
const letters = (...units: string[]) => fc.string({ unit: fc.constantFrom(...units), maxLength: 4 })
const asciiText = letters('a', 'b', '\x7f', '\0')
const anyText = letters('a', 'b', '\x7f', '\0', 'é', '\u{ffff}', '\u{1f600}')

test('comparing with an ASCII string gives the same order as comparing JavaScript strings', () => {
  const encoder = new TextEncoder()
  fc.assert(
    fc.property(anyText, asciiText, (text, wanted) => {
      const bytes = encoder.encode(`.${text}.`)
      const order = compareWithAscii({ bytes, start: 1, end: bytes.length - 1 }, wanted)
      expect(order).toBe(text === wanted ? 0 : text < wanted ? -1 : text.startsWith(wanted) ? 1 : 2)
    }),
    RUNS,
  )
})

test('each of several sorted strings is found, and no others', () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyText, { maxLength: 20 }), anyText, (texts, wanted) => {
      const sorted = texts.toSorted()
      const builder = new StringPoolBuilder()
      const numbers: StringIndex[] = sorted.map((text) => builder.internText(text))
      const pool = builder.seal()
      const found = (text: string) =>
        findText(pool, text, { count: sorted.length, textAt: (at) => numbers[at] ?? numbers[0] })
      for (const [at, text] of sorted.entries()) expect(found(text)).toBe(at)
      const at = found(wanted)
      expect(at === undefined ? undefined : textOf(pool, numbers[at] ?? numbers[0])).toBe(
        texts.includes(wanted) ? wanted : undefined,
      )
    }),
    RUNS,
  )
})
