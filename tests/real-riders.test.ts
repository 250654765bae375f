// Riders' inputs on real data: 3 000 by rule, half of them kept from tuning. Fails if one of the ten ways of typing finds less
// than riders may expect. Runs where QUAI_FEEDS names the folder of real data; `tests/real-riders.ts` prints the table.
import { describe, expect, test } from 'bun:test'
import { REAL_ADDRESSES } from './real-places.ts'
import { askRiders, loadRiderWorld } from './real-riders.ts'

const MILLIS = 300_000
/** Shares of all inputs that find their place first and among five, and of each way of typing that find it first. */
const BARS = { first: 0.95, amongFive: 0.99, firstOfEach: 0.85 }

describe.skipIf(REAL_ADDRESSES === undefined)('riders', () => {
  test.each([false, true])(
    'find what they mean (kept from tuning: %p)',
    async (isHeldOut) => {
      const found = [...askRiders(await loadRiderWorld(REAL_ADDRESSES ?? ''), isHeldOut)]
      const sum = (count: (row: (typeof found)[number][1]) => number) =>
        found.reduce((all, [, row]) => all + count(row), 0)
      const asked = sum((row) => row.asked)
      expect(asked).toBe(1500)
      const low = found.filter(([, { asked: of, first }]) => first / of < BARS.firstOfEach)
      expect(low).toEqual([])
      expect(sum((row) => row.first) / asked).toBeGreaterThanOrEqual(BARS.first)
      expect(sum((row) => row.amongFive) / asked).toBeGreaterThanOrEqual(BARS.amongFive)
      const exact = found.find(([kind]) => kind === 'whole')?.[1]
      expect(exact?.first).toBe(exact?.asked ?? 0)
    },
    MILLIS,
  )
})
