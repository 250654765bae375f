// Applies the TripModifications of GTFS-Realtime: builds the modified plan of each selected trip for the given service
// days. Replacement stops that are not in the timetable are dropped and counted.
import { nextIndex } from '../../loaders/columns.ts'
import type {
  EntitySelector,
  Modification,
  StopSelector,
  StopTimeEvent,
  StopTimeUpdate,
  TripDescriptor,
  TripModifications,
  TripUpdate,
} from '../../loaders/gtfs-rt/message.ts'
import { textOf } from '../../loaders/strings.ts'
import type { Place } from '../spatial/ground-path.ts'
import { NO_RUN } from '../timetable/board-cursor.ts'
import { findServiceDay } from '../timetable/service-dates.ts'
import { isActive, type ShapeIndex, type StopIndex, type Timetable, type TripIndex } from '../timetable/timetable.ts'
import type { TripInstance } from '../timetable/trips.ts'
import { decodePolyline } from './encoded-polyline.ts'
import { scheduledCalls, sequencesOfTrip, stopsOfTrip } from './live-trip.ts'
import type { LiveFeed } from './live-trips.ts'
import { callsNamed, type StopFinder, type TripCalls } from './match-calls.ts'
import { NO_POSITION } from './overlay.ts'
import type { ScheduledCall } from './predict.ts'

/** The planned calls of an instance. All arrays except `shape` have one value per call. */
export interface TripPlan extends TripCalls {
  /** Position of the call in the timetable trip; NO_POSITION if the call is inserted. */
  readonly positions: readonly number[]
  readonly scheduled: readonly ScheduledCall[]
  /** The times before the modification; undefined if the call is inserted. */
  readonly plain: readonly (ScheduledCall | undefined)[]
  /** The new shape of the trip; undefined if the path is the timetable's shape or straight lines between stops. */
  readonly shape?: readonly Place[] | undefined
  readonly isModified: boolean
}

/** A trip instance with its modified plan. */
export interface ModifiedTrip {
  readonly instance: TripInstance
  readonly plan: TripPlan
  readonly feed: number
}

/** The modifications from a network's feeds. */
export interface TripDetours {
  readonly trips: readonly ModifiedTrip[]
  /** Entity ids of all modifications. */
  readonly ids: ReadonlySet<string>
  /** Alert entity id → selectors for the stops and lines that the modifications affect. */
  readonly alertSelectors: ReadonlyMap<string, readonly EntitySelector[]>
}

/** A modified trip is kept for this many seconds after its last call. */
const KEPT_SECONDS = 3600
const MICRO_PER_DEGREE = 1e6
/** Value of `sequences` for inserted calls. */
const NO_SEQUENCE = -1

/** Applies modifications to the trips of one timetable. */
export class ModificationReader {
  private readonly timetable: Timetable
  private readonly find: StopFinder
  private readonly findTrip: (feedId: string) => TripIndex | undefined
  private readonly shapes = new Map<string, readonly Place[] | undefined>()

  constructor(timetable: Timetable, find: StopFinder, findTrip: (feedId: string) => TripIndex | undefined) {
    this.timetable = timetable
    this.find = find
    this.findTrip = findTrip
  }

  /** @param countOf returns a function that counts the unusable parts of a feed, by reason */
  read(
    feeds: readonly LiveFeed[],
    nowSeconds: number,
    countOf: (feed: number) => (reason: string) => void,
  ): TripDetours {
    const trips: ModifiedTrip[] = []
    const ids = new Set<string>()
    const alertSelectors = new Map<string, EntitySelector[]>()
    for (const [feed, { modifications = [], shapes = [] }] of feeds.entries()) {
      const count = countOf(feed)
      for (const detour of modifications) {
        ids.add(detour.entityId)
        for (const { tripIds, shapeId } of detour.selected) {
          const polyline = shapes.find((each) => shapeId !== undefined && each.shapeId === shapeId)?.polyline
          const shape = polyline === undefined ? this.plannedShape(shapeId) : decodePolyline(polyline)
          for (const id of tripIds) {
            const trip = this.findTrip(id)
            if (trip === undefined) {
              count('unknown_trip')
              continue
            }
            const spans = this.placeSpans(trip, detour.modifications, count)
            if (spans.length === 0) continue
            this.selectForAlerts(trip, spans, alertSelectors)
            for (const instance of this.instancesOf(trip, detour)) {
              const plan = this.plan(instance, spans, shape)
              const end = plan.scheduled.at(-1)?.departure ?? 0
              if (end >= nowSeconds - KEPT_SECONDS) trips.push({ instance, plan, feed })
            }
          }
        }
      }
    }
    return { trips, ids, alertSelectors }
  }

  /** The timetable's shape with this id; undefined if there is none. */
  private plannedShape(id: string | undefined): readonly Place[] | undefined {
    if (id === undefined || this.shapes.has(id)) return this.shapes.get(id ?? '')
    const { shapes, strings } = this.timetable
    let places: Place[] | undefined
    for (let shape = 0 as ShapeIndex; shape < shapes.id.length && places === undefined; shape++) {
      if (textOf(strings, shapes.id[shape]) !== id) continue
      places = []
      for (let at = shapes.pointOffset[shape]; at < shapes.pointOffset[nextIndex(shape)]; at++)
        places.push({ lat: shapes.latE6[at] / MICRO_PER_DEGREE, lon: shapes.lonE6[at] / MICRO_PER_DEGREE })
    }
    this.shapes.set(id, places)
    return places
  }

  private instancesOf(trip: TripIndex, { serviceDates, startTimes }: TripModifications): TripInstance[] {
    const { trips } = this.timetable
    const isFrequent = trips.frequencyOffset[trip] < trips.frequencyOffset[nextIndex(trip)]
    return serviceDates.flatMap((date) => {
      const day = findServiceDay(this.timetable, date)
      if (day === undefined || !isActive(this.timetable, trips.service[trip], day)) return []
      return (isFrequent ? startTimes : [NO_RUN]).map((runStartSeconds) => ({ trip, day, runStartSeconds }))
    })
  }

  /** The spans of a trip's calls that modifications replace, in order. */
  private placeSpans(trip: TripIndex, all: readonly Modification[], count: (reason: string) => void): Span[] {
    const calls = { stops: stopsOfTrip(this.timetable, trip), sequences: sequencesOfTrip(this.timetable, trip) }
    const find = (selector: StopSelector | undefined) =>
      selector === undefined ? undefined : callsNamed(calls, selector, this.find)[0]
    const spans: Span[] = []
    for (const { start, end, delaySeconds, replacements, alertId } of all) {
      const from = find(start)
      const last = find(end)
      if (from === undefined || (end !== undefined && (last === undefined || last < from))) count('bad_modification')
      else {
        const stops = replacements.flatMap(({ stopId = '', travelSeconds }) => {
          const stop = this.find.stop(stopId)
          if (stop === undefined) count('unknown_stop')
          return stop === undefined ? [] : [{ stop, travelSeconds }]
        })
        spans.push({ from, to: last === undefined ? from : last + 1, delaySeconds, stops, alertId })
      }
    }
    spans.sort((a, b) => a.from - b.from || a.to - b.to)
    return spans.filter((span, at) => {
      const isApart = (spans[at - 1]?.to ?? 0) <= span.from
      if (!isApart) count('bad_modification')
      return isApart
    })
  }

  private plan(instance: TripInstance, spans: readonly Span[], shape: readonly Place[] | undefined): TripPlan {
    const sequences = sequencesOfTrip(this.timetable, instance.trip)
    const own = stopsOfTrip(this.timetable, instance.trip)
    const times = scheduledCalls(this.timetable, instance)
    const rows: { stop: StopIndex; position: number; times: ScheduledCall }[] = []
    let delay = 0
    let next = 0
    const keepTo = (end: number) => {
      for (; next < end; next++) rows.push({ stop: own[next], position: next, times: later(times[next], delay) })
    }
    for (const { from, to, delaySeconds, stops } of spans) {
      keepTo(from)
      const reference = times[Math.max(0, from - 1)].arrival + delay
      delay += delaySeconds
      const until = times[Math.min(to, times.length - 1)].arrival + delay
      const arrivals = stops.map(({ travelSeconds }) => (travelSeconds === undefined ? NaN : reference + travelSeconds))
      for (const [at, arrival] of fillBetween(arrivals, reference, until).entries())
        rows.push({ stop: stops[at].stop, position: NO_POSITION, times: { arrival, departure: arrival } })
      next = to
    }
    keepTo(times.length)
    let last = Number.NEGATIVE_INFINITY
    const scheduled = rows.map(({ times: { arrival, departure } }) => {
      const from = Math.max(arrival, last)
      last = Math.max(departure, from)
      return { arrival: from, departure: last }
    })
    return {
      stops: rows.map(({ stop }) => stop),
      positions: rows.map(({ position }) => position),
      sequences: rows.map(({ position }) => sequences[position] ?? NO_SEQUENCE),
      scheduled,
      plain: rows.map(({ position }) => times[position]),
      shape,
      isModified: true,
    }
  }

  /** Adds selectors for the alerts of modifications. They select the removed and inserted stops on the trip's line. */
  private selectForAlerts(trip: TripIndex, spans: readonly Span[], selectors: Map<string, EntitySelector[]>): void {
    const { patterns, lines, stops, strings, trips } = this.timetable
    const own = stopsOfTrip(this.timetable, trip)
    const routeId = textOf(strings, lines.id[patterns.line[trips.pattern[trip]]])
    for (const { from, to, stops: replacements, alertId } of spans) {
      if (alertId === undefined) continue
      const known = selectors.get(alertId) ?? []
      selectors.set(alertId, known)
      for (const stop of [...own.slice(from, to), ...replacements.map((each) => each.stop)]) {
        const stopId = textOf(strings, stops.id[stop])
        if (known.some((each) => each.routeId === routeId && each.stopId === stopId)) continue
        const others = { agencyId: undefined, routeType: undefined, directionId: undefined, trip: undefined }
        known.push({ ...others, routeId, stopId })
      }
    }
  }
}

/** A span of calls that a modification replaces. `to` is exclusive. */
interface Span {
  readonly from: number
  readonly to: number
  readonly delaySeconds: number
  readonly stops: readonly { readonly stop: StopIndex; readonly travelSeconds: number | undefined }[]
  readonly alertId: string | undefined
}

/** The scheduled calls of an instance. */
export function planOfTimetable(timetable: Timetable, instance: TripInstance): TripPlan {
  const stops = stopsOfTrip(timetable, instance.trip)
  const scheduled = scheduledCalls(timetable, instance)
  return {
    stops,
    sequences: sequencesOfTrip(timetable, instance.trip),
    positions: stops.map((_, position) => position),
    scheduled,
    plain: scheduled,
    isModified: false,
  }
}

/**
 * The calls to which the updates of a trip refer. In updates for the modified trip, sequence numbers count the modified
 * calls from 1. Other updates refer to the timetable's calls.
 */
export function callsReferredTo({ stops, sequences, isModified }: TripPlan, byPlan: boolean): TripCalls {
  if (!isModified) return { stops, sequences }
  if (byPlan) return { stops, sequences: stops.map((_, at) => at + 1) }
  return { stops: stops.map((stop, at) => (sequences[at] === NO_SEQUENCE ? NOWHERE : stop)), sequences }
}

/**
 * Adapts updates that refer to the unmodified trip. Their delays are relative to the times before the modification, so
 * they are converted to delays relative to the modified times.
 */
export function ofPlainTrip(
  updates: readonly (StopTimeUpdate | undefined)[],
  { isModified, scheduled, plain }: TripPlan,
): readonly (StopTimeUpdate | undefined)[] {
  if (!isModified) return updates
  return updates.map((update, at): StopTimeUpdate | undefined => {
    const seconds = (plain[at]?.departure ?? 0) - scheduled[at].departure
    const moved = (event: StopTimeEvent | undefined) =>
      event?.delaySeconds === undefined ? event : { ...event, delaySeconds: event.delaySeconds + seconds }
    return update && { ...update, arrival: moved(update.arrival), departure: moved(update.departure) }
  })
}

/** Whether a descriptor refers to a modified trip. */
export function isByPlan({ modificationsId }: TripDescriptor): boolean {
  return modificationsId !== undefined
}

/**
 * Returns a function that is true for the updates that must be ignored: the updates for the unmodified form of a trip,
 * if there is an update for its modified form.
 */
export function updatesByPlan(feeds: readonly LiveFeed[], { ids }: TripDetours): (update: TripUpdate) => boolean {
  const nameOf = ({ tripId, startDate }: TripDescriptor) => `${tripId} ${startDate}`
  const named = new Set<string>()
  if (ids.size > 0)
    for (const { trip } of feeds.flatMap(({ trips }) => trips))
      if (ids.has(trip.modificationsId ?? '')) named.add(nameOf(trip))
  return ({ trip }) => named.size > 0 && !isByPlan(trip) && named.has(nameOf(trip))
}

/** A trip update without data. */
export const EMPTY_UPDATE: TripUpdate = {
  entityId: '',
  trip: {
    tripId: undefined,
    routeId: undefined,
    directionId: undefined,
    startSeconds: undefined,
    startDate: undefined,
    relationship: 'scheduled',
  },
  vehicle: undefined,
  timestampSeconds: undefined,
  delaySeconds: undefined,
  stopTimes: [],
  properties: undefined,
}

const NOWHERE = 0xffff_ffff as StopIndex

function later({ arrival, departure }: ScheduledCall, seconds: number): ScheduledCall {
  return { arrival: arrival + seconds, departure: departure + seconds }
}

/** Replaces missing numbers (NaN) with values that rise in equal steps between the given numbers. */
function fillBetween(numbers: readonly number[], from: number, to: number): number[] {
  const filled = [...numbers]
  for (const [at, number] of filled.entries()) {
    if (!Number.isNaN(number)) continue
    const before = at === 0 ? from : filled[at - 1]
    const known = filled.findIndex((each, place) => place > at && !Number.isNaN(each))
    const [steps, end] = known < 0 ? [filled.length - at + 1, to] : [known - at + 1, filled[known]]
    filled[at] = Math.round(before + (end - before) / steps)
  }
  return filled
}
