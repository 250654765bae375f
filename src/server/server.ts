// The HTTP API as one Elysia chain: every controller, then what none of them takes. The only file that knows them all.
import { Elysia } from 'elysia'
import type { AddressLimits } from '../access/address-limits.ts'
import type { Gate } from '../access/gate.ts'
import { alertsApi } from '../api/alerts.ts'
import { departuresApi } from '../api/departures.ts'
import { journeysApi } from '../api/journeys.ts'
import { linesApi } from '../api/lines.ts'
import { nearbyApi } from '../api/nearby.ts'
import { networksApi } from '../api/networks.ts'
import { placesApi } from '../api/places.ts'
import { statusApi } from '../api/status.ts'
import { stopsApi } from '../api/stops.ts'
import { streamsApi } from '../api/streams.ts'
import { usageApi } from '../api/usage.ts'
import { vehiclesApi } from '../api/vehicles.ts'
import type { Route } from '../contract/route.ts'
import { ROUTES } from '../contract/routes.ts'
import type { ServedRoute } from '../docs/collected-document.ts'
import { docsApi } from '../docs/docs.ts'
import { JourneyPlanning } from '../journeys/journey-planning.ts'
import type { Planners } from '../journeys/planner-desk.ts'
import type { ThreadCounts } from '../metrics/thread-counts.ts'
import type { Networks } from '../networks/network.ts'
import type { ServedAddresses } from '../places/served-addresses.ts'
import { SnapshotViews } from '../rendering/snapshot-view.ts'
import { bugResponse } from '../requests/refusals.ts'
import type { RequestLog } from '../requests/request-log.ts'
import type { RoutedEndpoint, Service } from '../requests/service.ts'
import { FreeReconnects, noReconnects } from '../streams/free-reconnects.ts'
import { StreamHub } from '../streams/stream-hub.ts'
import { allocateStreamSlots, StreamSlots } from '../streams/stream-slots.ts'
import { type Clock, TRUE_CLOCK } from '../system/clock.ts'
import type { Logger } from '../system/log.ts'
import { unknownRequests } from './unknown-requests.ts'

/** What a server is made of. */
export interface ServerParts {
  readonly networks: Networks
  readonly gate: Gate
  /** How fast one address may ask without a good key; unlimited where absent. */
  readonly addressLimits?: AddressLimits
  /** Service time. */
  readonly clock: Clock
  /** True time; tests put their own here. */
  readonly trueClock?: Clock
  /** Address of the API without a slash at its end. */
  readonly baseUrl: string
  /** Origins whose pages may read answers; `*` is all of them. */
  readonly corsOrigins: readonly string[]
  /** Version of this program. */
  readonly version: string
  readonly logger: Logger
  /** Bytes of rendered text this thread may keep. */
  readonly textCacheBytes?: number
  /** The views of the networks, where the caller replaces snapshots; made here otherwise. */
  readonly views?: SnapshotViews
  /** The addresses, where there are any; read anew by each request, so that a getter may go on to others. */
  readonly addresses?: ServedAddresses | undefined
  /** The open streams, where the caller ends them or other threads hold some too; made here otherwise. */
  readonly streams?: StreamHub
  /** Plans journeys elsewhere; here, where there is no other thread for it. */
  readonly planners?: Planners
  /** Counts the answers, where somebody asks. */
  readonly counts?: ThreadCounts
  /** Logs the requests, where somebody asks. */
  readonly requestLog?: RequestLog
}

const TEXT_CACHE_BYTES = 64 * 1024 * 1024

/** The API, ready to listen. */
export function createServer(parts: ServerParts) {
  const textCacheBytes = parts.textCacheBytes ?? TEXT_CACHE_BYTES
  const views = parts.views ?? new SnapshotViews(parts.networks, textCacheBytes, parts.addresses)
  const service: Service = {
    ...parts,
    get addresses() {
      return parts.addresses
    },
    trueClock: parts.trueClock ?? TRUE_CLOCK,
    views,
    streams: parts.streams ?? loneHub(parts),
    planners: parts.planners ?? plannersHere(views),
  }
  const servedRoutes = (): readonly ServedRoute[] => app.routes
  const app = new Elysia({ name: 'quai', strictPath: true })
    .onError(({ error, code, request }) => bugResponse(service, { error, code, request }))
    .use(statusApi(service))
    .use(networksApi(service))
    .use(linesApi(service))
    .use(stopsApi(service))
    .use(departuresApi(service))
    .use(nearbyApi(service))
    .use(placesApi(service))
    .use(vehiclesApi(service))
    .use(alertsApi(service))
    .use(journeysApi(service))
    .use(streamsApi(service))
    .use(usageApi(service))
    .use(docsApi(service, servedRoutes))
    .use(unknownRequests(service))
  app.config.serve = { routes: directRoutes(app.routes) }
  return app
}

/** How long a journey may take that is planned on the serving thread itself. */
const PLAN_MILLIS = 5_000

/** The planner of a server that has no thread beside it for one. */
function plannersHere(views: SnapshotViews): Planners {
  const planning = new JourneyPlanning(views)
  return { plan: async (_key, question) => planning.answer(question, PLAN_MILLIS) }
}

/** The streams of a server that has no other beside it. */
function loneHub({ gate, trueClock }: ServerParts): StreamHub {
  return new StreamHub({
    gate,
    clock: trueClock ?? TRUE_CLOCK,
    slots: new StreamSlots(allocateStreamSlots()),
    reconnects: new FreeReconnects(noReconnects()),
  })
}

/**
 * The routes that bypass Elysia's router, as routes of the HTTP server itself: those that are called most, which are
 * spared its context, and streams, whose endless body it would read for a HEAD (src/docs/decisions, requests).
 */
const DIRECT_ROUTES: readonly Route[] = [
  ROUTES.stopDepartures,
  ROUTES.stop,
  ROUTES.line,
  ROUTES.nearbyStops,
  ROUTES.nearbyDepartures,
  ROUTES.places,
  ROUTES.placesReverse,
  ROUTES.departuresStream,
  ROUTES.vehiclesStream,
]

/** `DIRECT_ROUTES` as Bun takes them. Their handlers are those of the app's own routes. */
function directRoutes(routes: readonly AppRoute[]): Record<string, { GET: Direct; HEAD?: Direct }> {
  const direct: Record<string, { GET: Direct; HEAD?: Direct }> = {}
  for (const { path, event } of DIRECT_ROUTES) {
    const handler = routes.find((route) => route.path === path && route.method === 'GET')?.handler
    if (!isRouted(handler)) throw new Error(`no controller answers ${path}`)
    direct[path] = event === undefined ? { GET: handler.direct } : { GET: handler.direct, HEAD: handler.direct }
  }
  return direct
}

type Direct = RoutedEndpoint['direct']

function isRouted(handler: unknown): handler is RoutedEndpoint {
  return typeof handler === 'function' && 'direct' in handler
}

/** A route as Elysia lists it; `handler` is what the controller gave. */
interface AppRoute {
  readonly method: string
  readonly path: string
  readonly handler: unknown
}
