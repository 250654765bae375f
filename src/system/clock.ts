// The only code that reads the time. Service time can be set to a recorded moment (QUAI_CLOCK); the time of the ledger
// cannot.

/** Reads a time. A process has two: service time and system time. */
export interface Clock {
  /** Unix milliseconds. */
  nowMillis(): number
}

/** System time: for the ledger, keys and sessions. */
export const TRUE_CLOCK: Clock = { nowMillis: Date.now }

const CLOCK_SETTING = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2}))(,x0)?$/

/**
 * The clock of a QUAI_CLOCK setting: an RFC 3339 time at which service time starts; the clock runs from there, or is
 * stopped there if `,x0` follows. System time if the setting is absent or empty.
 */
export function parseClock(setting: string | undefined, base: Clock = TRUE_CLOCK): Clock {
  if (setting === undefined || setting === '') return TRUE_CLOCK
  const match = CLOCK_SETTING.exec(setting)
  const startMillis = match === null ? Number.NaN : Date.parse(match[1] ?? '')
  if (Number.isNaN(startMillis)) {
    throw new Error(
      `QUAI_CLOCK is "${setting}"; expected an instant such as 2024-01-03T18:15:10Z; add ",x0" to stop the clock`,
    )
  }
  if (match?.[2] !== undefined) return { nowMillis: () => startMillis }
  const offsetMillis = startMillis - base.nowMillis()
  return { nowMillis: () => base.nowMillis() + offsetMillis }
}

/** A service clock's setting and start, so that other threads can continue the same clock. */
export interface ClockStart {
  readonly setting: string | undefined
  /** System time in Unix milliseconds. */
  readonly readAtMillis: number
}

/** The service clock of a process, from its environment. */
export function readClockStart(env: Readonly<Record<string, string | undefined>>): ClockStart {
  return { setting: env['QUAI_CLOCK'], readAtMillis: TRUE_CLOCK.nowMillis() }
}

/** Continues a clock that was started, for example, on another thread. */
export function startClock(start: ClockStart): Clock {
  const running = parseClock(start.setting, { nowMillis: () => start.readAtMillis })
  if (running === TRUE_CLOCK) return TRUE_CLOCK
  const beganAtMillis = running.nowMillis()
  if (start.setting?.endsWith(',x0')) return { nowMillis: () => beganAtMillis }
  return { nowMillis: () => beganAtMillis + (TRUE_CLOCK.nowMillis() - start.readAtMillis) }
}
