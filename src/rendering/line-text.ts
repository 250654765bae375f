// Lines as JSON in three forms: the form for lists; the detailed form, with stops and shapes; and the compact form,
// which is used within stops.
import { directionsOfLine, lineCode, stopsOfDirection } from '../../indexes/timetable/lines.ts'
import { modeWord } from '../../indexes/timetable/modes.ts'
import type { DirectionIndex, LineIndex } from '../../indexes/timetable/timetable.ts'
import { textOf } from '../../loaders/strings.ts'
import { directionShapes, type Geometry } from './line-geometry.ts'
import { lineId, stopId } from './public-ids.ts'
import type { SnapshotRows } from './snapshot-view.ts'

/** A line as JSON in the form for lists. Its directions do not list their stops. */
export function lineText(view: SnapshotRows, line: LineIndex): string {
  return view.texts.of('line', line, () =>
    JSON.stringify({
      ...lineMembers(view, line),
      directions: directionsOfLine(view.timetable, line).map((direction) => directionMembers(view, direction)),
    }),
  )
}

/** A line as JSON in the detailed form. Its directions list their stops. */
export function lineDetailText(view: SnapshotRows, line: LineIndex): string {
  return view.texts.of('lineDetail', line, () =>
    JSON.stringify({
      ...lineMembers(view, line),
      directions: directionsOfLine(view.timetable, line).map((direction) => ({
        ...directionMembers(view, direction),
        stops: stopsOfDirection(view.timetable, direction).map((stop) => stopId(view, stop)),
      })),
    }),
  )
}

/**
 * A line as JSON in the detailed form, with the geometry of each direction. It is not cached here, because it may be
 * large and clients can cache it by its entity tag.
 */
export function lineWithShapesText(view: SnapshotRows, line: LineIndex): string {
  return withShapes(lineDetailText(view, line), shapesOf(view, line))
}

/**
 * The first lines in a list, each as JSON with the geometry of each direction. Further lines are omitted once the lines
 * have at least `mostPoints` points in total. There is at least one line, unless the list is empty.
 */
export function linesWithShapesTexts(
  view: SnapshotRows,
  lines: readonly LineIndex[],
  mostPoints: number,
): readonly string[] {
  const texts: string[] = []
  let points = 0
  for (const line of lines) {
    if (points >= mostPoints) break
    const shapes = shapesOf(view, line)
    points += shapes.reduce((sum, { geometry }) => sum + pointCount(geometry), 0)
    texts.push(withShapes(lineText(view, line), shapes))
  }
  return texts
}

function shapesOf(view: SnapshotRows, line: LineIndex) {
  const line_id = lineId(view, line)
  return directionsOfLine(view.timetable, line).flatMap((direction) => {
    const geometry = directionShapes(view.timetable, direction)
    return geometry === undefined ? [] : [{ line_id, direction_id: directionId(view, direction), geometry }]
  })
}

function withShapes(text: string, shapes: ReturnType<typeof shapesOf>): string {
  return `${text.slice(0, -1)},"shapes":${JSON.stringify(shapes)}}`
}

function pointCount(geometry: Geometry): number {
  if (geometry.type === 'LineString') return geometry.coordinates.length
  return geometry.coordinates.reduce((sum, course) => sum + course.length, 0)
}

/** The members of a line in the compact form, before serialization. Stops contain lines in this form. */
export function compactLine(view: SnapshotRows, line: LineIndex) {
  const { lines, strings } = view.timetable
  return {
    id: lineId(view, line),
    code: lineCode(view.timetable, line),
    name: textOf(strings, lines.name[line]),
    mode: modeWord(lines.mode[line]),
    color: colorText(lines.color[line]),
  }
}

/** The members of a line within a ride or a trip, before serialization. */
export function rideLine(view: SnapshotRows, line: LineIndex) {
  return { ...compactLine(view, line), text_color: colorText(view.timetable.lines.textColor[line]) }
}

/** A color as a string: `#RRGGBB` for the number 0xRRGGBB. */
export function colorText(color: number): string {
  return `#${color.toString(16).padStart(6, '0').toUpperCase()}`
}

/** The public id of a direction: `0` or `1`. */
export function directionId(view: SnapshotRows, direction: DirectionIndex): string {
  return String(view.timetable.directions.directionId[direction])
}

function lineMembers(view: SnapshotRows, line: LineIndex) {
  const { lines, strings } = view.timetable
  return {
    id: lineId(view, line),
    network: view.slug,
    code: lineCode(view.timetable, line),
    name: textOf(strings, lines.name[line]),
    mode: modeWord(lines.mode[line]),
    color: colorText(lines.color[line]),
    text_color: colorText(lines.textColor[line]),
    operator: textOf(strings, lines.operator[line]),
    sort_order: lines.sortOrder[line],
    accessible: lines.accessible[line] === 1,
  }
}

function directionMembers(view: SnapshotRows, direction: DirectionIndex) {
  const { directions, strings } = view.timetable
  return {
    id: directionId(view, direction),
    name: textOf(strings, directions.name[direction]),
    headsign: textOf(strings, directions.headsign[direction]),
  }
}
