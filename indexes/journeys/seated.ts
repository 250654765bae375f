// Where a rider may stay seated: a vehicle that goes on as another trip (block_id, transfers.txt types 4 and 5).
import { columnArray, NONE } from '../../loaders/columns.ts'
import { EMPTY_STRING, type StringIndex } from '../../loaders/strings.ts'
import { greatCircleMeters } from '../spatial/great-circle.ts'
import { NO_RUN } from '../timetable/board-cursor.ts'
import {
  callCount,
  isActive,
  type PatternStopIndex,
  type StopIndex,
  stopTimeAt,
  type Timetable,
  type TransferIndex,
  type TripIndex,
} from '../timetable/timetable.ts'
import type { RouteLayer } from './route-layer.ts'
import type { Continuations } from './search-ground.ts'
import type { InstancePlaces, Span } from './span.ts'

const FORCED = 4
const FORBIDDEN = 5
const NEAR_METERS = 100
const LATEST_SECONDS = 600

/** Which trip each trip may go on as, on days on which both run; nearest in time first. */
export type TripFollowers = ReadonlyMap<TripIndex, readonly TripIndex[]>

/** The trips that follow each other by their times and places, whatever their days. */
export function findFollowers(timetable: Timetable): TripFollowers {
  const { transfers } = timetable
  const ruled = new Map<string, number>()
  const followers = new Map<TripIndex, TripIndex[]>()
  const types = columnArray(transfers.type)
  for (let row = 0 as TransferIndex; row < types.length; row++) {
    const type = types[row] as number
    const [from, to] = [transfers.fromTrip[row], transfers.toTrip[row]]
    if ((type !== FORCED && type !== FORBIDDEN) || from === NONE || to === NONE) continue
    ruled.set(`${from} ${to}`, type)
    if (type === FORCED) followers.getOrInsertComputed(from, () => []).push(to)
  }
  for (const trips of blocksOf(timetable)) {
    for (const [at, from] of trips.entries()) {
      const ends = lastArrival(timetable, from)
      for (const to of trips.slice(at + 1)) {
        const waits = firstDeparture(timetable, to) - ends
        if (waits > LATEST_SECONDS) break
        if (waits < 0 || ruled.has(`${from} ${to}`) || !isNear(timetable, from, to)) continue
        followers.getOrInsertComputed(from, () => []).push(to)
      }
    }
  }
  return followers
}

/** The trips of each block by their start; trips by frequency have no block that tells one run from another. */
function blocksOf(timetable: Timetable): TripIndex[][] {
  const { trips, patterns } = timetable
  const blocks = new Map<StringIndex, TripIndex[]>()
  for (let trip = 0 as TripIndex; trip < trips.id.length; trip++) {
    const block = trips.block[trip]
    if (block === EMPTY_STRING || patterns.isFrequency[trips.pattern[trip]] === 1) continue
    blocks.getOrInsertComputed(block, () => []).push(trip)
  }
  return [...blocks.values()].map((block) =>
    block.sort((a, b) => firstDeparture(timetable, a) - firstDeparture(timetable, b)),
  )
}

function firstDeparture(timetable: Timetable, trip: TripIndex): number {
  return timetable.stopTimes.departureSeconds[stopTimeAt(timetable, trip, 0)]
}

function lastArrival(timetable: Timetable, trip: TripIndex): number {
  const last = callCount(timetable, timetable.trips.pattern[trip]) - 1
  return timetable.stopTimes.arrivalSeconds[stopTimeAt(timetable, trip, last)]
}

function isNear(timetable: Timetable, from: TripIndex, to: TripIndex): boolean {
  const { stops } = timetable
  const end = stopOf(timetable, from, callCount(timetable, timetable.trips.pattern[from]) - 1)
  const start = stopOf(timetable, to, 0)
  return greatCircleMeters(stops.lat[end], stops.lon[end], stops.lat[start], stops.lon[start]) <= NEAR_METERS
}

function stopOf({ patterns, trips }: Timetable, trip: TripIndex, call: number): StopIndex {
  return patterns.stopAt[(patterns.stopOffset[trips.pattern[trip]] + call) as PatternStopIndex]
}

/** Who goes on as whom in a span, by places in its layers; undefined where nobody does. */
export interface SeatedPairs {
  readonly forward: Continuations
  readonly backward: Continuations
}

/** Where each instance of a span now runs: its place in the layers joined end to end. */
export type PlaceNow = (place: number) => number | undefined

/** Pairs the instances of the same service day. @param placeNow live instances stand for those they replace */
export function pairSeated(
  timetable: Timetable,
  followers: TripFollowers,
  of: {
    readonly span: Span
    readonly places: InstancePlaces
    readonly layers: readonly RouteLayer[]
    readonly placeNow: PlaceNow
  },
): SeatedPairs | undefined {
  const { span, places, layers, placeNow } = of
  const count = layers.reduce((sum, { label }) => sum + label.length, 0)
  const next = new Int32Array(count).fill(-1)
  const before = new Int32Array(count).fill(-1)
  let pairs = 0
  for (const [from, all] of followers) {
    for (let day = span.firstDay; day < span.endDay; day++) {
      const start = places.find(from, day, NO_RUN)
      if (start === undefined) continue
      const to = all.find((trip) => isActive(timetable, timetable.trips.service[trip], day))
      const end = to === undefined ? undefined : places.find(to, day, NO_RUN)
      if (end === undefined) continue
      const [one, other] = [placeNow(start), placeNow(end)]
      if (one === undefined || other === undefined) continue
      next[one] = other
      before[other] = one
      pairs++
    }
  }
  if (pairs === 0) return undefined
  return { forward: withRoutes(next, layers), backward: withRoutes(mirrorPairs(before, layers), layers) }
}

function withRoutes(next: Int32Array, layers: readonly RouteLayer[]): Continuations {
  const routeHas = new Uint8Array(layers.reduce((sum, { routeCount }) => sum + routeCount, 0))
  let instanceBase = 0
  let routeBase = 0
  for (const { label, routeOf, routeCount } of layers) {
    for (let at = 0; at < label.length; at++) {
      if ((next[instanceBase + at] as number) >= 0) routeHas[routeBase + (routeOf[at] as number)] = 1
    }
    instanceBase += label.length
    routeBase += routeCount
  }
  return { next, routeHas }
}

/** The same pairs by the places of mirrored layers, where the instances of a route stand the other way round. */
function mirrorPairs(pairs: Int32Array, layers: readonly RouteLayer[]): Int32Array {
  const toMirrored = new Int32Array(pairs.length)
  let base = 0
  for (const layer of layers) {
    for (let at = 0; at < layer.label.length; at++) toMirrored[base + at] = base + mirroredPlace(layer, at)
    base += layer.label.length
  }
  const mirrored = new Int32Array(pairs.length).fill(-1)
  for (let at = 0; at < pairs.length; at++) {
    const other = pairs[at] as number
    if (other >= 0) mirrored[toMirrored[at] as number] = toMirrored[other] as number
  }
  return mirrored
}

/** Where an instance stands in the mirrored layer. */
export function mirroredPlace({ routeOf, instanceOffset }: RouteLayer, place: number): number {
  const route = routeOf[place] as number
  return (instanceOffset[route] as number) + (instanceOffset[route + 1] as number) - 1 - place
}
