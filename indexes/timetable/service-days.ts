// The service days: the instant of each day's zero, and the services and the number of trips that run on the day.
import { type Column, columnArray, sealColumn } from '../../loaders/columns.ts'
import type { Feed, ServiceTable } from '../../loaders/gtfs/feed.ts'
import type { ServiceDays } from './timetable.ts'

const HALF_DAY_SECONDS = 43_200

/** Builds the days of the feed's calendar in its agencies' time zone. */
export function buildServiceDays(feed: Feed, timezone: string): ServiceDays {
  const { services } = feed
  return {
    serviceId: sealColumn(Uint32Array.from(columnArray(services.id))),
    activeDays: sealColumn(services.activeDays.slice()),
    zeroSeconds: sealColumn(listZeros(timezone, services)),
    tripCount: sealColumn(countTrips(feed)),
  }
}

/**
 * Day → the instant of its zero in seconds after 1970: local noon minus 12 hours (GTFS). This is midnight unless the
 * clocks change before noon. If a clock change skips noon itself, the first instant after the gap counts as noon.
 */
export function listZeros(timezone: string, days: { firstDay: number; dayCount: number }): Float64Array {
  const epoch = new Temporal.PlainDate(1970, 1, 1)
  const noon = new Temporal.PlainTime(12)
  const zeros = new Float64Array(days.dayCount)
  for (let day = 0; day < days.dayCount; day++) {
    const date = epoch.add({ days: days.firstDay + day })
    zeros[day] =
      date.toZonedDateTime({ timeZone: timezone, plainTime: noon }).epochMilliseconds / 1000 - HALF_DAY_SECONDS
  }
  return zeros
}

/** The day with the most trips; the earliest such day if there are several. */
export function findBusiestDay(tripCount: Column<number>): number {
  let busiest = 0
  for (let day = 1; day < tripCount.length; day++) {
    if (tripCount[day] > tripCount[busiest]) busiest = day
  }
  return busiest
}

/** Whether a service runs on a day. Used during the build of a timetable. */
export function runsOn(services: ServiceTable, service: number, day: number): boolean {
  const byte = services.activeDays[service * services.bytesPerService + (day >> 3)]
  return ((byte >> (day & 7)) & 1) === 1
}

function countTrips(feed: Feed): Uint32Array {
  const { services } = feed
  const serviceOf = columnArray(feed.trips.service)
  const tripsOfService = new Uint32Array(services.count)
  for (let trip = 0; trip < feed.trips.count; trip++) {
    const service = serviceOf[trip]
    tripsOfService[service] = tripsOfService[service] + 1
  }
  const counts = new Uint32Array(services.dayCount)
  for (let service = 0; service < services.count; service++) {
    const trips = tripsOfService[service]
    for (let day = 0; day < services.dayCount; day++) {
      if (runsOn(services, service, day)) counts[day] = counts[day] + trips
    }
  }
  return counts
}
