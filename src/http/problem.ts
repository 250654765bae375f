// The data API's errors by reason, each with its status, code, title and default detail. Also makes the body and the
// headers of error responses (RFC 9457), for both APIs. The account API's reasons are in `account-problem.ts`.

/** How errors with one reason are reported. */
export interface ProblemKind {
  readonly status: number
  readonly code: string
  readonly title: string
  /** The `detail` of errors that have no more specific text. */
  readonly sentence: string
}

/** Every reason, ordered by status. */
export const PROBLEMS = {
  transit_query_invalid: {
    status: 400,
    code: 'TRNS3-1400',
    title: 'Invalid query parameter',
    sentence:
      'One or more query parameters are missing or have a value that is not allowed. The member "errors" lists each one and what it accepts.',
  },
  invalid_location: {
    status: 400,
    code: 'TRNS3-2400',
    title: 'Invalid location',
    sentence:
      'A location is malformed or outside the allowed bounds. The member "errors" names the parameter and what it accepts.',
  },
  malformed_request: {
    status: 400,
    code: 'TRNS3-3400',
    title: 'Malformed request',
    sentence:
      'The request is not valid HTTP: its headers are malformed or contradict each other. Check the HTTP client.',
  },
  authentication_required: {
    status: 401,
    code: 'SCTY3-1401',
    title: 'Authentication required',
    sentence: 'No API key was sent. Send the header "Authorization: Bearer <API_KEY>".',
  },
  invalid_token: {
    status: 401,
    code: 'SCTY3-2401',
    title: 'Invalid token',
    sentence:
      'The API key is unknown, revoked, expired or suspended. Check the key, or create a new one in the account console.',
  },
  insufficient_scope: {
    status: 403,
    code: 'SCTY3-2403',
    title: 'Insufficient scope',
    sentence:
      'The API key lacks the scope transit:read, was issued for another service, or is not a personal key (quai_p_…). ' +
      'Create a key with this scope in the account console.',
  },
  email_verification_required: {
    status: 403,
    code: 'MAIL3-1403',
    title: 'Email verification required',
    sentence:
      "The account's email address is not verified. Open the link in the confirmation email, or request a new one.",
  },
  not_found: {
    status: 404,
    code: 'TRNS3-1404',
    title: 'Not found',
    sentence: 'No resource exists at this URL. Check the path; every route is listed in /openapi.json.',
  },
  capability_unsupported: {
    status: 404,
    code: 'TRNS3-2404',
    title: 'Capability not supported',
    sentence: 'This network does not publish this kind of data. See "capabilities" in /v1/networks.',
  },
  method_not_allowed: {
    status: 405,
    code: 'TRNS3-1405',
    title: 'Method not allowed',
    sentence: 'Method not allowed on this resource. Use GET or HEAD.',
  },
  not_acceptable: {
    status: 406,
    code: 'TRNS3-1406',
    title: 'Not acceptable',
    sentence:
      'The Accept header excludes the media type of this route. Send "Accept: application/json", or "Accept: text/event-stream" for streams.',
  },
  content_too_large: {
    status: 413,
    code: 'TRNS3-1413',
    title: 'Content too large',
    sentence: 'The request body is larger than 65536 bytes. Send no body: no route uses one.',
  },
  uri_too_long: {
    status: 414,
    code: 'TRNS3-1414',
    title: 'URI too long',
    sentence: 'The URL is too long: its path and query together have more than 4096 characters.',
  },
  rate_limited: {
    status: 429,
    code: 'QUOT3-1429',
    title: 'Rate limited',
    sentence:
      'Too many requests: the rate limit has been reached. Wait for the number of seconds in Retry-After, then try again.',
  },
  quota_exhausted: {
    status: 429,
    code: 'QUOT3-2429',
    title: 'Quota exhausted',
    sentence:
      'The account has too few units left this month for this request. Wait for the next month, or change the plan.',
  },
  spend_cap_reached: {
    status: 429,
    code: 'QUOT3-3429',
    title: 'Spend cap reached',
    sentence:
      "This request would exceed the account's monthly spend cap. Raise the cap in the account console, or wait for the next month.",
  },
  too_many_streams: {
    status: 429,
    code: 'QUOT3-4429',
    title: 'Too many streams',
    sentence: 'The key or its account has too many open streams. Close one, then try again.',
  },
  internal_error: {
    status: 500,
    code: 'TRNS3-1500',
    title: 'Internal error',
    sentence: 'The service failed to process the request. Report this error with its request_id.',
  },
  not_ready: {
    status: 503,
    code: 'TRNS3-1503',
    title: 'Not ready',
    sentence:
      'The data for this network is not loaded yet. Wait for the number of seconds in Retry-After, then try again.',
  },
  metering_unavailable: {
    status: 503,
    code: 'QUOT3-1503',
    title: 'Metering unavailable',
    sentence:
      'Usage cannot be recorded right now. Nothing was charged. Wait for the number of seconds in Retry-After, then try again.',
  },
  planner_timeout: {
    status: 503,
    code: 'TRNS3-2503',
    title: 'Planner timeout',
    sentence: 'Planning took too long. Nothing was charged. Try again, or use a smaller "max_walk" or fewer "modes".',
  },
  overloaded: {
    status: 503,
    code: 'TRNS3-3503',
    title: 'Overloaded',
    sentence: 'The service is overloaded. Wait for the number of seconds in Retry-After, then try again.',
  },
} as const satisfies Record<string, ProblemKind>

/** The reason of an error of the data API. */
export type Reason = keyof typeof PROBLEMS

/** One invalid parameter. */
export interface ParameterError {
  readonly param: string
  readonly reason: Reason
  readonly message: string
}

/** An expected error, which a handler returns instead of a result. `Name` is the union of the API's reasons. */
export class Problem<out Name extends string = Reason> {
  readonly reason: Name
  /** Text for this occurrence of the error; undefined for the reason's default text. */
  readonly detail: string | undefined
  /**
   * The invalid parameters, in the order in which the route declares them; empty if the error is not about parameters.
   */
  readonly errors: readonly ParameterError[]
  /** Seconds for the Retry-After header; undefined for the reason's default. */
  readonly retryAfterSeconds: number | undefined
  /** Whether the connection is closed after the response. */
  readonly endsConnection: boolean

  constructor(
    reason: Name,
    detail?: string,
    more: {
      readonly errors?: readonly ParameterError[]
      readonly retryAfterSeconds?: number | undefined
      readonly endsConnection?: boolean
    } = {},
  ) {
    this.reason = reason
    this.detail = detail
    this.errors = more.errors ?? []
    this.retryAfterSeconds = more.retryAfterSeconds
    // After these errors, the next bytes on the connection may still belong to the rejected request, so the connection
    // is closed.
    this.endsConnection = more.endsConnection ?? (reason === 'malformed_request' || reason === 'content_too_large')
  }
}

/** Makes the error for invalid parameters, with the reason and the message of the first one. */
export function parameterProblem(errors: readonly [ParameterError, ...ParameterError[]]): Problem {
  return new Problem(errors[0].reason, errors[0].message, { errors })
}

/** Makes the error for one invalid parameter. */
export function refusedParameter(param: string, message: string, reason: Reason = 'transit_query_invalid'): Problem {
  return parameterProblem([{ param, reason, message }])
}

/** The errors of one API. */
export interface ProblemTable<Name extends string = Reason> {
  readonly kinds: Readonly<Record<Name, ProblemKind>>
  /** Default value of the Retry-After header in seconds, for errors whose cause may be gone by then. */
  readonly retryAfterSeconds: Readonly<Partial<Record<Name, number>>>
  /** WWW-Authenticate challenges (RFC 6750) for errors about credentials. */
  readonly challenges: Readonly<Partial<Record<Name, string>>>
}

/** The errors of the data API, with their headers. */
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

/** The response headers of an error, including its media type. */
export function problemHeaders<Name extends string>(
  { reason, retryAfterSeconds, endsConnection }: Problem<Name>,
  table: ProblemTable<Name>,
): Record<string, string> {
  const headers: Record<string, string> = {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
  }
  const challenge = table.challenges[reason]
  if (challenge !== undefined) headers['WWW-Authenticate'] = challenge
  if (endsConnection) headers['Connection'] = 'close'
  const retryAfter = retryAfterSeconds ?? table.retryAfterSeconds[reason]
  if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter)
  return headers
}

/**
 * The response body of an error. `baseUrl` is the data API's address, without a trailing slash. The errors of both APIs
 * link to the docs at that address.
 */
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
