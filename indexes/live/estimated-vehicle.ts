// Estimates the position of a vehicle that does not report its position, from the times of its trip's calls. An
// estimate is valid only for the time for which it was computed, so it is computed again whenever vehicles are built.
import { bearingAlong, placeAlong } from '../spatial/ground-path.ts'
import type { LiveVehicle } from './build-vehicles.ts'
import { metersOffShape, placeInTime, predictedDelay, type RunHeadsigns, type VehicleRun } from './vehicle-run.ts'

/**
 * Maximum speed to show. No ground vehicle is faster, but if two calls have nearly the same time, the computed speed
 * can be higher.
 */
const MAX_SPEED_KMH = 360
const KMH_PER_METER_A_SECOND = 3.6

/**
 * Estimates the position of a run's vehicle from predictions. Undefined if the vehicle is not under way, or if no later
 * call has a prediction.
 */
export function interpolateVehicle(
  headsigns: RunHeadsigns,
  run: VehicleRun,
  nowSeconds: number,
): LiveVehicle | undefined {
  const place = placeInTime(run, nowSeconds)
  if (place?.next === undefined) return undefined
  const isPredicted = run.calls.some((call, at) => at >= (place.next ?? 0) && call.isPredicted)
  return isPredicted ? toEstimate(headsigns, run, { nowSeconds, source: 'interpolated' }) : undefined
}

/** Estimates the position of a run's vehicle from the timetable alone. Undefined if the vehicle is not under way. */
export function scheduleVehicle(headsigns: RunHeadsigns, run: VehicleRun, nowSeconds: number): LiveVehicle | undefined {
  return toEstimate(headsigns, run, { nowSeconds, source: 'scheduled' })
}

function toEstimate(
  headsigns: RunHeadsigns,
  run: VehicleRun,
  { nowSeconds, source }: { readonly nowSeconds: number; readonly source: 'interpolated' | 'scheduled' },
): LiveVehicle | undefined {
  const place = placeInTime(run, nowSeconds)
  if (place?.next === undefined) return undefined
  const { path } = run.way
  const { along, standsAt, next, metersPerSecond } = place
  const here = placeAlong(path, along)
  return {
    id: run.vehicle === '' ? `est-${run.ref}` : run.vehicle,
    isNamed: run.vehicle !== '',
    tripRef: run.ref,
    line: run.line,
    direction: run.direction,
    headsign: headsigns.of(run, next),
    ...here,
    bearingDegrees: bearingAlong(path, along) ?? 0,
    offRouteMeters: run.way.isShape ? 0 : metersOffShape(run, here),
    speedKmh: Math.min(MAX_SPEED_KMH, metersPerSecond * KMH_PER_METER_A_SECOND),
    delaySeconds: source === 'interpolated' ? predictedDelay(run, next) : undefined,
    status: standsAt === undefined ? 'in_transit' : 'stopped_at',
    currentStop: standsAt === undefined ? undefined : run.calls[standsAt]?.stop,
    nextStop: run.calls[next]?.stop,
    source,
    recordedSeconds: nowSeconds,
    occupancy: undefined,
  }
}
