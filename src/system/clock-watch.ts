// Notices when the clock of the machine is set: true time then goes another way than the time that only grows.
import type { Clock } from './clock.ts'

const MINUTE_MILLIS = 60_000
/** What differs by less is the correction of a clock that is about right. */
const LEAST_JUMP_MILLIS = MINUTE_MILLIS
/** After a jump the clock may be set again: for so long nothing is done that can't be undone. */
const SETTLING_MILLIS = 3_600_000
const SPANS = [
  { name: 'd', millis: 86_400_000 },
  { name: 'h', millis: 3_600_000 },
  { name: 'min', millis: MINUTE_MILLIS },
] as const

/** Compares a clock with steady time. To be looked at often. */
export class ClockWatch {
  private readonly clock: Clock
  private readonly steady: () => number
  private last: { readonly atMillis: number; readonly steadyMillis: number }
  private jumpedAt = Number.NEGATIVE_INFINITY

  /** @param steady milliseconds that only grow; the process's own where absent */
  constructor(clock: Clock, steady = () => performance.now()) {
    this.clock = clock
    this.steady = steady
    this.last = { atMillis: clock.nowMillis(), steadyMillis: steady() }
  }

  /** By how many milliseconds the clock was set since the last look, forward or back; 0 if it was not. */
  look(): number {
    const now = { atMillis: this.clock.nowMillis(), steadyMillis: this.steady() }
    const jump = now.atMillis - this.last.atMillis - (now.steadyMillis - this.last.steadyMillis)
    this.last = now
    if (Math.abs(jump) < LEAST_JUMP_MILLIS) return 0
    this.jumpedAt = now.steadyMillis
    return jump
  }

  /** Whether the clock has gone evenly for an hour, or since it is watched. */
  get isSettled(): boolean {
    return this.steady() - this.jumpedAt >= SETTLING_MILLIS
  }
}

/** A span of time, to the minute, such as `45 d` or `1 h 5 min`. */
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
