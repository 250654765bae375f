// The board order of live calls that depart at the same instant: among each other, and relative to departures in the
// timetable.
import { textOf } from '../../loaders/strings.ts'
import type { BoardCursor } from '../timetable/board-cursor.ts'
import { compareRefs } from '../timetable/boards.ts'
import { serviceDate } from '../timetable/service-dates.ts'
import type { Timetable } from '../timetable/timetable.ts'
import { runSuffix } from '../timetable/trips.ts'
import type { InstanceIndex, LiveCallIndex, Overlay } from './overlay.ts'

/** The members of an overlay on which the order of live calls depends. */
type Ordered = Pick<Overlay, 'calls' | 'instances' | 'strings'>

/** Board order of two live calls at the same instant: by scheduled time, then line, then full trip id, then call. */
export function compareLive(
  timetable: Timetable,
  overlay: Ordered,
  { left, right }: { readonly left: LiveCallIndex; readonly right: LiveCallIndex },
): number {
  const { calls, instances } = overlay
  const byScheduled = calls.scheduledDeparture[left] - calls.scheduledDeparture[right]
  if (byScheduled !== 0) return byScheduled
  const [one, other] = [calls.instance[left], calls.instance[right]]
  if (one === other) return left - right
  const byLine = instances.line[one] - instances.line[other]
  return byLine !== 0
    ? byLine
    : compareRefs(refOfInstance(timetable, overlay, one), refOfInstance(timetable, overlay, other))
}

/**
 * Board order of a live call and a departure in the timetable at the same instant. Negative if the live call comes
 * first.
 */
export function compareWithCursor(
  timetable: Timetable,
  overlay: Overlay,
  { call, cursor }: { readonly call: LiveCallIndex; readonly cursor: BoardCursor },
): number {
  const { calls, instances, meta } = overlay
  const byScheduled = calls.scheduledDeparture[call] + meta.baseSeconds - cursor.seconds
  if (byScheduled !== 0) return byScheduled
  const instance = calls.instance[call]
  const byLine = instances.line[instance] - cursor.line
  if (byLine !== 0) return byLine
  const ref = `${serviceDate(timetable, cursor.day)}:${textOf(timetable.strings, timetable.trips.id[cursor.trip])}${runSuffix(cursor.runStartSeconds)}`
  return compareRefs(refOfInstance(timetable, overlay, instance), ref)
}

/** The local part of a live instance's public trip id. */
export function refOfInstance(timetable: Timetable, overlay: Ordered, instance: InstanceIndex): string {
  const { instances, strings } = overlay
  const own = textOf(strings, instances.ref[instance])
  if (own !== '') return own
  const trip = instances.trip[instance]
  const id = textOf(timetable.strings, timetable.trips.id[trip])
  return `${serviceDate(timetable, instances.day[instance])}:${id}${runSuffix(instances.runStart[instance])}`
}
