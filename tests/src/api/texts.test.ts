// Compares each small writer and reader that responses use with a reference: local timestamps are compared with the
// runtime's own, natural sort keys with the comparison that they represent, query strings with URLSearchParams, and
// strings in a string pool with JSON.stringify.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { compareNatural, naturalKey } from '../../../indexes/text/natural-order.ts'
import { StringPoolBuilder } from '../../../loaders/strings.ts'
import { readQuery } from '../../../src/http/request-head.ts'
import { JsonBytes } from '../../../src/rendering/json-bytes.ts'
import { parsePublicId } from '../../../src/rendering/public-ids.ts'
import { LocalTime, utcText } from '../../../src/rendering/timestamps.ts'

const decoder = new TextDecoder()
const ZONES = [
  'Europe/Paris',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'UTC',
  'America/St_Johns',
]

test('local timestamps agree with Temporal, as strings and as bytes, in any order', () => {
  const zones = ZONES.map((zone) => ({ zone, local: new LocalTime(zone) }))
  const seconds = fc.integer({ min: Date.UTC(1972, 0, 2) / 1000, max: Date.UTC(2099, 0, 1) / 1000 })
  fc.assert(
    fc.property(fc.constantFrom(...zones), seconds, ({ zone, local }, epochSeconds) => {
      const expected = Temporal.Instant.fromEpochMilliseconds(epochSeconds * 1000).toZonedDateTimeISO(zone)
      const text = expected.toString({ smallestUnit: 'second', timeZoneName: 'never' })
      expect(local.text(epochSeconds)).toBe(text)
      const out = new JsonBytes()
      out.pushLocalTime(local, epochSeconds)
      expect(decoder.decode(out.view())).toBe(text)
    }),
    { numRuns: 2000, seed: 7 },
  )
})

test('both sides of an offset change, to the second', () => {
  const paris = new LocalTime('Europe/Paris')
  const spring = Date.UTC(2026, 2, 29, 1) / 1000
  const autumn = Date.UTC(2026, 9, 25, 1) / 1000
  expect([spring - 1, spring, autumn - 1, autumn].map((seconds) => paris.text(seconds))).toEqual([
    '2026-03-29T01:59:59+01:00',
    '2026-03-29T03:00:00+02:00',
    '2026-10-25T02:59:59+02:00',
    '2026-10-25T02:00:00+01:00',
  ])
  expect(utcText(spring * 1000 + 999)).toBe('2026-03-29T01:00:00Z')
})

test('natural keys order like the natural comparison, except for ties', () => {
  const name = fc.string({ unit: fc.constantFrom(...'aAbB0019 -éÉ:/'), maxLength: 8 })
  fc.assert(
    fc.property(name, name, (a, b) => {
      const [left, right] = [naturalKey(a), naturalKey(b)]
      if (left !== right) expect(left < right).toBe(compareNatural(a, b) < 0)
    }),
    { numRuns: 5000, seed: 7 },
  )
})

test('well-formed queries are read as URLSearchParams reads them', () => {
  const slots = new Map([
    ['q', 0],
    ['limit', 1],
  ])
  const text = fc.string({ unit: 'grapheme', maxLength: 12 })
  fc.assert(
    fc.property(text, text, (q, other) => {
      const query = new URLSearchParams([
        ['other', other],
        ['q', q],
      ]).toString()
      expect(readQuery(query, slots)).toEqual([q, undefined])
    }),
    { seed: 7 },
  )
  expect(readQuery('%71=1&q&limit=%6', slots).map(String)).toEqual(['Symbol(repeated)', 'Symbol(malformed)'])
})

test('a pool’s strings are written as JSON writes them', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
      const wellFormed = texts.map((text) => text.toWellFormed())
      const builder = new StringPoolBuilder()
      const indexes = wellFormed.map((text) => builder.internText(text))
      const pool = builder.seal()
      const out = new JsonBytes()
      for (const index of indexes) {
        out.pushText('"')
        out.pushPoolText(pool, index)
        out.pushText('",')
      }
      expect(JSON.parse(`[${decoder.decode(out.view())}0]`)).toEqual([...wellFormed, 0])
    }),
    { seed: 7 },
  )
})

test('a long response outgrows its initial buffer', () => {
  const out = new JsonBytes()
  const long = 'é'.repeat(100_000)
  out.pushText(long)
  out.pushText(long)
  expect(decoder.decode(out.view())).toBe(long + long)
  expect(out.clear().view().length).toBe(0)
})

test('ids are cut only at their first two colons', () => {
  expect(parsePublicId('n:stop:a:b/c %')).toEqual({ network: 'n', kind: 'stop', local: 'a:b/c %' })
  for (const id of ['', 'n', 'n:stop', 'n:stop:', ':stop:a', 'n::a']) expect(parsePublicId(id)).toBeUndefined()
})
