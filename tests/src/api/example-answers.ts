// The example responses in the OpenAPI document, for the small feed. `bun run contracts` stores them; changes are
// reviewed as a diff.
import { buildVehicles } from '../../../indexes/live/build-vehicles.ts'
import { LiveTripReader } from '../../../indexes/live/live-trips.ts'
import { VehicleReader } from '../../../indexes/live/vehicle-reader.ts'
import type { Vehicles } from '../../../indexes/live/vehicles.ts'
import { ROUTE_LIST } from '../../../src/contract/routes.ts'
import type { Snapshot } from '../../../src/networks/network.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { alert, period, selector, text } from '../../indexes/live/alert-reports.ts'
import { feedOf, report } from '../../indexes/live/vehicle-city.ts'
import { openApi } from './api-under-test.ts'
import { publishedAlerts } from './published-alerts.ts'

const QUERIES: Readonly<Record<string, string>> = {
  listLines: '?limit=1',
  getLine: '?include=geometry',
  listStops: '?q=centre&limit=2',
  listDepartures: '?limit=2',
  listExplanations: '?line=ville:line:A',
  getTrip: '?include=geometry,alerts',
  listNearbyStops: '?near=48.58,7.75',
  listNearbyDepartures: '?near=48.58,7.75&limit=1',
  listNearbyVehicles: '?near=48.585,7.735',
  searchPlaces: '?q=centre&limit=2',
  reversePlaces: '?near=48.58,7.75',
  listAlerts: '?networks=ville',
  planJourneys: '?from=ville:stop:G&to=48.5895,7.7605&limit=2',
  getJourney: '?include=calls,geometry,alerts',
}
const IDS: Readonly<Record<string, string>> = {
  network: 'ville',
  line_id: 'ville:line:A',
  stop_id: 'ville:stop:CA',
  trip_id: 'ville:trip:20260610:a1',
  journey_id: 'ville:journey:BgIApEEAAzphMQDcVQKGGAQBAmIxAIY_AvBSAviqqy7oqbMHAABXAA',
}

/** Service time of the examples. */
const NOW_MILLIS = Date.parse('2026-06-10T06:00:00Z')
/** An alert about tram A at Centre. */
const WORKS = alert('travaux-12', {
  severity: 'warning',
  cause: 'construction',
  effect: 'reduced_service',
  header: text('Ligne A : travaux à Centre'),
  description: text('Un tram sur deux jusqu’à la fin du service.'),
  url: text('https://ville.example/infos/travaux-12'),
  activePeriods: [period(NOW_MILLIS / 1000 - 7200, NOW_MILLIS / 1000 + 57_600)],
  selectors: [selector({ routeId: 'A', stopId: 'CA' })],
})

/** A tram that has just left Gare. */
const TRAM = report({ lat: 48.5846, lon: 7.7362 }, 'a1', {
  vehicle: { id: '2024', label: undefined, licensePlate: undefined },
  timestampSeconds: NOW_MILLIS / 1000 - 4,
  bearing: 118,
  speedMetersPerSecond: 8.5,
  occupancy: 'few_seats_available',
})

function seenVehicles({ id, timetable }: Snapshot): Vehicles {
  const nowSeconds = NOW_MILLIS / 1000
  const trips = new LiveTripReader(timetable)
  const reader = new VehicleReader(timetable, (descriptor, at) => trips.matchTrip(descriptor, at))
  const { vehicles, knowledge } = reader.read({
    reports: [feedOf([TRAM], nowSeconds)],
    trips: trips.read([], nowSeconds).trips,
    nowSeconds,
    maxAgeSeconds: 300,
    scheduledVehicles: false,
  })
  const meta = { snapshotId: id, version: 1, builtSeconds: nowSeconds, maxAgeSeconds: 300, knowledge }
  return buildVehicles(timetable, vehicles, meta)
}

/**
 * Returns an example response for each operation. A stream has no example of its own, but that of the route that
 * returns the same data once.
 */
export async function exampleAnswers(): Promise<Record<string, unknown>> {
  const api = await openApi({ networks: [{ id: 'ville', feed: smallFeed() }] })
  for (const network of api.networks.list) {
    if (network.current === undefined) continue
    const reported = publishedAlerts(network, [WORKS], { atMillis: NOW_MILLIS - 12_000 })
    const vehicles = seenVehicles(network.current)
    const capabilities = { ...reported.capabilities, vehicles: vehicles.meta.knowledge }
    network.live = { ...reported, capabilities, vehicles }
  }
  const answers: Record<string, unknown> = {}
  for (const route of ROUTE_LIST) {
    const address = route.path.replace(/:(\w+)/, (_, name: string) => IDS[name] ?? '') + (QUERIES[route.name] ?? '')
    const answer = await api.get(address)
    if (route.event !== undefined) continue
    if (answer.status !== 200) throw new Error(`${address} returns ${answer.status}`)
    answers[route.name] = answer.body
  }
  return answers
}
