// Tests when a thread collects garbage: after data was replaced, and after busy times. Under load, it collects only the
// garbage of recent requests. Fails if the thread collects too often, repeatedly while idle, or after calls that leave
// too little garbage.
import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { MemorySweeper, sweepWhenIdle, sweepYoung } from '../../../src/system/memory-sweeper.ts'

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())

test('after data is replaced, garbage is collected once, and not again before the resting time is over', () => {
  let now = 0
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now)
  let sweeps = 0
  const sweeper = new MemorySweeper(() => sweeps++)
  const pass = (millis: number) => {
    now += millis
    jest.advanceTimersByTime(millis)
    return sweeps
  }
  sweeper.sweepSoon()
  sweeper.sweepSoon()
  expect(pass(999)).toBe(0)
  expect(pass(1)).toBe(1)
  for (let replaced = 0; replaced < 40; replaced++) {
    sweeper.sweepSoon()
    pass(500)
  }
  expect(sweeps).toBe(1 + 20)
  pass(60_000)
  const before = sweeps
  for (let replaced = 0; replaced < 400; replaced++) {
    sweeper.sweepSoon(60_000)
    pass(500)
  }
  expect(sweeps - before).toBe(1 + Math.floor(199 / 60))
  // A collection that is due at once is not delayed by one that is planned for later.
  sweeper.sweepSoon(60_000)
  const planned = sweeps
  sweeper.sweepNext()
  expect(pass(1)).toBe(planned + 1)
  clock.mockRestore()
})

test('memory from a busy time is released once, when that is over', () => {
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
  // A few calls leave too little garbage, but the calls of several short busy times together leave enough.
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

test('the garbage of recent requests is collected every five seconds while there are requests', () => {
  let done = 0
  let sweeps = 0
  const sweeper = sweepYoung(
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
  expect(pass(60, 100)).toBe(12)
  // 30 requests in five seconds are too few, but the 60 requests in ten seconds are enough.
  expect(pass(20, 6)).toBe(14)
  sweeper.close()
  expect(pass(60, 100)).toBe(14)
})
