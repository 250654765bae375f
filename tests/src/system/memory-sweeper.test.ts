// When a thread that was busy collects garbage. Fails if the thread collects under load, repeatedly while idle, or
// after calls that leave too little garbage.
import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { sweepWhenIdle } from '../../../src/system/memory-sweeper.ts'

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())

test('memory of a busy time is released once, when it is over', () => {
  let done = 0
  let sweeps = 0
  const sweeper = sweepWhenIdle(
    () => done,
    () => sweeps++,
  )
  const pass = (seconds: number, perSecond: number) => {
    for (let second = 0; second < seconds; second++) {
      done += perSecond
      jest.advanceTimersByTime(1_000)
    }
    return sweeps
  }
  expect(pass(60, 0)).toBe(0)
  expect(pass(60, 1_000)).toBe(0)
  expect(pass(4, 0)).toBe(0)
  expect(pass(60, 0)).toBe(1)
  // A few calls leave too little garbage; many of them together leave enough.
  for (let time = 0; time < 10; time++) pass(30, 0.5)
  expect(pass(30, 0)).toBe(1)
  for (let time = 0; time < 10; time++) {
    pass(2, 20)
    pass(10, 0)
  }
  expect(sweeps).toBe(3)
  sweeper.close()
  pass(1, 1_000)
  expect(pass(60, 0)).toBe(3)
})
