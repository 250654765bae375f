// What a rider reads on a live trip at a call: the call's own headsign, live or of the timetable; else the live one of the
// trip, else the timetable's.
import { NONE } from '../../loaders/columns.ts'
import { textOf } from '../../loaders/strings.ts'
import type { Timetable, TripIndex } from '../timetable/timetable.ts'
import { hasOwnHeadsign, stopHeadsign } from '../timetable/trips.ts'
import { type LiveCallIndex, NO_POSITION, type Overlay } from './overlay.ts'

/** The headsign at a live call. */
export function liveHeadsign(timetable: Timetable, overlay: Overlay, call: LiveCallIndex): string {
  const { calls, instances, strings } = overlay
  const instance = calls.instance[call]
  const trip = instances.trip[instance]
  const position = calls.position[call]
  const hasOwn = trip !== NONE && position !== NO_POSITION && hasOwnHeadsign(timetable, trip, position)
  const ofCall = textOf(strings, calls.headsign[call])
  const ofTrip = ofCall !== '' || hasOwn ? '' : textOf(strings, instances.headsign[instance])
  const live = ofCall === '' ? ofTrip : ofCall
  return live !== '' || trip === NONE ? live : headsignAt(timetable, trip, position)
}

/** What the timetable has a trip read at a call; at one that it lacks, what the trip reads. */
function headsignAt(timetable: Timetable, trip: TripIndex, position: number): string {
  if (position !== NO_POSITION) return stopHeadsign(timetable, trip, position)
  return textOf(timetable.strings, timetable.trips.headsign[trip])
}
