// What no controller takes: preflights, other methods, unknown addresses. Behind every route, as the server's last one.
import { Elysia } from 'elysia'
import type { LimitFields } from '../access/gate.ts'
import { ROUTE_LIST, type Route } from '../contract/routes.ts'
import { PAGE_PATHS } from '../docs/docs.ts'
import { ALLOWED_METHODS, Cors } from '../http/cors.ts'
import { findMessageFault } from '../http/message-faults.ts'
import { Problem } from '../http/problem.ts'
import { pathStart } from '../http/query-string.ts'
import { requestIdOf } from '../http/request-id.ts'
import { limitHeaders, problemResponse, readTarget, withReservation } from '../requests/endpoint.ts'
import { publicLimit, refusedKey } from '../requests/public-limits.ts'
import { observed } from '../requests/request-log.ts'
import type { Endpoint, Service } from '../requests/service.ts'

const ALLOW = { Allow: ALLOWED_METHODS }

/** Answers OPTIONS with 204, a known address asked by another method with 405, all else with 401 or 404. */
export const unknownRequests = (service: Service) => {
  const cors = new Cors(service.corsOrigins)
  const matchers = ROUTE_LIST.map((route) => ({ route, shape: shapeOf(route) }))
  const respond: Endpoint = ({ request, server }) => {
    const { headers, method, url } = request
    const place = { service, cors, headers }
    const fault = findMessageFault(headers)
    if (fault !== undefined) return problemResponse(fault, place)
    if (method === 'CONNECT') {
      // Whatever follows would be taken for the tunnel's, and answered by nobody.
      return problemResponse(new Problem('method_not_allowed'), { ...place, more: { ...ALLOW, Connection: 'close' } })
    }
    if (method === 'OPTIONS') return cors.preflight(headers, requestIdOf(headers))
    const path = url.slice(pathStart(url)).split(/[?#]/, 1)[0] ?? ''
    const access = PAGE_PATHS.includes(path) ? 'public' : matchers.find(({ shape }) => shape.test(path))?.route.access
    if (access !== 'public') {
      const admission = service.gate.admit(headers.get('authorization'))
      if (admission.kind === 'refused') {
        return problemResponse(refusedKey(service, admission.reason, { request, server }), place)
      }
      const call = {
        units: 0,
        refuse: (problem: Problem, limits: LimitFields) =>
          problemResponse(problem, { ...place, more: { ...limitHeaders(limits), ...allowOf(problem) } }),
        work: () => refusalOf(request, access !== undefined),
      }
      return withReservation(service.gate, call, admission)
    }
    const problem = publicLimit(service, { request, server }, 'page') ?? refusalOf(request, access !== undefined)
    return problemResponse(problem, { ...place, more: allowOf(problem) })
  }
  const watched = observed(service, undefined, respond)
  return new Elysia({ name: 'api.unknown' }).all('/*', ({ request, server }) => watched({ request, server }))
}

/** Why an address, known or not, is not answered. */
function refusalOf({ url, method }: Request, isKnown: boolean): Problem {
  if (readTarget(url) === undefined) return new Problem('uri_too_long')
  const isRead = method === 'GET' || method === 'HEAD'
  return new Problem(isKnown && !isRead ? 'method_not_allowed' : 'not_found')
}

function allowOf({ reason }: Problem): Record<string, string> {
  return reason === 'method_not_allowed' ? ALLOW : {}
}

function shapeOf(route: Route): RegExp {
  return new RegExp(`^${route.path.replace(/:[a-z_]+/, '[^/]+')}$`)
}
