// A city laid out in meters for tests of vehicles. It has a straight line, a loop, a line out and back on one street,
// and a line without a shape. Also makes reports and predictions for its trips.
import type { FeedReports } from '../../../indexes/live/vehicle-tracks.ts'
import { EARTH_RADIUS_METERS } from '../../../indexes/spatial/great-circle.ts'
import type { Place } from '../../../indexes/spatial/ground-path.ts'
import type { StopTimeUpdate, TripDescriptor, TripUpdate, VehicleReport } from '../../../loaders/gtfs-rt/message.ts'

const METERS_PER_DEGREE = (EARTH_RADIUS_METERS * Math.PI) / 180
const ORIGIN: Place = { lat: 48.58, lon: 7.75 }

/** The place `north` meters north and `east` meters east of the city's southwest corner. */
export function spot(north: number, east: number): Place {
  const lat = ORIGIN.lat + north / METERS_PER_DEGREE
  return { lat, lon: ORIGIN.lon + east / (METERS_PER_DEGREE * Math.cos((lat * Math.PI) / 180)) }
}

/**
 * The instant `minutes` and `seconds` after 8:00 on 2026-06-10 in Paris, in seconds after 1970. The times in `TRIPS`
 * also count from 8:00.
 */
export function clock(minutes: number, seconds = 0): number {
  return Date.parse('2026-06-10T06:00:00Z') / 1000 + minutes * 60 + seconds
}

/** The stops, in meters north and east of the city's southwest corner. */
export const STOPS: Readonly<Record<string, readonly [number, number]>> = {
  E0: [0, 0],
  E1: [0, 1000],
  E2: [0, 2000],
  LA: [3000, 0],
  LB: [3000, 1000],
  LC: [4000, 1000],
  LD: [4000, 0],
  B0: [6000, 0],
  B1: [6000, 1000],
  B2: [6000, 2000],
  B1r: [6010, 1000],
  B0r: [6010, 0],
  X0: [8000, 0],
  X1: [8000, 3000],
}

const SHAPES: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  e: [
    [0, 0],
    [0, 500],
    [0, 1000],
    [0, 2000],
  ],
  l: [
    [3000, 0],
    [3000, 1000],
    [4000, 1000],
    [4000, 0],
    [3000, 0],
  ],
  b: [
    [6000, 0],
    [6000, 2000],
    [6000, 0],
  ],
}

/**
 * trip → line, shape, and its calls as `stop minute`, or `stop minute-minute` if the vehicle waits at the stop. Minutes
 * count from 8:00.
 */
const TRIPS: Readonly<Record<string, readonly [line: string, shape: string, calls: string]>> = {
  e1: ['E', 'e', 'E0 0,E1 5-6,E2 10'],
  e2: ['E', 'e', 'E0 30,E1 35-36,E2 40'],
  l1: ['L', 'l', 'LA 0,LB 5,LC 10,LD 15,LA 20'],
  b1: ['B', 'b', 'B0 0,B1 5,B2 10,B1r 15,B0r 20'],
  x1: ['X', '', 'X0 0,X1 10'],
}

function timeOf(minute: string): string {
  return `8:${minute.padStart(2, '0')}:00`
}

function csv(header: string, rows: readonly string[]): string {
  return [header, ...rows].join('\n')
}

/** The city's feed. */
export const CITY_FEED: Readonly<Record<string, string>> = {
  'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\nV,Ville,https://ville.example,Europe/Paris',
  'stops.txt': csv(
    'stop_id,stop_name,stop_lat,stop_lon',
    Object.entries(STOPS).map(([id, [north, east]]) => {
      const { lat, lon } = spot(north, east)
      return `${id},Stop ${id},${lat.toFixed(8)},${lon.toFixed(8)}`
    }),
  ),
  'routes.txt': csv(
    'route_id,route_short_name,route_type',
    ['E', 'L', 'B', 'X'].map((line) => `${line},${line},${line === 'E' ? 0 : 3}`),
  ),
  'calendar.txt': csv('service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date', [
    'daily,1,1,1,1,1,1,1,20260101,20261231',
  ]),
  'trips.txt': csv(
    'route_id,service_id,trip_id,trip_headsign,direction_id,shape_id',
    Object.entries(TRIPS).map(([id, [line, shape]]) => `${line},daily,${id},To ${id},0,${shape}`),
  ),
  'stop_times.txt': csv(
    'trip_id,arrival_time,departure_time,stop_id,stop_sequence',
    Object.entries(TRIPS).flatMap(([id, [, , calls]]) =>
      calls.split(',').map((call, at) => {
        const [stop = '', times = ''] = call.split(' ')
        const [arrival = '', departure = arrival] = times.split('-')
        return `${id},${timeOf(arrival)},${timeOf(departure)},${stop},${(at + 1) * 10}`
      }),
    ),
  ),
  'shapes.txt': csv(
    'shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence',
    Object.entries(SHAPES).flatMap(([id, points]) =>
      points.map(([north, east], at) => {
        const { lat, lon } = spot(north, east)
        return `${id},${lat.toFixed(8)},${lon.toFixed(8)},${at + 1}`
      }),
    ),
  ),
}

/** A descriptor for one of the city's trips, on 2026-06-10. */
export function descriptor(tripId: string | undefined, more: Partial<TripDescriptor> = {}): TripDescriptor {
  return {
    tripId,
    routeId: undefined,
    directionId: undefined,
    startSeconds: undefined,
    startDate: tripId === undefined ? undefined : '20260610',
    relationship: 'scheduled',
    ...more,
  }
}

/** A report of a vehicle's position; by default, of vehicle `v1` at 8:00. */
export function report(
  place: Partial<Place>,
  trip: TripDescriptor | string | undefined,
  more: Partial<VehicleReport> = {},
): VehicleReport {
  return {
    entityId: 'entity-1',
    trip: typeof trip === 'string' ? descriptor(trip) : trip,
    vehicle: { id: 'v1', label: undefined, licensePlate: undefined },
    timestampSeconds: clock(0),
    lat: place.lat,
    lon: place.lon,
    bearing: undefined,
    speedMetersPerSecond: undefined,
    stopSequence: undefined,
    stopId: undefined,
    status: 'in_transit',
    occupancy: undefined,
    ...more,
  }
}

/** The members of a report that identify its vehicle. */
export function named(id: string): Pick<VehicleReport, 'entityId' | 'vehicle'> {
  return { entityId: `entity-${id}`, vehicle: { id, label: undefined, licensePlate: undefined } }
}

/** The reports from one feed. */
export function feedOf(vehicles: readonly VehicleReport[], timestampSeconds = clock(0)): FeedReports {
  return { feed: 0, timestampSeconds, vehicles }
}

/** A trip update with delays: stop_sequence → seconds, or `skipped`, or `no_data`. */
export function update(
  tripId: string,
  delays: Readonly<Record<number, number | 'skipped' | 'no_data'>>,
  more: Partial<TripUpdate> = {},
): TripUpdate {
  const stopTimes = Object.entries(delays).map(([sequence, delay]): StopTimeUpdate => {
    const delaySeconds = typeof delay === 'number' ? delay : undefined
    const event =
      delaySeconds === undefined ? undefined : { timeSeconds: undefined, delaySeconds, scheduledSeconds: undefined }
    return {
      stopSequence: Number(sequence),
      stopId: undefined,
      arrival: event,
      departure: event,
      relationship: typeof delay === 'number' ? 'scheduled' : delay,
      assignedStopId: undefined,
      headsign: undefined,
      pickupType: undefined,
      dropOffType: undefined,
    }
  })
  return {
    entityId: `update-${tripId}`,
    trip: descriptor(tripId),
    vehicle: undefined,
    timestampSeconds: undefined,
    delaySeconds: undefined,
    stopTimes,
    properties: undefined,
    ...more,
  }
}
