// Tests timestamps as clients write them. Fails if a timestamp in UTC means a different instant than the same time with
// an offset, or if an invalid timestamp is accepted.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { QueryParser } from '../../../src/contract/parameter-parser.ts'
import { PARAMETERS } from '../../../src/contract/parameters.ts'
import { Problem } from '../../../src/http/problem.ts'
import { bySize, SEED } from '../../size.ts'

const RUNS = { seed: SEED, numRuns: bySize({ quick: 1_000, ci: 5_000, full: 50_000 }) }
const parser = new QueryParser({ when: PARAMETERS.when })
const whenOf = (text: string) => {
  const values = parser.parse(`when=${encodeURIComponent(text)}`)
  return values instanceof Problem ? 'refused' : values.when
}
const digits = (most: number, length = 2) => fc.nat(most).map((number) => String(number).padStart(length, '0'))

test('a UTC time equals the same time with an offset of zero, or both are rejected', () => {
  const time = fc.tuple(digits(9999, 4), digits(14), digits(33), digits(25), digits(61), digits(61))
  fc.assert(
    fc.property(time, ([year, month, day, hour, minute, second]) => {
      const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`
      expect(whenOf(`${local}Z`)).toBe(whenOf(`${local}+00:00`))
    }),
    RUNS,
  )
})

test('almost valid UTC times are rejected', () => {
  for (const text of ['2026-06-10T06:00:0 Z', '2026-06-10 06:00:00Z', '2026/06/10T06:00:00Z', '2026-06-10T06:00:00+']) {
    expect(whenOf(text)).toBe('refused')
  }
  expect(whenOf('2026-06-10t06:00:00z')).toBe(Date.parse('2026-06-10T06:00:00Z'))
  expect(whenOf('2024-02-29T00:00:00Z')).toBe(Date.parse('2024-02-29T00:00:00Z'))
  expect(whenOf('2025-02-29T00:00:00Z')).toBe('refused')
})
