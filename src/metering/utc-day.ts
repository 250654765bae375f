// Days and months as the ledger counts them: whole UTC days after 1970, calendar months in UTC.

const DAY_MILLIS = 86_400_000

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

/** An instant as RFC 3339 in UTC, to the second, with the offset written as +00:00. */
export function toUtcText(millis: number): string {
  return `${new Date(millis).toISOString().slice(0, 19)}+00:00`
}
