// The type of a documented route of the account API: the rows of account-routes.ts.
import type { TSchema } from '@sinclair/typebox'
import type { AccountReason } from '../http/account-problem.ts'

/** One route. */
export interface AccountRoute {
  readonly name: string
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** In Elysia's syntax. */
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
  /** Undefined for 204. */
  readonly answer?: TSchema
  /** The body of a 202: in a cluster, not all replicas apply the change yet. */
  readonly pending?: TSchema
  /** Another media type of the response, besides JSON. */
  readonly otherType?: string
  /** Starts or ends a session with Set-Cookie. */
  readonly setsCookie?: boolean
  /** Errors specific to this route; the common ones are added. */
  readonly refusals: readonly AccountReason[]
}

/** A row of the table, with its own types. */
export function row<const Row extends AccountRoute>(route: Row): Row {
  return route
}
