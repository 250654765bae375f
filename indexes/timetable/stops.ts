// Finds stops by id, and their lines and areas.
import { NONE, valuesOf } from '../../loaders/columns.ts'
import { findText } from '../text/sorted-texts.ts'
import type { AreaIndex, LineIndex, StopIndex, Timetable } from './timetable.ts'

/** The stop with this id in the feed. */
export function findStop(timetable: Timetable, feedId: string): StopIndex | undefined {
  const { id } = timetable.stops
  const at = findText(timetable.strings, feedId, { count: id.length, textAt: (order) => id[order as StopIndex] })
  return at as StopIndex | undefined
}

/** The lines that call at a stop, in line order. */
export function linesOfStop(timetable: Timetable, stop: StopIndex): LineIndex[] {
  const { lineOffset, lineAt } = timetable.stops
  return valuesOf(stop, lineOffset, lineAt)
}

/** The area of a stop. */
export function areaOfStop(timetable: Timetable, stop: StopIndex): AreaIndex | undefined {
  const area = timetable.stops.area[stop]
  return area === NONE ? undefined : area
}
