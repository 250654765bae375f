// GET a trip on one service day: its calls and its vehicle and, on request, its geometry and alerts.
import { Elysia } from 'elysia'
import { findTripByRef } from '../../indexes/live/trip-by-ref.ts'
import { TripPaths } from '../../indexes/live/trip-paths.ts'
import { listVehicles, type VehicleIndex } from '../../indexes/live/vehicles.ts'
import { textOf } from '../../loaders/strings.ts'
import { documented } from '../contract/documented.ts'
import { ROUTES } from '../contract/routes.ts'
import { Problem } from '../http/problem.ts'
import { LastingAnswer } from '../rendering/answer-cache.ts'
import { currentAlerts } from '../rendering/current-alerts.ts'
import { ENVELOPE_START, pushMeta, sourcesText } from '../rendering/envelope.ts'
import { echoedId, parsePublicId } from '../rendering/public-ids.ts'
import { overlayOf, type SnapshotView } from '../rendering/snapshot-view.ts'
import { type ReadTrip, readTrip, tripText } from '../rendering/trip-text.ts'
import { vehicleMembers } from '../rendering/vehicle-text.ts'
import { endpoint } from '../requests/endpoint.ts'
import type { Service } from '../requests/service.ts'
import { vehiclesOf } from './vehicles.ts'

/** The trip route; its stream is in streams.ts. */
export const tripsApi = (service: Service) =>
  new Elysia({ name: 'api.trips' }).get(
    ROUTES.trip.path,
    endpoint(service, ROUTES.trip, ({ pathId, values, nowMillis }) => {
      const answered = answerTrip(service, { pathId, include: values.include, nowMillis, units: ROUTES.trip.cost })
      return answered instanceof Problem ? answered : answered.answer
    }),
    documented(ROUTES.trip),
  )

/** A request for a trip. */
export interface TripQuestion {
  readonly pathId: string
  readonly include: readonly string[] | undefined
  /** Current service time. */
  readonly nowMillis: number
  /** The number of units that the response reports. */
  readonly units: number
}

/**
 * A trip in an envelope that is valid until the end of the current second, and the Unix time of the trip's last call.
 */
export function answerTrip(
  service: Service,
  question: TripQuestion,
): { readonly answer: LastingAnswer; readonly endSeconds: number } | Problem {
  const { pathId, include = [], nowMillis, units } = question
  const id = parsePublicId(pathId)
  if (id?.kind !== 'trip') return noTrip(pathId)
  const view = service.views.find(id.network)
  if (view instanceof Problem) return view
  const found = findTripByRef(view.timetable, overlayOf(view), id.local)
  if (found === undefined) return noTrip(pathId)
  const trip = readTrip(view, found)
  const nowSeconds = Math.floor(nowMillis / 1000)
  const vehicle = vehicleOn(view, trip, nowSeconds)
  const text = tripText(view, trip, {
    nowSeconds,
    vehicle,
    paths: include.includes('geometry') ? pathsOf(view) : undefined,
    alerts: include.includes('alerts') ? (currentAlerts(view, nowSeconds) ?? 'none') : undefined,
  })
  const isLive = trip.isRealtime || (vehicle !== undefined && vehicle.position_source !== 'scheduled')
  const answer = new LastingAnswer({
    basis: view,
    dependsOn: 'live',
    start: ENVELOPE_START + text,
    end: (out, atMillis) =>
      pushMeta(out, {
        nowMillis: atMillis,
        units,
        network: view.slug,
        freshness: isLive ? 'realtime' : 'scheduled',
        attribution: view.attributionText,
        sources: sourcesText(view, view.network.live, atMillis),
      }),
    nowMillis,
    fromSeconds: nowSeconds,
    untilSeconds: nowSeconds + 1,
  })
  return { answer, endSeconds: trip.endSeconds }
}

function noTrip(id: string): Problem {
  return new Problem(
    'not_found',
    `No trip has the id ${echoedId(id)}, or the trip does not run on the day in the id. Find trip ids in departures, vehicles and journeys.`,
  )
}

/** The vehicle that is running a trip; undefined if there is none. */
function vehicleOn(view: SnapshotView, { line, ref }: ReadTrip, nowSeconds: number) {
  const vehicles = vehiclesOf(view)
  if (vehicles === undefined) return undefined
  const { rows, strings } = vehicles
  const isOn = (vehicle: VehicleIndex) => textOf(strings, rows.tripRef[vehicle]) === ref
  const vehicle = listVehicles(vehicles, line, nowSeconds).find(isOn)
  return vehicle === undefined ? undefined : vehicleMembers(view, vehicles, vehicle)
}

/** Maximum number of points and calls in the cached paths of a network. 100,000 of them take about 5 MB. */
const KEPT_PLACES = 100_000
const pathsOfView = new WeakMap<SnapshotView, TripPaths>()

function pathsOf(view: SnapshotView): TripPaths {
  return pathsOfView.getOrInsertComputed(view, () => new TripPaths(view.timetable, KEPT_PLACES))
}
