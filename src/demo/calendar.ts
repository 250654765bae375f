// The services of the demo city and the days on which they run: weekdays, Saturdays, Sundays (including French public
// holidays) and weekend nights.
import { parseServiceDate } from '../../loaders/gtfs/service-date.ts'

/** The services, each given by its service_id in the feed. */
export const SERVICES = ['semaine', 'samedi', 'dimanche', 'nuits-fin-de-semaine'] as const

/** The service_id of a service. */
export type Service = (typeof SERVICES)[number]

/** Service → the weekdays it runs on, Monday first. */
export const WEEKDAYS_OF: Readonly<Record<Service, readonly (0 | 1)[]>> = {
  semaine: [1, 1, 1, 1, 1, 0, 0],
  samedi: [0, 0, 0, 0, 0, 1, 0],
  dimanche: [0, 0, 0, 0, 0, 0, 1],
  'nuits-fin-de-semaine': [0, 0, 0, 0, 1, 1, 0],
}

/** One row of calendar_dates.txt. */
export interface ServiceException {
  readonly service: Service
  /** YYYYMMDD. */
  readonly date: string
  /** 1 if the service runs on this date, 2 if it does not, as in GTFS exception_type. */
  readonly type: 1 | 2
}

/** The period of a feed. */
export interface ServiceWindow {
  /** Days since 1970-01-01. */
  readonly firstDay: number
  /** Number of days, at least 1. */
  readonly dayCount: number
}

const MILLIS_PER_DAY = 86_400_000
/** The weekday of 1970-01-01, a Thursday; Monday is 0. */
const EPOCH_WEEKDAY = 3

/** The period that starts on a date (YYYYMMDD). Throws a RangeError if the date is invalid or the period is empty. */
export function toServiceWindow(firstDate: number, dayCount: number): ServiceWindow {
  const firstDay = parseServiceDate(firstDate)
  if (Number.isNaN(firstDay)) throw new RangeError(`the first date ${firstDate} is not a date of the form yyyymmdd`)
  if (!(Number.isInteger(dayCount) && dayCount > 0))
    throw new RangeError(`the number of days is ${dayCount}; expected a whole number above 0`)
  return { firstDay, dayCount }
}

/** Formats a day, counted since 1970-01-01, as YYYYMMDD. */
export function formatDate(day: number): string {
  return new Date(day * MILLIS_PER_DAY).toISOString().slice(0, 10).replaceAll('-', '')
}

/**
 * The exceptions for public holidays that do not fall on a Sunday. On these days, Sunday service replaces the usual
 * service.
 */
export function listExceptions(window: ServiceWindow): ServiceException[] {
  const exceptions: ServiceException[] = []
  for (let day = window.firstDay; day < window.firstDay + window.dayCount; day++) {
    const weekday = (((day + EPOCH_WEEKDAY) % 7) + 7) % 7
    if (weekday === 6 || !isPublicHoliday(day)) continue
    const date = formatDate(day)
    exceptions.push({ service: weekday === 5 ? 'samedi' : 'semaine', date, type: 2 })
    exceptions.push({ service: 'dimanche', date, type: 1 })
  }
  return exceptions
}

const FIXED_HOLIDAYS = new Set(['0101', '0501', '0508', '0714', '0815', '1101', '1111', '1225'])
/** Easter Monday, Ascension Day and Whit Monday, as days after Easter Sunday. */
const MOVING_HOLIDAYS = [1, 39, 50]

/** Whether a day, counted since 1970-01-01, is a public holiday in France. */
function isPublicHoliday(day: number): boolean {
  const date = formatDate(day)
  return FIXED_HOLIDAYS.has(date.slice(4)) || MOVING_HOLIDAYS.includes(day - easterSunday(Number(date.slice(0, 4))))
}

/**
 * Easter Sunday of a Gregorian year, in days since 1970-01-01, according to the anonymous Gregorian algorithm of 1876.
 */
function easterSunday(year: number): number {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const ofCentury = year % 100
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3)
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % 7
  const shift = Math.floor((golden + 11 * epact + 22 * weekday) / 451)
  const months = epact + weekday - 7 * shift + 114
  return Date.UTC(year, Math.floor(months / 31) - 1, (months % 31) + 1) / MILLIS_PER_DAY
}
