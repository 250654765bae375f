// Determines from the calendar alone whether a journey runs again on other days. If it does, the journey list certainly
// continues, and no search is needed to decide that.
import { isActive, type Timetable, type TripIndex } from '../../indexes/timetable/timetable.ts'
import { type Journey, type RideSection, ridesOf } from '../rendering/journey.ts'

/** How many days before or after a journey to look for the same journey. */
export const MOST_DAYS_AWAY = 7

/**
 * Whether all trips of a journey run again within a week: on later days if `step` is 1, on earlier days if it is −1.
 * False for a journey that is only a walk.
 */
export function recurs(timetable: Timetable, { sections }: Journey, step: 1 | -1): boolean {
  const trips = ridesOf(sections).map(tripOf)
  if (trips.length === 0) return false
  for (let away = 1; away <= MOST_DAYS_AWAY; away++) {
    if (trips.every((trip) => runsOn(timetable, trip, away * step))) return true
  }
  return false
}

/** A trip and its service day. */
interface TripOfDay {
  readonly trip: TripIndex
  readonly day: number
}

function tripOf({ calls }: RideSection): TripOfDay {
  if (calls.kind === 'scheduled') return calls.instance
  const { instances, calls: all } = calls.overlay
  const instance = all.instance[calls.calls[0]]
  return { trip: instances.trip[instance] as TripIndex, day: instances.day[instance] }
}

/** Whether a trip also runs `away` days after its service day. A trip that is only in live data never runs again. */
function runsOn(timetable: Timetable, { trip, day }: TripOfDay, away: number): boolean {
  const { trips, meta } = timetable
  const other = day + away
  return (
    trip < trips.id.length && other >= 0 && other < meta.dayCount && isActive(timetable, trips.service[trip], other)
  )
}
