// Tests that numbers, times and dates parsed from bytes equal the result of parsing their text, or are refused.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseServiceDate } from '../../loaders/gtfs/service-date.ts'
import { INVALID_TIME, NO_TIME, parseServiceTime } from '../../loaders/gtfs/service-time.ts'
import { parseDecimal, parseInteger } from '../../loaders/numbers.ts'
import { bySize, SEED } from '../size.ts'

const runs = { seed: SEED, numRuns: bySize({ quick: 1_000, ci: 10_000, full: 200_000 }) }
const encoder = new TextEncoder()

/** Parses a string in the middle of other bytes, so that reading past its end is noticed. */
function within<T>(parse: (bytes: Uint8Array, start: number, end: number) => T, text: string): T {
  const bytes = encoder.encode(`7${text}9`)
  return parse(bytes, 1, bytes.length - 1)
}

test('times are seconds after the service day’s zero, with one to three digits for hours', () => {
  const times: Record<string, number> = {
    '00:00:00': 0,
    '8:05:09': 8 * 3600 + 5 * 60 + 9,
    '08:05:09': 8 * 3600 + 5 * 60 + 9,
    '24:00:00': 86_400,
    '25:10:00': 25 * 3600 + 600,
    '86:52:00': 86 * 3600 + 52 * 60,
    '100:00:01': 360_001,
  }
  for (const [text, seconds] of Object.entries(times))
    expect([text, within(parseServiceTime, text)]).toEqual([text, seconds])
})

test('invalid and missing times are distinguished', () => {
  expect(within(parseServiceTime, '')).toBe(NO_TIME)
  const faulty = ['8', '8:00', '8:00:0', '8:0:00', ':00:00', '08:60:00', '08:00:60', '-1:00:00', '08-00-00', '8:00:00 ']
  const more = ['1000:00:00', '08:00:00:00', 'aa:bb:cc', '08:00:0x', '8.5', '08:00:00Z', '０8:00:00']
  for (const text of [...faulty, ...more]) expect([text, within(parseServiceTime, text)]).toEqual([text, INVALID_TIME])
})

test('every valid time is read correctly', () => {
  const time = fc.tuple(fc.nat({ max: 999 }), fc.nat({ max: 59 }), fc.nat({ max: 59 }), fc.boolean())
  fc.assert(
    fc.property(time, ([hours, minutes, seconds, isPadded]) => {
      const two = (part: number) => String(part).padStart(2, '0')
      const text = `${isPadded ? two(hours) : hours}:${two(minutes)}:${two(seconds)}`
      expect(within(parseServiceTime, text)).toBe(hours * 3600 + minutes * 60 + seconds)
    }),
    runs,
  )
})

test('dates are days after 1970-01-01; days that do not exist are invalid', () => {
  expect(parseServiceDate(19700101)).toBe(0)
  expect(parseServiceDate(20260301) - parseServiceDate(20260228)).toBe(1)
  expect(parseServiceDate(20240301) - parseServiceDate(20240228)).toBe(2)
  for (const date of [20260229, 20260001, 20261301, 20260100, 20260132, 2026010, 0, -20260101, Number.NaN]) {
    expect([date, parseServiceDate(date)]).toEqual([date, Number.NaN])
  }
})

test('integers are plain digits with an optional sign', () => {
  const integers: Record<string, number> = {
    '0': 0,
    '007': 7,
    '-3': -3,
    '+4': 4,
    '999999999999999': 999_999_999_999_999,
  }
  for (const [text, value] of Object.entries(integers))
    expect([text, within(parseInteger, text)]).toEqual([text, value])
  for (const text of ['', '-', '+', '1.0', '1e3', ' 1', '1 ', '0x1', '1234567890123456', '--1']) {
    expect([text, within(parseInteger, text)]).toEqual([text, Number.NaN])
  }
})

test('decimals equal Number() to the last bit', () => {
  const digits = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 18 }),
    fc.tuple(fc.nat({ max: 40 }), fc.nat()).map(([zeros, rest]) => '0'.repeat(zeros) + rest),
    fc.constant('0'),
  )
  const exponent = fc.option(fc.integer({ min: -20, max: 20 }), { nil: undefined })
  const parts = fc.tuple(fc.constantFrom('', '-', '+'), digits, fc.option(digits, { nil: undefined }), exponent)
  fc.assert(
    fc.property(parts, ([sign, whole, decimals, power]) => {
      const text = `${sign}${whole}${decimals === undefined ? '' : `.${decimals}`}${power === undefined ? '' : `e${power}`}`
      expect([text, within(parseDecimal, text)]).toEqual([text, Number(text)])
    }),
    runs,
  )
})

test('an invalid decimal is NaN', () => {
  expect([within(parseDecimal, '.5'), within(parseDecimal, '5.'), within(parseDecimal, '-.5')]).toEqual([0.5, 5, -0.5])
  for (const text of ['', '.', '-', '-.', '1,5', '1.2.3', 'NaN', 'Infinity', '1e999', 'e5', '0x10', '1 2', '48°N']) {
    expect([text, within(parseDecimal, text)]).toEqual([text, Number.NaN])
  }
})
