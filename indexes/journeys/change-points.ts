// Transfer points. Each transfer leads from one transfer point to another. A transfer point is a stop, or a stop as
// used by one line or trip that has its own rules in transfers.txt. So the duration of a transfer depends only on its
// two points, and a search does not have to look at lines and trips.
import { columnArray, NONE, nextIndex } from '../../loaders/columns.ts'
import { linesOfArea, stopsOfArea } from '../timetable/areas.ts'
import {
  type AreaIndex,
  callCount,
  type LineIndex,
  type PatternStopIndex,
  type StopIndex,
  type Timetable,
  type TransferIndex,
  type TripIndex,
} from '../timetable/timetable.ts'

/** The lowest transfer_type in transfers.txt for in-seat transfers; all higher values are for in-seat transfers too. */
const IN_SEAT = 4

/**
 * Trips may be moved to another platform of their station, and their rules must apply there too. So each trip with
 * rules also needs points at platforms where it does not call in the timetable. This is the maximum number of such
 * points. If a feed needs more, the rules of the remaining trips apply only at their platforms in the timetable.
 */
const MOST_MOVED_POINTS = 50_000

/** The number of transfer points and hubs, and the hub of each point. */
export interface PointPlaces {
  readonly count: number
  /** Point → the hub of its stop, which represents all points of the stop; NONE if the stop has only one point. */
  readonly hubOf: Uint32Array
}

/**
 * The transfer points of a timetable, in this order: the plain point of each stop, by stop number; the points for one
 * line or one trip at a stop; a hub for each stop with several points. A transfer to a hub is a transfer to every point
 * of its stop. Without hubs there would be millions of transfers, because one stop may have points for thousands of
 * trips.
 */
export class ChangePoints implements PointPlaces {
  /** Transfer point → its stop. */
  readonly stopOf: readonly StopIndex[]
  /** Transfer point → its line; NONE for hubs and for plain points, which are for lines and trips without rules. */
  readonly lineOf: readonly number[]
  /** Transfer point → its trip; NONE for all points that are not for a single trip. */
  readonly tripOf: readonly number[]
  /** Trip → 1 if the trip has points of its own. */
  readonly isSingled: Uint8Array
  readonly hubOf: Uint32Array
  /** The first hub; the same as `count` if there are none. */
  readonly firstHub: number
  private readonly own = new Map<StopIndex, OwnPoints>()

  constructor(timetable: Timetable) {
    const { stops, trips, transfers } = timetable
    const stopOf = Array.from({ length: stops.id.length }, (_, stop) => stop as StopIndex)
    const lineOf: number[] = stopOf.map(() => NONE)
    const tripOf: number[] = stopOf.map(() => NONE)
    this.isSingled = new Uint8Array(trips.id.length)
    const add = (stop: StopIndex, line: LineIndex, trip: TripIndex) => {
      const here = this.own.getOrInsertComputed(stop, () => ({ of: new Map(), ofLine: new Map(), all: [] }))
      const key = trip === NONE ? `line ${line}` : `trip ${trip}`
      if (here.of.has(key)) return
      here.of.set(key, stopOf.length)
      here.ofLine.getOrInsertComputed(line, () => []).push(stopOf.length)
      here.all.push(stopOf.length)
      stopOf.push(stop)
      lineOf.push(line)
      tripOf.push(trip)
    }
    const addAll = (places: readonly StopIndex[], line: LineIndex, trip: TripIndex) => {
      if (trip !== NONE) {
        this.isSingled[trip] = 1
        const called = stopsOf(timetable, trip)
        const stations = new Set([...called].map((stop) => stops.area[stop]))
        for (const stop of places) {
          const isMoved = !called.has(stop)
          if (isMoved && (moved >= MOST_MOVED_POINTS || !isOfSome(stations, stops.area[stop]))) continue
          if (isMoved) moved++
          add(stop, lineOfTrip(timetable, trip), trip)
        }
      } else if (line !== NONE) {
        for (const stop of places) if (callsAt(timetable, line, stop)) add(stop, line, trip)
      }
    }
    let moved = 0
    const types = columnArray(transfers.type)
    for (let row = 0 as TransferIndex; row < types.length; row++) {
      if (types[row] >= IN_SEAT) continue
      const [from, to] = [
        stopsNamed(timetable, transfers.fromStop[row], transfers.fromArea[row]),
        stopsNamed(timetable, transfers.toStop[row], transfers.toArea[row]),
      ]
      addAll(from, transfers.fromLine[row], transfers.fromTrip[row])
      addAll(to, transfers.toLine[row], transfers.toTrip[row])
    }
    this.firstHub = stopOf.length
    const hubs = [...this.own.keys()]
    this.hubOf = new Uint32Array(stopOf.length + hubs.length).fill(NONE)
    for (const [at, stop] of hubs.entries()) {
      for (const point of this.pointsOf(stop)) this.hubOf[point] = this.firstHub + at
      stopOf.push(stop)
      lineOf.push(NONE)
      tripOf.push(NONE)
    }
    this.stopOf = stopOf
    this.lineOf = lineOf
    this.tripOf = tripOf
  }

  get count(): number {
    return this.stopOf.length
  }

  /**
   * The point that riders of a trip use when they board or alight at a stop.
   * @param trip NONE for a trip that no rule can name
   */
  pointOf(stop: StopIndex, line: LineIndex, trip: number): number {
    const here = this.own.get(stop)
    if (here === undefined) return stop
    return here.of.get(`trip ${trip}`) ?? here.of.get(`line ${line}`) ?? stop
  }

  /** The point that represents all points of a stop: the hub of the stop, or its only point. */
  startOf(stop: StopIndex): number {
    const hub = this.hubOf[stop]
    return hub === NONE ? stop : hub
  }

  /** The points at a stop that belong to a line: the point of the line and the points of its trips. */
  pointsOfLine(stop: StopIndex, line: number): readonly number[] {
    return this.own.get(stop)?.ofLine.get(line) ?? []
  }

  /** The point at a stop that is only for this trip; undefined if there is none. */
  pointOfTrip(stop: StopIndex, trip: number): number | undefined {
    return this.own.get(stop)?.of.get(`trip ${trip}`)
  }

  /** All points of a stop, without its hub. The plain point comes first. */
  pointsOf(stop: StopIndex): readonly number[] {
    const here = this.own.get(stop)
    return here === undefined ? [stop] : [stop, ...here.all]
  }
}

/** The points at a stop that are for one line or one trip. */
interface OwnPoints {
  readonly of: Map<string, number>
  readonly ofLine: Map<number, number[]>
  readonly all: number[]
}

/** The stops to which a rule applies: a single stop, or the stops of a station. */
export function stopsNamed(timetable: Timetable, stop: StopIndex, area: AreaIndex): readonly StopIndex[] {
  if (stop !== NONE) return [stop]
  return area === NONE ? [] : stopsOfArea(timetable, area)
}

function lineOfTrip({ patterns, trips }: Timetable, trip: TripIndex): LineIndex {
  return patterns.line[trips.pattern[trip]]
}

function stopsOf(timetable: Timetable, trip: TripIndex): ReadonlySet<StopIndex> {
  const { patterns, trips } = timetable
  const pattern = trips.pattern[trip]
  const first = patterns.stopOffset[pattern]
  const stops = new Set<StopIndex>()
  for (let call = 0; call < callCount(timetable, pattern); call++) {
    stops.add(patterns.stopAt[(first + call) as PatternStopIndex])
  }
  return stops
}

function isOfSome(stations: ReadonlySet<AreaIndex>, area: AreaIndex): boolean {
  return area !== NONE && stations.has(area)
}

/**
 * Whether a line calls at a stop or at another stop of its station. The station counts because trips may be moved
 * between platforms.
 */
function callsAt(timetable: Timetable, line: LineIndex, stop: StopIndex): boolean {
  const { stops } = timetable
  const area = stops.area[stop]
  if (area !== NONE) return linesOfArea(timetable, area).includes(line)
  const end = stops.lineOffset[nextIndex(stop)]
  for (let at = stops.lineOffset[stop]; at < end; at++) if (stops.lineAt[at] === line) return true
  return false
}
