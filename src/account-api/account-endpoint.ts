// What every request of the account API passes: framing, origin, session, CSRF token, body, handler; and what it sends.
import { countedAddress } from '../access/client-address.ts'
import { type Account, AccountRefusal, StoreUnavailable } from '../accounts/account-store.ts'
import type { Session } from '../accounts/identity-store.ts'
import { AccountProblem, type AccountReason, accountProblemResponse } from '../http/account-problem.ts'
import { requestIdOf } from '../http/request-id.ts'
import type { AccountApi, Asked } from './account-api.ts'
import { findMessageFault, isRead, readJson } from './account-message.ts'
import { HashingOverloaded } from './password-hasher.ts'
import { findForeignOrigin, hasCsrfToken } from './same-site.ts'
import { readSessionToken } from './session-cookie.ts'

/** A request that passed every check but its own. */
export interface Call {
  readonly request: Request
  readonly url: URL
  readonly params: Readonly<Record<string, string | undefined>>
  /** Who asks, as addresses are counted. */
  readonly client: string
  /** The body, read from JSON; undefined where the method has none. */
  readonly body: unknown
  /** The session's token as it came, whether it is one or not. */
  readonly sessionToken: string | undefined
}

/** A request under a session. */
export interface SessionCall extends Call {
  readonly account: Account
  readonly session: Session
  readonly sessionToken: string
}

/** What a handler answers. */
export type Outcome = Response | AccountProblem

/** A handler of Elysia. */
export type AccountEndpoint = (asked: Asked) => Promise<Response>

/** An endpoint for whoever asks. What changes something comes as JSON, from the console's own pages or from no page. */
export function openEndpoint(api: AccountApi, handler: (call: Call) => Outcome | Promise<Outcome>): AccountEndpoint {
  return ({ request, server, params }) =>
    respond(api, { request, server, params }, async (asked) => {
      const call = await readCall(api, asked)
      return call instanceof AccountProblem ? call : handler(call)
    })
}

/** An endpoint for who is logged in. */
export function sessionEndpoint(
  api: AccountApi,
  handler: (call: SessionCall) => Outcome | Promise<Outcome>,
): AccountEndpoint {
  return ({ request, server, params }) =>
    respond(api, { request, server, params }, async (asked) => {
      const found = await requireSession(api, asked.request)
      if (found instanceof AccountProblem) return found
      const call = await readCall(api, asked)
      return call instanceof AccountProblem ? call : handler({ ...call, ...found })
    })
}

/** Whose session a request is made under; where it changes something, its CSRF token has been checked. */
export async function requireSession(
  api: AccountApi,
  request: Request,
): Promise<Pick<SessionCall, 'account' | 'session' | 'sessionToken'> | AccountProblem> {
  const sessionToken = readSessionToken(request.headers, api.addresses)
  if (sessionToken === undefined) return new AccountProblem('session_required')
  const found = await api.identity.sessions.find(sessionToken)
  if (found === undefined) return new AccountProblem('session_required')
  if (!isRead(request) && !hasCsrfToken(request.headers, sessionToken)) return new AccountProblem('csrf_failed')
  return { ...found, sessionToken }
}

/** Counts a change that leaves a row for ever, and is no new key; a refusal where there were too many in the last hour. */
export function countChange({ changes }: AccountApi, accountId: string): AccountProblem | undefined {
  const waitSeconds = changes.take([accountId])
  return waitSeconds === 0 ? undefined : new AccountProblem('too_many_changes', undefined, waitSeconds)
}

/** JSON with a status; nothing of an account is ever kept by a cache. */
export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { 'Content-Type': 'application/json', ...headers } })
}

/** 204. */
export function noContent(headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status: 204, headers })
}

/** A refusal as a response to a request. */
export function refuse(
  api: AccountApi,
  request: Request,
  problem: AccountProblem,
  more: Readonly<Record<string, string>> = {},
): Response {
  const { 'X-Request-Id': requestId = requestIdOf(request.headers) } = more
  const { baseUrl } = api.addresses
  return accountProblemResponse(problem, { baseUrl, requestId, more: { ...more, 'X-Request-Id': requestId } })
}

const REFUSALS: Readonly<Record<AccountRefusal['reason'], AccountReason>> = {
  key_limit_reached: 'key_limit_reached',
  already_exists: 'invalid_request',
  not_found: 'not_found',
  not_allowed: 'not_allowed',
  invalid: 'invalid_request',
  too_many_changes: 'too_many_changes',
}

/** Works, and turns what may be expected to go wrong into answers; anything else is a bug and thrown on. */
async function respond(api: AccountApi, asked: Asked, work: (asked: Asked) => Promise<Outcome>): Promise<Response> {
  const { request } = asked
  let outcome: Outcome
  try {
    outcome =
      findMessageFault(request) ??
      findHaste(api, asked) ??
      findForeignOrigin(request, api.addresses) ??
      (await work(asked))
  } catch (error) {
    if (error instanceof AccountRefusal) outcome = toProblem(error)
    else if (error instanceof StoreUnavailable) outcome = new AccountProblem('store_unavailable')
    else if (error instanceof HashingOverloaded) outcome = new AccountProblem('overloaded')
    else throw error
  }
  if (outcome instanceof AccountProblem) return refuse(api, request, outcome)
  if (!outcome.headers.has('cache-control')) outcome.headers.set('Cache-Control', 'no-store')
  outcome.headers.set('X-Request-Id', requestIdOf(request.headers))
  return outcome
}

/** A refusal of the books. Their words are a command's, which go on after a colon; here they are a sentence. */
function toProblem({ reason, message, retryAfterSeconds }: AccountRefusal): AccountProblem {
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
  return new AccountProblem(REFUSALS[reason], sentence, retryAfterSeconds)
}

/** All that one address asks is counted together, but this machine's own, which all clients of a proxy may share. */
const HASTE = { name: 'account', sparesLoopback: true }

function findHaste({ limits }: AccountApi, { request, server }: Asked): AccountProblem | undefined {
  const waitSeconds = server === null ? 0 : limits.take(request, server, HASTE)
  return waitSeconds === 0 ? undefined : new AccountProblem('rate_limited', undefined, waitSeconds)
}

async function readCall(api: AccountApi, { request, server, params }: Asked): Promise<Call | AccountProblem> {
  const body = await readJson(request)
  if (body instanceof AccountProblem) return body
  const peer = server?.requestIP(request)?.address ?? ''
  return {
    request,
    url: new URL(request.url, api.addresses.accountUrl),
    params: params ?? {},
    client: countedAddress(api.proxies.clientOf(peer, request.headers.get('x-forwarded-for'))),
    body,
    sessionToken: readSessionToken(request.headers, api.addresses),
  }
}
