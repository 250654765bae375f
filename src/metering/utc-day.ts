// The days and months used in the ledger: UTC days since 1970, and calendar months in UTC.

/** Length of a UTC day. */
export const DAY_MILLIS = 86_400_000

/** The UTC day of an instant, in days since 1970-01-01. */
export function utcDayOf(millis: number): number {
  return Math.floor(millis / DAY_MILLIS)
}

/** Start of a UTC day in Unix milliseconds. */
export function utcDayStartMillis(utcDay: number): number {
  return utcDay * DAY_MILLIS
}

/** A calendar month in UTC, from `firstDay` to `endDay` (exclusive). */
export interface Period {
  /** `YYYY-MM`. */
  readonly name: string
  readonly firstDay: number
  readonly endDay: number
}

/** The UTC month of an instant. */
export function periodOf(millis: number): Period {
  const date = new Date(millis)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return {
    name: date.toISOString().slice(0, 7),
    firstDay: utcDayOf(Date.UTC(year, month, 1)),
    endDay: utcDayOf(Date.UTC(year, month + 1, 1)),
  }
}

const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Parses a month `YYYY-MM`; undefined if invalid. */
export function findPeriod(name: string): Period | undefined {
  const [, year, month] = MONTH.exec(name) ?? []
  return year === undefined ? undefined : periodOf(Date.UTC(Number(year), Number(month) - 1, 1))
}

/** The month after `period`. */
export function nextPeriod(period: Period): Period {
  return periodOf(utcDayStartMillis(period.endDay))
}

/** Parses a UTC day `YYYY-MM-DD`; undefined if invalid. */
export function findUtcDay(text: string): number | undefined {
  const millis = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isNaN(millis) || dayText(utcDayOf(millis)) !== text ? undefined : utcDayOf(millis)
}

/** Formats a UTC day as `YYYY-MM-DD`. */
export function dayText(utcDay: number): string {
  return new Date(utcDayStartMillis(utcDay)).toISOString().slice(0, 10)
}

/** Formats an instant as RFC 3339 in UTC, to the second, with the offset +00:00. */
export function toUtcText(millis: number): string {
  return `${new Date(millis).toISOString().slice(0, 19)}+00:00`
}
