// Detects when the system clock is set, by comparing it with the monotonic clock.
import type { Clock } from './clock.ts'

const MINUTE_MILLIS = 60_000
/** A smaller difference between the clocks is a normal correction, not a jump. */
const LEAST_JUMP_MILLIS = MINUTE_MILLIS
/** How long after a jump the caller should do nothing irreversible, because the clock may be set again. */
const SETTLING_MILLIS = 3_600_000
const SPANS = [
  { name: 'd', millis: 86_400_000 },
  { name: 'h', millis: 3_600_000 },
  { name: 'min', millis: MINUTE_MILLIS },
] as const

/** Compares the system clock with the monotonic clock on each call of `look`, which should be called often. */
export class ClockWatch {
  private readonly clock: Clock
  private readonly steady: () => number
  private last: { readonly atMillis: number; readonly steadyMillis: number }
  private jumpedAt = Number.NEGATIVE_INFINITY

  /** @param steady a monotonic clock, in milliseconds; the process's own clock if absent */
  constructor(clock: Clock, steady = () => performance.now()) {
    this.clock = clock
    this.steady = steady
    this.last = { atMillis: clock.nowMillis(), steadyMillis: steady() }
  }

  /**
   * Returns how far the system clock has jumped since the last call of `look`, in milliseconds: negative if it was set
   * back, 0 if it did not jump.
   */
  look(): number {
    const now = { atMillis: this.clock.nowMillis(), steadyMillis: this.steady() }
    const jump = now.atMillis - this.last.atMillis - (now.steadyMillis - this.last.steadyMillis)
    this.last = now
    if (Math.abs(jump) < LEAST_JUMP_MILLIS) return 0
    this.jumpedAt = now.steadyMillis
    return jump
  }

  /**
   * Whether the last jump of the clock was at least an hour ago; true if the clock has never jumped since this watch
   * was created.
   */
  get isSettled(): boolean {
    return this.steady() - this.jumpedAt >= SETTLING_MILLIS
  }
}

/** A time span rounded to minutes, such as `45 d` or `1 h 5 min`. */
export function spanText(millis: number): string {
  let rest = Math.round(Math.abs(millis) / MINUTE_MILLIS) * MINUTE_MILLIS
  const parts: string[] = []
  for (const { name, millis: one } of SPANS) {
    const count = Math.floor(rest / one)
    rest -= count * one
    if (count > 0) parts.push(`${count} ${name}`)
  }
  return parts.join(' ')
}
