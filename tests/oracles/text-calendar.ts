// Lists the services that run on each day, from calendar.txt and calendar_dates.txt. Part of the text oracle.
import { eachRow, type FeedText } from './feed-text.ts'
import { datesBetween } from './text-dates.ts'

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** The days on which each service runs. Dates are yyyymmdd. */
export interface TextCalendar {
  has(serviceId: string): boolean
  runs(serviceId: string, date: string): boolean
  /** The days on which at least one of the services runs, in order. */
  days(serviceIds: ReadonlySet<string>): string[]
}

interface Week {
  readonly first: string
  readonly last: string
  /** '1' for each weekday on which the service runs, starting with Sunday. */
  readonly weekdays: readonly string[]
}

/**
 * Reads calendar.txt and calendar_dates.txt. If there are several rows for one service, or for one service and day, the
 * first row counts.
 */
export async function calendarOf(feed: FeedText): Promise<TextCalendar> {
  const weeks = new Map<string, Week>()
  const exceptions = new Map<string, Map<string, boolean>>()
  await eachRow(feed, 'calendar.txt', ['service_id', 'start_date', 'end_date', ...WEEKDAYS], (row) => {
    const [id = '', first = '', last = '', ...weekdays] = row
    if (id === '' || weeks.has(id) || !isDate(first) || !isDate(last) || last < first) return
    if (weekdays.every((value) => value === '0' || value === '1')) weeks.set(id, { first, last, weekdays })
  })
  await eachRow(feed, 'calendar_dates.txt', ['service_id', 'date', 'exception_type'], ([id = '', date = '', type]) => {
    if (id === '' || !isDate(date) || (type !== '1' && type !== '2')) return
    const days = exceptions.get(id) ?? new Map<string, boolean>()
    if (!days.has(date)) days.set(date, type === '1')
    exceptions.set(id, days)
  })
  const runs = (serviceId: string, date: string) => {
    const exception = exceptions.get(serviceId)?.get(date)
    if (exception !== undefined) return exception
    const week = weeks.get(serviceId)
    return week !== undefined && date >= week.first && date <= week.last && week.weekdays[weekdayOf(date)] === '1'
  }
  return {
    has: (serviceId) => weeks.has(serviceId) || exceptions.has(serviceId),
    runs,
    days: (serviceIds) => {
      const days = new Set<string>()
      for (const id of serviceIds) {
        const week = weeks.get(id)
        const candidates = week === undefined ? [] : datesBetween(week.first, week.last)
        for (const date of [...candidates, ...(exceptions.get(id)?.keys() ?? [])]) if (runs(id, date)) days.add(date)
      }
      return [...days].sort()
    },
  }
}

function isDate(text: string): boolean {
  if (!/^\d{8}$/.test(text)) return false
  const [day] = datesBetween(text, text)
  return day === text
}

/** The weekday of a date; 0 is Sunday. */
function weekdayOf(date: string): number {
  return new Date(`${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6, 8)}T00:00:00Z`).getUTCDay()
}
