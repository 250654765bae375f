// Converts reported vehicles to the form that API responses use. A vehicle is placed on its trip if the trip is known,
// and otherwise on its line. Missing fields are derived from the trip's path and from the vehicle's last two positions.
import type { VehicleReport } from '../../loaders/gtfs-rt/message.ts'
import { textOf } from '../../loaders/strings.ts'
import { greatCircleMeters } from '../spatial/great-circle.ts'
import { bearingAlong, findApproaches } from '../spatial/ground-path.ts'
import { directionsOfLine, findLine } from '../timetable/lines.ts'
import type { DirectionIndex, LineIndex, Timetable } from '../timetable/timetable.ts'
import type { LiveVehicle } from './build-vehicles.ts'
import { sequencesOfTrip } from './live-trip.ts'
import type { StopFinder } from './match-calls.ts'
import type { TripPaths } from './trip-paths.ts'
import {
  callAhead,
  delayAtPlace,
  metersOffShape,
  nextCall,
  predictedDelay,
  type RunHeadsigns,
  type VehicleRun,
} from './vehicle-run.ts'
import { snapToRun, turnBetween } from './vehicle-snap.ts'
import type { VehicleTrack } from './vehicle-tracks.ts'
import { OCCUPANCIES, type Occupancy } from './vehicles.ts'

/** The data needed to read a network's reported vehicles. */
export interface VehicleGround {
  readonly timetable: Timetable
  readonly paths: TripPaths
  readonly find: StopFinder
  readonly headsigns: RunHeadsigns
}

/**
 * Maximum distance of a vehicle from the shape of its trip, or from the straight lines between the trip's stops. A
 * vehicle that is farther away is not on the trip, or its position is wrong.
 */
const OFF_SHAPE_METERS = 2000
/** If a vehicle is farther than this from the shape of its trip, it is assumed to be on a detour of unknown length. */
const DETOUR_METERS = 300
const MAX_SPEED_KMH = 360
const KMH_PER_METER_A_SECOND = 3.6
/** Minimum time between two reports from which a speed is computed. */
const MOVE_SECONDS = 5
/**
 * Many feeds write 0 degrees for "unknown". So 0 is not used if the path (or, without a path, the vehicle's last move)
 * points away from north by more than this angle.
 */
const ABOUT_NORTH_DEGREES = 60

/** Converts a vehicle on its trip. Returns undefined if the vehicle is too far from the trip's shape. */
export function toVehicleOnRun(ground: VehicleGround, track: VehicleTrack, run: VehicleRun): LiveVehicle | undefined {
  const { now } = track
  const named = namedCalls(ground, run, now.report)
  const isMoving = now.report.status !== 'stopped_at'
  const along = findProgress(track, run, named.length === 1 ? named[0] : undefined)
  if (along === undefined) return undefined
  const { callAlong } = run.way
  const nearest = named.reduce<number | undefined>((best, call) => {
    const isNearer = best === undefined || Math.abs(at(callAlong, call) - along) < Math.abs(at(callAlong, best) - along)
    return isNearer ? call : best
  }, undefined)
  const standsAt = isMoving ? undefined : (nearest ?? callAround(run, along))
  const next = nextOf(run, { along, standsAt, named: nearest })
  const isOnDetour = run.way.isShape && (track.progress?.aside ?? 0) > DETOUR_METERS
  const byTimetable = isOnDetour ? undefined : delayAtPlace(run, along, now.recordedSeconds)
  return {
    ...ownMembers(track),
    tripRef: run.ref,
    line: run.line,
    direction: run.direction,
    headsign: ground.headsigns.of(run, next ?? standsAt ?? run.calls.length - 1),
    bearingDegrees: bearingOf(track, bearingAlong(run.way.path, along)) ?? 0,
    speedKmh: speedOf(track) ?? scheduledSpeed(run, along),
    offRouteMeters: metersOffShape(run, now),
    delaySeconds: predictedDelay(run, next ?? run.calls.length - 1) ?? byTimetable,
    currentStop: standsAt === undefined ? undefined : run.calls[standsAt]?.stop,
    nextStop: next === undefined ? undefined : run.calls[next]?.stop,
  }
}

/**
 * Converts a vehicle whose trip is unknown, using the line that it reports. Returns undefined if the line is also
 * unknown.
 */
export function toVehicleOnLine(ground: VehicleGround, track: VehicleTrack): LiveVehicle | undefined {
  const { timetable } = ground
  const { report } = track.now
  const line = report.trip?.routeId === undefined ? undefined : findLine(timetable, report.trip.routeId)
  if (line === undefined) return undefined
  const direction = directionOf(timetable, line, report.trip?.directionId)
  const stop = report.stopId === undefined ? undefined : ground.find.stop(report.stopId)
  const isStopped = report.status === 'stopped_at'
  return {
    ...ownMembers(track),
    tripRef: '',
    line,
    direction,
    headsign: direction === undefined ? '' : textOf(timetable.strings, timetable.directions.headsign[direction]),
    bearingDegrees: bearingOf(track, undefined) ?? bearingOfLine(ground, track, { line, direction }) ?? 0,
    speedKmh: speedOf(track) ?? 0,
    offRouteMeters: undefined,
    delaySeconds: undefined,
    currentStop: isStopped ? stop : undefined,
    nextStop: isStopped ? undefined : stop,
  }
}

function ownMembers({ id, now }: VehicleTrack) {
  const { lat, lon, recordedSeconds, report } = now
  const occupancy = OCCUPANCIES.find((word): word is Occupancy => word === report.occupancy)
  const isNamed = report.vehicle?.id !== undefined
  return { id, isNamed, lat, lon, recordedSeconds, status: report.status, source: 'gps', occupancy } as const
}

/**
 * The distance of the vehicle along its path in meters. It is stored in the track, so that it is computed only once per
 * position.
 */
function findProgress(track: VehicleTrack, run: VehicleRun, namedCall: number | undefined): number | undefined {
  const { now, before, progressBefore } = track
  if (track.progress?.key === run.ref && track.progress.at === now) return track.progress.along
  const isSameRun = progressBefore?.key === run.ref && before !== undefined
  const approach = snapToRun(run, {
    place: now,
    recordedSeconds: now.recordedSeconds,
    namedCall,
    before: isSameRun
      ? { along: progressBefore.along, agoSeconds: now.recordedSeconds - before.recordedSeconds }
      : undefined,
    bearing: headingOf(track),
  })
  if (approach === undefined || approach.aside > OFF_SHAPE_METERS) return undefined
  track.progress = { key: run.ref, along: approach.along, aside: approach.aside, at: now }
  return approach.along
}

/** The calls of a run to which the stop_sequence and the stop in a report may refer. */
function namedCalls({ timetable, find }: VehicleGround, run: VehicleRun, report: VehicleReport): number[] {
  const { stopId } = report
  const bySequence = callOfSequence(timetable, run, report)
  const stop = stopId === undefined ? undefined : find.stop(stopId)
  if (bySequence >= 0 && bySequence < run.calls.length) {
    const call = run.calls[bySequence]
    const isOne = stop === undefined || call?.stop === stop || (call && find.isSameStation(call.stop, stop))
    if (isOne) return [bySequence]
  }
  if (stop === undefined) return []
  return run.calls.flatMap((call, position) =>
    call.stop === stop || find.isSameStation(call.stop, stop) ? [position] : [],
  )
}

/**
 * The call with the stop_sequence from a report; −1 if there is no such call. For a trip with TripModifications, the
 * stop_sequence counts the calls that are not skipped, from 1.
 */
function callOfSequence(timetable: Timetable, { instance, calls }: VehicleRun, report: VehicleReport): number {
  const { stopSequence, trip } = report
  if (stopSequence === undefined || instance === undefined) return -1
  if (trip?.modificationsId !== undefined) {
    const kept = calls.filter((call) => !call.isSkipped)[stopSequence - 1]
    return kept === undefined ? -1 : calls.indexOf(kept)
  }
  const position = sequencesOfTrip(timetable, instance.trip).indexOf(stopSequence)
  return position < 0 ? -1 : calls.findIndex((call) => call.position === position)
}

/**
 * The nearest call to a point on the path; undefined if no call is within AT_STOP_METERS. Skipped calls are ignored.
 */
function callAround(run: VehicleRun, along: number): number | undefined {
  let best: number | undefined
  for (let call = nextCall(run, 0); call !== undefined; call = nextCall(run, call + 1)) {
    const meters = Math.abs(at(run.way.callAlong, call) - along)
    if (meters <= AT_STOP_METERS && (best === undefined || meters < Math.abs(at(run.way.callAlong, best) - along))) {
      best = call
    }
  }
  return best
}

/**
 * A vehicle that reports STOPPED_AT without naming a call of its trip is assumed to be at the nearest call within this
 * distance.
 */
const AT_STOP_METERS = 150

/**
 * The next call of a vehicle. If the vehicle is stopped at a call, this is the following call. Otherwise it is the call
 * that the vehicle reports. If the vehicle reports none, it is the first call ahead of the vehicle.
 */
function nextOf(
  run: VehicleRun,
  place: { readonly along: number; readonly standsAt: number | undefined; readonly named: number | undefined },
): number | undefined {
  if (place.standsAt !== undefined) return nextCall(run, place.standsAt + 1)
  return place.named === undefined ? callAhead(run, place.along) : nextCall(run, place.named)
}

function at(column: Float64Array, index: number): number {
  return column[index]
}

/**
 * The bearing of a vehicle: the reported bearing if there is one, otherwise the bearing of the trip's path at the
 * vehicle's position. Without a path, it is the bearing of the vehicle's last move.
 */
function bearingOf({ now, moveBearing }: VehicleTrack, wayBearing: number | undefined): number | undefined {
  const { bearing } = now.report
  const derived = wayBearing ?? moveBearing
  if (bearing === undefined || !(bearing >= 0 && bearing <= 360)) return derived
  if (bearing % 360 !== 0) return bearing
  return derived === undefined || turnBetween(0, derived) <= ABOUT_NORTH_DEGREES ? 0 : derived
}

/**
 * The bearing of a vehicle that is not placed on its path yet: the reported bearing unless it is exactly north,
 * otherwise the bearing of the vehicle's last move.
 */
function headingOf({ now, moveBearing }: VehicleTrack): number | undefined {
  const { bearing } = now.report
  const isReported = bearing !== undefined && bearing > 0 && bearing < 360
  return isReported ? bearing : moveBearing
}

/** Finds the nearest of the paths of the vehicle's line. Returns the bearing of this path at the vehicle's position. */
function bearingOfLine(
  { timetable, paths }: VehicleGround,
  { now }: VehicleTrack,
  of: { readonly line: LineIndex; readonly direction: DirectionIndex | undefined },
): number | undefined {
  const directions = of.direction === undefined ? directionsOfLine(timetable, of.line) : [of.direction]
  let bearing: number | undefined
  let nearest = Infinity
  for (const path of directions.flatMap((direction) => paths.listOfDirection(direction))) {
    const [approach] = findApproaches(path, now, 0)
    if (approach === undefined || approach.aside >= nearest) continue
    nearest = approach.aside
    bearing = bearingAlong(path, approach.along)
  }
  return bearing
}

/**
 * The speed of a vehicle: the reported speed if it is plausible, otherwise computed from its last two positions. 0 if
 * the vehicle is stopped; undefined if the speed is unknown.
 */
function speedOf(track: VehicleTrack): number | undefined {
  const { now, before, progress, progressBefore } = track
  const reported = now.report.speedMetersPerSecond
  if (reported !== undefined && reported >= 0 && reported * KMH_PER_METER_A_SECOND <= MAX_SPEED_KMH) {
    return reported * KMH_PER_METER_A_SECOND
  }
  if (now.report.status === 'stopped_at') return 0
  if (before === undefined || now.recordedSeconds - before.recordedSeconds < MOVE_SECONDS) return undefined
  const isSameRun = progress !== undefined && progress.key === progressBefore?.key
  const meters = isSameRun
    ? Math.abs(progress.along - progressBefore.along)
    : greatCircleMeters(before.lat, before.lon, now.lat, now.lon)
  const speed = (meters / (now.recordedSeconds - before.recordedSeconds)) * KMH_PER_METER_A_SECOND
  return speed <= MAX_SPEED_KMH ? speed : undefined
}

/** The scheduled speed of a run at a point on its path, in km/h. */
function scheduledSpeed({ calls, way }: VehicleRun, along: number): number {
  const { callAlong } = way
  let next = calls.findIndex((_, call) => at(callAlong, call) > along)
  if (next < 0) next = calls.length - 1
  // No speed can be computed from two calls at the same point or at the same time. So earlier calls are added until the
  // stretch has a length and a duration.
  for (let from = Math.max(0, next - 1); from >= 0 && next < calls.length; from--) {
    const meters = at(callAlong, next) - at(callAlong, from)
    const seconds = (calls[next]?.scheduled.arrival ?? 0) - (calls[from]?.scheduled.departure ?? 0)
    if (meters > 0 && seconds > 0) return Math.min(MAX_SPEED_KMH, (meters / seconds) * KMH_PER_METER_A_SECOND)
  }
  return 0
}

/**
 * The direction that a report names. If the report does not name a direction of the line, this is the line's only
 * direction; undefined if the line has several.
 */
function directionOf(timetable: Timetable, line: LineIndex, named: number | undefined): DirectionIndex | undefined {
  const directions = directionsOfLine(timetable, line)
  const found = directions.find((direction) => timetable.directions.directionId[direction] === named)
  return found ?? (directions.length === 1 ? directions[0] : undefined)
}
