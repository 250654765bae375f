// The origin and the destination of a query in a planner's snapshot.
import { findArea } from '../../indexes/timetable/areas.ts'
import { findStop } from '../../indexes/timetable/stops.ts'
import { textOf } from '../../loaders/strings.ts'
import type { JourneyEnd } from '../rendering/journey.ts'
import { endAt } from '../rendering/journey.ts'
import { stopId } from '../rendering/public-ids.ts'
import type { SnapshotView } from '../rendering/snapshot-view.ts'
import type { EndMessage } from './planner-messages.ts'
import type { Ground } from './planning-grounds.ts'
import { nearestStop } from './walk-reach.ts'

/** The stops nearest to both ends, as JSON. */
export function nearestText({ view, timetable }: Ground, from: JourneyEnd, to: JourneyEnd): string {
  const textAt = (end: JourneyEnd) => {
    const nearest = nearestStop(timetable, end)
    if (nearest === undefined) return null
    const name = textOf(timetable.strings, timetable.stops.name[nearest.stop])
    return { stop_id: stopId(view, nearest.stop), name, distance_meters: nearest.meters }
  }
  return JSON.stringify({ from: textAt(from), to: textAt(to) })
}

/** Finds an end of a query in this thread's snapshot. A stop that no longer exists becomes a point without a name. */
export function findEnd({ timetable }: SnapshotView, { lat, lon, place, label, addressId }: EndMessage): JourneyEnd {
  if (place?.kind === 'stop') {
    const stop = findStop(timetable, place.id)
    if (stop !== undefined) return endAt(timetable, { kind: 'stop', stop })
  } else if (place?.kind === 'area') {
    const area = findArea(timetable, place.id)
    if (area !== undefined) return endAt(timetable, { kind: 'area', area })
  }
  return { lat, lon, place: undefined, label, addressId }
}
