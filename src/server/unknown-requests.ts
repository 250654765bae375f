// The handler of all requests that match no route: CORS preflights, other methods and unknown paths.
import { Elysia } from 'elysia'
import { QueryParser } from '../contract/parameter-parser.ts'
import type { Route } from '../contract/route.ts'
import { ROUTE_LIST } from '../contract/routes.ts'
import { isPagePath } from '../docs/docs.ts'
import { ALLOWED_METHODS, Cors } from '../http/cors.ts'
import { Problem } from '../http/problem.ts'
import { pathStart, requestIdOf } from '../http/request-head.ts'
import { safetyHeaders } from '../http/safety-headers.ts'
import { type Access, dataPipeline, observed, type Passage } from '../requests/pipeline.ts'
import { limitHeaders, problemResponse } from '../requests/refusals.ts'
import type { Endpoint, Service } from '../requests/service.ts'

/**
 * Answers OPTIONS with 204, other methods on the path of a route or page with 405, and all other requests with 401 or
 * 404.
 */
export const unknownRequests = (service: Service) => {
  const cors = new Cors(service.corsOrigins)
  const safety = safetyHeaders(service.baseUrl)
  const matchers = ROUTE_LIST.map((route) => ({ route, shape: shapeOf(route) }))
  const pipelineFor = (access: Access, isKnown: boolean) =>
    dataPipeline(service, {
      access,
      route: undefined,
      early: ({ request, headers }) => {
        if (request.method === 'CONNECT') return new Problem('method_not_allowed')
        return request.method === 'OPTIONS' ? cors.preflight(headers, requestIdOf(headers), safety) : undefined
      },
      parser: NO_PARAMETERS,
      pathIdIn: () => '',
      handle: (_, { request }) => refusalOf(request, isKnown),
      refuse: (problem, passage) =>
        problemResponse(problem, {
          service,
          cors,
          headers: passage.headers,
          more: { ...limitHeaders(passage.limits), ...methodHeaders(problem, passage) },
        }),
    })
  const unknownAddress = pipelineFor('keyed', false)
  const keyedAddress = pipelineFor('keyed', true)
  const publicAddress = pipelineFor('page', true)
  const respond: Endpoint = (request, server) => {
    const { url } = request
    const path = url.slice(pathStart(url)).split(/[?#]/, 1)[0] ?? ''
    const access = isPagePath(path) ? 'public' : matchers.find(({ shape }) => shape.test(path))?.route.access
    if (access === 'public') return publicAddress(request, server)
    return access === 'keyed' ? keyedAddress(request, server) : unknownAddress(request, server)
  }
  const watched = observed(service, undefined, respond)
  return new Elysia({ name: 'api.unknown' }).all('/*', ({ request, server }) => watched({ request, server }))
}

const NO_PARAMETERS = new QueryParser({})

/** The error for a request: 405 for methods other than GET and HEAD on a known path, otherwise 404. */
function refusalOf({ method }: Request, isKnown: boolean): Problem {
  const isRead = method === 'GET' || method === 'HEAD'
  return new Problem(isKnown && !isRead ? 'method_not_allowed' : 'not_found')
}

function methodHeaders({ reason }: Problem, { request }: Passage): Record<string, string> {
  if (reason !== 'method_not_allowed') return {}
  // Closes the connection after CONNECT, because the client could send tunneled data on it.
  return { Allow: ALLOWED_METHODS, ...(request.method === 'CONNECT' ? { Connection: 'close' } : {}) }
}

function shapeOf(route: Route): RegExp {
  return new RegExp(`^${route.path.replace(/:[a-z_]+/, '[^/]+')}$`)
}
