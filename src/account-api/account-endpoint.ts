// Wraps account API routes as Elysia handlers. requests/pipeline.ts defines the order of the checks.

import type { Static, TSchema } from '@sinclair/typebox'
import { countedAddress } from '../access/client-address.ts'
import type { Unconfirmed } from '../accounts/account-operations.ts'
import { type Account, AccountRefusal, StoreUnavailable } from '../accounts/account-store.ts'
import type { Session } from '../accounts/identity-store.ts'
import {
  ACCOUNT_API_PROBLEMS,
  ACCOUNT_PROBLEMS,
  type AccountProblem,
  type AccountReason,
} from '../http/account-problem.ts'
import { Problem, problemBody, problemHeaders } from '../http/problem.ts'
import { requestIdOf } from '../http/request-head.ts'
import { type AccountSteps, passAccountRequest } from '../requests/account-pipeline.ts'
import type { AccountApi, RouteContext } from './account-api.ts'
import { ACCOUNT_FRAMING, isRead, readBody } from './account-message.ts'
import { NO_BODY } from './bodies.schema.ts'
import { readDeviceCookie } from './device-cookie.ts'
import { deviceName } from './device-name.ts'
import { type MailLanguage, mailLanguage } from './mail-language.ts'
import { HashingOverloaded } from './password-hasher.ts'
import { findForeignOrigin, hasCsrfToken } from './same-site.ts'
import { readSessionToken } from './session-cookie.ts'

/** A request that passed all common checks. */
export interface Call<Body> {
  readonly request: Request
  readonly url: URL
  readonly params: Readonly<Record<string, string | undefined>>
  /** The client address, in the form used for rate limits. */
  readonly client: string
  /** The language for emails: the available language that Accept-Language prefers. */
  readonly language: MailLanguage
  /** Browser and system, such as "Firefox on Linux"; null if unknown. */
  readonly device: string | null
  /** The body, typed by the route's schema; undefined if the route has none. */
  readonly body: Body
  /** The session token as sent, not yet validated. */
  readonly sessionToken: string | undefined
  /** The known-device cookie as sent, not yet validated. */
  readonly deviceCookie: string | undefined
}

/** A request with a session. */
export interface SessionCall<Body> extends Call<Body> {
  readonly account: Account
  readonly session: Session
  readonly sessionToken: string
}

/** The result of a handler. */
export type Outcome = Response | AccountProblem

/** An Elysia handler. */
export type AccountEndpoint = (context: RouteContext) => Promise<Response>

/** The part of an account-routes.ts row that an endpoint needs: the schema of the request body. */
interface RouteBody<Schema extends TSchema> {
  readonly body: Schema
}

/** Pages have no row in account-routes.ts. Their endpoints use this instead. */
export const PAGE = { body: NO_BODY }

/**
 * An endpoint that requires no session. A request that changes something must come from the console's pages, or from a
 * client that is not a web page.
 */
export function openEndpoint<Schema extends TSchema>(
  api: AccountApi,
  { body: schema }: RouteBody<Schema>,
  handler: (call: Call<Static<Schema>>) => Outcome | Promise<Outcome>,
): AccountEndpoint {
  return async ({ request, server, params }) => {
    const context = { request, server, params }
    return respond(api, context, {
      findSession: async () => undefined,
      checkCsrfToken: () => undefined,
      readBody: () => readBody(request, schema),
      handle: ({ body }) => handler(toCall(api, context, body)),
    })
  }
}

/** An endpoint that requires a session. */
export function sessionEndpoint<Schema extends TSchema>(
  api: AccountApi,
  { body: schema }: RouteBody<Schema>,
  handler: (call: SessionCall<Static<Schema>>) => Outcome | Promise<Outcome>,
): AccountEndpoint {
  return async ({ request, server, params }) => {
    const context = { request, server, params }
    return respond(api, context, {
      findSession: () => findSession(api, request),
      checkCsrfToken,
      readBody: () => readBody(request, schema),
      handle: ({ session, body }) => handler({ ...toCall(api, context, body), ...session }),
    })
  }
}

/** The session of a request, and its account. */
type FoundSession = Pick<SessionCall<unknown>, 'account' | 'session' | 'sessionToken'>

/** The session that a request belongs to. */
export async function findSession(api: AccountApi, request: Request): Promise<FoundSession | AccountProblem> {
  const sessionToken = readSessionToken(request.headers, api.addresses)
  if (sessionToken === undefined) return new Problem('session_required')
  const found = await api.identity.sessions.find(sessionToken)
  return found === undefined ? new Problem('session_required') : { ...found, sessionToken }
}

/** Returns an error if a request with a session changes something and does not contain the session's CSRF token. */
function checkCsrfToken(request: Request, { sessionToken }: FoundSession): AccountProblem | undefined {
  return isRead(request) || hasCsrfToken(request.headers, sessionToken) ? undefined : new Problem('csrf_failed')
}

/**
 * Refuses a change that would help a session thief, unless the owner logged in or entered the password in the last 15
 * minutes.
 */
export function requireConfirmed({ identity }: AccountApi, session: Session): AccountProblem | undefined {
  return identity.sessions.isConfirmed(session) ? undefined : new Problem('confirmation_required')
}

/**
 * Counts a change that leaves a permanent row in the database. Returns an error if the account has made too many
 * changes in the last hour. New keys have their own limit.
 */
export function countChange({ changes }: AccountApi, accountId: string): AccountProblem | undefined {
  const waitSeconds = changes.take(accountId)
  return waitSeconds === 0 ? undefined : new Problem('too_many_changes', undefined, { retryAfterSeconds: waitSeconds })
}

/** A JSON response with a status. `respond` adds `Cache-Control: no-store`, because account data must never be cached. */
export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { 'Content-Type': 'application/json', ...headers } })
}

/**
 * The JSON response to a change. It contains `propagation` if some replicas in a cluster have not applied the change
 * yet.
 */
export function changed<Result extends Unconfirmed>({ unconfirmed, ...value }: Result, status = 200): Response {
  return json(unconfirmed === undefined ? value : { ...value, ...PENDING }, status)
}

/** Added to the response to a change if some replicas in a cluster have not applied the change yet. */
export const PENDING = { propagation: 'pending' } as const

/** A response with status 204 and no body. */
export function noContent(headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status: 204, headers })
}

/** Builds the error response to a request. */
export function refuse(
  api: AccountApi,
  request: Request,
  problem: AccountProblem,
  more: Readonly<Record<string, string>> = {},
): Response {
  const { 'X-Request-Id': requestId = requestIdOf(request.headers) } = more
  const place = { baseUrl: api.addresses.baseUrl, requestId }
  return new Response(problemBody(problem, ACCOUNT_API_PROBLEMS, place), {
    status: ACCOUNT_PROBLEMS[problem.reason].status,
    headers: { ...problemHeaders(problem, ACCOUNT_API_PROBLEMS), 'X-Request-Id': requestId, ...more },
  })
}

const REFUSALS: Readonly<Record<AccountRefusal['reason'], AccountReason>> = {
  key_limit_reached: 'key_limit_reached',
  already_exists: 'invalid_request',
  not_found: 'not_found',
  not_allowed: 'not_allowed',
  invalid: 'invalid_request',
  too_many_changes: 'too_many_changes',
}

/** Runs a request through the pipeline. Expected failures become responses; anything else is rethrown. */
async function respond<Session, Body>(
  api: AccountApi,
  context: RouteContext,
  steps: Pick<AccountSteps<Session, Body>, 'findSession' | 'checkCsrfToken' | 'readBody' | 'handle'>,
): Promise<Response> {
  const { request } = context
  let outcome: Outcome
  try {
    outcome = await passAccountRequest(context, {
      ...steps,
      limits: api.limits,
      ...ACCOUNT_FRAMING,
      checkOrigin: () => findForeignOrigin(request, api.addresses),
    })
  } catch (error) {
    if (error instanceof AccountRefusal) outcome = toProblem(error)
    else if (error instanceof StoreUnavailable) outcome = new Problem('store_unavailable')
    else if (error instanceof HashingOverloaded) outcome = new Problem('overloaded')
    else throw error
  }
  if (outcome instanceof Problem) return refuse(api, request, outcome)
  if (!outcome.headers.has('cache-control')) outcome.headers.set('Cache-Control', 'no-store')
  outcome.headers.set('X-Request-Id', requestIdOf(request.headers))
  return outcome
}

/**
 * Turns an account refusal into a problem. A refusal's message is written to follow a colon, but a problem needs a
 * whole sentence.
 */
function toProblem({ reason, message, retryAfterSeconds }: AccountRefusal): AccountProblem {
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
  return new Problem(REFUSALS[reason], sentence, { retryAfterSeconds: retryAfterSeconds })
}

function toCall<Body>(api: AccountApi, { request, server, params }: RouteContext, body: Body): Call<Body> {
  const peer = server?.requestIP(request)?.address ?? ''
  return {
    request,
    url: new URL(request.url, api.addresses.accountUrl),
    params: params ?? {},
    client: countedAddress(api.proxies.clientOf(peer, request.headers.get('x-forwarded-for'))),
    device: deviceName(request.headers.get('user-agent')),
    language: mailLanguage(request.headers.get('accept-language')),
    body,
    sessionToken: readSessionToken(request.headers, api.addresses),
    deviceCookie: readDeviceCookie(request.headers, api.addresses),
  }
}
