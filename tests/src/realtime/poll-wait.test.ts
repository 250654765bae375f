// Tests the waits between fetches. Fails if a dead upstream is called too often, if an upstream is called before the
// time in its Retry-After, if all feeds become due at the same time, or if a wait that is too long for a timer ends
// immediately.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { waitBefore } from '../../../src/realtime/feed-poller.ts'
import { SEED } from '../../size.ts'

const WELL = { intervalMillis: 15_000, failures: 0, isRefused: false, retryAfterMillis: 0, budgetMillis: 0 }
const EVEN = 0.5

test('the interval while everything works, with some variation', () => {
  expect(waitBefore(WELL, EVEN)).toBe(15_000)
  expect([waitBefore(WELL, 0), waitBefore(WELL, 1)]).toEqual([14_250, 15_750])
})

test('twice as long after each failure, from two seconds to five minutes', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1_000, 10_000].map(
    (failures) => waitBefore({ ...WELL, failures }, 0) / 1000,
  )
  expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
})

test('the interval after an overlarge response, however often', () => {
  for (const failures of [1, 2, 20]) {
    expect(waitBefore({ ...WELL, failures, isRefused: true }, EVEN)).toBe(15_000)
    expect(waitBefore({ ...WELL, failures, isRefused: true, budgetMillis: 60_000 }, EVEN)).toBe(60_000)
  }
})

test('never before the upstream or the budget allows it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 86_400_000 }),
      fc.integer({ min: 0, max: 86_400_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, retryAfterMillis, budgetMillis, chance) => {
        const wait = waitBefore({ ...WELL, failures, retryAfterMillis, budgetMillis }, chance)
        expect(wait).toBeGreaterThanOrEqual(Math.max(retryAfterMillis, budgetMillis, 2_000))
        expect(wait).toBeLessThanOrEqual(Math.max(300_000, retryAfterMillis, budgetMillis) * 1.1)
      },
    ),
    { seed: SEED },
  )
  expect(waitBefore({ ...WELL, budgetMillis: 60_000 }, 1)).toBe(60_000)
})

test('no wait is longer than a timer supports, and none requested by an upstream is longer than a day', () => {
  // A timer of 2^31 ms or more would end immediately, so the feed would be fetched without a pause.
  for (const budgetMillis of [31 * 86_400_000, Number.POSITIVE_INFINITY]) {
    expect(waitBefore({ ...WELL, budgetMillis }, EVEN)).toBe(2 ** 31 - 1)
  }
  for (const retryAfterMillis of [2 ** 31, 1e15, Number.POSITIVE_INFINITY]) {
    expect(waitBefore({ ...WELL, failures: 1, retryAfterMillis }, 0)).toBe(86_400_000)
  }
})
