// Every error answer of the data API by reason: status, code, title and sentence; and, for both APIs, the refusal itself
// with the body and the headers made of it (RFC 9457). The account API's reasons are in `account-problem.ts`.

/** What is said of one reason. */
export interface ProblemKind {
  readonly status: number
  readonly code: string
  readonly title: string
  /** What is said where the refusal has nothing more exact to say. */
  readonly sentence: string
}

/** Every reason an answer may carry, in the order of their statuses. */
export const PROBLEMS = {
  transit_query_invalid: {
    status: 400,
    code: 'TRNS3-1400',
    title: 'Invalid query parameter',
    sentence: 'A query parameter has a value that is not allowed.',
  },
  invalid_location: {
    status: 400,
    code: 'TRNS3-2400',
    title: 'Invalid location',
    sentence: 'A location is malformed or out of bounds.',
  },
  malformed_request: {
    status: 400,
    code: 'TRNS3-3400',
    title: 'Malformed request',
    sentence: 'The headers of the request contradict each other or HTTP.',
  },
  authentication_required: {
    status: 401,
    code: 'SCTY3-1401',
    title: 'Authentication required',
    sentence: 'This request needs the header "Authorization: Bearer <API_KEY>".',
  },
  invalid_token: {
    status: 401,
    code: 'SCTY3-2401',
    title: 'Invalid token',
    sentence: 'The token is unknown, revoked, expired or of the wrong kind.',
  },
  insufficient_scope: {
    status: 403,
    code: 'SCTY3-2403',
    title: 'Insufficient scope',
    sentence: 'The key was issued for another service, lacks the scope transit:read, or is not personal.',
  },
  email_verification_required: {
    status: 403,
    code: 'MAIL3-1403',
    title: 'E-mail verification required',
    sentence: 'The e-mail address of the account has not been verified yet.',
  },
  not_found: {
    status: 404,
    code: 'TRNS3-1404',
    title: 'Not found',
    sentence: 'There is nothing under this address.',
  },
  capability_unsupported: {
    status: 404,
    code: 'TRNS3-2404',
    title: 'Capability not supported',
    sentence: 'The network does not publish this kind of data.',
  },
  method_not_allowed: {
    status: 405,
    code: 'TRNS3-1405',
    title: 'Method not allowed',
    sentence: 'Every route is read with GET or HEAD.',
  },
  not_acceptable: {
    status: 406,
    code: 'TRNS3-1406',
    title: 'Not acceptable',
    sentence:
      'The Accept header excludes the media type of this route: application/json, or text/event-stream of streams.',
  },
  content_too_large: {
    status: 413,
    code: 'TRNS3-1413',
    title: 'Content too large',
    sentence: 'No route takes a body; one of more than 65536 bytes is not read.',
  },
  uri_too_long: {
    status: 414,
    code: 'TRNS3-1414',
    title: 'URI too long',
    sentence: 'Path and query are longer than 4096 characters.',
  },
  rate_limited: {
    status: 429,
    code: 'QUOT3-1429',
    title: 'Rate limited',
    sentence: 'Requests come faster than the plan allows.',
  },
  quota_exhausted: {
    status: 429,
    code: 'QUOT3-2429',
    title: 'Quota exhausted',
    sentence: 'The units that the plan includes in a month are used up, or too few are left for this call.',
  },
  spend_cap_reached: {
    status: 429,
    code: 'QUOT3-3429',
    title: 'Spend cap reached',
    sentence: "This call would cost more than the account's spend cap leaves in this month.",
  },
  too_many_streams: {
    status: 429,
    code: 'QUOT3-4429',
    title: 'Too many streams',
    sentence: 'This key, or its account, has as many streams open as it can have.',
  },
  internal_error: {
    status: 500,
    code: 'TRNS3-1500',
    title: 'Internal error',
    sentence: 'The request could not be answered. Please report it with its request_id.',
  },
  not_ready: {
    status: 503,
    code: 'TRNS3-1503',
    title: 'Not ready',
    sentence: 'The data of this network is not loaded yet.',
  },
  metering_unavailable: {
    status: 503,
    code: 'QUOT3-1503',
    title: 'Metering unavailable',
    sentence: 'The call cannot be counted at the moment, so it is not answered. Nothing was charged.',
  },
  planner_timeout: {
    status: 503,
    code: 'TRNS3-2503',
    title: 'Planner timeout',
    sentence: 'The journey could not be planned in time. Nothing was charged.',
  },
  overloaded: {
    status: 503,
    code: 'TRNS3-3503',
    title: 'Overloaded',
    sentence: 'The service cannot take on more at the moment.',
  },
} as const satisfies Record<string, ProblemKind>

/** A reason of the table. */
export type Reason = keyof typeof PROBLEMS

/** One refused parameter. */
export interface ParameterError {
  readonly param: string
  readonly reason: Reason
  readonly message: string
}

/** An expected refusal: what a handler returns instead of an answer. `Name` is a reason of the API's table. */
export class Problem<out Name extends string = Reason> {
  readonly reason: Name
  /** The sentence of this occurrence; undefined for the reason's own. */
  readonly detail: string | undefined
  /** The refused parameters, in the order of the route's table; empty where the refusal is about something else. */
  readonly errors: readonly ParameterError[]
  /** When it is worth asking again; undefined for the usual time of the reason. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    reason: Name,
    detail?: string,
    more: { readonly errors?: readonly ParameterError[]; readonly retryAfterSeconds?: number | undefined } = {},
  ) {
    this.reason = reason
    this.detail = detail
    this.errors = more.errors ?? []
    this.retryAfterSeconds = more.retryAfterSeconds
  }
}

/** A refusal of parameters: the first bad one gives reason and detail. `errors` is not empty. */
export function parameterProblem(errors: readonly [ParameterError, ...ParameterError[]]): Problem {
  return new Problem(errors[0].reason, errors[0].message, { errors })
}

/** A refusal of one parameter. */
export function refusedParameter(param: string, message: string, reason: Reason = 'transit_query_invalid'): Problem {
  return parameterProblem([{ param, reason, message }])
}

/** What an API says of each of its reasons. */
export interface ProblemTable<Name extends string = Reason> {
  readonly kinds: Readonly<Record<Name, ProblemKind>>
  /** Seconds a client should wait before it asks again, where that may help. */
  readonly retryAfterSeconds: Readonly<Partial<Record<Name, number>>>
  /** The challenge of RFC 6750 for refused credentials. */
  readonly challenges: Readonly<Partial<Record<Name, string>>>
}

/** The data API's table. */
export const API_PROBLEMS: ProblemTable = {
  kinds: PROBLEMS,
  retryAfterSeconds: {
    not_ready: 10,
    too_many_streams: 10,
    metering_unavailable: 5,
    planner_timeout: 5,
    overloaded: 5,
  },
  challenges: {
    authentication_required: 'Bearer realm="transit"',
    invalid_token: 'Bearer realm="transit", error="invalid_token"',
    insufficient_scope: 'Bearer realm="transit", error="insufficient_scope", scope="transit:read"',
    email_verification_required: 'Bearer realm="transit", error="insufficient_scope"',
  },
}

/** The headers that a reason asks for, the media type among them. */
export function problemHeaders<Name extends string>(
  { reason, retryAfterSeconds }: Problem<Name>,
  table: ProblemTable<Name>,
): Record<string, string> {
  const headers: Record<string, string> = {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
  }
  const challenge = table.challenges[reason]
  if (challenge !== undefined) headers['WWW-Authenticate'] = challenge
  // What follows on the connection may be the rest of what was refused.
  if (reason === 'malformed_request' || reason === 'content_too_large') headers['Connection'] = 'close'
  const retryAfter = retryAfterSeconds ?? table.retryAfterSeconds[reason]
  if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter)
  return headers
}

/** The body of a refusal. `baseUrl` is the data API's, where the errors are described, without a slash at its end. */
export function problemBody<Name extends string>(
  problem: Problem<Name>,
  table: ProblemTable<Name>,
  place: { baseUrl: string; requestId: string },
): string {
  const { status, code, title, sentence } = table.kinds[problem.reason]
  return JSON.stringify({
    type: `${place.baseUrl}/docs/errors#${problem.reason}`,
    title,
    status,
    detail: problem.detail ?? sentence,
    instance: place.requestId,
    reason: problem.reason,
    code,
    request_id: place.requestId,
    ...(problem.errors.length > 0 ? { param: problem.errors[0]?.param, errors: problem.errors } : {}),
  })
}
