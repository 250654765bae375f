// A replica's clocks, pauses and random numbers, behind an interface, so that a test can run many replicas on a
// simulated clock.
import { TRUE_CLOCK } from '../system/clock.ts'

/** Clocks, pauses and random numbers. */
export interface Pace {
  /** Monotonic milliseconds. */
  nowMillis(): number
  /** System time in Unix milliseconds. */
  wallMillis(): number
  sleep(millis: number): Promise<void>
  /** A random number from 0 to below 1. */
  random(): number
}

/** The real clocks of this process. */
export const TRUE_PACE: Pace = {
  nowMillis: () => performance.now(),
  wallMillis: TRUE_CLOCK.nowMillis,
  sleep: (millis) => Bun.sleep(millis),
  random: Math.random,
}
