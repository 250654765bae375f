// Tests how the service notices that the clock was set. Fails if a jump is missed or noticed twice, or if a clock that
// runs evenly counts as set because it was read late.
import { expect, test } from 'bun:test'
import { ClockWatch, spanText } from '../../../src/system/clock-watch.ts'
import { DAY_MILLIS, HandClock } from '../account-fixture.ts'

const HOUR_MILLIS = 3_600_000

test('a jump is noticed once, forward and back; an hour later the clock is stable', () => {
  const clock = new HandClock()
  let steadyMillis = 0
  const watch = new ClockWatch(clock, () => steadyMillis)
  const pass = (millis: number) => {
    steadyMillis += millis
    clock.millis += millis
  }
  pass(1_000)
  expect([watch.look(), watch.isSettled]).toEqual([0, true])
  pass(10 * HOUR_MILLIS) // a long time without any check
  expect([watch.look(), watch.isSettled]).toEqual([0, true])
  clock.millis += 500 // a correction by a time server
  expect([watch.look(), watch.isSettled]).toEqual([0, true])
  for (const jump of [-HOUR_MILLIS, 45 * DAY_MILLIS, -45 * DAY_MILLIS]) {
    clock.millis += jump
    pass(1_000)
    expect(watch.look()).toBe(jump)
    pass(1_000)
    expect([watch.look(), watch.isSettled]).toEqual([0, false])
  }
  pass(HOUR_MILLIS)
  expect([watch.look(), watch.isSettled]).toEqual([0, true])
})

test('spans are rounded to the minute', () => {
  const spans = [45 * DAY_MILLIS, -HOUR_MILLIS, HOUR_MILLIS + 61_400, 90_000]
  expect(spans.map(spanText)).toEqual(['45 d', '1 h', '1 h 1 min', '2 min'])
})
