// Tests when the zero of each service day is, and how many trips run on the day. Fails if a day with a clock change
// starts at midnight instead of twelve hours before noon.
import { expect, test } from 'bun:test'
import { listZeros } from '../../indexes/timetable/service-days.ts'
import { isActive, type ServiceIndex } from '../../indexes/timetable/timetable.ts'
import { numbersOf, sketchFeed, textsOf, timetableOf } from './built-feed.ts'

const DAY_MILLIS = 86_400_000

/** Every zone that this machine supports, including those whose clocks change by half an hour or at midnight. */
const ZONES = Intl.supportedValuesOf('timeZone')

/** The local time in a zone at an instant, by Intl, which is independent of Temporal. */
function clockAt(zone: string): (epochSeconds: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return (epochSeconds) => format.format(epochSeconds * 1000)
}

test('twelve hours after the zero of every day of a year, it is noon in every zone', () => {
  const days = { firstDay: Date.UTC(2025, 11, 30) / DAY_MILLIS, dayCount: 370 }
  const noons = Array.from(
    { length: days.dayCount },
    (_, day) => `${new Date((days.firstDay + day) * DAY_MILLIS).toISOString().slice(0, 10)} 12:00:00`,
  )
  expect(ZONES).toContain('Australia/Lord_Howe')
  for (const timezone of ZONES) {
    const showClock = clockAt(timezone)
    const shown = Array.from(listZeros(timezone, days), (zero) => showClock(zero + 43_200))
    expect({ timezone, shown }).toEqual({ timezone, shown: noons })
  }
})

test('zero is midnight unless the clock changes before noon', () => {
  const zeroOf = (timezone: string, year: number, month: number, date: number) => {
    const firstDay = Date.UTC(year, month - 1, date) / DAY_MILLIS
    const zero = listZeros(timezone, { firstDay, dayCount: 1 })[0] ?? Number.NaN
    return new Date(zero * 1000).toISOString()
  }
  // Paris: UTC+1 in winter, UTC+2 in summer. The clock goes forward on March 29 and back on October 25.
  expect(zeroOf('Europe/Paris', 2026, 3, 28)).toBe('2026-03-27T23:00:00.000Z')
  expect(zeroOf('Europe/Paris', 2026, 3, 29)).toBe('2026-03-28T22:00:00.000Z')
  expect(zeroOf('Europe/Paris', 2026, 10, 25)).toBe('2026-10-24T23:00:00.000Z')
  // Lord Howe: the clock goes back by half an hour, from UTC+11 to UTC+10:30.
  expect(zeroOf('Australia/Lord_Howe', 2026, 4, 5)).toBe('2026-04-04T13:30:00.000Z')
  // A calendar may reach far beyond 2038.
  expect(zeroOf('UTC', 2060, 1, 1)).toBe('2060-01-01T00:00:00.000Z')
})

test('trips are counted on the days their service runs, including exceptions', async () => {
  const files = sketchFeed({
    stops: { A: '48.1,7', B: '48.2,7' },
    trips: [
      { id: 'a', calls: 'A B', direction: 0 },
      { id: 'b', calls: 'A B', direction: 0, service: 'sunday', hour: 9 },
      { id: 'c', calls: 'A B', direction: 0, service: 'sunday', hour: 10 },
      { id: 'd', calls: 'A B', direction: 0, service: 'never', hour: 11 },
    ],
  })
  const timetable = await timetableOf({
    ...files,
    // On Wednesday, the service `daily` does not run. On Tuesday, the service `sunday` runs as well.
    'calendar_dates.txt': 'service_id,date,exception_type\ndaily,20260603,2\nsunday,20260602,1',
  })
  const { firstDay, dayCount } = timetable.meta
  // The calendar's own range may be longer than the week; only the week is compared.
  const monday = Date.UTC(2026, 5, 1) / DAY_MILLIS - firstDay
  const week = Array.from({ length: 7 }, (_, i) => monday + i)
  const counts = numbersOf(timetable.serviceDays.tripCount)
  expect(counts).toHaveLength(dayCount)
  expect(week.map((day) => counts[day])).toEqual([1, 3, 0, 1, 1, 1, 3])
  const sunday = textsOf(timetable, timetable.serviceDays.serviceId).indexOf('sunday') as ServiceIndex
  expect(week.map((day) => isActive(timetable, sunday, day))).toEqual([false, true, false, false, false, false, true])
})
