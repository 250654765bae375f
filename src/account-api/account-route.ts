// The type of the rows in account-routes.ts, which are the documented routes of the account API.
import type { TSchema } from '@sinclair/typebox'
import type { AccountReason } from '../http/account-problem.ts'

/** One route. */
export interface AccountRoute {
  readonly name: string
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** In Elysia's syntax, such as `/v1/keys/:id`. */
  readonly path: string
  /** Title of the operation: an imperative of two to four words. */
  readonly summary: string
  readonly description: string
  readonly tag: 'Sign-up and log-in' | 'Second factor' | 'Keys' | 'Use and billing' | 'Service'
  /** `either` is a key with the scope account:read, or a session. */
  readonly access: 'open' | 'session' | 'either'
  /** `NO_BODY` if the route has no request body. */
  readonly body: TSchema
  /** Query parameters, all optional. */
  readonly query?: Readonly<Record<string, TSchema>>
  readonly status: 200 | 201 | 202 | 204
  /** Schema of the response body; undefined for 204. */
  readonly answer?: TSchema
  /**
   * Schema of the body of a 202 response, which is sent if some replicas in a cluster have not applied the change yet.
   */
  readonly pending?: TSchema
  /** A second media type that the response can have, besides JSON. */
  readonly otherType?: string
  /** Whether the response starts or ends a session with Set-Cookie. */
  readonly setsCookie?: boolean
  /** Errors specific to this route; account-openapi.ts adds the errors that all routes have in common. */
  readonly refusals: readonly AccountReason[]
}

/**
 * Returns a row of account-routes.ts unchanged. The compiler checks the row and keeps its exact type, such as the type
 * of its body.
 */
export function row<const Row extends AccountRoute>(route: Row): Row {
  return route
}
