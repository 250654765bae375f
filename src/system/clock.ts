// The only code of the server that reads the time of day. Service time can be set to the time of recorded data
// (QUAI_CLOCK). The time of the ledger cannot be set.

/** A clock. A process has two: one for service time and one for system time. */
export interface Clock {
  /** Unix milliseconds. */
  nowMillis(): number
}

/** System time: for the ledger, keys and sessions. */
export const TRUE_CLOCK: Clock = { nowMillis: Date.now }

const CLOCK_SETTING = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2}))(,x0)?$/

/**
 * Creates the clock for a QUAI_CLOCK setting. The setting is an RFC 3339 time at which service time starts. The clock
 * runs from that time on, or stands still at that time if `,x0` follows. If the setting is absent or empty, returns the
 * system clock.
 */
export function parseClock(setting: string | undefined, base: Clock = TRUE_CLOCK): Clock {
  if (setting === undefined || setting === '') return TRUE_CLOCK
  const match = CLOCK_SETTING.exec(setting)
  const startMillis = match === null ? Number.NaN : Date.parse(match[1] ?? '')
  if (Number.isNaN(startMillis)) {
    throw new Error(
      `QUAI_CLOCK is "${setting}"; expected an instant such as 2024-01-03T18:15:10Z, or 2024-01-03T18:15:10Z,x0 for a clock that stands still`,
    )
  }
  if (match?.[2] !== undefined) return { nowMillis: () => startMillis }
  const offsetMillis = startMillis - base.nowMillis()
  return { nowMillis: () => base.nowMillis() + offsetMillis }
}

/** The service clock's setting and the time at which it was read, so that other threads can continue the same clock. */
export interface ClockStart {
  readonly setting: string | undefined
  /** System time at which the setting was read, in Unix milliseconds. */
  readonly readAtMillis: number
}

/** Reads the service clock's setting from the environment of the process. */
export function readClockStart(env: Readonly<Record<string, string | undefined>>): ClockStart {
  return { setting: env['QUAI_CLOCK'], readAtMillis: TRUE_CLOCK.nowMillis() }
}

/** Continues a clock that was started earlier, for example on another thread. */
export function startClock(start: ClockStart): Clock {
  const running = parseClock(start.setting, { nowMillis: () => start.readAtMillis })
  if (running === TRUE_CLOCK) return TRUE_CLOCK
  const beganAtMillis = running.nowMillis()
  if (start.setting?.endsWith(',x0')) return { nowMillis: () => beganAtMillis }
  return { nowMillis: () => beganAtMillis + (TRUE_CLOCK.nowMillis() - start.readAtMillis) }
}
