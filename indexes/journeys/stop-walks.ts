// The walks between stops that transfers can use: short walks, walks along a station's pathways, and walks for which
// transfers.txt has a rule.
import { GrowingColumn } from '../../loaders/columns.ts'
import { StraightWalks } from '../streets/straight-walks.ts'
import type { Walk, Walks } from '../streets/walks.ts'
import { hasWays, isShut, waysFromStop } from '../timetable/station-ways.ts'
import type { StopIndex, Timetable } from '../timetable/timetable.ts'
import { type ChangeRuleTable, stopsRuled } from './change-rules.ts'

/** The walks between stops, listed by the stop where they start. */
export interface StopWalks {
  /** Stop → its first walk; has one extra entry. The walk from the stop to itself is included. */
  readonly offset: Uint32Array
  readonly stop: Uint32Array
  readonly seconds: Int32Array
  /** 1 if the walk can be used without a rule in transfers.txt: it is short enough, or inside a station. */
  readonly isLinked: Uint8Array
}

/** Decides which walks are listed. */
export interface StopWalkRules {
  /** Maximum length of a walk for which transfers.txt has no rule. */
  readonly walkMeters: number
  /** Walks along streets; if absent, walks are straight lines. */
  readonly walks?: Walks | undefined
}

/** Lists the walks between the stops of a timetable. */
export function listStopWalks(
  timetable: Timetable,
  table: ChangeRuleTable,
  { walkMeters: maxMeters, walks: source = new StraightWalks(timetable) }: StopWalkRules,
): StopWalks {
  const stopCount = timetable.stops.id.length
  const offset = new Uint32Array(stopCount + 1)
  const reached = new GrowingColumn(Uint32Array)
  const seconds = new GrowingColumn(Int32Array)
  const isLinked = new GrowingColumn(Uint8Array)
  const [noWayOut, noWayIn] = (['out', 'in'] as const).map((way) => shutStops(timetable, way))
  const isBarred = (from: number, to: number) => noWayOut[from] === 1 || noWayIn[to] === 1
  const hasBars = noWayOut.includes(1) || noWayIn.includes(1)
  const push = (end: number, walk: number, linked: 0 | 1) => {
    reached.push(end)
    seconds.push(walk)
    isLinked.push(linked)
  }
  for (let stop = 0 as StopIndex; stop < stopCount; stop++) {
    if (!hasBars && !hasWays(timetable, stop) && table.get(stop) === undefined) {
      for (const near of source.near(stop, maxMeters)) if (near.stop !== stop) push(near.stop, near.seconds, 1)
      push(stop, 0, 1)
      offset[stop + 1] = reached.length
      continue
    }
    const walks = new Map<number, number>()
    for (const near of source.near(stop, maxMeters)) walks.set(near.stop, near.seconds)
    for (const end of [...walks.keys()]) if (isBarred(stop, end)) walks.delete(end)
    // Inside a station, walks of any length along the feed's pathways replace all other walks, because pathways are
    // more accurate. An infinite time means that all pathways between the two stops are closed.
    const inside: ReadonlyMap<number, number> = waysFromStop(timetable, stop)
    for (const [end, seconds] of inside) {
      if (seconds === Infinity) walks.delete(end)
      else walks.set(end, seconds)
    }
    walks.set(stop, 0)
    const linkedCount = walks.size
    for (const end of stopsRuled(table, stop)) {
      if (!walks.has(end) && !inside.has(end) && !isBarred(stop, end))
        walks.set(end, source.change(stop, end as StopIndex).seconds)
    }
    for (const [end, walk] of walks) push(end, walk, reached.length - offset[stop] < linkedCount ? 1 : 0)
    offset[stop + 1] = reached.length
  }
  return { offset, stop: reached.take(), seconds: seconds.take(), isLinked: isLinked.take() }
}

/** Stop → 1 if the stop has entrances, but riders cannot use any of them to enter (`in`) or to leave (`out`). */
function shutStops(timetable: Timetable, way: 'in' | 'out'): Uint8Array {
  const { length } = timetable.stops.id
  return Uint8Array.from({ length }, (_, stop) => Number(isShut(timetable, stop as StopIndex, way)))
}

/** Lists the same walks by the stop where they end. */
export function mirrorStopWalks({ offset, stop, seconds, isLinked }: StopWalks): StopWalks {
  const mirrored = {
    offset: new Uint32Array(offset.length),
    stop: new Uint32Array(stop.length),
    seconds: new Int32Array(stop.length),
    isLinked: new Uint8Array(stop.length),
  }
  for (const end of stop) mirrored.offset[end + 1] = mirrored.offset[end + 1] + 1
  for (let at = 0; at + 1 < offset.length; at++) {
    mirrored.offset[at + 1] = mirrored.offset[at + 1] + mirrored.offset[at]
  }
  const next = mirrored.offset.slice()
  for (let start = 0; start + 1 < offset.length; start++) {
    for (let walk = offset[start]; walk < offset[start + 1]; walk++) {
      const end = stop[walk]
      const at = next[end]
      next[end] = at + 1
      mirrored.stop[at] = start
      mirrored.seconds[at] = seconds[walk]
      mirrored.isLinked[at] = isLinked[walk]
    }
  }
  return mirrored
}

/** The walk between two stops: along pathways if they connect the stops, otherwise in a straight line. */
export function changeWalk(timetable: Timetable, from: StopIndex, to: StopIndex): Walk {
  return new StraightWalks(timetable).change(from, to)
}
