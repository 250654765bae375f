// Finds the day with the most trips and the stop with the most departures. Benchmarks use this day and this stop.
import type { StopIndex, Timetable } from '../indexes/timetable/timetable.ts'

/** The day with the most trips, and the instant that its times are counted from, in seconds after 1970. */
export function busiestDay({ serviceDays }: Timetable): { day: number; zeroSeconds: number } {
  let day = 0
  for (let each = 0; each < serviceDays.tripCount.length; each++) {
    if (serviceDays.tripCount[each] > serviceDays.tripCount[day]) day = each
  }
  return { day, zeroSeconds: serviceDays.zeroSeconds[day] as number }
}

/** The stop with the most departures on the busiest day. */
export function busiestStop({ stops }: Timetable): StopIndex {
  let stop = 0 as StopIndex
  for (let each = 0 as StopIndex; each < stops.id.length; each++) {
    if (stops.dailyDepartures[each] > stops.dailyDepartures[stop]) stop = each
  }
  return stop
}
