// The minimum time for a transfer from a vehicle at one point to a vehicle at another point. If transfers.txt has a
// rule for the transfer, the rule sets the time. Otherwise, the time is the walking time plus extra time. Inside a
// station, the walk follows the pathways if there are any. The times are computed once per timetable.
import { GrowingColumn, NONE } from '../../loaders/columns.ts'
import type { StopIndex, Timetable } from '../timetable/timetable.ts'
import type { ChangePoints } from './change-points.ts'
import {
  type ChangeRule,
  type ChangeRuleTable,
  FORBIDDEN,
  MINIMUM,
  type PairRules,
  readChangeRules,
  TIMED,
} from './change-rules.ts'
import { listStopWalks, mirrorStopWalks, type StopWalkRules, type StopWalks } from './stop-walks.ts'

/** The transfer settings of a network, and the trips to leave out. */
export interface ChangeRules extends StopWalkRules {
  /** Added to the walking time of a transfer, in seconds. */
  readonly changeSeconds: number
  /** Trip → 1 if the trip must not be used; undefined if all trips may be used. */
  readonly leftOut?: Uint8Array | undefined
}

/** The transfers, listed by alighting point. */
export interface Footpaths {
  /**
   * Point → its first transfer; has one extra entry. A transfer between vehicles at the point itself is included,
   * unless it is forbidden.
   */
  readonly offset: Uint32Array
  /**
   * Transfer → its boarding point, or a hub. A hub stands for all points of its stop that are not barred. The transfers
   * from a point are listed quickest first.
   */
  readonly point: Uint32Array
  /** Transfer → the minimum time from alighting to boarding. */
  readonly seconds: Int32Array
  /** Point → its first barred point; has one extra entry. */
  readonly barOffset: Uint32Array
  /**
   * The barred points. A transfer to a barred point takes longer than one to the rest of its stop, or is impossible. So
   * a transfer to the hub of the stop does not apply to a barred point.
   */
  readonly barred: Uint32Array
  /** The first hub. */
  readonly firstHub: number
  /** Hub − firstHub → the first of its points in `member`; has one extra entry. */
  readonly memberOffset: Uint32Array
  readonly member: Uint32Array
  readonly hubOf: Uint32Array
  /**
   * Point → a number that is the same for all points of its station or, outside stations, for all points of its stop.
   */
  readonly station: Uint32Array
  /** Point → the duration of its slowest transfer within its station. */
  readonly slowest: Int32Array
}

/**
 * The transfers for a forward search and for a backward search. For a backward search, transfers are listed by boarding
 * point.
 */
export interface FootpathPair {
  readonly forward: Footpaths
  readonly backward: Footpaths
}

/** Computes all transfers in a timetable. */
export function buildFootpaths(timetable: Timetable, points: ChangePoints, rules: ChangeRules): FootpathPair {
  const table = readChangeRules(timetable, false)
  const walks = listStopWalks(timetable, table, rules)
  const places = placesOf(timetable, points)
  const { changeSeconds } = rules
  return {
    forward: buildOneWay({ points, walks, table, places, changeSeconds }),
    backward: buildOneWay({
      points,
      walks: mirrorStopWalks(walks),
      table: readChangeRules(timetable, true),
      places,
      changeSeconds,
    }),
  }
}

/** The columns that are the same for forward and backward searches. */
type PointColumns = Pick<Footpaths, 'firstHub' | 'memberOffset' | 'member' | 'hubOf' | 'station'>

function placesOf(timetable: Timetable, points: ChangePoints): PointColumns {
  const { firstHub, hubOf, stopOf, count } = points
  const memberOffset = new Uint32Array(count - firstHub + 1)
  const member: number[] = []
  for (let hub = firstHub; hub < count; hub++) {
    member.push(...points.pointsOf(stopOf[hub]))
    memberOffset[hub - firstHub + 1] = member.length
  }
  const station = Uint32Array.from(stopOf, (stop) => {
    const area = timetable.stops.area[stop]
    return area === NONE ? timetable.areas.id.length + stop : area
  })
  return { firstHub, hubOf, memberOffset, member: Uint32Array.from(member), station }
}

interface OneWay {
  readonly points: ChangePoints
  readonly walks: StopWalks
  readonly table: ChangeRuleTable
  readonly places: PointColumns
  readonly changeSeconds: number
}

function buildOneWay(way: OneWay): Footpaths {
  const { points, places } = way
  const offset = new Uint32Array(points.count + 1)
  const barOffset = new Uint32Array(points.count + 1)
  const point = new GrowingColumn(Uint32Array)
  const seconds = new GrowingColumn(Int32Array)
  const barred: number[] = []
  for (let from = 0; from < points.count; from++) {
    // Riders alight at points, not at hubs, so a hub has no transfers of its own.
    if (from < points.firstHub && way.table.get(points.stopOf[from]) === undefined)
      addWalks(way, from, { point, seconds })
    else if (from < points.firstHub) {
      for (const change of changesFrom(way, from, barred)) {
        point.push(change.to)
        seconds.push(change.seconds)
      }
    }
    offset[from + 1] = point.length
    barOffset[from + 1] = barred.length
  }
  const columns = {
    ...places,
    offset,
    point: point.view().slice(),
    seconds: seconds.view().slice(),
    barOffset,
    barred: Uint32Array.from(barred),
  }
  return { ...columns, slowest: slowestChanges(columns) }
}

/** Adds the transfers from a point without rules: its walks, quickest first. */
function addWalks(
  { points, walks, changeSeconds }: OneWay,
  from: number,
  into: { readonly point: GrowingColumn<Uint32Array>; readonly seconds: GrowingColumn<Int32Array> },
): void {
  const { point, seconds } = into
  const first = point.length
  const stop = points.stopOf[from]
  for (let walk = walks.offset[stop]; walk < walks.offset[stop + 1]; walk++) {
    if (walks.isLinked[walk] === 0) continue
    const to = points.startOf(walks.stop[walk] as StopIndex)
    const takes = walks.seconds[walk] + changeSeconds
    let at = point.length
    point.push(to)
    seconds.push(takes)
    for (; at > first; at--) {
      const before = seconds.at(at - 1)
      if (before < takes || (before === takes && point.at(at - 1) <= to)) break
      point.set(at, point.at(at - 1))
      seconds.set(at, before)
    }
    point.set(at, to)
    seconds.set(at, takes)
  }
}

interface Change {
  readonly to: number
  readonly seconds: number
}

/** A walk between two stops. */
interface Walk {
  readonly seconds: number
  readonly isLinked: boolean
}

/**
 * The transfers from a point, quickest first.
 * @param barred a list to which this function adds the barred points (see Footpaths)
 */
function changesFrom(way: OneWay, from: number, barred: number[]): Change[] {
  const { points, walks, table, changeSeconds } = way
  const stop = points.stopOf[from]
  const ruled = table.get(stop)
  const changes: Change[] = []
  for (let at = walks.offset[stop]; at < walks.offset[stop + 1]; at++) {
    const end = walks.stop[at] as StopIndex
    const walk = { seconds: walks.seconds[at], isLinked: walks.isLinked[at] === 1 }
    const rules = rulesFrom(points, ruled?.get(end), from)
    const general = rules.find(({ toLine, toTrip }) => toLine === NONE && toTrip === NONE)
    const seconds = secondsOf(general, walk, changeSeconds)
    if (seconds !== undefined) changes.push({ to: points.startOf(end), seconds })
    for (const to of pointsNamed(points, end, rules)) {
      const own = secondsOf(
        rules.find((rule) => holdsFor(rule, points, to)),
        walk,
        changeSeconds,
      )
      if (own === seconds) continue
      if (own !== undefined) changes.push({ to, seconds: own })
      if (seconds !== undefined && (own === undefined || own > seconds)) barred.push(to)
    }
  }
  return changes.sort((a, b) => a.seconds - b.seconds || a.to - b.to)
}

function rulesFrom({ lineOf, tripOf }: ChangePoints, pair: PairRules | undefined, from: number): readonly ChangeRule[] {
  return pair === undefined ? [] : pair.rulesFrom(lineOf[from], tripOf[from])
}

/** The points of a stop that belong to the departing lines and trips of the rules. */
function pointsNamed(points: ChangePoints, stop: StopIndex, rules: readonly ChangeRule[]): Iterable<number> {
  const named = new Set<number>()
  for (const { toLine, toTrip } of rules) {
    if (toTrip !== NONE) {
      const point = points.pointOfTrip(stop, toTrip)
      if (point !== undefined) named.add(point)
    } else if (toLine !== NONE) for (const point of points.pointsOfLine(stop, toLine)) named.add(point)
  }
  return named
}

function holdsFor({ toLine, toTrip }: ChangeRule, { lineOf, tripOf }: ChangePoints, to: number): boolean {
  return (toTrip === NONE || toTrip === tripOf[to]) && (toLine === NONE || toLine === lineOf[to])
}

/**
 * The duration of a transfer in seconds, from a rule (if there is one) and the walk; undefined if the transfer is not
 * possible. A minimum-time rule without a time has no effect.
 */
function secondsOf(rule: ChangeRule | undefined, walk: Walk, changeSeconds: number): number | undefined {
  if (rule?.type === FORBIDDEN) return undefined
  if (rule?.type === TIMED) return walk.seconds
  if (rule?.type === MINIMUM && rule.minSeconds !== NONE) return rule.minSeconds
  return walk.isLinked ? walk.seconds + changeSeconds : undefined
}

function slowestChanges({ offset, point, seconds, station }: Omit<Footpaths, 'slowest'>): Int32Array {
  const slowest = new Int32Array(station.length)
  for (let from = 0; from < station.length; from++) {
    for (let at = offset[from]; at < offset[from + 1]; at++) {
      if (station[from] !== station[point[at]]) continue
      slowest[from] = Math.max(slowest[from], seconds[at])
    }
  }
  return slowest
}

/** Returns the footpaths, with `moreSeconds` added to every transfer. */
export function slowFootpaths(footpaths: Footpaths, moreSeconds: number): Footpaths {
  return {
    ...footpaths,
    seconds: addToAll(footpaths.seconds, moreSeconds),
    slowest: addToAll(footpaths.slowest, moreSeconds),
  }
}

/**
 * Adds a number to all values. Uses a loop because `map` would call a function for each of millions of values, which
 * takes 170 ms for a country.
 */
function addToAll(values: Int32Array, addend: number): Int32Array {
  const sums = new Int32Array(values.length)
  for (let at = 0; at < values.length; at++) sums[at] = values[at] + addend
  return sums
}

/** Whether `to` is one of the barred points of `from` (see Footpaths). */
export function isBarred({ barOffset, barred }: Footpaths, from: number, to: number): boolean {
  for (let at = barOffset[from]; at < barOffset[from + 1]; at++) if (barred[at] === to) return true
  return false
}

/** Duration in seconds of the transfer between two points; undefined if no transfer is possible. */
export function findChange(footpaths: Footpaths, from: number, to: number): number | undefined {
  const { offset, point, seconds, hubOf } = footpaths
  const hub = hubOf[to]
  // The transfers from a point are sorted, quickest first, so the first match is the quickest.
  for (let at = offset[from]; at < offset[from + 1]; at++) {
    if (point[at] === to || (point[at] === hub && !isBarred(footpaths, from, to))) return seconds[at]
  }
  return undefined
}
