// The demo's VehiclePositions at an instant. During a run, a vehicle's position on the shape is interpolated between
// the actual times of two calls. Between runs, the vehicle waits at a terminal without a trip.

import { transit_realtime } from 'gtfs-realtime-bindings'
import { firstWhere } from '../../../loaders/columns.ts'
import type { Pattern } from '../patterns.ts'
import { type Point, toDegrees } from '../terrain.ts'
import type { CityDay, CityDays } from './city-days.ts'
import type { Duty } from './duties.ts'
import { beginOf, callCountOf, endOf, nextPosition, type Run } from './run.ts'
import { describeTrip } from './trip-updates.ts'

type Entity = transit_realtime.IFeedEntity
type Position = transit_realtime.IVehiclePosition

const { VehicleStopStatus, OccupancyStatus } = transit_realtime.VehiclePosition
/** Each vehicle's report is less than this many seconds older than the message. The age differs by vehicle. */
const REPORT_SECONDS = 10
/** A waiting vehicle reports the trip of its next run from this many seconds before the run starts. */
const SHOWS_RUN_SECONDS = 300
/** A vehicle reports from `WARM_UP_SECONDS` before a run until `COOL_DOWN_SECONDS` after it. */
const WARM_UP_SECONDS = 600
const COOL_DOWN_SECONDS = 300
const INCOMING_SECONDS = 20
/** How far a rerouted vehicle is from its pattern's shape, in meters. */
const DETOUR_METERS = 140
const FULL_TURN = 360

/** Returns the VehiclePosition entities at an instant, in seconds since 1970. */
export function listVehiclePositions(days: CityDays, nowSeconds: number): Entity[] {
  const entities: Entity[] = []
  for (const day of days.listAt(nowSeconds)) {
    for (const duty of day.duties) {
      const reportedAt = nowSeconds - (Number(duty.vehicle.slice(1)) % REPORT_SECONDS)
      const position = locate(days, day, { duty, seconds: reportedAt - day.zeroSeconds })
      if (position === undefined) continue
      const vehicle = { id: duty.vehicle, label: duty.vehicle.slice(1) }
      entities.push({ id: `vehicle-${duty.vehicle}`, vehicle: { ...position, vehicle, timestamp: reportedAt } })
    }
  }
  return entities
}

/** A vehicle's position at a time in seconds after the service day's zero; undefined if the vehicle does not report. */
function locate(days: CityDays, day: CityDay, at: { duty: Duty; seconds: number }): Position | undefined {
  const { runs } = at.duty
  const { seconds } = at
  const current = runs.findIndex((run) => seconds < endOf(run))
  const before = runs[(current < 0 ? runs.length : current) - 1]
  const run = runs[current]
  if (run !== undefined && seconds >= beginOf(run))
    return isSilent(run, seconds) ? undefined : moving(days, day, { run, seconds })
  if (run !== undefined && seconds >= beginOf(run) - SHOWS_RUN_SECONDS) return waiting(days, day, run)
  if (before !== undefined && before.kind !== 'unscheduled' && seconds < endOf(before) + COOL_DOWN_SECONDS) {
    return standingAt(before.pattern, callCountOf(before) - 1)
  }
  return run !== undefined && seconds >= beginOf(run) - WARM_UP_SECONDS ? standingAt(run.pattern, 0) : undefined
}

/**
 * Whether a run is in its radio hole. The hole begins at the departure from the last call before `silent`, and ends at
 * the departure from the first call after `silent`.
 */
function isSilent(run: Run, seconds: number): boolean {
  const { from, to } = run.silent
  if (from === to) return false
  const next = nextPosition(run, seconds)
  return next >= from && next <= to
}

function waiting(days: CityDays, day: CityDay, run: Run): Position {
  return {
    ...standingAt(run.pattern, 0),
    trip: describeTrip(days, day, run),
    currentStopSequence: 1,
    stopId: days.parts.stops.platformIds[run.pattern.calls[0].platform],
    currentStatus: VehicleStopStatus.STOPPED_AT,
    occupancyStatus: OccupancyStatus.EMPTY,
  }
}

function standingAt(pattern: Pattern, position: number): Position {
  const place = placeAlong(pattern, pattern.calls[position].meters)
  return { position: { latitude: place.lat, longitude: place.lon, bearing: place.bearing, speed: 0 } }
}

function moving(days: CityDays, day: CityDay, at: { run: Run; seconds: number }): Position {
  const { run, seconds } = at
  const progress = progressOf(run, seconds)
  const { next, isStanding } = progress
  const place = placeAlong(run.pattern, progress.meters, detourOf(run, progress.meters))
  const isIncoming = run.times[next * 2] - seconds <= INCOMING_SECONDS
  const status = isIncoming ? VehicleStopStatus.INCOMING_AT : VehicleStopStatus.IN_TRANSIT_TO
  const platform = run.move?.position === next ? run.move.platform : run.pattern.calls[next].platform
  return {
    trip: describeTrip(days, day, run),
    position: {
      latitude: place.lat,
      longitude: place.lon,
      bearing: place.bearing,
      speed: isStanding ? 0 : progress.metersPerSecond,
    },
    currentStopSequence: next + 1,
    stopId: days.parts.stops.platformIds[platform],
    currentStatus: isStanding ? VehicleStopStatus.STOPPED_AT : status,
    ...occupancyOf(days, run, seconds),
  }
}

/** A vehicle's progress on its run. */
interface Progress {
  /** Distance along the shape. */
  readonly meters: number
  readonly metersPerSecond: number
  /** The call at which the vehicle is. Between two calls, the next call that is not skipped. */
  readonly next: number
  readonly isStanding: boolean
}

/**
 * Interpolates a vehicle's progress between two consecutive calls, skipped or not. The vehicle does not stop at skipped
 * calls.
 */
function progressOf(run: Run, seconds: number): Progress {
  const { calls } = run.pattern
  const ahead = nextPosition(run, seconds)
  let next = ahead
  while (run.leftOut.includes(next)) next++
  const arrival = run.times[ahead * 2]
  if (arrival <= seconds || ahead === 0) {
    return { meters: calls[ahead].meters, metersPerSecond: 0, next, isStanding: ahead === next }
  }
  const left = run.times[ahead * 2 - 1]
  const length = calls[ahead].meters - calls[ahead - 1].meters
  const meters = calls[ahead - 1].meters + (length * (seconds - left)) / (arrival - left)
  return { meters, metersPerSecond: length / (arrival - left), next, isStanding: false }
}

/** How many meters a rerouted vehicle is to the right of its pattern's shape; 0 before and after the skipped calls. */
function detourOf(run: Run, meters: number): number {
  const [first] = run.leftOut
  if (run.kind !== 'replacement' || first === undefined) return 0
  const { calls } = run.pattern
  const from = calls[first - 1].meters
  const to = calls[first + run.leftOut.length].meters
  return meters <= from || meters >= to ? 0 : DETOUR_METERS * Math.sin((Math.PI * (meters - from)) / (to - from))
}

/**
 * The point at a distance along a pattern's shape, moved `asideMeters` to the right. Also returns the bearing of the
 * shape at this point, in degrees clockwise from north.
 */
function placeAlong(pattern: Pattern, meters: number, asideMeters = 0): { lat: number; lon: number; bearing: number } {
  const { points, pointMeters } = pattern
  const before = firstWhere(1, points.length - 1, (at) => pointMeters[at] > meters) - 1
  const [from, to] = [points[before], points[before + 1]]
  const length = pointMeters[before + 1] - pointMeters[before]
  const part = length === 0 ? 0 : Math.max(0, Math.min(1, (meters - pointMeters[before]) / length))
  const angle = Math.atan2(to.x - from.x, to.y - from.y)
  const place: Point = {
    x: from.x + (to.x - from.x) * part + Math.cos(angle) * asideMeters,
    y: from.y + (to.y - from.y) * part - Math.sin(angle) * asideMeters,
  }
  return { ...toDegrees(place), bearing: ((angle / (2 * Math.PI)) * FULL_TURN + FULL_TURN) % FULL_TURN }
}

/** Hour of the day → occupancy in the middle of a run. 1 means that all seats are taken. */
const LOADS = [
  0.2, 0.2, 0.2, 0.2, 0.2, 0.3, 0.5, 1.1, 1.25, 0.8, 0.6, 0.65, 0.9, 0.8, 0.6, 0.7, 1, 1.25, 1.1, 0.8, 0.6, 0.5, 0.4,
  0.3,
]
const OCCUPANCIES = [
  [0.12, OccupancyStatus.EMPTY],
  [0.5, OccupancyStatus.MANY_SEATS_AVAILABLE],
  [0.85, OccupancyStatus.FEW_SEATS_AVAILABLE],
  [1.2, OccupancyStatus.STANDING_ROOM_ONLY],
  [1.45, OccupancyStatus.CRUSHED_STANDING_ROOM_ONLY],
] as const

/**
 * The occupancy of a run. It is higher in the middle of the run, in peak hours and on some runs. Ferries report none.
 */
function occupancyOf({ parts }: CityDays, run: Run, seconds: number): Pick<Position, 'occupancyStatus'> {
  if (parts.roster[run.pattern.line].mode === 'ferry') return {}
  const part = nextPosition(run, seconds) / callCountOf(run)
  const crowd = 0.7 + ((run.startSeconds / 60 + run.trip.id.length * 7) % 11) / 18
  const load = LOADS[Math.floor(seconds / 3600) % LOADS.length] * Math.sin(Math.PI * part) * crowd
  const level = OCCUPANCIES.find(([below]) => load < below)
  return { occupancyStatus: level?.[1] ?? OccupancyStatus.FULL }
}
