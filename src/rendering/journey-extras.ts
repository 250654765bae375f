// The members that `include` adds to the sections of a journey, such as the calls of rides, GeoJSON geometry and alert
// ids.
import type { TripWay } from '../../indexes/live/live-way.ts'
import { type Place, stretchOf } from '../../indexes/spatial/ground-path.ts'
import type { WalkStep } from '../../indexes/streets/street-way.ts'
import type { Walks } from '../../indexes/streets/walks.ts'
import type { StopIndex } from '../../indexes/timetable/timetable.ts'
import { WHEELCHAIRS } from '../../indexes/timetable/wheelchair-access.ts'
import { textOf } from '../../loaders/strings.ts'
import { alertId } from './alert-text.ts'
import type { CurrentAlerts } from './current-alerts.ts'
import type { RideSection, WalkSection } from './journey.ts'
import { degrees } from './line-geometry.ts'
import type { LiveDeparture } from './live-departure.ts'
import { stopId } from './public-ids.ts'
import { callsOf, type RideCall } from './ride-calls.ts'
import type { SnapshotRows } from './snapshot-view.ts'

/** The optional parts of a journey that a request includes. */
export interface JourneyExtras {
  /**
   * The local part of the requested journey id. The journey keeps this id even if its data has changed since the id was
   * made.
   */
  readonly ref?: string
  readonly calls: boolean
  readonly geometry: boolean
  /** Whether to include the streets along each walk. */
  readonly steps?: boolean
  /** The alerts whose ids are included; `none` if there are no alerts; undefined if alerts were not requested. */
  readonly alerts: CurrentAlerts | 'none' | undefined
  /** Whether to include the accessibility of rides and of walks along streets. */
  readonly isWheelchair?: boolean
}

/** No extras. */
export const NO_EXTRAS: JourneyExtras = { calls: false, geometry: false, alerts: undefined }

/** The members that the extras add to a walk. @param walks undefined if the network has no streets */
export function walkExtras(extras: JourneyExtras, { from, to, meters }: WalkSection, walks: Walks | undefined) {
  const { geometry, steps, isWheelchair } = extras
  if (walks === undefined) return geometry ? { geometry: lineText([from, to]) } : undefined
  if (!geometry && steps !== true && isWheelchair !== true) return { walk_source: walks.sourceOf(from, to) }
  const course = walks.course(from, to, meters)
  return {
    walk_source: course.source,
    ...(isWheelchair === true ? { wheelchair: course.isAccessible ? 'yes' : 'unknown' } : {}),
    ...(geometry ? { geometry: lineText(course.points) } : {}),
    ...(steps === true && course.steps !== undefined ? { steps: course.steps.map(stepText) } : {}),
  }
}

function stepText({ name, kind, meters }: WalkStep) {
  return { name: name ?? null, distance_meters: meters, kind }
}

/** The members that the extras add to a ride. */
export function rideExtras(
  view: SnapshotRows,
  { calls, geometry, alerts, isWheelchair }: JourneyExtras,
  ride: RideSection,
) {
  if (!calls && !geometry && alerts === undefined && isWheelchair !== true) return undefined
  return {
    ...(isWheelchair === true ? { wheelchair: isAccessible(view, ride) ? 'yes' : 'unknown' } : {}),
    ...(calls ? { calls: callsText(view, callsOf(view.timetable, ride), ride.stops) } : {}),
    ...(geometry ? geometryText(ride.way()) : {}),
    ...(alerts === undefined ? {} : { alert_ids: alerts === 'none' ? [] : alertIds(view, alerts, ride) }),
  }
}

/** Whether the feed marks the trip, the boarding stop and the alighting stop as accessible. */
function isAccessible({ timetable: { trips, stops } }: SnapshotRows, { calls, stops: called }: RideSection): boolean {
  const trip =
    calls.kind === 'scheduled'
      ? calls.instance.trip
      : calls.overlay.instances.trip[calls.overlay.calls.instance[calls.calls[0]]]
  const ends = [called[0], called[called.length - 1]]
  // A trip that only live feeds contain has no row in `trips`, so its value is undefined and the result is false.
  return trips.wheelchair[trip] === WHEELCHAIRS && ends.every((stop) => stops.wheelchair[stop] === WHEELCHAIRS)
}

/** Calls in the form of the API, before serialization. @param at the stop of each call */
export function callsText(view: SnapshotRows, calls: readonly RideCall[], at: readonly StopIndex[]) {
  const { stops, strings } = view.timetable
  return calls.map(({ status, arrival, departure }, position) => {
    const stop = at[position]
    return {
      stop_id: stopId(view, stop),
      name: textOf(strings, stops.name[stop]),
      lat: degrees(stops.lat[stop]),
      lon: degrees(stops.lon[stop]),
      platform: textOf(strings, stops.platformCode[stop]),
      status,
      arrival: timeText(view, arrival),
      departure: timeText(view, departure),
    }
  })
}

function timeText({ localTime }: SnapshotRows, time: LiveDeparture | undefined) {
  if (time === undefined) return null
  const { scheduledSeconds, expectedSeconds, delaySeconds } = time
  return {
    scheduled_at: localTime.text(scheduledSeconds),
    expected_at: expectedSeconds === undefined ? null : localTime.text(expectedSeconds),
    delay_seconds: delaySeconds ?? null,
  }
}

/** The geometry of a ride or trip and the source of the geometry, as members before serialization. */
export function geometryText({ path, from, to }: TripWay) {
  const places = stretchOf(path.path, path.callAlong[from], path.callAlong[to])
  return { geometry: lineText(places), geometry_source: path.isShape ? 'shape' : 'stops' }
}

/**
 * A GeoJSON line. Omits a point that has the same rounded coordinates as the previous point, but keeps at least two
 * points.
 */
function lineText(places: readonly Place[]) {
  const coordinates: (readonly [number, number])[] = []
  for (const { lat, lon } of places) {
    const [x, y] = [degrees(lon), degrees(lat)]
    const before = coordinates.at(-1)
    if (before === undefined || before[0] !== x || before[1] !== y) coordinates.push([x, y])
  }
  const [first] = coordinates
  if (first !== undefined && coordinates.length === 1) coordinates.push(first)
  return { type: 'LineString', coordinates }
}

/**
 * Ids of the alerts about a ride. Alerts about its trip, line or boarding stop must be active at boarding, and alerts
 * about its alighting stop must be active at alighting.
 */
function alertIds(view: SnapshotRows, { index, isCurrent }: CurrentAlerts, ride: RideSection): string[] {
  const { line, tripRef, stops, departs, arrives } = ride
  const rows = [
    ...index.listOfTrip(line, tripRef, departs),
    ...index.listOfStop(stops[0], departs),
    ...index.listOfStop(stops[stops.length - 1], arrives),
  ]
  return [...new Set(rows.filter(isCurrent).map((row) => alertId(view, row)))]
}
