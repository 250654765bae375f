// A span: the routes on a few consecutive service days. A search over one day and the following night reads one span.

import { columnArray, firstWhere, GrowingColumn, NONE, nextIndex } from '../../loaders/columns.ts'
import { NO_RUN } from '../timetable/board-cursor.ts'
import {
  callCount,
  isActive,
  type PatternIndex,
  stopTimeAt,
  type Timetable,
  type TripIndex,
} from '../timetable/timetable.ts'
import { runStartsOf } from '../timetable/trips.ts'
import { buildLayer, type LayerTrips } from './build-layer.ts'
import type { PointPlaces } from './change-points.ts'
import type { RouteLayer } from './route-layer.ts'
import { TimeRows } from './time-rows.ts'
import type { TripClasses } from './trip-classes.ts'

/** The trip instances of some service days, as routes. */
export interface Span {
  /** Service days, counted from `meta.firstDay`; the end is exclusive. */
  readonly firstDay: number
  readonly endDay: number
  /** The zero of all times, in seconds after 1970. */
  readonly baseSeconds: number
  readonly layer: RouteLayer
  /**
   * Columns by label. A label is the number of an instance in the span. Instances are numbered in the order of trip,
   * day and start of the run.
   */
  readonly trip: Uint32Array
  readonly day: Int32Array
  readonly runStart: Int32Array
}

/** Builds the span of some service days; the end is exclusive. */
export function buildSpan(
  timetable: Timetable,
  classes: TripClasses,
  of: { readonly firstDay: number; readonly endDay: number; readonly places: PointPlaces },
): Span {
  const { firstDay, endDay, places } = of
  const instances = listInstances(timetable, classes, of)
  const { trip, day, runStart } = instances
  const baseSeconds = timetable.serviceDays.zeroSeconds[firstDay]
  return {
    firstDay,
    endDay,
    baseSeconds,
    layer: buildLayer(toLayerTrips(timetable, classes, { ...instances, baseSeconds }), places),
    trip,
    day,
    runStart,
  }
}

type Instances = Pick<Span, 'trip' | 'day' | 'runStart'>

/** Lists the instances of all trips that have a class. */
function listInstances(
  timetable: Timetable,
  { classOf }: TripClasses,
  { firstDay, endDay }: { readonly firstDay: number; readonly endDay: number },
): Instances {
  const { trips } = timetable
  const trip = new GrowingColumn(Uint32Array)
  const day = new GrowingColumn(Int32Array)
  const runStart = new GrowingColumn(Int32Array)
  for (let each = 0 as TripIndex; each < classOf.length; each++) {
    if (classOf[each] === NONE) continue
    const isFrequency = trips.frequencyOffset[each] < trips.frequencyOffset[nextIndex(each)]
    for (let on = firstDay; on < endDay; on++) {
      if (!isActive(timetable, trips.service[each], on)) continue
      const starts = isFrequency ? [...runStartsOf(timetable, each)].sort((a, b) => a - b) : ONE_RUN
      for (const start of starts) {
        trip.push(each)
        day.push(on)
        runStart.push(start)
      }
    }
  }
  return { trip: trip.view().slice(), day: day.view().slice(), runStart: runStart.view().slice() }
}

const ONE_RUN: readonly number[] = [NO_RUN]

/** Sorts the instances by class, and adds their times. */
function toLayerTrips(
  timetable: Timetable,
  classes: TripClasses,
  { trip, day, runStart, baseSeconds }: Instances & { readonly baseSeconds: number },
): LayerTrips {
  const { classOf } = classes
  const count = trip.length
  const classOffset = new Uint32Array(classes.line.length + 1)
  for (let at = 0; at < count; at++) {
    const next = classOf[trip[at]] + 1
    classOffset[next] = classOffset[next] + 1
  }
  for (let each = 0; each < classes.line.length; each++) {
    classOffset[each + 1] = classOffset[each + 1] + classOffset[each]
  }
  const next = classOffset.slice()
  const [label, row, start] = [new Uint32Array(count), new Uint32Array(count), new Int32Array(count)]
  const rows = new TimeRows(mostCalls(timetable))
  const { zeroSeconds } = timetable.serviceDays
  let known = NONE
  let [knownRow, firstDeparture] = [0, 0]
  for (let at = 0; at < count; at++) {
    const each = trip[at] as TripIndex
    if (each !== known) {
      known = each
      firstDeparture = timetable.stopTimes.departureSeconds[stopTimeAt(timetable, each, 0)]
      knownRow = addRow(timetable, each, { rows, firstDeparture })
    }
    const place = next[classOf[each]]
    next[classOf[each]] = place + 1
    label[place] = at
    row[place] = knownRow
    const seconds = runStart[at] === NO_RUN ? firstDeparture : runStart[at]
    start[place] = zeroSeconds[day[at]] - baseSeconds + seconds
  }
  return { classes, classOffset, label, row, start, ...rows.seal() }
}

function addRow(
  timetable: Timetable,
  trip: TripIndex,
  { rows, firstDeparture }: { readonly rows: TimeRows; readonly firstDeparture: number },
): number {
  const departureSeconds = columnArray(timetable.stopTimes.departureSeconds)
  const arrivalSeconds = columnArray(timetable.stopTimes.arrivalSeconds)
  const { patterns, trips } = timetable
  const pattern = trips.pattern[trip]
  const count = callCount(timetable, pattern)
  const stride = patterns.tripOffset[nextIndex(pattern)] - patterns.tripOffset[pattern]
  const { departures, arrivals } = rows
  let at = stopTimeAt(timetable, trip, 0) as number
  for (let call = 0; call < count; call++, at += stride) {
    departures[call] = departureSeconds[at] - firstDeparture
    arrivals[call] = arrivalSeconds[at] - firstDeparture
  }
  return rows.add(count)
}

function mostCalls(timetable: Timetable): number {
  const { length } = timetable.patterns.line
  let most = 0
  for (let pattern = 0 as PatternIndex; pattern < length; pattern++)
    most = Math.max(most, callCount(timetable, pattern))
  return most
}

/** Duration of the longest trip in a timetable, in seconds. */
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

/** Finds the index of a trip instance in the layer of a span. */
export class InstancePlaces {
  private readonly span: Span
  /** Label → index of the instance in the layer. */
  private readonly placeOf: Uint32Array
  /** Trip → its first label; has one extra entry. */
  private readonly labelOffset: Uint32Array

  constructor(span: Span) {
    this.span = span
    const { label } = span.layer
    this.placeOf = new Uint32Array(label.length)
    for (let place = 0; place < label.length; place++) this.placeOf[label[place]] = place
    this.labelOffset = offsetsByTrip(span)
  }

  /** The index of an instance in the layer; undefined if the instance is not in the span. */
  find(trip: number, day: number, runStart: number): number | undefined {
    const at = this.firstOf(trip, day, runStart)
    return this.isOf(at, trip, day) && this.span.runStart[at] === runStart ? this.placeOf[at] : undefined
  }

  /** The indexes of all runs of a frequency trip on a day. */
  runsOf(trip: number, day: number): readonly number[] {
    const places: number[] = []
    for (let at = this.firstOf(trip, day, NO_RUN); this.isOf(at, trip, day); at++) {
      if (this.span.runStart[at] !== NO_RUN) places.push(this.placeOf[at])
    }
    return places
  }

  private isOf(label: number, trip: number, day: number): boolean {
    return this.span.trip[label] === trip && this.span.day[label] === day
  }

  /** Among the labels of a trip, the first label that is not before the given day and run. */
  private firstOf(trip: number, day: number, runStart: number): number {
    const { span, labelOffset } = this
    if (trip + 1 >= labelOffset.length) return span.trip.length
    return firstWhere(labelOffset[trip], labelOffset[trip + 1], (at) => {
      return (span.day[at] - day || span.runStart[at] - runStart) >= 0
    })
  }
}

/** Trip → its first label, for all trips up to the last one that runs. Has one extra entry. */
function offsetsByTrip({ trip }: Span): Uint32Array {
  const offset = new Uint32Array((trip.at(-1) ?? -1) + 2)
  for (const each of trip) offset[each + 1] = offset[each + 1] + 1
  for (let each = 0; each + 1 < offset.length; each++) offset[each + 1] = offset[each + 1] + offset[each]
  return offset
}
