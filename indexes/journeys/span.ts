// The routes of some consecutive service days, for a search over a day and the following night. Trips with the same
// calls are one route, whatever their patterns: patterns are split by all the days of a feed, and few of those days are
// in a span.

import { columnArray, nextIndex } from '../../loaders/columns.ts'
import { NO_RUN } from '../timetable/board-cursor.ts'
import {
  callCount,
  isActive,
  type LineIndex,
  type PatternIndex,
  type PatternStopIndex,
  type StopIndex,
  stopTimeAt,
  type Timetable,
  type TripIndex,
} from '../timetable/timetable.ts'
import type { TripInstance } from '../timetable/trips.ts'
import { runStartsOf } from '../timetable/trips.ts'
import type { ChangePoints, PointPlaces } from './change-points.ts'
import {
  buildLayer,
  CAN_ALIGHT,
  CAN_BOARD,
  type LayerGroup,
  type LayerInstance,
  type RouteLayer,
} from './route-layer.ts'

/** The instances of some service days as routes. */
export interface Span {
  /** Service days, from `meta.firstDay`; the end is exclusive. */
  readonly firstDay: number
  readonly endDay: number
  /** The zero of all times, in seconds after 1970. */
  readonly baseSeconds: number
  readonly layer: RouteLayer
  /** Indexed by label. */
  readonly trip: Uint32Array
  readonly day: Int32Array
  readonly runStart: Int32Array
}

const NO_PICKUP = 1
const NO_DROP_OFF = 1

/** Trips that form one route: the same line, points, rights to board and alight. */
export interface TripClass {
  readonly line: LineIndex
  readonly points: readonly number[]
  readonly use: readonly number[]
  readonly trips: readonly TripIndex[]
}

/** Merges trips whose patterns differ only in when they run. @param leftOut trip → 1 if it is excluded */
export function classifyTrips(timetable: Timetable, points: ChangePoints, leftOut?: Uint8Array): TripClass[] {
  const { patterns } = timetable
  const classes = new Map<string, TripClass & { trips: TripIndex[] }>()
  for (let pattern = 0 as PatternIndex; pattern < patterns.line.length; pattern++) {
    const line = patterns.line[pattern]
    const use = usesOf(timetable, pattern)
    const end = patterns.tripOffset[nextIndex(pattern)]
    let plain: TripIndex[] | undefined
    for (let trip = patterns.tripOffset[pattern]; trip < end; trip++) {
      if (leftOut?.[trip] === 1) continue
      const isSingled = points.isSingled[trip] === 1
      if (!isSingled && plain !== undefined) {
        plain.push(trip)
        continue
      }
      const called = stopsOfPattern(timetable, pattern).map((stop) => points.pointOf(stop, line, trip))
      const key = `${line} ${called.join(',')} ${use.join('')}`
      const { trips } = classes.getOrInsertComputed(key, () => ({ line, points: called, use, trips: [] }))
      trips.push(trip)
      if (!isSingled) plain = trips
    }
  }
  return [...classes.values()]
}

function stopsOfPattern(timetable: Timetable, pattern: PatternIndex): StopIndex[] {
  const { patterns } = timetable
  const first = patterns.stopOffset[pattern]
  return Array.from(
    { length: callCount(timetable, pattern) },
    (_, call) => patterns.stopAt[(first + call) as PatternStopIndex],
  )
}

/** The uses of each call of a pattern, as sums of CAN_…. */
function usesOf(timetable: Timetable, pattern: PatternIndex): number[] {
  const { patterns } = timetable
  const count = callCount(timetable, pattern)
  const first = patterns.stopOffset[pattern]
  return Array.from({ length: count }, (_, call) => {
    const at = (first + call) as PatternStopIndex
    const boards = call < count - 1 && patterns.pickupType[at] !== NO_PICKUP
    const alights = call > 0 && patterns.dropOffType[at] !== NO_DROP_OFF
    return (boards ? CAN_BOARD : 0) + (alights ? CAN_ALIGHT : 0)
  })
}

/** Builds the instances of some service days; the end is exclusive. */
export function buildSpan(
  timetable: Timetable,
  classes: readonly TripClass[],
  of: { readonly firstDay: number; readonly endDay: number; readonly places: PointPlaces },
): Span {
  const { serviceDays } = timetable
  const { firstDay, endDay, places } = of
  const baseSeconds = serviceDays.zeroSeconds[firstDay]
  const list: TripInstance[] = []
  const groups = classes.map((one): LayerGroup => ({ ...one, instances: [] }))
  for (const [at, { trips, points }] of classes.entries()) {
    for (const trip of trips) {
      eachInstance(timetable, trip, { firstDay, endDay }, (instance, shift) => {
        const { departure, arrival } = timesOf(timetable, trip, points.length, shift - baseSeconds)
        const one: LayerInstance = { label: list.length, departure, arrival }
        groups[at]?.instances.push(one)
        list.push(instance)
      })
    }
  }
  const layer = buildLayer(
    groups.filter(({ instances }) => instances.length > 0),
    places,
  )
  return {
    firstDay,
    endDay,
    baseSeconds,
    layer,
    trip: Uint32Array.from(list, ({ trip }) => trip),
    day: Int32Array.from(list, ({ day }) => day),
    runStart: Int32Array.from(list, ({ runStartSeconds }) => runStartSeconds),
  }
}

/** Calls back with each instance of a trip, and the instant its stop times count from. */
function eachInstance(
  timetable: Timetable,
  trip: TripIndex,
  { firstDay, endDay }: { readonly firstDay: number; readonly endDay: number },
  visit: (instance: TripInstance, shift: number) => void,
): void {
  const { trips, serviceDays } = timetable
  for (let day = firstDay; day < endDay; day++) {
    if (!isActive(timetable, trips.service[trip], day)) continue
    const zero = serviceDays.zeroSeconds[day]
    for (const runStartSeconds of runStartsOf(timetable, trip)) {
      const shift = runStartSeconds === NO_RUN ? zero : zero + runStartSeconds - firstDepartureOf(timetable, trip)
      visit({ trip, day, runStartSeconds }, shift)
    }
  }
}

function firstDepartureOf(timetable: Timetable, trip: TripIndex): number {
  return timetable.stopTimes.departureSeconds[stopTimeAt(timetable, trip, 0)]
}

function timesOf(timetable: Timetable, trip: TripIndex, count: number, shift: number) {
  const departures = columnArray(timetable.stopTimes.departureSeconds)
  const arrivals = columnArray(timetable.stopTimes.arrivalSeconds)
  const { patterns, trips } = timetable
  const pattern = trips.pattern[trip]
  const stride = patterns.tripOffset[nextIndex(pattern)] - patterns.tripOffset[pattern]
  const departure = new Int32Array(count)
  const arrival = new Int32Array(count)
  let at = stopTimeAt(timetable, trip, 0) as number
  for (let call = 0; call < count; call++, at += stride) {
    departure[call] = departures[at] + shift
    arrival[call] = arrivals[at] + shift
  }
  return { departure, arrival }
}

/** Duration of the longest trip of a timetable in seconds. */
export function longestRide(timetable: Timetable): number {
  const { trips, stopTimes } = timetable
  let longest = 0
  for (let trip = 0 as TripIndex; trip < trips.id.length; trip++) {
    const calls = callCount(timetable, trips.pattern[trip])
    const starts = stopTimes.departureSeconds[stopTimeAt(timetable, trip, 0)]
    const ends = stopTimes.arrivalSeconds[stopTimeAt(timetable, trip, calls - 1)]
    longest = Math.max(longest, ends - starts)
  }
  return longest
}

/** Finds the instances of a span in its layer. */
export class InstancePlaces {
  private readonly places = new Map<number, number>()
  private readonly runs = new Map<string, number>()
  private readonly runsOfDay = new Map<string, number[]>()
  private readonly firstDay: number
  private readonly dayCount: number

  constructor({ layer, trip, day, runStart, firstDay, endDay }: Span) {
    this.firstDay = firstDay
    this.dayCount = endDay - firstDay
    for (let place = 0; place < layer.label.length; place++) {
      const label = layer.label[place]
      const start = runStart[label]
      if (start === NO_RUN) this.places.set(this.keyOf(trip[label], day[label]), place)
      else {
        this.runs.set(`${trip[label]} ${day[label]} ${start}`, place)
        this.runsOfDay.getOrInsertComputed(`${trip[label]} ${day[label]}`, () => []).push(place)
      }
    }
  }

  /** The place of an instance in the layer; undefined if the span does not have it. */
  find(trip: number, day: number, runStart: number): number | undefined {
    if (runStart !== NO_RUN) return this.runs.get(`${trip} ${day} ${runStart}`)
    const isOfSpan = day >= this.firstDay && day < this.firstDay + this.dayCount
    return isOfSpan ? this.places.get(this.keyOf(trip, day)) : undefined
  }

  /** The places of all runs of a frequency-based trip on a day. */
  runsOf(trip: number, day: number): readonly number[] {
    return this.runsOfDay.get(`${trip} ${day}`) ?? []
  }

  private keyOf(trip: number, day: number): number {
    return trip * this.dayCount + (day - this.firstDay)
  }
}
