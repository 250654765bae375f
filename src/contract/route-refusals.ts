// Lists the errors that each route may return: the errors in its row of the route table, the errors caused by its
// parameters, the errors of all routes that need a key, and the errors of all routes.
import type { Reason } from '../http/problem.ts'
import type { Route } from './route.ts'

const EVERY_ROUTE: readonly Reason[] = [
  'malformed_request',
  'method_not_allowed',
  'not_acceptable',
  'content_too_large',
  'uri_too_long',
  'rate_limited',
  'internal_error',
]

const KEYED_ROUTES: readonly Reason[] = [
  'authentication_required',
  'invalid_token',
  'insufficient_scope',
  'email_verification_required',
  'quota_exhausted',
  'spend_cap_reached',
  'metering_unavailable',
]

/** The reasons of all errors that a route may return. */
export function refusalsOf(route: Route): Reason[] {
  const rules = Object.values(route.parameters).filter((rule) => rule.kind !== 'ignored')
  return [
    ...new Set<Reason>([
      ...(rules.some((rule) => rule.reason === 'transit_query_invalid' || rule.isRequired === true)
        ? (['transit_query_invalid'] as const)
        : []),
      ...(rules.some((rule) => rule.reason === 'invalid_location') ? (['invalid_location'] as const) : []),
      ...(route.access === 'keyed' ? KEYED_ROUTES : []),
      ...route.refusals,
      ...EVERY_ROUTE,
    ]),
  ]
}
