// Finds lines by id, and lists their directions, stops and modes. Lines are numbered in the order that riders expect,
// so lists of lines need not be sorted again.
import { nextIndex, valuesOf } from '../../loaders/columns.ts'
import { EMPTY_STRING, textOf } from '../../loaders/strings.ts'
import { findText } from '../text/sorted-texts.ts'
import { MODES, type Mode } from './modes.ts'
import type { DirectionIndex, LineIndex, StopIndex, Timetable } from './timetable.ts'

/** The line with this id in the feed. */
export function findLine(timetable: Timetable, feedId: string): LineIndex | undefined {
  const { byId, id } = timetable.lines
  const at = findText(timetable.strings, feedId, { count: byId.length, textAt: (order) => id[byId[order]] })
  return at === undefined ? undefined : byId[at]
}

/** The public code of a line: its short name, or its long name if it has no short name. */
export function lineCode({ lines, strings }: Timetable, line: LineIndex): string {
  const short = lines.code[line]
  return textOf(strings, short === EMPTY_STRING ? lines.name[line] : short)
}

/** The directions of a line, ordered by direction id. */
export function directionsOfLine(timetable: Timetable, line: LineIndex): DirectionIndex[] {
  const { directionOffset } = timetable.lines
  const directions: DirectionIndex[] = []
  const end = directionOffset[nextIndex(line)]
  for (let direction = directionOffset[line]; direction < end; direction++) directions.push(direction)
  return directions
}

/** The merged stop order of a direction; a stop that is visited twice appears twice. */
export function stopsOfDirection(timetable: Timetable, direction: DirectionIndex): StopIndex[] {
  const { stopOffset, stopAt } = timetable.directions
  return valuesOf(direction, stopOffset, stopAt)
}

/** The distinct modes of the given lines, in the order of MODES. */
export function modesOfLines(timetable: Timetable, lines: readonly LineIndex[]): Mode[] {
  const { mode } = timetable.lines
  let seen = 0
  for (const line of lines) seen |= 1 << mode[line]
  const modes: Mode[] = []
  for (let each = 0; each < MODES.length; each++) if ((seen >> each) & 1) modes.push(each as Mode)
  return modes
}
