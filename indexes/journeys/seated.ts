// In-seat transfers: vehicles that continue as another trip (block_id, transfers.txt types 4 and 5).
import { columnArray, GrowingColumn, NONE, nextIndex } from '../../loaders/columns.ts'
import { greatCircleMeters } from '../spatial/great-circle.ts'
import { Blocks } from '../timetable/blocks.ts'
import { NO_RUN } from '../timetable/board-cursor.ts'
import {
  callCount,
  type PatternStopIndex,
  type StopIndex,
  stopTimeAt,
  type Timetable,
  type TransferIndex,
  type TripIndex,
} from '../timetable/timetable.ts'
import { type ChangePoints, stopsNamed } from './change-points.ts'
import { type Continuations, placeIn, toContinuations } from './continuations.ts'
import {
  arrivalAt,
  departureAt,
  firstCallOf,
  firstInstanceOf,
  lengthOf,
  pointAt,
  type RouteLayer,
} from './route-layer.ts'
import type { InstancePlaces, Span } from './span.ts'

/** Values of transfer_type in transfers.txt. */
const FORCED = 4
const FORBIDDEN = 5
const NEAR_METERS = 100
const LATEST_SECONDS = 600
const ANY = Number.POSITIVE_INFINITY

/** Two trips that the feed joins by a rule for an in-seat transfer. */
interface ForcedPair {
  readonly from: TripIndex
  readonly to: TripIndex
  /**
   * 1 if the start time of the second trip in the timetable is earlier than the end time of the first. The second trip
   * then runs on the next service day.
   */
  readonly dayShift: 0 | 1
  /** Maximum distance from the last stop of the first trip to the first stop of the second. */
  readonly mostMeters: number
}

/** The in-seat transfer rules of a timetable, for any day. */
export interface SeatRules {
  /** Pairs of trips that the feed joins by an in-seat transfer. */
  readonly forced: readonly ForcedPair[]
  /** `<from> <to>` for each pair of trips for which the feed requires or forbids an in-seat transfer. */
  readonly ruled: ReadonlySet<string>
  readonly blocks: Blocks
}

/** Reads the in-seat transfer rules and the blocks. */
export function readSeatRules(timetable: Timetable): SeatRules {
  const { transfers } = timetable
  const types = columnArray(transfers.type)
  const ruled = new Map<string, { type: number; row: TransferIndex; pair: readonly [TripIndex, TripIndex] }>()
  for (let row = 0 as TransferIndex; row < types.length; row++) {
    const type = types[row]
    const [from, to] = [transfers.fromTrip[row], transfers.toTrip[row]]
    if ((type !== FORCED && type !== FORBIDDEN) || from === NONE || to === NONE) continue
    ruled.set(`${from} ${to}`, { type, row, pair: [from, to] })
  }
  return {
    forced: [...ruled.values()]
      .filter(({ type }) => type === FORCED)
      .map(({ row, pair: [from, to] }) => ({
        from,
        to,
        dayShift: startsLater(timetable, from, to) ? 0 : 1,
        mostMeters: namesEnds(timetable, row) ? ANY : NEAR_METERS,
      })),
    ruled: new Set(ruled.keys()),
    blocks: new Blocks(timetable),
  }
}

/**
 * Whether a rule joins the end of its first trip to the start of its second trip. For trains that are divided on the
 * way, a rule may name a stop in the middle of a trip. Such a rule does not join ends, because riders cannot continue
 * from the end of that trip.
 */
function namesEnds(timetable: Timetable, row: TransferIndex): boolean {
  const { patterns, stops, transfers, trips } = timetable
  const { fromStop, fromArea, fromTrip, toStop, toArea, toTrip } = transfers
  const isNear = (named: readonly StopIndex[], end: StopIndex) =>
    named.length === 0 ||
    named.some(
      (stop) => greatCircleMeters(stops.lat[stop], stops.lon[stop], stops.lat[end], stops.lon[end]) <= NEAR_METERS,
    )
  const [from, to] = [trips.pattern[fromTrip[row]], trips.pattern[toTrip[row]]]
  const last = (patterns.stopOffset[nextIndex(from)] - 1) as PatternStopIndex
  return (
    isNear(stopsNamed(timetable, fromStop[row], fromArea[row]), patterns.stopAt[last]) &&
    isNear(stopsNamed(timetable, toStop[row], toArea[row]), patterns.stopAt[patterns.stopOffset[to]])
  )
}

/** Whether the trip `started` starts after the trip `ended` has ended, if both run on the same service day. */
function startsLater(timetable: Timetable, ended: TripIndex, started: TripIndex): boolean {
  const { trips, stopTimes } = timetable
  const last = stopTimeAt(timetable, ended, callCount(timetable, trips.pattern[ended]) - 1)
  return stopTimes.departureSeconds[stopTimeAt(timetable, started, 0)] >= stopTimes.arrivalSeconds[last]
}

/** The in-seat transfers of a span, for forward and for backward searches. */
export interface SeatedPairs {
  readonly forward: Continuations
  readonly backward: Continuations
}

/** The inputs of `pairSeated`. */
export interface SeatedGround {
  readonly span: Span
  readonly places: InstancePlaces
  readonly points: ChangePoints
  readonly layers: readonly RouteLayer[]
  readonly mirrored: readonly RouteLayer[]
  /**
   * Converts the index of an instance in the span to its index over all layers, including the layer with live data.
   * Undefined if the instance does not run.
   */
  readonly placeNow: (place: number) => number | undefined
}

/**
 * Pairs instances that the same vehicle runs. Instances in one block are paired if they are on the same service day.
 * Instances that a rule in the feed joins may also be on two consecutive days. Undefined if there are no pairs.
 */
export function pairSeated(timetable: Timetable, rules: SeatRules, ground: SeatedGround): SeatedPairs | undefined {
  const { span, places, layers, mirrored, placeNow } = ground
  const [continued, next] = [new GrowingColumn(Uint32Array), new GrowingColumn(Uint32Array)]
  const join = ({ from, to, dayShift, mostMeters }: ForcedPair, day: number, latest: number) => {
    if (from === to) return // a trip cannot continue as itself
    const [start, end] = [places.find(from, day, NO_RUN), places.find(to, day + dayShift, NO_RUN)]
    if (start === undefined || end === undefined) return
    const planned = joint(timetable, ground, start, end)
    if (planned.waits < 0 || planned.waits > latest || planned.meters > mostMeters) return
    const [one, other] = [placeNow(start), placeNow(end)]
    if (one === undefined || other === undefined) return
    // According to live data, the vehicle may have been diverted, or may depart before it has arrived. In both cases,
    // it does not continue.
    const now = joint(timetable, ground, one, other)
    if (now.waits < 0 || now.meters > Math.max(NEAR_METERS, planned.meters)) return
    continued.push(one)
    next.push(other)
  }
  for (let day = span.firstDay; day < span.endDay; day++) {
    for (const pair of rules.forced) join(pair, day, ANY)
    for (const [from, to] of rules.blocks.joinsOn(day)) {
      if (rules.ruled.size === 0 || !rules.ruled.has(`${from} ${to}`))
        join({ from, to, dayShift: 0, mostMeters: NEAR_METERS }, day, LATEST_SECONDS)
    }
  }
  if (continued.length === 0) return undefined
  const pairs = { from: continued.take(), to: next.take() }
  const turn = (places: Uint32Array) => places.map((place) => mirroredIn(layers, place))
  const turned = { from: turn(pairs.to), to: turn(pairs.from) }
  return { forward: toContinuations(pairs, layers), backward: toContinuations(turned, mirrored) }
}

/** The gap between the last call of one instance and the first call of another, in seconds and in meters. */
function joint(timetable: Timetable, { layers, points }: SeatedGround, from: number, to: number) {
  const [one, other] = [placeIn(layers, from), placeIn(layers, to)]
  const lastCall = lengthOf(one.layer, one.route) - 1
  const end = points.stopOf[pointAt(one.layer, firstCallOf(one.layer, one.route) + lastCall)]
  const start = points.stopOf[pointAt(other.layer, firstCallOf(other.layer, other.route))]
  const { lat, lon } = timetable.stops
  return {
    waits: departureAt(other.layer, other.place, 0) - arrivalAt(one.layer, one.place, lastCall),
    meters: greatCircleMeters(lat[end], lon[end], lat[start], lon[start]),
  }
}

function mirroredIn(layers: readonly RouteLayer[], place: number): number {
  const at = placeIn(layers, place)
  return place - at.place + mirroredPlace(at.layer, at.place)
}

/** The index of an instance in the mirrored layer, in which the instances of a route are in reverse order. */
export function mirroredPlace(layer: RouteLayer, place: number): number {
  const route = layer.routeOf[place]
  return firstInstanceOf(layer, route) + firstInstanceOf(layer, route + 1) - 1 - place
}
