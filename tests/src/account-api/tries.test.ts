// Tests the attempt counters. They must agree with a list of all attempts, even under a flood of names, and never
// exceed their memory limit.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { TRY_LIMITS, Tries } from '../../../src/account-api/tries.ts'
import { bySize, SEED } from '../../size.ts'
import { HandClock } from '../account-fixture.ts'

const HISTORIES = bySize({ quick: 300, ci: 2_000, full: 20_000 })
const LOG_INS = bySize({ quick: 2_000, ci: 10_000, full: 200_000 })
const FLOOD = 100_000
const NAMES = ['a', 'b', 'c']
const LIMITS = TRY_LIMITS.pair
const { limit: LIMIT, windowMillis: WINDOW_MILLIS } = LIMITS
const KEY = new Uint8Array(32).fill(7)

const STEP = fc.record({
  name: fc.constantFrom(...NAMES),
  millis: fc.integer({ min: 0, max: WINDOW_MILLIS / 4 }),
  isGivenBack: fc.boolean(),
})

test(`attempts are counted as in a full list (${HISTORIES} histories)`, () => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 60 }), (steps) => {
      const clock = new HandClock()
      const tries = new Tries(clock, LIMITS, KEY)
      const all: { name: string; atMillis: number }[] = []
      for (const { name, millis, isGivenBack } of steps) {
        clock.millis += millis
        // An attempt counts until the end of its window, and possibly for a fraction of the window longer.
        const countIn = (windowMillis: number, nowMillis = clock.millis) =>
          all.filter((one) => one.name === name && nowMillis - one.atMillis < windowMillis).length
        const waitSeconds = tries.waitSeconds(name)
        if (waitSeconds === 0) expect(countIn(WINDOW_MILLIS)).toBeLessThan(LIMIT)
        else {
          expect(countIn(tries.lifeMillis)).toBeGreaterThanOrEqual(LIMIT)
          // After the stated wait, an attempt is allowed; a second earlier, it is not.
          const before = clock.millis
          clock.millis = before + (waitSeconds - 1) * 1_000
          expect(tries.waitSeconds(name)).toBeGreaterThan(0)
          clock.millis = before + waitSeconds * 1_000
          expect(tries.waitSeconds(name)).toBe(0)
          continue
        }
        const giveBack = tries.count(name)
        if (isGivenBack) giveBack()
        else all.push({ name, atMillis: clock.millis })
      }
    }),
    { seed: SEED, numRuns: HISTORIES },
  )
})

test(`of ${LOG_INS} attempts in fifteen minutes, ten pass for each name`, () => {
  const tries = new Tries(new HandClock(), LIMITS, KEY)
  const passed = new Map<string, number>()
  const random = seededNumbers(SEED)
  for (let count = 0; count < LOG_INS; count++) {
    const name = `${random() % 40}`
    if (tries.take(name) === 0) passed.set(name, (passed.get(name) ?? 0) + 1)
  }
  expect([...passed.values()]).toEqual(Array(40).fill(LIMIT))
})

test(`a flood of ${FLOOD} other names neither clears nor fills a count, in bounded memory`, () => {
  const clock = new HandClock()
  const tries = new Tries(clock, LIMITS, KEY)
  for (let count = 0; count < LIMIT; count++) expect(tries.take('victim')).toBe(0)
  for (let count = 0; count < 5; count++) tries.take('bystander')
  for (let other = 0; other < FLOOD; other++) {
    clock.millis += (WINDOW_MILLIS - 1_000) / FLOOD
    tries.take(`other ${other}`)
  }
  expect(tries.waitSeconds('victim')).toBeGreaterThan(0)
  expect(tries.waitSeconds('bystander')).toBe(0)
  const fresh = Array.from({ length: 1_000 }, (_, number) => tries.take(`fresh ${number}`))
  expect(fresh.filter((wait) => wait > 0)).toEqual([])
  const mostBytes = tries.mostBytes
  expect(tries.heldBytes).toBeLessThanOrEqual(mostBytes)
  expect(mostBytes).toBeLessThan(4 * 1024 * 1024)
  clock.millis += tries.lifeMillis
  expect([tries.waitSeconds('victim'), tries.heldBytes]).toEqual([0, 0])
})

test('all limits together take less than 16 MB', () => {
  const bytes = Object.values(TRY_LIMITS).map((limits) => new Tries(new HandClock(), limits, KEY).mostBytes)
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(16 * 1024 * 1024)
})

test('an attempt returned twice, or after its window, does not affect others', () => {
  const clock = new HandClock()
  const tries = new Tries(clock, LIMITS, KEY)
  const giveBack = tries.count('a')
  for (let count = 1; count < LIMIT; count++) tries.count('a')
  giveBack()
  giveBack()
  expect(tries.take('a')).toBe(0)
  expect(tries.waitSeconds('a')).toBeGreaterThan(0)
  const late = tries.count('b')
  clock.millis += tries.lifeMillis
  for (let count = 0; count < LIMIT; count++) tries.count('b')
  late()
  expect(tries.waitSeconds('b')).toBeGreaterThan(0)
})

test('a clock that goes forward and back keeps no attempt longer than a window from then on', () => {
  const clock = new HandClock()
  const tries = new Tries(clock, LIMITS, KEY)
  clock.millis += 45 * 86_400_000
  for (let count = 0; count < LIMIT; count++) tries.count('a')
  clock.millis -= 45 * 86_400_000
  expect(tries.waitSeconds('a')).toBeGreaterThan(0)
  clock.millis += tries.lifeMillis
  expect(tries.waitSeconds('a')).toBe(0)
})

/** A linear congruential generator. */
function seededNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}
