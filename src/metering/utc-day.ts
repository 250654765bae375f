// Days and months as the ledger counts them: whole UTC days after 1970, calendar months in UTC.

/** A UTC day; they all are as long. */
export const DAY_MILLIS = 86_400_000

/** Days after 1970-01-01 (UTC) of an instant. */
export function utcDayOf(millis: number): number {
  return Math.floor(millis / DAY_MILLIS)
}

/** The first instant of a UTC day, in milliseconds after 1970. */
export function utcDayStartMillis(utcDay: number): number {
  return utcDay * DAY_MILLIS
}

/** One calendar month in UTC; days from `firstDay` to `endDay`, the end not included. */
export interface Period {
  /** `YYYY-MM`. */
  readonly name: string
  readonly firstDay: number
  readonly endDay: number
}

/** The month an instant lies in. */
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

/** The month of a name `YYYY-MM`, or undefined where it is none. */
export function findPeriod(name: string): Period | undefined {
  const [, year, month] = MONTH.exec(name) ?? []
  return year === undefined ? undefined : periodOf(Date.UTC(Number(year), Number(month) - 1, 1))
}

/** The month after another. */
export function nextPeriod(period: Period): Period {
  return periodOf(utcDayStartMillis(period.endDay))
}

/** The UTC day of a text `YYYY-MM-DD`, or undefined where there is no such day. */
export function findUtcDay(text: string): number | undefined {
  const millis = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isNaN(millis) || dayText(utcDayOf(millis)) !== text ? undefined : utcDayOf(millis)
}

/** A UTC day as `YYYY-MM-DD`. */
export function dayText(utcDay: number): string {
  return new Date(utcDayStartMillis(utcDay)).toISOString().slice(0, 10)
}

/** An instant as RFC 3339 in UTC, to the second, with the offset written as +00:00. */
export function toUtcText(millis: number): string {
  return `${new Date(millis).toISOString().slice(0, 19)}+00:00`
}
