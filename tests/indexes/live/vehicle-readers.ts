// Readers for the city in vehicle-city.ts, and helpers to query what they find.
import { expect } from 'bun:test'
import type { LiveVehicle } from '../../../indexes/live/build-vehicles.ts'
import type { LiveTrip } from '../../../indexes/live/live-trip.ts'
import { LiveTripReader } from '../../../indexes/live/live-trips.ts'
import { type FoundVehicles, nameVehicles, VehicleReader } from '../../../indexes/live/vehicle-reader.ts'
import { greatCircleMeters } from '../../../indexes/spatial/great-circle.ts'
import type { Place } from '../../../indexes/spatial/ground-path.ts'
import type { StopIndex, Timetable } from '../../../indexes/timetable/timetable.ts'
import type { TripUpdate, VehicleReport } from '../../../loaders/gtfs-rt/message.ts'
import { textOf } from '../../../loaders/strings.ts'
import { timetableOf } from '../built-feed.ts'
import { CITY_FEED, clock, feedOf } from './vehicle-city.ts'

/** The city's timetable. */
export const timetable = await timetableOf(CITY_FEED)

/** Readers for a timetable, by default the city's. `read` reads vehicle reports and trip updates. */
export function city(of: Timetable = timetable) {
  const trips = new LiveTripReader(of)
  const vehicles = new VehicleReader(of, (descriptor, now) => trips.matchTrip(descriptor, now))
  let reported: readonly LiveTrip[] = []
  const read = (
    reports: readonly VehicleReport[],
    at: { now?: number; updates?: readonly TripUpdate[]; scheduled?: boolean } = {},
  ): FoundVehicles => {
    const nowSeconds = at.now ?? clock(0)
    const feed = { timestampSeconds: nowSeconds, trips: at.updates ?? [] }
    reported = trips.read([feed], nowSeconds).trips
    const found = vehicles.read({
      reports: [feedOf(reports, nowSeconds)],
      trips: reported,
      nowSeconds,
      maxAgeSeconds: 300,
      scheduledVehicles: at.scheduled ?? false,
    })
    nameVehicles(of, reported, found.vehicles)
    return found
  }
  /** `trips` returns the live trips that `read` found last. */
  return { read, trips: () => reported }
}

/** The only vehicle that was found. Fails if there is none, or more than one. */
export function only(found: FoundVehicles): LiveVehicle {
  expect(found.vehicles.length).toBe(1)
  return found.vehicles[0]
}

/** The id of a stop; undefined if there is no stop. */
export function stopName(stop: StopIndex | undefined): string | undefined {
  return stop === undefined ? undefined : textOf(timetable.strings, timetable.stops.id[stop])
}

/** The distance of a vehicle from a place. */
export function metersFrom(vehicle: Place, place: Place): number {
  return greatCircleMeters(vehicle.lat, vehicle.lon, place.lat, place.lon)
}
