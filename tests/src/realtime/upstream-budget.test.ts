// Tests the request budgets of upstreams. Each fetch must be counted before it starts, counts must be kept across a
// restart, and a budget must never be exceeded. Fails if a window has a fetch too many, if a count is lost when the
// process ends, or if a window does not end.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { BudgetBook } from '../../../src/realtime/upstream-budget.ts'
import { bySize, SEED } from '../../size.ts'

let folder: string
let nowMillis: number
const clock = { nowMillis: () => nowMillis }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quai-budget-'))
  nowMillis = Date.parse('2026-06-10T06:30:00Z')
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a fixed number per window', () => {
  const budget = new BudgetBook(folder, clock).budgetOf('ville/trips', { limit: 3, window: 'hour' })
  expect([budget.take(), budget.take(), budget.take(), budget.take()]).toEqual([true, true, true, false])
  expect(budget.status()).toEqual({ used: 3, limit: 3, resetsAtMillis: Date.parse('2026-06-10T07:00:00Z') })
  expect(budget.waitMillis()).toBe(30 * 60_000)
  nowMillis = Date.parse('2026-06-10T07:00:00Z')
  expect(budget.take()).toBe(true)
  expect(budget.status().used).toBe(1)
})

test('neither a restart nor a clock set back restores used requests', () => {
  const order = { limit: 3, window: 'day' } as const
  const budget = new BudgetBook(folder, clock).budgetOf('ville/trips', order)
  budget.take()
  budget.take()
  const again = new BudgetBook(folder, clock).budgetOf('ville/trips', order)
  nowMillis -= 2 * 86_400_000
  expect([again.take(), again.take()]).toEqual([true, false])
})

test('the remainder is spread over the window once four fifths are used', () => {
  const budget = new BudgetBook(folder, clock).budgetOf('ville/trips', { limit: 10, window: 'hour' })
  for (let number = 0; number < 7; number++) budget.take()
  expect(budget.waitMillis()).toBe(0)
  budget.take()
  expect(budget.waitMillis()).toBe(15 * 60_000)
  budget.take()
  expect(budget.waitMillis()).toBe(30 * 60_000)
})

test('months are calendar months', () => {
  const budget = new BudgetBook(folder, clock).budgetOf('ville/trips', { limit: 10, window: 'month' })
  expect(budget.status().resetsAtMillis).toBe(Date.parse('2026-07-01T00:00:00Z'))
})

test('at any times, no window exceeds its limit', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 59 }), (waits, limit, restartAt) => {
      rmSync(folder, { recursive: true, force: true })
      nowMillis = Date.parse('2026-06-10T06:30:00Z')
      let budget = new BudgetBook(folder, clock).budgetOf('a', { limit, window: 'minute' })
      const taken = new Map<number, number>()
      for (const [at, wait] of waits.entries()) {
        nowMillis += wait
        if (at === restartAt) budget = new BudgetBook(folder, clock).budgetOf('a', { limit, window: 'minute' })
        const minute = Math.floor(nowMillis / 60_000)
        if (budget.take()) taken.set(minute, (taken.get(minute) ?? 0) + 1)
        expect(taken.get(minute) ?? 0).toBeLessThanOrEqual(limit)
      }
    }),
    { numRuns: bySize({ quick: 20, ci: 100, full: 1_000 }), seed: SEED },
  )
}, 60_000)
