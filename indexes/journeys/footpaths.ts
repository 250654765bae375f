// How long it takes to change from a vehicle at one point to a vehicle at another: the walk, by the pathways of a station
// where it has them, what is kept on top of it, and the feed's own rules (transfers.txt). Worked out once for a timetable.
import { columnArray, NONE } from '../../loaders/columns.ts'
import { findInWalk, metersWalkedIn, type WalkPlace, walkMeters, walkSeconds } from '../spatial/walking.ts'
import { waysFromStop } from '../timetable/station-ways.ts'
import type { StopIndex, Timetable, TransferIndex } from '../timetable/timetable.ts'
import { type ChangePoints, stopsNamed } from './change-points.ts'

/** What a network sets for changes. */
export interface ChangeRules {
  /** Longest walk between two stops. */
  readonly walkMeters: number
  /** Kept on top of the walk. */
  readonly changeSeconds: number
}

/** Changes by the point one alights at. */
export interface Footpaths {
  /** Point → its first change; one longer. The change at the point itself is among them, unless it is forbidden. */
  readonly offset: Uint32Array
  /** The point one boards at; quickest change first. */
  readonly point: Uint32Array
  /** From alighting to boarding, at least. */
  readonly seconds: Int32Array
  /** Point → a number that the points of a station, or of an area, have in common. */
  readonly station: Uint32Array
  /** Point → its slowest change within its station. */
  readonly slowest: Int32Array
}

/** transfers.txt, transfer_type. */
const TIMED = 1
const MINIMUM = 2
const FORBIDDEN = 3

/** A rule for a pair of stops. NONE where it leaves a side open. */
interface PairRule {
  readonly type: number
  readonly minSeconds: number
  readonly fromLine: number
  readonly toLine: number
  readonly fromTrip: number
  readonly toTrip: number
  /** The least one holds: trips before lines before stops (GTFS), then a stop's own before its station's. */
  readonly rank: number
}

type PairRules = ReadonlyMap<number, ReadonlyMap<number, readonly PairRule[]>>

/** All changes of a timetable. */
export function buildFootpaths(timetable: Timetable, points: ChangePoints, rules: ChangeRules): Footpaths {
  const byFrom = readPairRules(timetable)
  const offset = new Uint32Array(points.count + 1)
  const reached: number[] = []
  const seconds: number[] = []
  for (let from = 0; from < points.count; from++) {
    for (const change of changesFrom(timetable, points, { from, byFrom, rules })) {
      reached.push(change.to)
      seconds.push(change.seconds)
    }
    offset[from + 1] = reached.length
  }
  const station = Uint32Array.from(points.stopOf, (stop) => {
    const area = timetable.stops.area[stop]
    return area === NONE ? timetable.areas.id.length + stop : area
  })
  const paths = { offset, point: Uint32Array.from(reached), seconds: Int32Array.from(seconds), station }
  return { ...paths, slowest: slowestChanges(paths) }
}

/** From stop to stop on foot. */
interface Walk {
  readonly seconds: number
  /** Whether it may be walked without a rule that says so: it is short enough, or inside a station. */
  readonly isLinked: boolean
}

interface Change {
  readonly to: number
  readonly seconds: number
}

function changesFrom(
  timetable: Timetable,
  points: ChangePoints,
  of: { readonly from: number; readonly byFrom: PairRules; readonly rules: ChangeRules },
): Change[] {
  const { from, byFrom, rules } = of
  const { stops, pointTrees } = timetable
  const stop = points.stopOf[from] as StopIndex
  const here = placeOf(timetable, stop)
  const walks = new Map<number, Walk>()
  for (const { index, seconds } of findInWalk(pointTrees.stops, stops, { ...here, maxMeters: rules.walkMeters })) {
    walks.set(index, { seconds, isLinked: true })
  }
  // What the feed says of a station is nearer to the truth than a straight line, however far it leads.
  for (const [end, seconds] of waysFromStop(timetable, stop)) walks.set(end, { seconds, isLinked: true })
  walks.set(stop, { seconds: 0, isLinked: true })
  const ruled = byFrom.get(stop)
  // A timed or minimum change links stops that lie farther apart too.
  for (const to of ruled?.keys() ?? []) {
    if (walks.has(to)) continue
    const meters = walkMeters(here, placeOf(timetable, to as StopIndex))
    walks.set(to, { seconds: walkSeconds(meters), isLinked: false })
  }
  const changes: Change[] = []
  for (const [end, walk] of walks) {
    const pair = ruled?.get(end)
    for (const to of points.pointsOf(end as StopIndex)) {
      const rule = pair?.find((each) => holdsBetween(each, points, from, to))
      const seconds = secondsOf(rule, walk, rules)
      if (seconds !== undefined) changes.push({ to, seconds })
    }
  }
  return changes.sort((a, b) => a.seconds - b.seconds || a.to - b.to)
}

function holdsBetween(rule: PairRule, { lineOf, tripOf }: ChangePoints, from: number, to: number): boolean {
  return (
    (rule.fromTrip === NONE || rule.fromTrip === tripOf[from]) &&
    (rule.toTrip === NONE || rule.toTrip === tripOf[to]) &&
    (rule.fromLine === NONE || rule.fromLine === lineOf[from]) &&
    (rule.toLine === NONE || rule.toLine === lineOf[to])
  )
}

/** What a rule makes of a walk; undefined where one cannot change. A minimum that is not given says nothing. */
function secondsOf(rule: PairRule | undefined, walk: Walk, rules: ChangeRules): number | undefined {
  if (rule?.type === FORBIDDEN) return undefined
  if (rule?.type === TIMED) return walk.seconds
  if (rule?.type === MINIMUM && rule.minSeconds !== NONE) return rule.minSeconds
  return walk.isLinked ? walk.seconds + rules.changeSeconds : undefined
}

/** The walk of a change between two stops: as long as their pathways take where these lead there, else the straight line. */
export function changeWalk(timetable: Timetable, from: StopIndex, to: StopIndex) {
  if (from === to) return { meters: 0, seconds: 0 }
  const inside = waysFromStop(timetable, from).get(to)
  if (inside !== undefined) return { meters: metersWalkedIn(inside), seconds: inside }
  const meters = walkMeters(placeOf(timetable, from), placeOf(timetable, to))
  return { meters, seconds: walkSeconds(meters) }
}

function placeOf({ stops }: Timetable, stop: StopIndex): WalkPlace {
  return { lat: stops.lat[stop], lon: stops.lon[stop] }
}

/** The rules of each pair of stops, those of stations spread over their stops; the one that holds first. */
function readPairRules(timetable: Timetable): PairRules {
  const { transfers } = timetable
  const pairs = new Map<number, Map<number, PairRule[]>>()
  const types = columnArray(transfers.type)
  for (let row = 0 as TransferIndex; row < types.length; row++) {
    const type = types[row] as number
    if (type > FORBIDDEN) continue
    const [fromTrip, toTrip] = [transfers.fromTrip[row], transfers.toTrip[row]]
    const [fromLine, toLine] = [transfers.fromLine[row], transfers.toLine[row]]
    const stationCount = Number(transfers.fromStop[row] === NONE) + Number(transfers.toStop[row] === NONE)
    const weight = weightOf(fromTrip, fromLine) + weightOf(toTrip, toLine)
    const rank = stationCount - weight * STATION_RANKS
    const rule = { type, minSeconds: transfers.minSeconds[row], fromLine, toLine, fromTrip, toTrip, rank }
    for (const start of stopsNamed(timetable, transfers.fromStop[row], transfers.fromArea[row])) {
      const ofStart = pairs.getOrInsertComputed(start, () => new Map<number, PairRule[]>())
      for (const end of stopsNamed(timetable, transfers.toStop[row], transfers.toArea[row])) {
        ofStart.getOrInsertComputed(end, () => []).push(rule)
      }
    }
  }
  for (const ofStart of pairs.values()) for (const list of ofStart.values()) list.sort((a, b) => a.rank - b.rank)
  return pairs
}

/** More than a rule can name stations. */
const STATION_RANKS = 3

/** What a side adds, so that sums order as GTFS has it: two trips, trip and line, trip, two lines, line, none. */
function weightOf(trip: number, line: number): number {
  if (trip !== NONE) return 5
  return line === NONE ? 0 : 2
}

function slowestChanges({ offset, point, seconds, station }: Omit<Footpaths, 'slowest'>): Int32Array {
  const slowest = new Int32Array(station.length)
  for (let from = 0; from < station.length; from++) {
    for (let at = offset[from] as number; at < (offset[from + 1] as number); at++) {
      if (station[from] !== station[point[at] as number]) continue
      slowest[from] = Math.max(slowest[from] as number, seconds[at] as number)
    }
  }
  return slowest
}

/** The same changes by the point one boards at, for a search that runs backwards. */
export function mirrorFootpaths(footpaths: Footpaths): Footpaths {
  const { station } = footpaths
  const pointCount = station.length
  const offset = new Uint32Array(pointCount + 1)
  for (const to of footpaths.point) offset[to + 1] = (offset[to + 1] as number) + 1
  for (let at = 0; at < pointCount; at++) offset[at + 1] = (offset[at + 1] as number) + (offset[at] as number)
  const next = offset.slice()
  const point = new Uint32Array(footpaths.point.length)
  const seconds = new Int32Array(footpaths.point.length)
  const from = new Uint32Array(footpaths.point.length)
  for (let start = 0; start < pointCount; start++) {
    from.fill(start, footpaths.offset[start], footpaths.offset[start + 1])
  }
  // Quickest first here too: the search leaves a point's changes at the first that comes too late.
  const order = Uint32Array.from(from.keys()).sort(
    (a, b) => (footpaths.seconds[a] as number) - (footpaths.seconds[b] as number) || a - b,
  )
  for (const at of order) {
    const to = footpaths.point[at] as number
    const place = next[to] as number
    next[to] = place + 1
    point[place] = from[at] as number
    seconds[place] = footpaths.seconds[at] as number
  }
  const paths = { offset, point, seconds, station }
  return { ...paths, slowest: slowestChanges(paths) }
}

/** The same changes, each of which takes so much longer. */
export function slowFootpaths(footpaths: Footpaths, moreSeconds: number): Footpaths {
  const more = (seconds: number) => seconds + moreSeconds
  return { ...footpaths, seconds: footpaths.seconds.map(more), slowest: footpaths.slowest.map(more) }
}

/** Seconds of the change between two points; undefined where there is none. */
export function findChange({ offset, point, seconds }: Footpaths, from: number, to: number): number | undefined {
  for (let at = offset[from] as number; at < (offset[from + 1] as number); at++) {
    if (point[at] === to) return seconds[at]
  }
  return undefined
}
