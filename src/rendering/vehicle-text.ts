// Live vehicles as JSON: with all members in the lists for a line, and with fewer members in the lists for a location.
import {
  NO_DELAY,
  NO_ROUTE,
  OCCUPANCIES,
  POSITION_SOURCES,
  VEHICLE_STATUSES,
  type VehicleIndex,
  type Vehicles,
} from '../../indexes/live/vehicles.ts'
import type { StopIndex } from '../../indexes/timetable/timetable.ts'
import { NONE } from '../../loaders/columns.ts'
import { EMPTY_STRING, type StringIndex, textOf } from '../../loaders/strings.ts'
import { directionId } from './line-text.ts'
import { lineId, stopId } from './public-ids.ts'
import type { SnapshotRows } from './snapshot-view.ts'

/** Decimal places of degrees in answers. The last one is about a decimeter. */
const DEGREE_DIGITS = 6

/** A vehicle as JSON, with all members. */
export function vehicleText(view: SnapshotRows, vehicles: Vehicles, vehicle: VehicleIndex): string {
  return JSON.stringify(vehicleMembers(view, vehicles, vehicle))
}

/** The members of a vehicle, before serialization. */
export function vehicleMembers(view: SnapshotRows, vehicles: Vehicles, vehicle: VehicleIndex) {
  const { rows, strings } = vehicles
  const delay = rows.delaySeconds[vehicle]
  const ref = rows.tripRef[vehicle]
  return {
    ...identity(view, vehicles, vehicle),
    delay_seconds: delay === NO_DELAY ? null : delay,
    status: VEHICLE_STATUSES[rows.status[vehicle]],
    current_stop_id: stopIdOrNull(view, rows.currentStop[vehicle]),
    next_stop_id: stopIdOrNull(view, rows.nextStop[vehicle]),
    trip_id: ref === EMPTY_STRING ? null : `${view.slug}:trip:${textOf(strings, ref)}`,
    ...position(view, vehicles, vehicle),
    occupancy: OCCUPANCIES[rows.occupancy[vehicle]] ?? null,
  }
}

/** A vehicle near a location, as JSON with fewer members. */
export function nearbyVehicleText(
  view: SnapshotRows,
  vehicles: Vehicles,
  { vehicle, distanceMeters }: { readonly vehicle: VehicleIndex; readonly distanceMeters: number },
): string {
  return JSON.stringify({
    ...identity(view, vehicles, vehicle),
    status: VEHICLE_STATUSES[vehicles.rows.status[vehicle]],
    ...position(view, vehicles, vehicle),
    distance_meters: Math.round(distanceMeters),
  })
}

/** Local part of a vehicle's public id. */
export function vehicleLocalId({ rows, strings }: Vehicles, vehicle: VehicleIndex): string {
  return textOf(strings, rows.id[vehicle])
}

/** Whether a vehicle's position is based on live data. */
export function isRealtime({ rows }: Vehicles, vehicle: VehicleIndex): boolean {
  return POSITION_SOURCES[rows.source[vehicle]] !== 'scheduled'
}

function identity(view: SnapshotRows, vehicles: Vehicles, vehicle: VehicleIndex) {
  const { rows, strings } = vehicles
  const direction = rows.direction[vehicle]
  const headsign: StringIndex = rows.headsign[vehicle]
  return {
    id: `${view.slug}:vehicle:${vehicleLocalId(vehicles, vehicle)}`,
    network: view.slug,
    line_id: lineId(view, rows.line[vehicle]),
    direction_id: direction === NONE ? '' : directionId(view, direction),
    headsign: textOf(strings, headsign),
    lat: toDegrees(rows.lat[vehicle]),
    lon: toDegrees(rows.lon[vehicle]),
    bearing: rows.bearingTenths[vehicle] / 10,
    speed_kmh: rows.speedTenths[vehicle] / 10,
  }
}

function position(view: SnapshotRows, { rows }: Vehicles, vehicle: VehicleIndex) {
  const offRoute = rows.offRouteMeters[vehicle]
  return {
    off_route_meters: offRoute === NO_ROUTE ? null : offRoute,
    position_source: POSITION_SOURCES[rows.source[vehicle]],
    recorded_at: view.localTime.text(rows.recordedSeconds[vehicle]),
  }
}

function stopIdOrNull(view: SnapshotRows, stop: StopIndex): string | null {
  return stop === NONE ? null : stopId(view, stop)
}

function toDegrees(degrees: number): number {
  return Number(degrees.toFixed(DEGREE_DIGITS))
}
