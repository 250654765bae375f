// Tests the memory limit for layouts, which are days prepared for the journey search. Fails if a day is dropped while a
// day that was used less recently stays, if the limit is exceeded although days could be dropped, or if days are still
// prepared ahead of requests when a quarter of the limit is full.
import { expect, test } from 'bun:test'
import { bytesOfArrays, LayoutBudget } from '../../../indexes/journeys/layout-budget.ts'

/** A stand-in for the object that stores layouts. It only has the keys of the layouts. */
function keeperOf(keys: Set<string>) {
  return { drop: (key: string) => void keys.delete(key) }
}

test('the least recently used days are removed until all fit; the new one and the last used one stay, whatever their size', () => {
  const keys = new Set(['a', 'b', 'c', 'd', 'e'])
  const keeper = keeperOf(keys)
  const budget = new LayoutBudget(100)
  for (const key of ['a', 'b', 'c']) budget.add(keeper, key, 30)
  budget.touch(keeper, 'a')
  budget.add(keeper, 'd', 30)
  expect([...keys]).toEqual(['a', 'c', 'd', 'e'])
  expect(budget.bytes).toBe(90)
  budget.add(keeper, 'e', 400)
  expect([[...keys], budget.bytes]).toEqual([['d', 'e'], 430])
  expect(budget.laidBytes).toBe(520)
})

test('keys of several networks are separate', () => {
  const [one, other] = [new Set(['k']), new Set(['k'])]
  const [first, second] = [keeperOf(one), keeperOf(other)]
  const budget = new LayoutBudget(100)
  budget.add(first, 'k', 50)
  budget.add(second, 'k', 30)
  budget.touch(first, 'k')
  budget.add(keeperOf(new Set()), 'k', 40)
  expect([one.size, other.size, budget.bytes]).toEqual([1, 0, 90])
})

test('days are laid out ahead of requests until they fill a quarter of the budget', () => {
  const budget = new LayoutBudget(100)
  const keeper = keeperOf(new Set(['a', 'b']))
  budget.add(keeper, 'a', 20)
  expect(budget.hasRoomAhead).toBe(true)
  budget.add(keeper, 'b', 5)
  expect(budget.hasRoomAhead).toBe(false)
})

test('a shared array counts once', () => {
  const shared = new Int32Array(4)
  expect(bytesOfArrays({ a: shared, deep: { b: shared, c: new Uint8Array(3) } }, undefined)).toBe(19)
})
