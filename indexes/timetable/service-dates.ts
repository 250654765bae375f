// Dates of service days, and the local day of an instant.
import type { Timetable } from './timetable.ts'

const MILLIS_PER_DAY = 86_400_000

const datesOf = new WeakMap<Timetable, string[]>()

/** The date of a service day, as `yyyymmdd`. `day` is counted from `meta.firstDay`. */
export function serviceDate(timetable: Timetable, day: number): string {
  let dates = datesOf.get(timetable)
  if (dates === undefined) {
    dates = []
    datesOf.set(timetable, dates)
  }
  const known = dates[day]
  if (known !== undefined) return known
  const date = new Date((timetable.meta.firstDay + day) * MILLIS_PER_DAY).toISOString().slice(0, 10).replaceAll('-', '')
  dates[day] = date
  return date
}

/**
 * The service day with the date `yyyymmdd`, counted from `meta.firstDay`; undefined if the date is invalid or outside
 * the calendar.
 */
export function findServiceDay(timetable: Timetable, date: string): number | undefined {
  const day = dayOfDate(timetable, date)
  if (day === undefined || day < 0 || day >= timetable.meta.dayCount) return undefined
  return serviceDate(timetable, day) === date ? day : undefined
}

/**
 * The day with the date `yyyymmdd`, counted from `meta.firstDay`; it may be outside the calendar. Undefined if the date
 * is invalid.
 */
export function dayOfDate(timetable: Timetable, date: string): number | undefined {
  if (!/^\d{8}$/.test(date)) return undefined
  const millis = Date.UTC(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6)))
  return Number.isNaN(millis) ? undefined : millis / MILLIS_PER_DAY - timetable.meta.firstDay
}

/**
 * The local calendar day of an instant, as a number of days after `meta.firstDay`. It may be outside the calendar. The
 * instant is in seconds after 1970. On days when clocks change, the local day can differ from the service day, because
 * the zero of the service day is then not at midnight.
 */
export function localDay(timetable: Timetable, seconds: number): number {
  return localDayAt(timetable, seconds).day
}

/** Local time at an instant, in seconds after 00:00:00. */
export function localSecondOfDay(timetable: Timetable, seconds: number): number {
  const { hour, minute, second } = localTime(timetable, seconds)
  return (hour * 60 + minute) * 60 + second
}

/** The local calendar day that contains an instant: its start and end, in seconds after 1970. */
export function localDayWindow(
  timetable: Timetable,
  seconds: number,
): { readonly fromSeconds: number; readonly toSeconds: number } {
  return localDayAt(timetable, seconds)
}

interface LocalDay {
  readonly day: number
  readonly fromSeconds: number
  readonly toSeconds: number
}

/** The last result for each timetable, because most requests are for the same day. */
const lastDays = new WeakMap<Timetable, LocalDay>()

function localDayAt(timetable: Timetable, seconds: number): LocalDay {
  const last = lastDays.get(timetable)
  if (last !== undefined && seconds >= last.fromSeconds && seconds < last.toSeconds) return last
  const local = localTime(timetable, seconds)
  const start = local.startOfDay()
  const end = start.add({ days: 1 }).startOfDay()
  const day = Date.UTC(local.year, local.month - 1, local.day) / MILLIS_PER_DAY - timetable.meta.firstDay
  const found = { day, fromSeconds: start.epochMilliseconds / 1000, toSeconds: end.epochMilliseconds / 1000 }
  lastDays.set(timetable, found)
  return found
}

function localTime(timetable: Timetable, seconds: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(timetable.meta.timezone)
}
