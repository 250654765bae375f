// The geometry of a direction as GeoJSON: its shapes, or straight lines between its stops if the feed has no shapes.

import {
  callCount,
  type DirectionIndex,
  type PatternIndex,
  type PatternStopIndex,
  type ShapeIndex,
  type ShapePointIndex,
  type Timetable,
} from '../../indexes/timetable/timetable.ts'
import { nextIndex } from '../../loaders/columns.ts'

/** `[lon, lat]`, in degrees. */
type Position = readonly [number, number]

/**
 * GeoJSON: a LineString if one line is enough, otherwise a MultiLineString. For example, a direction with branches
 * needs several lines.
 */
export type Geometry =
  | { readonly type: 'LineString'; readonly coordinates: readonly Position[] }
  | { readonly type: 'MultiLineString'; readonly coordinates: readonly (readonly Position[])[] }

/** The geometry of a direction; undefined if there is nothing to draw. */
export function directionShapes(timetable: Timetable, direction: DirectionIndex): Geometry | undefined {
  const courses = timetable.meta.hasShapes ? drawnCourses(timetable, direction) : straightCourses(timetable, direction)
  const [first, ...others] = withoutRepeats(courses.filter((course) => course.length >= 2))
  if (first === undefined) return undefined
  return others.length === 0
    ? { type: 'LineString', coordinates: first }
    : { type: 'MultiLineString', coordinates: [first, ...others] }
}

/** Removes from each course the stretches that an earlier course also contains, so that each stretch is drawn once. */
function withoutRepeats(courses: readonly Position[][]): Position[][] {
  const drawn = new Set<string>()
  const pieces: Position[][] = []
  for (const course of courses) {
    const own: string[] = []
    let piece: Position[] = []
    for (const [at, position] of course.entries()) {
      const before = course[at - 1]
      const key = before === undefined ? undefined : stretchKey(before, position)
      if (key !== undefined) own.push(key)
      if (key !== undefined && drawn.has(key)) {
        if (piece.length >= 2) pieces.push(piece)
        piece = []
      }
      piece.push(position)
    }
    if (piece.length >= 2) pieces.push(piece)
    // If a course contains the same stretch twice, it keeps both. Only later courses lose the stretch.
    for (const key of own) drawn.add(key)
  }
  return pieces
}

/** The key of a stretch. It is the same for both directions of travel. */
function stretchKey(one: Position, other: Position): string {
  const [from, to] = [one.join(), other.join()]
  return from < to ? `${from} ${to}` : `${to} ${from}`
}

function drawnCourses(timetable: Timetable, direction: DirectionIndex): Position[][] {
  const { shapeOffset, shapeAt } = timetable.directions
  const courses: Position[][] = []
  const end = shapeOffset[nextIndex(direction)]
  for (let place = shapeOffset[direction]; place < end; place++) {
    courses.push(drawnCourse(timetable, shapeAt[place]))
  }
  return courses
}

function drawnCourse(timetable: Timetable, shape: ShapeIndex): Position[] {
  const { pointOffset, latE6, lonE6 } = timetable.shapes
  const course: Position[] = []
  const end = pointOffset[nextIndex(shape)]
  for (let point: ShapePointIndex = pointOffset[shape]; point < end; point++) {
    course.push([lonE6[point] / 1e6, latE6[point] / 1e6])
  }
  return course
}

/**
 * Straight courses through the stops of patterns, starting with the patterns that have the most trips. Skips a pattern
 * if each of its pairs of successive stops is already connected.
 */
function straightCourses(timetable: Timetable, direction: DirectionIndex): Position[][] {
  const drawn = new Set<string>()
  const courses: Position[][] = []
  for (const pattern of patternsByTrips(timetable, direction)) {
    const stops = patternStops(timetable, pattern)
    const hops = stops.slice(1).map((stop, place) => `${stops[place]} ${stop}`)
    if (hops.every((hop) => drawn.has(hop))) continue
    for (const hop of hops) drawn.add(hop)
    courses.push(stops.map((stop) => [degrees(timetable.stops.lon[stop]), degrees(timetable.stops.lat[stop])]))
  }
  return courses
}

function patternsByTrips(timetable: Timetable, direction: DirectionIndex): PatternIndex[] {
  const { lines, patterns, directions } = timetable
  const line = directions.line[direction]
  const end = lines.patternOffset[nextIndex(line)]
  const found: PatternIndex[] = []
  for (let pattern = lines.patternOffset[line]; pattern < end; pattern++) {
    if (patterns.direction[pattern] === direction) found.push(pattern)
  }
  const tripCount = (pattern: PatternIndex) => patterns.tripOffset[nextIndex(pattern)] - patterns.tripOffset[pattern]
  return found.sort((a, b) => tripCount(b) - tripCount(a) || callCount(timetable, b) - callCount(timetable, a) || a - b)
}

function patternStops(timetable: Timetable, pattern: PatternIndex) {
  const { stopOffset, stopAt } = timetable.patterns
  const first = stopOffset[pattern]
  return Array.from(
    { length: callCount(timetable, pattern) },
    (_, position) => stopAt[(first + position) as PatternStopIndex],
  )
}

/** Degrees as shown in answers: rounded to six decimal places. */
export function degrees(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
