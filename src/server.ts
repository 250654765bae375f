// The HTTP API as one Elysia chain: every controller, then what none of them takes. The only file that knows them all.
import { Elysia } from 'elysia'
import type { Gate } from './access/gate.ts'
import { alertsApi } from './api/alerts.ts'
import { Cors } from './api/cors.ts'
import { departuresApi } from './api/departures.ts'
import { docsApi } from './api/docs.ts'
import { problemResponse } from './api/endpoint.ts'
import { linesApi } from './api/lines.ts'
import { nearbyApi } from './api/nearby.ts'
import { networksApi } from './api/networks.ts'
import { requestIdOf } from './api/request-id.ts'
import { ROUTES, type Route } from './api/routes.ts'
import type { Logger, Service } from './api/service.ts'
import { SnapshotViews } from './api/snapshot-view.ts'
import { statusApi } from './api/status.ts'
import { stopsApi } from './api/stops.ts'
import { unknownRequests } from './api/unknown-requests.ts'
import { usageApi } from './api/usage.ts'
import { vehiclesApi } from './api/vehicles.ts'
import { type Clock, TRUE_CLOCK } from './clock.ts'
import type { Networks } from './network.ts'
import { Problem } from './problem.ts'

/** What a server is made of. */
export interface ServerParts {
  readonly networks: Networks
  readonly gate: Gate
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
}

const TEXT_CACHE_BYTES = 64 * 1024 * 1024

/** The API, ready to listen. */
export function createServer(parts: ServerParts) {
  const service: Service = {
    ...parts,
    trueClock: parts.trueClock ?? TRUE_CLOCK,
    views: parts.views ?? new SnapshotViews(parts.networks, parts.textCacheBytes ?? TEXT_CACHE_BYTES),
    endpoints: new Map(),
  }
  const app = new Elysia({ name: 'quai', strictPath: true })
    .onError(({ error, code, request }) => reportBug(service, { error, code, request }))
    .use(statusApi(service))
    .use(networksApi(service))
    .use(linesApi(service))
    .use(stopsApi(service))
    .use(departuresApi(service))
    .use(nearbyApi(service))
    .use(vehiclesApi(service))
    .use(alertsApi(service))
    .use(usageApi(service))
    .use(docsApi(service))
    .use(unknownRequests(service))
  app.config.serve = { routes: directRoutes(service) }
  return app
}

/** The routes asked for most. */
const DIRECT_ROUTES: readonly Route[] = [ROUTES.stopDepartures, ROUTES.stop, ROUTES.line]

/**
 * Their endpoints as routes of the HTTP server itself, in Elysia's stead: an endpoint reads nothing but the request, so
 * that the context made for each is spared (0.6 of 10 µs). All else stays as it is: other methods, what a throw means.
 */
function directRoutes(service: Service): Record<string, { GET: (request: Request) => Response }> {
  const direct: Record<string, { GET: (request: Request) => Response }> = {}
  for (const { path } of DIRECT_ROUTES) {
    const answer = service.endpoints.get(path)
    if (answer === undefined) throw new Error(`no controller has made the endpoint of ${path}`)
    direct[path] = {
      GET: (request) => {
        try {
          return answer({ request })
        } catch (error) {
          return reportBug(service, { error, code: 'UNKNOWN', request })
        }
      },
    }
  }
  return direct
}

/** Whatever is thrown is our bug: it is logged with its request's id, and the answer says only that. */
function reportBug(service: Service, bug: { error: unknown; code: string | number; request: Request }): Response {
  const requestId = requestIdOf(bug.request.headers)
  const headers = new Headers(bug.request.headers)
  headers.set('x-request-id', requestId)
  const { pathname } = new URL(bug.request.url, 'http://localhost')
  service.logger.error({ request_id: requestId, path: pathname, code: bug.code, error: bug.error }, 'request failed')
  return problemResponse(new Problem('internal_error'), { service, cors: new Cors(service.corsOrigins), headers })
}
