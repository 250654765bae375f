// How long it takes to change from a vehicle at one stop to a vehicle at another: the walk, what is kept on top of it, and
// the feed's own rules (transfers.txt). Worked out once for a timetable.
import { columnArray, NONE } from '../../loaders/columns.ts'
import { findInWalk, type WalkPlace, walkMeters, walkSeconds } from '../spatial/walking.ts'
import { stopsOfArea } from '../timetable/areas.ts'
import type { AreaIndex, StopIndex, Timetable, TransferIndex } from '../timetable/timetable.ts'

/** What a network sets for changes. */
export interface ChangeRules {
  /** Longest walk between two stops. */
  readonly walkMeters: number
  /** Kept on top of the walk. */
  readonly changeSeconds: number
}

/** Changes by the stop one alights at. */
export interface Footpaths {
  /** Stop → its first change; one longer. The change at the stop itself is among them, unless it is forbidden. */
  readonly offset: Uint32Array
  readonly stop: Uint32Array
  /** From alighting to boarding, at least. */
  readonly seconds: Int32Array
  /** Of the walk. */
  readonly meters: Uint32Array
}

/** transfers.txt, transfer_type. */
const TIMED = 1
const MINIMUM = 2
const FORBIDDEN = 3
const RECOMMENDED = 0

/** The rule of a pair of stops. */
interface PairRule {
  readonly type: number
  readonly minSeconds: number
  /** Stop to stop before a station on one side, before stations on both. */
  readonly rank: number
}

/** All changes of a timetable. */
export function buildFootpaths(timetable: Timetable, rules: ChangeRules): Footpaths {
  const stopCount = timetable.stops.id.length
  const byFrom = readPairRules(timetable)
  const offset = new Uint32Array(stopCount + 1)
  const stops: number[] = []
  const seconds: number[] = []
  const meters: number[] = []
  for (let from = 0 as StopIndex; from < stopCount; from++) {
    for (const change of changesFrom(timetable, from, byFrom.get(from), rules)) {
      stops.push(change.to)
      seconds.push(change.seconds)
      meters.push(change.meters)
    }
    offset[from + 1] = stops.length
  }
  return { offset, stop: Uint32Array.from(stops), seconds: Int32Array.from(seconds), meters: Uint32Array.from(meters) }
}

interface Change {
  readonly to: number
  readonly seconds: number
  readonly meters: number
}

function changesFrom(
  timetable: Timetable,
  from: StopIndex,
  pairs: ReadonlyMap<number, PairRule> | undefined,
  { walkMeters: maxMeters, changeSeconds }: ChangeRules,
): Change[] {
  const { stops, pointTrees } = timetable
  const here = placeOf(timetable, from)
  const reached = new Map<number, { meters: number; seconds: number }>()
  for (const { index, meters, seconds } of findInWalk(pointTrees.stops, stops, { ...here, maxMeters })) {
    reached.set(index, { meters, seconds })
  }
  reached.set(from, { meters: 0, seconds: 0 })
  // A timed or minimum change links stops that lie farther apart too.
  for (const [to, { type }] of pairs ?? []) {
    if ((type !== TIMED && type !== MINIMUM) || reached.has(to)) continue
    const meters = walkMeters(here, placeOf(timetable, to as StopIndex))
    reached.set(to, { meters, seconds: walkSeconds(meters) })
  }
  const changes: Change[] = []
  for (const [to, { meters, seconds }] of reached) {
    const rule = pairs?.get(to)
    if (rule?.type === FORBIDDEN) continue
    const usual = seconds + changeSeconds
    const whole = rule?.type === TIMED ? seconds : rule?.type === MINIMUM ? rule.minSeconds : usual
    changes.push({ to, meters, seconds: whole })
  }
  return changes.sort((a, b) => a.seconds - b.seconds || a.to - b.to)
}

function placeOf({ stops }: Timetable, stop: StopIndex): WalkPlace {
  return { lat: stops.lat[stop], lon: stops.lon[stop] }
}

/** The rules that name places alone, spread over the stops of their stations: a stop's own before its station's. */
function readPairRules(timetable: Timetable): Map<number, Map<number, PairRule>> {
  const { transfers } = timetable
  const pairs = new Map<number, Map<number, PairRule>>()
  const type = columnArray(transfers.type)
  for (let row = 0 as TransferIndex; row < type.length; row++) {
    const kind = type[row] as number
    const isGeneral = [transfers.fromLine, transfers.toLine, transfers.fromTrip, transfers.toTrip].every(
      (column) => column[row] === NONE,
    )
    if (!isGeneral || kind > FORBIDDEN || kind === RECOMMENDED) continue
    const from = stopsNamed(timetable, transfers.fromStop[row], transfers.fromArea[row])
    const to = stopsNamed(timetable, transfers.toStop[row], transfers.toArea[row])
    const rank = from.rank + to.rank
    const minSeconds = transfers.minSeconds[row] === NONE ? 0 : transfers.minSeconds[row]
    for (const start of from.stops) {
      const ofStart = pairs.getOrInsertComputed(start, () => new Map<number, PairRule>())
      for (const end of to.stops) {
        const known = ofStart.get(end)
        if (known === undefined || rank < known.rank) ofStart.set(end, { type: kind, minSeconds, rank })
      }
    }
  }
  return pairs
}

function stopsNamed(
  timetable: Timetable,
  stop: StopIndex,
  area: AreaIndex,
): { readonly stops: readonly StopIndex[]; readonly rank: number } {
  if (stop !== NONE) return { stops: [stop], rank: 0 }
  if (area !== NONE) return { stops: stopsOfArea(timetable, area), rank: 1 }
  return { stops: [], rank: 0 }
}

/** The same changes by the stop one boards at, for a search that runs backwards. */
export function mirrorFootpaths(footpaths: Footpaths): Footpaths {
  const stopCount = footpaths.offset.length - 1
  const offset = new Uint32Array(stopCount + 1)
  for (const to of footpaths.stop) offset[to + 1] = (offset[to + 1] as number) + 1
  for (let stop = 0; stop < stopCount; stop++)
    offset[stop + 1] = (offset[stop + 1] as number) + (offset[stop] as number)
  const next = offset.slice()
  const count = footpaths.stop.length
  const mirrored = {
    offset,
    stop: new Uint32Array(count),
    seconds: new Int32Array(count),
    meters: new Uint32Array(count),
  }
  for (let from = 0; from < stopCount; from++) {
    for (let at = footpaths.offset[from] as number; at < (footpaths.offset[from + 1] as number); at++) {
      const to = footpaths.stop[at] as number
      const place = next[to] as number
      next[to] = place + 1
      mirrored.stop[place] = from
      mirrored.seconds[place] = footpaths.seconds[at] as number
      mirrored.meters[place] = footpaths.meters[at] as number
    }
  }
  return mirrored
}
