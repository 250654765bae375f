// Creates the responses for expected errors and for bugs, and the RateLimit header fields.
import type { LimitFields } from '../access/gate.ts'
import { Cors } from '../http/cors.ts'
import { API_PROBLEMS, PROBLEMS, Problem, problemBody, problemHeaders } from '../http/problem.ts'
import { requestIdOf, traceHeaders } from '../http/request-head.ts'
import { safetyHeaders } from '../http/safety-headers.ts'
import type { Service } from './service.ts'

/** Returns the RateLimit header fields. */
export function limitHeaders(limits: LimitFields | undefined): Record<string, string> {
  return limits === undefined ? {} : { 'RateLimit-Policy': limits.policy, RateLimit: limits.limit }
}

/** Converts an error to a response. */
export function problemResponse(
  problem: Problem,
  place: { service: Service; cors: Cors; headers: Headers; more?: Readonly<Record<string, string>> },
): Response {
  const requestId = requestIdOf(place.headers)
  place.service.counts?.refused(problem.reason)
  return new Response(problemBody(problem, API_PROBLEMS, { baseUrl: place.service.baseUrl, requestId }), {
    status: PROBLEMS[problem.reason].status,
    headers: {
      ...problemHeaders(problem, API_PROBLEMS),
      ...safetyHeaders(place.service.baseUrl),
      ...place.cors.vary([]),
      ...place.cors.headersFor(place.headers.get('origin')),
      'X-Request-Id': requestId,
      ...traceHeaders(place.headers),
      ...place.more,
    },
  })
}

/** Logs an uncaught error with the request id, and returns a 500 response without details. */
export function bugResponse(
  service: Service,
  bug: { error: unknown; code: string | number; request: Request },
): Response {
  const requestId = requestIdOf(bug.request.headers)
  const headers = new Headers(bug.request.headers)
  headers.set('x-request-id', requestId)
  const { pathname } = new URL(bug.request.url, 'http://localhost')
  service.logger.error({ request_id: requestId, path: pathname, code: bug.code, error: bug.error }, 'request failed')
  return problemResponse(new Problem('internal_error'), { service, cors: new Cors(service.corsOrigins), headers })
}
