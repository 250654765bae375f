// A trip as JSON: all its calls, its vehicle and, if requested, its geometry and alerts. Calls and geometry have the
// same form as in journeys.
import { refOfInstance } from '../../indexes/live/live-order.ts'
import { scheduledCall, stopsOfTrip } from '../../indexes/live/live-trip.ts'
import { liveWay, type TripWay } from '../../indexes/live/live-way.ts'
import {
  CALL_SKIPPED,
  INSTANCE_ADDED,
  INSTANCE_CANCELED,
  type LiveCallIndex,
  liveHeadsign,
  NO_POSITION,
} from '../../indexes/live/overlay.ts'
import type { FoundTrip } from '../../indexes/live/trip-by-ref.ts'
import type { TripPaths } from '../../indexes/live/trip-paths.ts'
import type { DirectionIndex, LineIndex, StopIndex } from '../../indexes/timetable/timetable.ts'
import { stopHeadsign, tripRef } from '../../indexes/timetable/trips.ts'
import { nextIndex } from '../../loaders/columns.ts'
import { alertId } from './alert-text.ts'
import type { CurrentAlerts } from './current-alerts.ts'
import type { RideCalls } from './journey.ts'
import { callsText, geometryText } from './journey-extras.ts'
import { directionId, rideLine } from './line-text.ts'
import type { LiveDeparture } from './live-departure.ts'
import { callsOf, type RideCall } from './ride-calls.ts'
import type { SnapshotRows } from './snapshot-view.ts'
import type { vehicleMembers } from './vehicle-text.ts'

/** The data of a trip, read from the timetable or from live data, and ready for rendering. */
export interface ReadTrip {
  /** Local part of the trip's public id. */
  readonly ref: string
  readonly line: LineIndex
  readonly direction: DirectionIndex
  readonly headsign: string
  readonly status: 'scheduled' | 'canceled' | 'added' | 'replaced'
  readonly isRealtime: boolean
  /** Id of the feed that reports the trip; `gtfs` if no feed reports it. */
  readonly source: string
  readonly calls: readonly RideCall[]
  /** The stop of each call. */
  readonly stops: readonly StopIndex[]
  /**
   * The times of the trip's first and last call, in Unix seconds: the expected times if a feed predicts them, otherwise
   * the scheduled times.
   */
  readonly startSeconds: number
  readonly endSeconds: number
  way(paths: TripPaths): TripWay
}

/** The optional parts of a trip. */
export interface TripExtras {
  readonly vehicle: ReturnType<typeof vehicleMembers> | undefined
  /** Used to compute the geometry; undefined if the geometry is not requested. */
  readonly paths: TripPaths | undefined
  /** The current alerts; `none` if there are none; undefined if alerts are not requested. */
  readonly alerts: CurrentAlerts | 'none' | undefined
}

/** Reads the data of a trip that was found in the timetable or in live data. */
export function readTrip(view: SnapshotRows, found: FoundTrip): ReadTrip {
  return found.kind === 'live' ? readLive(view, found) : readPlanned(view, found)
}

function readPlanned({ timetable }: SnapshotRows, { instance }: FoundTrip & { kind: 'planned' }): ReadTrip {
  const { trips, patterns } = timetable
  const pattern = trips.pattern[instance.trip]
  const stops = stopsOfTrip(timetable, instance.trip)
  const last = stops.length - 1
  return {
    ref: tripRef(timetable, instance),
    line: patterns.line[pattern],
    direction: patterns.direction[pattern],
    headsign: stopHeadsign(timetable, instance.trip, 0),
    status: 'scheduled',
    isRealtime: false,
    source: 'gtfs',
    calls: callsOf(timetable, { calls: { kind: 'scheduled', instance, from: 0 }, stops }),
    stops,
    startSeconds: scheduledCall(timetable, instance, 0).departure,
    endSeconds: scheduledCall(timetable, instance, last).arrival,
    way: (paths) => ({ path: paths.ofTrip(instance.trip), from: 0, to: last }),
  }
}

function readLive({ timetable }: SnapshotRows, { overlay, instance }: FoundTrip & { kind: 'live' }): ReadTrip {
  const { instances, calls, meta } = overlay
  const all: LiveCallIndex[] = []
  const end = instances.callOffset[nextIndex(instance)]
  for (let call = instances.callOffset[instance]; call < end; call++) all.push(call)
  const running = all.filter((call) => (calls.flags[call] & CALL_SKIPPED) === 0)
  const ridden: RideCalls = { kind: 'live', overlay, calls: all }
  const stops = all.map((call) => calls.stop[call])
  const written = callsOf(timetable, { calls: ridden, stops })
  const isCanceled = instances.state[instance] === INSTANCE_CANCELED
  const called = written.flatMap(timesOf)
  // If the trip skips all its stops, its start and end are derived from the scheduled times.
  const times = called.length > 0 ? called : all.map((call) => calls.scheduledDeparture[call] + meta.baseSeconds)
  return {
    ref: refOfInstance(timetable, overlay, instance),
    line: instances.line[instance],
    direction: instances.direction[instance],
    headsign: liveHeadsign(timetable, overlay, running[0] ?? all[0]),
    status: isCanceled
      ? 'canceled'
      : instances.state[instance] === INSTANCE_ADDED
        ? 'added'
        : running.some((call) => calls.position[call] === NO_POSITION)
          ? 'replaced'
          : 'scheduled',
    isRealtime: isCanceled || written.some(({ arrival, departure }) => (departure ?? arrival)?.isRealtime === true),
    source: meta.feedIds[instances.feed[instance]] ?? 'gtfs',
    calls: written,
    stops,
    startSeconds: Math.min(...times),
    endSeconds: Math.max(...times),
    way: (paths) => liveWay({ timetable, paths }, overlay, running.length < 2 ? all : running),
  }
}

/** The times of a call, in Unix seconds; empty if the call is skipped. */
function timesOf({ status, arrival, departure }: RideCall): number[] {
  if (status === 'skipped') return []
  return [arrival, departure].flatMap((time) => (time === undefined ? [] : [effectiveSeconds(time)]))
}

function effectiveSeconds({ expectedSeconds, scheduledSeconds }: LiveDeparture): number {
  return expectedSeconds ?? scheduledSeconds
}

/** A trip as JSON. */
export function tripText(view: SnapshotRows, trip: ReadTrip, at: TripExtras & { readonly nowSeconds: number }): string {
  const { ref, line, direction, headsign, status, isRealtime, source, calls, stops } = trip
  const { vehicle, paths, alerts } = at
  return JSON.stringify({
    id: `${view.slug}:trip:${ref}`,
    network: view.slug,
    line: rideLine(view, line),
    direction_id: directionId(view, direction),
    headsign,
    service_date: `${ref.slice(0, 4)}-${ref.slice(4, 6)}-${ref.slice(6, 8)}`,
    status,
    realtime: isRealtime,
    delay_seconds: delayAt(calls, at.nowSeconds),
    source,
    vehicle: vehicle ?? null,
    calls: callsText(view, calls, stops),
    ...(paths === undefined ? {} : geometryText(trip.way(paths))),
    ...(alerts === undefined ? {} : { alert_ids: alerts === 'none' ? [] : alertIds(view, alerts, { trip, ...at }) }),
  })
}

/** The delay at the next call or, if the trip is over, at the last call; null if unknown. */
function delayAt(calls: readonly RideCall[], nowSeconds: number): number | null {
  const running = calls.filter(({ status }) => status !== 'skipped' && status !== 'canceled')
  const next = running.find((call) => Math.max(...timesOf(call)) >= nowSeconds) ?? running.at(-1)
  return (next?.departure ?? next?.arrival)?.delaySeconds ?? null
}

/**
 * Ids of the alerts about a trip. Alerts about the trip or its line must be active at the start of the trip, at the end
 * of the trip or, while the trip runs, now. Alerts about a stop must be active when the trip calls there.
 */
function alertIds(
  view: SnapshotRows,
  { index, isCurrent }: CurrentAlerts,
  { trip, nowSeconds }: { readonly trip: ReadTrip; readonly nowSeconds: number },
): string[] {
  const { startSeconds, endSeconds, line, ref } = trip
  const moments = [startSeconds, Math.min(endSeconds, Math.max(startSeconds, nowSeconds)), endSeconds]
  const rows = [
    ...moments.flatMap((seconds) => index.listOfTrip(line, ref, seconds)),
    ...trip.stops.flatMap((stop, at) => {
      const { arrival, departure } = trip.calls[at]
      const time = departure ?? arrival
      return time === undefined ? [] : index.listOfStop(stop, effectiveSeconds(time))
    }),
  ]
  return [...new Set(rows.filter(isCurrent).map((row) => alertId(view, row)))]
}
