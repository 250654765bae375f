// GET the live vehicles of a line, and GET the live vehicles near a point across networks. If a network neither
// publishes vehicles nor has data from which their positions can be estimated, the response is `capability_unsupported`
// and costs nothing. Otherwise, the response lists the current vehicles and may be empty.
import { Elysia } from 'elysia'
import { findVehicles, listVehicles, type VehicleIndex, type Vehicles } from '../../indexes/live/vehicles.ts'
import { modeWord } from '../../indexes/timetable/modes.ts'
import { documented } from '../contract/documented.ts'
import { ROUTES } from '../contract/routes.ts'
import { Problem } from '../http/problem.ts'
import { LastingAnswer } from '../rendering/answer-cache.ts'
import { ENVELOPE_START, namedNetwork, pushMeta, writeEnvelope } from '../rendering/envelope.ts'
import type { JsonBytes } from '../rendering/json-bytes.ts'
import { resolveLine } from '../rendering/public-ids.ts'
import { attributionOf, type SnapshotView } from '../rendering/snapshot-view.ts'
import { isRealtime, nearbyVehicleText, vehicleLocalId, vehicleText } from '../rendering/vehicle-text.ts'
import { endpoint } from '../requests/endpoint.ts'
import type { Service } from '../requests/service.ts'

/**
 * Networks that are farther than this from the searched circle are left out. A vehicle is at most 10 km from its
 * network's stops, unless it is on a shape, which may lead farther away.
 */
const BESIDE_NETWORK_METERS = 50_000

/** A vehicle near a point, and the network that it belongs to. */
interface NearVehicle {
  readonly view: SnapshotView
  readonly vehicles: Vehicles
  readonly vehicle: VehicleIndex
  /** Great-circle distance, not rounded. */
  readonly distanceMeters: number
}

/** The vehicle routes. */
export const vehiclesApi = (service: Service) =>
  new Elysia({ name: 'api.vehicles' })
    .get(ROUTES.lineVehicles.path, lineVehicles(service), documented(ROUTES.lineVehicles))
    .get(ROUTES.nearbyVehicles.path, nearbyVehicles(service), documented(ROUTES.nearbyVehicles))

const lineVehicles = (service: Service) =>
  endpoint(service, ROUTES.lineVehicles, (call) =>
    answerLineVehicles(service, { ...call, units: ROUTES.lineVehicles.cost }),
  )

/**
 * The vehicles of a line, in an envelope that is valid until the end of the current second.
 * @param question `question.units` is the number of units that the response reports
 */
export function answerLineVehicles(
  service: Service,
  question: { readonly pathId: string; readonly nowMillis: number; readonly units: number },
): LastingAnswer | Problem {
  const { pathId, nowMillis, units } = question
  const found = resolveLine(service.views, pathId)
  if (found instanceof Problem) return found
  const { view, line } = found
  if (!hasVehicles(view)) return noVehicles([view.slug])
  const vehicles = vehiclesOf(view)
  const nowSeconds = Math.floor(nowMillis / 1000)
  const listed = vehicles === undefined ? [] : listVehicles(vehicles, line, nowSeconds)
  const texts = vehicles === undefined ? [] : listed.map((vehicle) => vehicleText(view, vehicles, vehicle))
  const isLive = vehicles !== undefined && listed.some((vehicle) => isRealtime(vehicles, vehicle))
  const end = endOf(view, { nowMillis, units, count: listed.length, isLive })
  return new LastingAnswer({
    basis: view,
    dependsOn: 'live',
    start: `${ENVELOPE_START}[${texts.join(',')}]`,
    end,
    fromSeconds: nowSeconds,
    untilSeconds: nowSeconds + 1,
  })
}

/** A function that writes the end of the envelope. It does not refer to live data; see `LastingParts.dependsOn`. */
function endOf(
  view: SnapshotView,
  of: { readonly nowMillis: number; readonly units: number; readonly count: number; readonly isLive: boolean },
): (out: JsonBytes) => void {
  const { nowMillis, units, count, isLive } = of
  return (out) =>
    pushMeta(out, {
      nowMillis,
      units,
      network: view.slug,
      freshness: isLive ? 'realtime' : 'scheduled',
      count,
      attribution: view.attributionText,
      reason: count === 0 ? 'no_vehicles' : undefined,
    })
}

const nearbyVehicles = (service: Service) =>
  endpoint(service, ROUTES.nearbyVehicles, ({ values, nowMillis }) => {
    const circle = { ...values.near, radiusMeters: values.radius }
    const reach = { ...circle, radiusMeters: values.radius + BESIDE_NETWORK_METERS }
    const selected = service.views.selectAround(values.networks, reach)
    if (selected instanceof Problem) return selected
    const views = selected.filter(hasVehicles)
    // If a request names only one network and that network has no vehicles, the response is an error. If a request is
    // for several networks, those without vehicles are left out.
    if (values.networks?.length === 1 && views.length === 0) return noVehicles(selected.map((view) => view.slug))
    const near = views
      .flatMap((view) => vehiclesNear(view, { circle, modes: values.modes, nowSeconds: Math.floor(nowMillis / 1000) }))
      .sort(compareNear)
      .slice(0, values.limit)
    const texts = near.map((each) => nearbyVehicleText(each.view, each.vehicles, each))
    const body = writeEnvelope(`[${texts.join(',')}]`, {
      nowMillis,
      units: ROUTES.nearbyVehicles.cost,
      freshness: near.some(({ vehicles, vehicle }) => isRealtime(vehicles, vehicle)) ? 'realtime' : 'scheduled',
      count: near.length,
      limit: values.limit,
      ...namedNetwork(values.networks),
      attribution: attributionOf(service.views.credited(values.networks, views, new Set(near.map(({ view }) => view)))),
      reason: near.length === 0 ? 'no_vehicles_in_range' : undefined,
    })
    return { body }
  })

/** Whether a network publishes vehicles, or has feeds or settings that let the service estimate their positions. */
function hasVehicles({ network }: SnapshotView): boolean {
  return (network.live?.capabilities.vehicles ?? 'none') !== 'none'
}

/** The current vehicles of a network; undefined while the live data still belongs to another snapshot. */
export function vehiclesOf({ network, snapshot }: SnapshotView): Vehicles | undefined {
  const vehicles = network.live?.vehicles
  return vehicles?.meta.snapshotId === snapshot.id ? vehicles : undefined
}

function vehiclesNear(
  view: SnapshotView,
  wanted: {
    readonly circle: { readonly lat: number; readonly lon: number; readonly radiusMeters: number }
    readonly modes: readonly string[] | undefined
    readonly nowSeconds: number
  },
): NearVehicle[] {
  const vehicles = vehiclesOf(view)
  if (vehicles === undefined) return []
  const { lines } = view.timetable
  const near: NearVehicle[] = []
  for (const { index: vehicle, distanceMeters } of findVehicles(vehicles, wanted.circle, wanted.nowSeconds)) {
    const isWanted = wanted.modes?.includes(modeWord(lines.mode[vehicles.rows.line[vehicle]])) ?? true
    if (isWanted) near.push({ view, vehicles, vehicle, distanceMeters })
  }
  return near
}

/** Compares two vehicles: the nearer comes first; at the same distance, the lower id. */
function compareNear(a: NearVehicle, b: NearVehicle): number {
  if (a.distanceMeters !== b.distanceMeters) return a.distanceMeters - b.distanceMeters
  const [left, right] = [nearId(a), nearId(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

function nearId({ view, vehicles, vehicle }: NearVehicle): string {
  return `${view.slug}:vehicle:${vehicleLocalId(vehicles, vehicle)}`
}

function noVehicles(slugs: readonly string[]): Problem {
  return new Problem(
    'capability_unsupported',
    `These networks publish no vehicle data: ${slugs.join(', ')}. See "capabilities" in /v1/networks.`,
  )
}
