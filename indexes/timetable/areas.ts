// Areas by id: stations, and nearby stops of the same name.
import { valuesOf } from '../../loaders/columns.ts'
import { findText } from '../text/sorted-texts.ts'
import type { AreaIndex, LineIndex, StopIndex, Timetable } from './timetable.ts'

/** The area with this id. The id has no network and kind: it is the feed's own id, or `auto-<stop id>`. */
export function findArea(timetable: Timetable, feedId: string): AreaIndex | undefined {
  const { id } = timetable.areas
  const at = findText(timetable.strings, feedId, { count: id.length, textAt: (order) => id[order as AreaIndex] })
  return at as AreaIndex | undefined
}

/** The stops of an area, by id. */
export function stopsOfArea(timetable: Timetable, area: AreaIndex): StopIndex[] {
  const { stopOffset, stopAt } = timetable.areas
  return valuesOf(area, stopOffset, stopAt)
}

/** The lines that call at any stop of an area, each once, in line order. */
export function linesOfArea(timetable: Timetable, area: AreaIndex): LineIndex[] {
  const { lineOffset, lineAt } = timetable.areas
  return valuesOf(area, lineOffset, lineAt)
}
