// The first and last day of service of a timetable, and local dates.
import type { Timetable } from '../../indexes/timetable/timetable.ts'

const MILLIS_PER_DAY = 86_400_000

/** First and last day with a trip, in days since 1970-01-01; undefined if no day has a trip. */
export function serviceSpan(timetable: Timetable): { first: number; last: number } | undefined {
  const { tripCount } = timetable.serviceDays
  let first = 0
  let last = tripCount.length - 1
  while (first <= last && tripCount[first] === 0) first++
  while (last >= first && tripCount[last] === 0) last--
  return first > last ? undefined : { first: timetable.meta.firstDay + first, last: timetable.meta.firstDay + last }
}

/** The local day of an instant in a zone, in days since 1970-01-01. */
export function localDayIn(timezone: string, nowMillis: number): number {
  const local = Temporal.Instant.fromEpochMilliseconds(nowMillis).toZonedDateTimeISO(timezone)
  return Date.UTC(local.year, local.month - 1, local.day) / MILLIS_PER_DAY
}

/** Formats a day, given in days since 1970-01-01, as yyyy-mm-dd. */
export function dateOfDay(day: number): string {
  return new Date(day * MILLIS_PER_DAY).toISOString().slice(0, 10)
}
