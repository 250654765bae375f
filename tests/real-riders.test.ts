// Tests 3 000 riders' inputs on real data. Rules generate the inputs, and half of them are not used for tuning. Fails
// if one of the ten ways of typing finds its places less often than riders may expect. Runs if QUAI_FEEDS names the
// folder of real data; `tests/real-riders.ts` prints the table.
import { describe, expect, test } from 'bun:test'
import { REAL_ADDRESSES } from './real-places.ts'
import { askRiders, loadRiderWorld } from './real-riders.ts'

const MILLIS = 300_000
/**
 * Required shares of inputs: `first` and `amongFive` of all inputs must find their place first and among the first five.
 * `firstOfEach` of the inputs of each way of typing must find it first.
 */
const BARS = { first: 0.95, amongFive: 0.99, firstOfEach: 0.85 }

describe.skipIf(REAL_ADDRESSES === undefined)('riders', () => {
  test.each([false, true])(
    'find what they mean (not used for tuning: %p)',
    async (isHeldOut) => {
      const found = [...askRiders(await loadRiderWorld(REAL_ADDRESSES ?? ''), isHeldOut)]
      const sum = (count: (row: (typeof found)[number][1]) => number) =>
        found.reduce((all, [, row]) => all + count(row), 0)
      const requested = sum((row) => row.requested)
      expect(requested).toBe(1500)
      const low = found.filter(([, { requested: of, first }]) => first / of < BARS.firstOfEach)
      expect(low).toEqual([])
      expect(sum((row) => row.first) / requested).toBeGreaterThanOrEqual(BARS.first)
      expect(sum((row) => row.amongFive) / requested).toBeGreaterThanOrEqual(BARS.amongFive)
      const exact = found.find(([kind]) => kind === 'whole')?.[1]
      expect(exact?.first).toBe(exact?.requested ?? 0)
    },
    MILLIS,
  )
})
