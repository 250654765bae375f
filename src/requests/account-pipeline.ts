// The steps of a request to the account API. pipeline.ts lists them in order.
import type { AddressLimits } from '../access/address-limits.ts'
import type { KeyGate } from '../access/gate.ts'
import { type AccountReason, isAccountReason } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import { type FramingRules, findFramingFault, malformedHost, TARGET_LENGTH_LIMIT } from '../http/request-head.ts'
import { crowdRefusal, enterByKey, overLimit, Passage } from './pipeline.ts'
import type { Connections } from './service.ts'

/**
 * The limit on the number of requests from one address. The loopback address is exempt, because behind a proxy on this
 * machine it can be the address of all clients.
 */
const ACCOUNT = { name: 'account', sparesLoopback: true }

/** A request to the account API, and the server that received it. */
export interface AccountContext {
  readonly request: Request
  readonly server: Pick<Connections, 'requestIP'> | null
}

type AccountOutcome = Response | Problem<AccountReason>

/**
 * One route's functions and limits for the steps of the account API. `handle` receives the session that `findSession`
 * found.
 */
export interface AccountSteps<Session, Body> {
  readonly limits: AddressLimits
  readonly bodyLimitBytes: number
  checkOrigin(request: Request): Problem<AccountReason> | undefined
  /** Returns the session of a request, or the error. On public routes, the session is undefined. */
  findSession(request: Request): Promise<Session | Problem<AccountReason>>
  checkCsrfToken(request: Request, session: Session): Problem<AccountReason> | undefined
  /** Reads the body and checks it against the route's schema. */
  readBody(request: Request): Promise<Body | Problem<AccountReason>>
  handle(call: { readonly session: Session; readonly body: Body }): AccountOutcome | Promise<AccountOutcome>
}

/** Runs the steps of a request to the account API. */
export async function passAccountRequest<Session, Body>(
  { request, server }: AccountContext,
  steps: AccountSteps<Session, Body>,
): Promise<AccountOutcome> {
  const ended =
    crowdRefusal(steps.limits, { request, server }) ??
    checkAccountMessage(request, steps) ??
    overLimit(steps.limits, { request, server }, ACCOUNT) ??
    steps.checkOrigin(request)
  if (ended !== undefined) return ended
  const session = await steps.findSession(request)
  if (session instanceof Problem) return session
  const forged = steps.checkCsrfToken(request, session)
  if (forged !== undefined) return forged
  const body = await steps.readBody(request)
  if (body instanceof Problem) return body
  return steps.handle({ session, body })
}

/** Checks the framing and the URL of a request to the account API. For unknown routes, this is the only step. */
export function checkAccountMessage(
  { headers, url }: Request,
  rules: FramingRules,
): Problem<'malformed_request' | 'content_too_large' | 'uri_too_long'> | undefined {
  const fault = findFramingFault(headers, rules)
  if (fault !== undefined) return fault
  if (!URL.canParse(url, 'http://localhost')) return malformedHost()
  return url.length > TARGET_LENGTH_LIMIT ? new Problem('uri_too_long') : undefined
}

/** Authenticates a request to the account API by its key, and applies the key's rate limit. No units are charged. */
export function passAccountKey(
  gate: KeyGate,
  request: Request,
): Pick<Passage, 'caller' | 'limits'> | Problem<AccountReason> {
  const passage = new Passage(request, null)
  const problem = enterByKey({ gate }, passage, 0)
  // This request costs no units, so it never waits for units, and `problem` is never a promise. The request can only be
  // refused because of its key or the rate limit.
  if (problem === undefined || problem instanceof Promise) return passage
  const reason = isAccountReason(problem.reason) ? problem.reason : 'rate_limited'
  return new Problem(reason, undefined, { retryAfterSeconds: problem.retryAfterSeconds })
}
