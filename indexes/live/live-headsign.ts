// What a rider reads on a live trip at a call: the call's own headsign, live or of the timetable; else the live one of the
// trip, else the timetable's.
import { NONE } from '../../loaders/columns.ts'
import { EMPTY_STRING, type StringIndex, textOf } from '../../loaders/strings.ts'
import type { Timetable, TripIndex } from '../timetable/timetable.ts'
import { hasOwnHeadsign, stopHeadsign, stopHeadsignIndex } from '../timetable/trips.ts'
import { type LiveCallIndex, NO_POSITION, type Overlay } from './overlay.ts'

/** The headsign at a live call as a number of the timetable's pool; undefined if a feed gives it, or it has no trip. */
export function scheduledHeadsign(
  timetable: Timetable,
  overlay: Overlay,
  call: LiveCallIndex,
): StringIndex | undefined {
  const { calls, instances } = overlay
  const instance = calls.instance[call]
  const trip = instances.trip[instance]
  const position = calls.position[call]
  if (trip === NONE || position === NO_POSITION || calls.headsign[call] !== EMPTY_STRING) return undefined
  const headsign = stopHeadsignIndex(timetable, trip, position)
  const isOwn = headsign !== timetable.trips.headsign[trip]
  return isOwn || instances.headsign[instance] === EMPTY_STRING ? headsign : undefined
}

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
