// Finds areas by id, and lists their stops and lines. An area is a station, or a group of nearby stops with the same
// name.
import { valuesOf } from '../../loaders/columns.ts'
import { findText } from '../text/sorted-texts.ts'
import type { AreaIndex, LineIndex, StopIndex, Timetable } from './timetable.ts'

/**
 * The area with the given id; undefined if there is none. The id is the feed's own id or `auto-<stop id>`, without
 * network and kind.
 */
export function findArea(timetable: Timetable, feedId: string): AreaIndex | undefined {
  const { id } = timetable.areas
  const at = findText(timetable.strings, feedId, { count: id.length, textAt: (order) => id[order as AreaIndex] })
  return at as AreaIndex | undefined
}

/** The stops of an area, sorted by id. */
export function stopsOfArea(timetable: Timetable, area: AreaIndex): StopIndex[] {
  const { stopOffset, stopAt } = timetable.areas
  return valuesOf(area, stopOffset, stopAt)
}

/** The lines that call at any stop of an area, each once, in line order. */
export function linesOfArea(timetable: Timetable, area: AreaIndex): LineIndex[] {
  const { lineOffset, lineAt } = timetable.areas
  return valuesOf(area, lineOffset, lineAt)
}
