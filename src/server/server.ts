// The HTTP API as one Elysia app: all controllers, followed by the handler for requests that match no route.
import { Elysia } from 'elysia'
import type { AddressLimits } from '../access/address-limits.ts'
import type { Gate } from '../access/gate.ts'
import { alertsApi } from '../api/alerts.ts'
import { departuresApi } from '../api/departures.ts'
import { explanationsApi } from '../api/explanations.ts'
import { journeysApi } from '../api/journeys.ts'
import { linesApi } from '../api/lines.ts'
import { nearbyApi } from '../api/nearby.ts'
import { networksApi } from '../api/networks.ts'
import { placesApi } from '../api/places.ts'
import { siteApi } from '../api/site.ts'
import { statusApi } from '../api/status.ts'
import { stopsApi } from '../api/stops.ts'
import { streamsApi } from '../api/streams.ts'
import { tripsApi } from '../api/trips.ts'
import { usageApi } from '../api/usage.ts'
import { vehiclesApi } from '../api/vehicles.ts'
import type { Route } from '../contract/route.ts'
import { ROUTES } from '../contract/routes.ts'
import type { ServedRoute } from '../docs/collected-document.ts'
import { docsApi } from '../docs/docs.ts'
import type { JourneyPlanning } from '../journeys/journey-planning.ts'
import type { Planners } from '../journeys/planner-desk.ts'
import type { RouteTally, ThreadCounts } from '../metrics/thread-counts.ts'
import type { Networks } from '../networks/network.ts'
import type { ServedAddresses } from '../places/served-addresses.ts'
import { SnapshotViews } from '../rendering/snapshot-view.ts'
import { bugResponse } from '../requests/refusals.ts'
import type { RequestLog } from '../requests/request-log.ts'
import type { PageAddresses, RoutedEndpoint, Service } from '../requests/service.ts'
import { FreeReconnects, noReconnects } from '../streams/free-reconnects.ts'
import { StreamHub } from '../streams/stream-hub.ts'
import { allocateStreamSlots, StreamSlots } from '../streams/stream-slots.ts'
import { type Clock, TRUE_CLOCK } from '../system/clock.ts'
import type { Logger } from '../system/log.ts'
import { unknownRequests } from './unknown-requests.ts'

/** Dependencies of a server. */
export interface ServerParts {
  readonly networks: Networks
  readonly gate: Gate
  /** Rate limits per address, for requests without a valid key; no limits if absent. */
  readonly addressLimits?: AddressLimits
  /** Service time. */
  readonly clock: Clock
  /** Real time; the system's clock if absent. Tests pass another clock. */
  readonly trueClock?: Clock
  /** Public URL of the API, without a trailing slash. */
  readonly baseUrl: string
  /** Origins whose pages may read responses; `*` allows all. */
  readonly corsOrigins: readonly string[]
  /** Version of this program. */
  readonly version: string
  readonly logger: Logger
  /** Size of this thread's cache of rendered text, in bytes. */
  readonly textCacheBytes?: number
  /** Views of the networks; created if absent. A caller that replaces snapshots has to pass the views. */
  readonly views?: SnapshotViews
  /** The addresses, if any. The property is read on each request, so it can be a getter whose value changes. */
  readonly addresses?: ServedAddresses | undefined
  /** The stream hub; created if absent. A caller that ends streams or has other data threads has to pass it. */
  readonly streams?: StreamHub
  /** Planners that run on another thread; if absent, journeys are planned on this thread. */
  readonly planners?: Planners
  /** Counts responses, if present. */
  readonly counts?: ThreadCounts
  /** Counts responses by key and route, if present. */
  readonly tally?: RouteTally
  /** Logs requests, if present. */
  readonly requestLog?: RequestLog
  /** URLs of the console and the explorer, which are served on other ports. The public pages link to them. */
  readonly pages?: PageAddresses
}

const TEXT_CACHE_BYTES = 64 * 1024 * 1024

/** Creates the API, ready to listen. */
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
    .use(explanationsApi(service))
    .use(nearbyApi(service))
    .use(placesApi(service))
    .use(vehiclesApi(service))
    .use(alertsApi(service))
    .use(journeysApi(service))
    .use(tripsApi(service))
    .use(streamsApi(service))
    .use(usageApi(service))
    .use(docsApi(service, servedRoutes))
    .use(siteApi(service))
    .use(unknownRequests(service))
  app.config.serve = { routes: directRoutes(app.routes) }
  return app
}

/** Time limit for planning on the thread that also serves requests. */
const PLAN_MILLIS = 5_000

/**
 * Creates the planners of a server without a planner thread. Their code is loaded on first use, because data threads
 * plan on planner threads and never need it.
 */
function plannersHere(views: SnapshotViews): Planners {
  let opened: Promise<JourneyPlanning> | undefined
  const open = async () => new (await import('../journeys/journey-planning.ts')).JourneyPlanning(views)
  return {
    async plan(_key, question) {
      opened ??= open()
      const planning = await opened
      if (!planning.canRead(question)) await planning.loadReader()
      return planning.answer(question, PLAN_MILLIS)
    },
  }
}

/** Creates the stream hub of a server without other data threads. */
function loneHub({ gate, trueClock }: ServerParts): StreamHub {
  return new StreamHub({
    gate,
    clock: trueClock ?? TRUE_CLOCK,
    slots: new StreamSlots(allocateStreamSlots()),
    reconnects: new FreeReconnects(noReconnects()),
  })
}

/**
 * Routes that bypass Elysia's router. For the most frequent routes, this avoids the cost of Elysia's context. Streaming
 * routes bypass the router because, on HEAD, Elysia would read their endless body (src/docs/decisions, requests).
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
  ROUTES.tripStream,
]

/** `DIRECT_ROUTES` in Bun's format, with the app's handlers for these routes. */
function directRoutes(routes: readonly AppRoute[]): Record<string, { GET: Direct; HEAD?: Direct }> {
  const direct: Record<string, { GET: Direct; HEAD?: Direct }> = {}
  for (const { path, event } of DIRECT_ROUTES) {
    const handler = routes.find((route) => route.path === path && route.method === 'GET')?.handler
    if (!isRouted(handler)) throw new Error(`no controller serves the route ${path}`)
    direct[path] = event === undefined ? { GET: handler.direct } : { GET: handler.direct, HEAD: handler.direct }
  }
  return direct
}

type Direct = RoutedEndpoint['direct']

function isRouted(handler: unknown): handler is RoutedEndpoint {
  return typeof handler === 'function' && 'direct' in handler
}

/** A route as listed by Elysia; `handler` is the controller's function. */
interface AppRoute {
  readonly method: string
  readonly path: string
  readonly handler: unknown
}
