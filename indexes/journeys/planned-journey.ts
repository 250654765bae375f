// A journey that a search has found, converted to forward time and to the trips and calls of the timetable or of live
// feeds.
import type { LiveCallIndex, Overlay } from '../live/overlay.ts'
import type { StopIndex, TripIndex } from '../timetable/timetable.ts'
import type { TripInstance } from '../timetable/trips.ts'
import type { ChangePoints } from './change-points.ts'
import { type Footpaths, findChange } from './footpaths.ts'
import type { LiveSpan } from './live-layer.ts'
import {
  arrivalAt,
  departureAt,
  firstCallOf,
  firstInstanceOf,
  lengthOf,
  pointAt,
  type RouteLayer,
} from './route-layer.ts'
import type { FoundJourney, FoundRide } from './search-ground.ts'
import type { Span } from './span.ts'

/** A ride in a planned journey. */
export interface PlannedRide {
  /** The trip instance; undefined if the timetable does not have the trip. In that case, `live` is set. */
  readonly instance: TripInstance | undefined
  /** The calls of a live instance from boarding to alighting, inclusive; undefined without live data. */
  readonly live: readonly LiveCallIndex[] | undefined
  /** The stops at which the ride calls, from boarding to alighting, inclusive. */
  readonly stops: readonly StopIndex[]
  /** Position of the boarding among the trip's calls; skipped calls do not count. */
  readonly from: number
  readonly departs: number
  readonly arrives: number
  readonly staysSeated: boolean
  /**
   * Minimum time from the previous alighting to this boarding; undefined for the first ride and for in-seat transfers.
   */
  readonly changeSeconds: number | undefined
}

/** A planned journey. Its walks are not stored because the ends of its rides determine them. */
export interface PlannedJourney {
  /** Departure from the origin. */
  readonly leaves: number
  /** Arrival at the destination. */
  readonly arrives: number
  readonly vehicles: number
  readonly rides: readonly PlannedRide[]
}

/** The data with which a search found journeys. */
export interface PlannedGround {
  readonly span: Span
  readonly live: LiveSpan | undefined
  readonly layers: readonly RouteLayer[]
  readonly overlay: Overlay | undefined
  readonly isMirrored: boolean
  readonly points: ChangePoints
  /** The transfers in forward time, even if the search ran backwards. */
  readonly footpaths: Footpaths
}

/** A ride, with the transfer points at which the rider boards and alights. */
interface PointedRide {
  readonly ride: Omit<PlannedRide, 'changeSeconds'>
  readonly boarding: number
  readonly alighting: number
}

/** Converts a found journey to forward time, and to trips and calls. */
export function toPlanned(journey: FoundJourney, ground: PlannedGround): PlannedJourney {
  const { isMirrored, span } = ground
  const base = span.baseSeconds
  const pointed = journey.rides.map((ride) => toPointed(ride, ground))
  if (!isMirrored) {
    const rides = withChanges(pointed, ground.footpaths)
    return { leaves: base + journey.leaves, arrives: base + journey.arrives, vehicles: journey.vehicles, rides }
  }
  // A backward search sets `staysSeated` on the earlier of two rides in forward time. Here, the flag moves to the later
  // ride.
  const turned = pointed.toReversed()
  const marked = turned.map((one, at) => ({
    ...one,
    ride: { ...one.ride, staysSeated: turned[at - 1]?.ride.staysSeated ?? false },
  }))
  const rides = withChanges(marked, ground.footpaths)
  return { leaves: base - journey.arrives, arrives: base - journey.leaves, vehicles: journey.vehicles, rides }
}

function withChanges(pointed: readonly PointedRide[], footpaths: Footpaths): PlannedRide[] {
  return pointed.map(({ ride, boarding }, at) => {
    const before = pointed[at - 1]
    if (before === undefined || ride.staysSeated) return { ...ride, changeSeconds: undefined }
    return { ...ride, changeSeconds: findChange(footpaths, before.alighting, boarding) }
  })
}

function toPointed(ride: FoundRide, ground: PlannedGround): PointedRide {
  const { span, layers, isMirrored, points } = ground
  const layer = layers[ride.layer]
  const first = firstCallOf(layer, ride.route)
  const length = lengthOf(layer, ride.route)
  const { baseSeconds } = span
  const called = Array.from({ length: ride.to - ride.from + 1 }, (_, at) => pointAt(layer, first + ride.from + at))
  const ends = [called[0], called.at(-1) as number] as const
  const [boarding, alighting] = isMirrored ? [ends[1], ends[0]] : ends
  const stops = called.map((at) => points.stopOf[at])
  const place = firstInstanceOf(layer, ride.route) + ride.instance
  const departs = departureAt(layer, place, ride.from)
  const arrives = arrivalAt(layer, place, ride.to)
  const from = isMirrored ? length - 1 - ride.to : ride.from
  const label = layer.label[place]
  const shown = {
    ...instanceOf(ground, ride.layer, label, { from, count: stops.length }),
    stops: isMirrored ? stops.reverse() : stops,
    from,
    departs: isMirrored ? baseSeconds - arrives : baseSeconds + departs,
    arrives: isMirrored ? baseSeconds - departs : baseSeconds + arrives,
    staysSeated: ride.staysSeated,
  }
  return { ride: shown, boarding, alighting }
}

function instanceOf(
  { span, live, overlay }: PlannedGround,
  layer: number,
  label: number,
  calls: { readonly from: number; readonly count: number },
): Pick<PlannedRide, 'instance' | 'live'> {
  if (layer === 0) {
    const instance: TripInstance = {
      trip: span.trip[label] as TripIndex,
      day: span.day[label] as number,
      runStartSeconds: span.runStart[label] as number,
    }
    return { instance, live: undefined }
  }
  if (live === undefined || overlay === undefined)
    throw new Error('a ride comes from live data, but the search has no overlay')
  const at = label as never
  const { instances } = overlay
  const trip = instances.trip[at] as TripIndex
  const isOfTimetable = overlay.instanceOfTrip.length > trip
  const instance = isOfTimetable
    ? { trip, day: instances.day[at] as number, runStartSeconds: instances.runStart[at] as number }
    : undefined
  return { instance, live: live.callsOf[label]?.slice(calls.from, calls.from + calls.count) }
}
