// calendar.txt and calendar_dates.txt: the days of each service, one bit per day.
import { GrowingColumn } from '../columns.ts'
import type { ServiceTable } from './feed.ts'
import { type FeedReading, RowsById, readTable, refuse } from './table-reader.ts'

const CALENDAR_FILE = 'calendar.txt'
const DATES_FILE = 'calendar_dates.txt'

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

/** Maximum number of days from the first to the last day of all services. Later days are ignored and reported. */
export const MAX_CALENDAR_DAYS = 40_000

/**
 * Maximum size of the day bits of all services, in bytes. A thousand services over a century need five million bytes.
 */
const MAX_CALENDAR_BYTES = 64 * 1024 ** 2

/** Weekday of 1970-01-01, a Thursday; Monday is 0. */
const EPOCH_WEEKDAY = 3
/**
 * Days before this one (1970-01-01) are ignored. Otherwise, a single date such as 19000101 could put current days
 * beyond MAX_CALENDAR_DAYS.
 */
const EARLIEST_DAY = 0

/** The services, and their row numbers by id. */
export interface LoadedServices {
  readonly table: ServiceTable
  readonly byId: RowsById
}

interface Rules {
  readonly byId: RowsById
  readonly id: GrowingColumn<Uint32Array>
  /** Four values per rule: service, first day, last day, weekday bits (Monday is the lowest). */
  readonly weekly: number[]
  /** Three values per exception: service, day, and 1 (added) or 2 (removed). */
  readonly exceptions: number[]
}

/** Reads calendar.txt and calendar_dates.txt. Refuses a feed that has neither. */
export async function loadServices(reading: FeedReading): Promise<LoadedServices> {
  const rules: Rules = { byId: new RowsById(), id: new GrowingColumn(Uint32Array), weekly: [], exceptions: [] }
  const hasCalendar = await readCalendar(reading, rules)
  const hasDates = await readCalendarDates(reading, rules)
  if (!hasCalendar && !hasDates) {
    refuse(CALENDAR_FILE, {
      rule: 'missing_calendar_and_calendar_date_files',
      example: 'the feed has neither calendar.txt nor calendar_dates.txt',
    })
  }
  return { byId: rules.byId, table: toTable(reading, rules) }
}

async function readCalendar(reading: FeedReading, rules: Rules): Promise<boolean> {
  const columns = ['service_id', 'start_date', 'end_date', ...WEEKDAYS] as const
  return await readTable(reading, { file: CALENDAR_FILE, columns, required: columns }, (row) => {
    if (row.lacks(...columns)) return
    const serviceId = row.string('service_id')
    if (rules.byId.find(serviceId) >= 0) return row.drop('duplicate_key', 'service_id')
    const first = row.date('start_date')
    const last = row.date('end_date')
    if (Number.isNaN(first)) return row.drop('invalid_date', 'start_date')
    if (Number.isNaN(last)) return row.drop('invalid_date', 'end_date')
    if (last < first) return row.drop('start_and_end_range_out_of_order', 'end_date')
    let weekdays = 0
    for (const [index, name] of WEEKDAYS.entries()) {
      const value = row.integer(name)
      if (value !== 0 && value !== 1)
        return row.drop(Number.isNaN(value) ? 'invalid_integer' : 'number_out_of_range', name)
      weekdays |= value << index
    }
    if (last < EARLIEST_DAY) row.reportValue('number_out_of_range', 'end_date', 'warning')
    else if (first < EARLIEST_DAY) row.reportValue('number_out_of_range', 'start_date', 'warning')
    // A service that ended before EARLIEST_DAY gets no days here. It is still added, because trips may refer to it.
    if (last >= EARLIEST_DAY) {
      rules.weekly.push(rules.id.length, Math.max(first, EARLIEST_DAY), last, weekdays)
    }
    rules.byId.add(serviceId, rules.id.length)
    rules.id.push(serviceId)
  })
}

async function readCalendarDates(reading: FeedReading, rules: Rules): Promise<boolean> {
  const columns = ['service_id', 'date', 'exception_type'] as const
  const seen = new Set<string>()
  return await readTable(reading, { file: DATES_FILE, columns, required: columns }, (row) => {
    if (row.lacks(...columns)) return
    const serviceId = row.string('service_id')
    const day = row.date('date')
    const type = row.integer('exception_type')
    if (Number.isNaN(day)) return row.drop('invalid_date', 'date')
    if (type !== 1 && type !== 2)
      return row.drop(Number.isNaN(type) ? 'invalid_integer' : 'number_out_of_range', 'exception_type')
    const key = `${serviceId}:${day}`
    if (seen.has(key)) return row.drop('duplicate_key', 'date')
    seen.add(key)
    if (rules.byId.add(serviceId, rules.id.length)) rules.id.push(serviceId)
    if (day < EARLIEST_DAY) return row.reportValue('number_out_of_range', 'date', 'warning')
    rules.exceptions.push(rules.byId.find(serviceId), day, type)
  })
}

function toTable(reading: FeedReading, rules: Rules): ServiceTable {
  const { firstDay, dayCount } = findSpan(reading, rules)
  const bytesPerService = Math.ceil(dayCount / 8)
  if (rules.id.length * bytesPerService > MAX_CALENDAR_BYTES) {
    const example = `too many services and days: ${rules.id.length} services over ${dayCount} days`
    refuse(CALENDAR_FILE, { rule: 'too_many_rows', example })
  }
  const activeDays = new Uint8Array(rules.id.length * bytesPerService)
  const set = (service: number, day: number, isActive: boolean) => {
    const place = day - firstDay
    if (place < 0 || place >= dayCount) return
    const byte = service * bytesPerService + (place >> 3)
    const bit = 1 << (place & 7)
    activeDays[byte] = isActive ? activeDays[byte] | bit : activeDays[byte] & ~bit
  }
  const { weekly, exceptions } = rules
  for (let i = 0; i < weekly.length; i += 4) {
    const [service, first, last, weekdays] = weekly.slice(i, i + 4)
    for (let day = Math.max(first, firstDay); day <= Math.min(last, firstDay + dayCount - 1); day++) {
      if (((weekdays >> ((day + EPOCH_WEEKDAY) % 7)) & 1) === 1) set(service, day, true)
    }
  }
  for (let i = 0; i < exceptions.length; i += 3) {
    set(exceptions[i], exceptions[i + 1], exceptions[i + 2] === 1)
  }
  return { count: rules.id.length, id: rules.id.seal(), firstDay, dayCount, bytesPerService, activeDays }
}

/** The span from the first to the last day of all rules, at most MAX_CALENDAR_DAYS long. */
function findSpan(reading: FeedReading, rules: Rules): { firstDay: number; dayCount: number } {
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (let i = 0; i < rules.weekly.length; i += 4) {
    first = Math.min(first, rules.weekly[i + 1])
    last = Math.max(last, rules.weekly[i + 2])
  }
  const lastWeekly = last
  for (let i = 0; i < rules.exceptions.length; i += 3) {
    first = Math.min(first, rules.exceptions[i + 1])
    last = Math.max(last, rules.exceptions[i + 1])
  }
  if (first > last) return { firstDay: 0, dayCount: 0 }
  if (last - first >= MAX_CALENDAR_DAYS) {
    const isWeekly = lastWeekly === last
    reading.problems.report({
      rule: 'number_out_of_range',
      file: isWeekly ? CALENDAR_FILE : DATES_FILE,
      line: 0,
      field: isWeekly ? 'end_date' : 'date',
      example: `${last - first + 1} days; those after the first ${MAX_CALENDAR_DAYS} are ignored`,
      action: 'repaired',
    })
    last = first + MAX_CALENDAR_DAYS - 1
  }
  return { firstDay: first, dayCount: last - first + 1 }
}
