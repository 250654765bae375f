// Turns the itineraries of the demo's lines into patterns, with platforms, run times, dwells, headsigns and shapes.
import type { Itinerary } from './itineraries.ts'
import type { RosterLine } from './roster.ts'
import type { StopBook } from './stop-book.ts'
import { metersBetween, type Point } from './terrain.ts'

/** A call that every trip of a pattern makes. */
export interface PatternCall {
  /** Index in `StopBook.platforms`. */
  readonly platform: number
  /** Distance along the shape, in whole meters. */
  readonly meters: number
  /**
   * Seconds from the departure at the previous call to the arrival at this call, if there is no traffic; 0 for the
   * first call.
   */
  readonly runSeconds: number
  readonly dwellSeconds: number
  /** GTFS pickup_type and drop_off_type. */
  readonly pickupType: 0 | 1
  readonly dropOffType: 0 | 1 | 3
  /** The headsign from this call on; empty if it equals the trip's headsign. */
  readonly headsign: string
}

/** The data shared by all trips of one line, direction and itinerary. */
export interface Pattern {
  /** Index in the roster. */
  readonly line: number
  readonly direction: 0 | 1
  readonly kind: Itinerary['kind']
  readonly headsign: string
  /** Area of the first call. */
  readonly firstArea: number
  /** Area of the last call. */
  readonly lastArea: number
  readonly calls: readonly PatternCall[]
  readonly points: readonly Point[]
  /** Point → whole meters along the shape. */
  readonly pointMeters: readonly number[]
  /**
   * For a short pattern: seconds from the first departure of the full pattern to its arrival at the stop where the
   * short pattern starts. Otherwise 0.
   */
  readonly lagSeconds: number
}

interface Pace {
  readonly metersPerSecond: number
  /** Time that a vehicle loses between two stops by acceleration, braking, turns and lights. */
  readonly lostSeconds: number
  readonly dwellSeconds: number
  readonly hubDwellSeconds: number
}

const PACES: Readonly<Record<RosterLine['rhythm'], Pace>> = {
  metro: { metersPerSecond: 15, lostSeconds: 18, dwellSeconds: 20, hubDwellSeconds: 35 },
  tram: { metersPerSecond: 9.5, lostSeconds: 14, dwellSeconds: 20, hubDwellSeconds: 40 },
  main: { metersPerSecond: 7, lostSeconds: 14, dwellSeconds: 0, hubDwellSeconds: 40 },
  local: { metersPerSecond: 7.4, lostSeconds: 12, dwellSeconds: 0, hubDwellSeconds: 30 },
  minor: { metersPerSecond: 8, lostSeconds: 11, dwellSeconds: 0, hubDwellSeconds: 30 },
  shuttle: { metersPerSecond: 5.5, lostSeconds: 12, dwellSeconds: 10, hubDwellSeconds: 20 },
  express: { metersPerSecond: 12.5, lostSeconds: 25, dwellSeconds: 20, hubDwellSeconds: 60 },
  night: { metersPerSecond: 9, lostSeconds: 10, dwellSeconds: 0, hubDwellSeconds: 120 },
  ferry: { metersPerSecond: 4, lostSeconds: 60, dwellSeconds: 120, hubDwellSeconds: 120 },
}

/** Makes a pattern for each itinerary, in the order of the itineraries. */
export function makePatterns(
  itineraries: readonly Itinerary[],
  roster: readonly RosterLine[],
  book: StopBook,
): Pattern[] {
  const fullOf = new Map<string, Pattern>()
  return itineraries.map((itinerary) => {
    const key = `${itinerary.line}|${itinerary.direction}`
    const pattern = toPattern(itinerary, roster[itinerary.line], { book, full: fullOf.get(key) })
    if (itinerary.kind === 'full') fullOf.set(key, pattern)
    return pattern
  })
}

function toPattern(
  itinerary: Itinerary,
  line: RosterLine,
  given: { readonly book: StopBook; readonly full: Pattern | undefined },
): Pattern {
  const { book, full } = given
  const { course, areas } = itinerary
  const pointMeters = measure(course.points)
  const isLoop = areas[0] === areas[areas.length - 1]
  const headsigns = isLoop ? loopHeadsigns(itinerary, book) : undefined
  const platforms = choosePlatforms(itinerary, line, book)
  const calls = platforms.map((platform, index) => {
    const meters = pointMeters[course.marks[index].pointIndex]
    const before = index === 0 ? meters : pointMeters[course.marks[index - 1].pointIndex]
    return {
      platform,
      meters,
      ...timesOf(line, meters - before, { index, count: areas.length, isHub: book.areas[areas[index]].isHub }),
      ...exchangeOf(line, index, { count: areas.length, direction: itinerary.direction }),
      headsign: headsigns !== undefined && index >= headsigns.change ? headsigns.after : '',
    }
  })
  return {
    line: itinerary.line,
    direction: itinerary.direction,
    kind: itinerary.kind,
    headsign: headsigns?.before ?? book.areas[areas[areas.length - 1]].name,
    firstArea: areas[0],
    lastArea: areas[areas.length - 1],
    calls,
    points: course.points,
    pointMeters,
    lagSeconds: itinerary.kind === 'short' && full !== undefined ? secondsTo(full, platforms[0]) : 0,
  }
}

function measure(points: readonly Point[]): number[] {
  let meters = 0
  return points.map((point, index) => {
    if (index > 0) meters += metersBetween(points[index - 1], point)
    return Math.round(meters)
  })
}

/**
 * Chooses the platform of each stop. The choice depends on the direction in which the course leaves the stop or, at the
 * last stop, arrives at it. A loop ends at the platform where it starts.
 */
function choosePlatforms(itinerary: Itinerary, line: RosterLine, book: StopBook): number[] {
  const { course, areas, direction } = itinerary
  const platforms: number[] = []
  for (const [index, area] of areas.entries()) {
    if (index > 0 && index === areas.length - 1 && area === areas[0]) {
      platforms.push(platforms[0])
      break
    }
    const at = course.marks[index].pointIndex
    const from = course.points[at === course.points.length - 1 ? at - 1 : at]
    const to = course.points[at === course.points.length - 1 ? at : at + 1]
    const heading = { x: to.x - from.x, y: to.y - from.y }
    platforms.push(book.platformAt(area, { mode: line.mode, heading, line: itinerary.line, direction }))
  }
  return platforms
}

function timesOf(
  line: RosterLine,
  meters: number,
  call: { readonly index: number; readonly count: number; readonly isHub: boolean },
): Pick<PatternCall, 'runSeconds' | 'dwellSeconds'> {
  const pace = PACES[line.rhythm]
  const isEnd = call.index === 0 || call.index === call.count - 1
  return {
    runSeconds: call.index === 0 ? 0 : Math.round(meters / pace.metersPerSecond + pace.lostSeconds),
    dwellSeconds: isEnd ? 0 : call.isHub ? pace.hubDwellSeconds : pace.dwellSeconds,
  }
}

/**
 * The pickup and drop-off types of a call. Metros and trams have no drop-off at the first call and no pickup at the
 * last call. The express carries riders into and out of the city, but not within it. Night buses drop off on request in
 * the second half of their calls.
 */
function exchangeOf(
  line: RosterLine,
  index: number,
  way: { readonly count: number; readonly direction: 0 | 1 },
): Pick<PatternCall, 'pickupType' | 'dropOffType'> {
  const { count, direction } = way
  const isFirst = index === 0
  const isLast = index === count - 1
  if (line.mode === 'metro' || line.mode === 'tram') return { pickupType: isLast ? 1 : 0, dropOffType: isFirst ? 1 : 0 }
  if (line.role === 'express') {
    const isPickupOnly = direction === 0 && index < 2
    const isDropOffOnly = direction === 1 && index >= count - 2
    return { pickupType: isDropOffOnly ? 1 : 0, dropOffType: isPickupOnly ? 1 : 0 }
  }
  if (line.role === 'night') return { pickupType: 0, dropOffType: index > count / 2 && !isLast ? 3 : 0 }
  return { pickupType: 0, dropOffType: 0 }
}

/**
 * The headsigns of a loop: `before` for the first third of its calls, and `after` from the call `change` on. `before`
 * names the stop of that call, and `after` names the last stop.
 */
function loopHeadsigns(itinerary: Itinerary, book: StopBook): { before: string; after: string; change: number } {
  const { areas } = itinerary
  const change = Math.floor(areas.length / 3)
  const nameOf = (index: number): string => book.areas[areas[index]].name
  return { before: `Circulaire par ${nameOf(change)}`, after: nameOf(0), change }
}

/** Seconds from the pattern's first departure to its arrival at a platform; 0 if it has no call at the platform. */
function secondsTo(pattern: Pattern, platform: number): number {
  let seconds = 0
  for (const call of pattern.calls) {
    seconds += call.runSeconds
    if (call.platform === platform) return seconds
    seconds += call.dwellSeconds
  }
  return 0
}
