// Under test: the count of tries. It must agree with a list of everything that was ever tried, and never hold more than
// it may, however many there are.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { TRY_LIMIT, TRY_WINDOW_MILLIS, Tries } from '../../../src/account-api/tries.ts'
import { bySize, SEED } from '../../size.ts'
import { HandClock } from '../account-fixture.ts'

const HISTORIES = bySize({ quick: 300, ci: 2_000, full: 20_000 })
const LOG_INS = bySize({ quick: 2_000, ci: 10_000, full: 200_000 })
const NAMES = ['a', 'b', 'c']

const STEP = fc.record({
  names: fc.subarray(NAMES, { minLength: 1 }),
  millis: fc.integer({ min: 0, max: TRY_WINDOW_MILLIS / 4 }),
  after: fc.constantFrom('nothing', 'giveBack', 'clear'),
})

test(`tries are counted as a list of them all would be (${HISTORIES} histories)`, () => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 60 }), (steps) => {
      const clock = new HandClock()
      const tries = new Tries(clock)
      let all: { name: string; atMillis: number }[] = []
      for (const { names, millis, after } of steps) {
        clock.millis += millis
        const recent = (name: string) =>
          all.filter((one) => one.name === name && clock.millis - one.atMillis < TRY_WINDOW_MILLIS)
        const isFull = names.some((name) => recent(name).length >= TRY_LIMIT)
        const waitSeconds = tries.take(names)
        expect(waitSeconds > 0).toBe(isFull)
        if (isFull) {
          // After the wait all of them have one again; a second before, they have not.
          const at = (seconds: number) => clock.millis + seconds * 1_000
          const isFullAt = (nowMillis: number) =>
            names.some(
              (name) => recent(name).filter((one) => nowMillis - one.atMillis < TRY_WINDOW_MILLIS).length >= 10,
            )
          expect([isFullAt(at(waitSeconds - 1)), isFullAt(at(waitSeconds))]).toEqual([true, false])
          continue
        }
        for (const name of names) all.push({ name, atMillis: clock.millis })
        const [first] = names
        if (after === 'clear') {
          tries.clear(first)
          all = all.filter(({ name }) => name !== first)
        } else if (after === 'giveBack') {
          tries.giveBack(first)
          all.splice(
            all.findLastIndex(({ name }) => name === first),
            1,
          )
        }
      }
    }),
    { seed: SEED, numRuns: HISTORIES },
  )
})

test(`of ${LOG_INS} log-ins in fifteen minutes, ten go through for each account and from each address`, () => {
  const tries = new Tries(new HandClock())
  const passed = new Map<string, number>()
  const random = seededNumbers(SEED)
  for (let count = 0; count < LOG_INS; count++) {
    const names = [`for ${random() % 40}`, `from ${random() % 300}`]
    if (tries.take(names) > 0) continue
    for (const name of names) passed.set(name, (passed.get(name) ?? 0) + 1)
  }
  expect(Math.max(...passed.values())).toBe(TRY_LIMIT)
  // 40 accounts have 400 tries together, and with 300 addresses nothing else keeps them from all being made.
  const made = [...passed].filter(([name]) => name.startsWith('for')).reduce((sum, [, tried]) => sum + tried, 0)
  expect(made).toBe(400)
})

test('more names than are remembered push out those that tried longest ago', () => {
  const clock = new HandClock()
  const tries = new Tries(clock)
  for (let count = 0; count < TRY_LIMIT; count++) tries.take(['first'])
  expect(tries.take(['first'])).toBeGreaterThan(0)
  for (let other = 0; other < 99_999; other++) tries.take([`other ${other}`])
  expect(tries.take(['first'])).toBeGreaterThan(0)
  tries.take(['one more'])
  expect(tries.take(['first'])).toBe(0)
})

/** Numbers of a linear congruential generator: the same for a seed. */
function seededNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}
