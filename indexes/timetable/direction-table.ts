// Builds the direction columns: the name, merged stop order and shapes of each direction of a line.
import { columnArray, NONE, sealColumn } from '../../loaders/columns.ts'
import type { Feed } from '../../loaders/gtfs/feed.ts'
import { type StringIndex, type StringPoolBuilder, textOf } from '../../loaders/strings.ts'
import { compareCodeUnits } from '../text/natural-order.ts'
import { compareLists } from './list-pool.ts'
import { idTexts, type Numbering } from './numbering.ts'
import type { PatternLayout, TripFacts, TripGroup } from './patterns.ts'
import { mergeStopLists } from './stop-order.ts'
import type { Directions } from './timetable.ts'
import { headsignsOfTrips } from './trip-table.ts'

/** The directions, and the direction of each group of trips. */
export interface DirectionTable {
  readonly directions: Directions
  /** Line → its first direction; has one extra entry. */
  readonly offsetOfLine: Uint32Array
  /** Group → its direction. */
  readonly directionOfGroup: Uint32Array
}

/** The data from which directions are built. */
export interface DirectionParts {
  readonly feed: Feed
  readonly layout: PatternLayout
  readonly facts: TripFacts
  readonly stops: Numbering
  /** Receives the direction names. */
  readonly texts: StringPoolBuilder
}

/** A stop list of one direction, and the sum of the service days of all trips with this list. */
interface WeighedList {
  readonly stops: Uint32Array
  tripDays: number
}

/** Builds the directions in group order: by line, then direction id. */
export function buildDirections(parts: DirectionParts): DirectionTable {
  const { feed, layout, facts, texts } = parts
  const headsignOf = headsignsOfTrips(feed)
  const namer = new DirectionNames(feed, parts)
  const rows: Record<'line' | 'directionId' | 'headsign' | 'name', number[]> = {
    line: [],
    directionId: [],
    headsign: [],
    name: [],
  }
  const stopOffset = [0]
  const stopAt: number[] = []
  const shapeOffset = [0]
  const shapeAt: number[] = []
  const directionOfGroup = new Uint32Array(layout.groups.length)
  const offsetOfLine = new Uint32Array(facts.lines.count + 1)
  for (const { first, groups } of runsOfDirections(layout.groups)) {
    directionOfGroup.fill(rows.line.length, first, first + groups.length)
    const { line, directionId } = groups[0]
    const lists = weighLists(groups, facts)
    const main = lists[0]?.stops ?? new Uint32Array(0)
    rows.line.push(line)
    rows.directionId.push(directionId)
    rows.headsign.push(findHeadsign(groups, { feed, facts, headsignOf }))
    rows.name.push(texts.internText(namer.of({ line, directionId, main })))
    for (const stop of mergeStopLists(lists.map((list) => list.stops))) stopAt.push(stop)
    for (const shape of chooseShapes(groups, { feed, facts })) shapeAt.push(shape)
    stopOffset.push(stopAt.length)
    shapeOffset.push(shapeAt.length)
    offsetOfLine[line + 1] = offsetOfLine[line + 1] + 1
  }
  for (let line = 0; line < facts.lines.count; line++) {
    offsetOfLine[line + 1] = offsetOfLine[line + 1] + offsetOfLine[line]
  }
  return {
    directions: {
      line: sealColumn(Uint32Array.from(rows.line)),
      directionId: sealColumn(Uint8Array.from(rows.directionId)),
      headsign: sealColumn(Uint32Array.from(rows.headsign)),
      name: sealColumn(Uint32Array.from(rows.name)),
      stopOffset: sealColumn(Uint32Array.from(stopOffset)),
      stopAt: sealColumn(Uint32Array.from(stopAt)),
      shapeOffset: sealColumn(Uint32Array.from(shapeOffset)),
      shapeAt: sealColumn(Uint32Array.from(shapeAt)),
    },
    offsetOfLine,
    directionOfGroup,
  }
}

/**
 * Direction names. A name comes from directions.txt, or else from the first and last stop of the main stop list. For a
 * platform, the name of its station is used.
 */
class DirectionNames {
  private readonly parts: Pick<DirectionParts, 'facts' | 'stops'>
  /** Route id and direction id → the name in directions.txt. */
  private readonly given = new Map<string, string>()
  private readonly routeIds: readonly string[]
  /** Stop → the row of its station; the stop's own row if it has no station. */
  private readonly rowOf: Uint32Array
  private readonly names: readonly string[]

  constructor(feed: Feed, parts: Pick<DirectionParts, 'facts' | 'stops'>) {
    this.parts = parts
    const parent = columnArray(feed.stops.parent)
    this.rowOf = parts.stops.rowOf.map((row) => (parent[row] === NONE ? row : parent[row]))
    this.names = idTexts(feed.strings, feed.stops.name, this.rowOf)
    this.routeIds = idTexts(feed.strings, feed.routes.id, parts.facts.lines.rowOf)
    const table = feed.carried.find(({ name }) => name === 'directions.txt')
    const columnOf = (wanted: string) => table?.columns.find(({ name }) => name === wanted)?.values
    const [route, direction] = [columnOf('route_id'), columnOf('direction_id')]
    const name = columnOf('direction') ?? columnOf('direction_name')
    if (table === undefined || route === undefined || direction === undefined || name === undefined) return
    const text = (values: typeof name, row: number) => textOf(feed.strings, values[row])
    for (let row = 0; row < table.count; row++)
      this.given.set(`${text(route, row)}\n${text(direction, row)}`, text(name, row))
  }

  of({ line, directionId, main }: { line: number; directionId: number; main: Uint32Array }): string {
    const route = this.routeIds[this.parts.facts.lines.rowOf[line]]
    return (
      this.given.get(`${route}\n${directionId}`) || `${this.nameOf(main[0])} - ${this.nameOf(main[main.length - 1])}`
    )
  }

  private nameOf(stop: number): string {
    return this.names[this.rowOf[stop]]
  }
}

/** For each direction, its groups (which are consecutive) and the index of its first group. */
function* runsOfDirections(groups: readonly TripGroup[]): Generator<{ first: number; groups: readonly TripGroup[] }> {
  let first = 0
  for (let next = 1; next <= groups.length; next++) {
    const [before, after] = [groups[next - 1], groups[next]]
    if (after !== undefined && before?.line === after.line && before.directionId === after.directionId) continue
    yield { first, groups: groups.slice(first, next) }
    first = next
  }
}

/**
 * The distinct stop lists of a direction, sorted by trip-days (the sum of the service days of their trips; most first),
 * then length (longest first), then stop ids.
 */
function weighLists(groups: readonly TripGroup[], facts: TripFacts): WeighedList[] {
  const lists = new Map<number, WeighedList>()
  for (const group of groups) {
    const list = lists.get(group.stopList)
    if (list !== undefined) list.tripDays += group.tripDays
    else {
      lists.set(group.stopList, {
        stops: facts.tripCalls.stopLists.list(group.stopList),
        tripDays: group.tripDays,
      })
    }
  }
  return [...lists.values()].sort(
    (a, b) => b.tripDays - a.tripDays || b.stops.length - a.stops.length || compareLists(a.stops, b.stops),
  )
}

/**
 * The headsign with the most trip-days (the sum of the service days of its trips). Ties go to the headsign with the
 * longer stop list, then to the one that comes first in string order.
 */
function findHeadsign(
  groups: readonly TripGroup[],
  parts: { feed: Feed; facts: TripFacts; headsignOf: Uint32Array },
): number {
  const { stopLists } = parts.facts.tripCalls
  const votes = new Map<number, { headsign: number; tripDays: number; callCount: number }>()
  for (const { stopList, tripRows } of groups) {
    for (const row of tripRows) {
      const headsign = parts.headsignOf[row]
      const vote = votes.get(headsign) ?? { headsign, tripDays: 0, callCount: 0 }
      vote.tripDays += parts.facts.tripCalls.dayCountOf[row]
      vote.callCount = Math.max(vote.callCount, stopLists.length(stopList))
      votes.set(headsign, vote)
    }
  }
  const text = (vote: { headsign: number }) => textOf(parts.feed.strings, vote.headsign as StringIndex)
  const best = [...votes.values()].sort(
    (a, b) => b.tripDays - a.tripDays || b.callCount - a.callCount || compareCodeUnits(text(a), text(b)),
  )[0]
  return best?.headsign ?? 0
}

/**
 * The shapes to draw for a direction. Shapes are ordered by trip-days, most first; ties are ordered by shape id.
 * Trip-days are the sum of the service days of the trips with the shape. A shape is left out if it adds no stop: all
 * stops of its trips are also stops of trips with earlier shapes.
 */
function chooseShapes(groups: readonly TripGroup[], parts: { feed: Feed; facts: TripFacts }): number[] {
  const { feed, facts } = parts
  const shapeOf = columnArray(feed.trips.shape)
  const shapes = new Map<number, { shape: number; tripDays: number; stopLists: Set<number> }>()
  for (const { stopList, tripRows } of groups) {
    for (const row of tripRows) {
      const shape = shapeOf[row]
      if (shape === NONE) continue
      const use = shapes.get(shape) ?? { shape, tripDays: 0, stopLists: new Set<number>() }
      use.tripDays += facts.tripCalls.dayCountOf[row]
      use.stopLists.add(stopList)
      shapes.set(shape, use)
    }
  }
  const shapeIds = columnArray(feed.shapes.id)
  const id = (use: { shape: number }) => textOf(feed.strings, shapeIds[use.shape] as StringIndex)
  const uses = [...shapes.values()].sort((a, b) => b.tripDays - a.tripDays || compareCodeUnits(id(a), id(b)))
  const covered = new Set<number>()
  const chosen: number[] = []
  for (const { shape, stopLists } of uses) {
    const before = covered.size
    for (const list of stopLists) for (const stop of facts.tripCalls.stopLists.list(list)) covered.add(stop)
    if (covered.size > before) chosen.push(shape)
  }
  return chosen
}
