// Errors from calls: the API's problem responses (RFC 9457), other responses, and missing responses.
import type { Problem } from './contract.ts'
import type { ErrorFacts, ErrorReason, Limits } from './surface.ts'

/** The error for a failed call. */
export class CallError extends Error {
  override readonly name = 'QuaiError'
  readonly reason: ErrorReason
  readonly status: number
  readonly detail: string
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly problem: Problem | undefined

  constructor({ reason, status, detail, requestId, retryAfterSeconds, problem, cause }: ErrorFacts) {
    const place = requestId === undefined ? '' : ` (request ${requestId})`
    super(`${status === 0 ? '' : `${status} `}${reason}: ${detail}${place}`, { cause })
    this.reason = reason
    this.status = status
    this.detail = detail
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
    this.problem = problem
  }
}

/** The error for a request that got no response or only part of one. */
export function unreachable(cause: unknown): CallError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new CallError({ reason: 'unreachable', status: 0, detail: `The service did not respond: ${why}`, cause })
}

/** The error for a response that does not come from the API, such as a proxy's error page. */
export function unexpected({ status, headers }: Response, text: string, retryAfterSeconds?: number): CallError {
  const detail = `The response does not come from the API. It begins with: ${text.slice(0, 100)}`
  const requestId = headers.get('x-request-id') ?? undefined
  return new CallError({ reason: 'unexpected_response', status, detail, requestId, retryAfterSeconds })
}

/** Converts a response other than 2xx to an error. */
export async function errorOf(response: Response, limits: Limits): Promise<CallError> {
  const { status, headers } = response
  const text = await response.text().catch((error: unknown) => {
    throw unreachable(error)
  })
  const problem = readProblem(text)
  const retryAfterSeconds = secondsToWait(headers, limits)
  if (problem === undefined) return unexpected(response, text, retryAfterSeconds)
  return new CallError({
    status,
    retryAfterSeconds,
    reason: problem.reason,
    detail: problem.detail,
    requestId: problem.request_id,
    problem,
  })
}

/**
 * Returns how long the client must wait: `Retry-After`, or else the time until an exhausted limit is reset. Undefined
 * if the response says neither.
 */
function secondsToWait(headers: Headers, limits: Limits): number | undefined {
  const retryAfter = headers.get('retry-after')
  if (retryAfter !== null) {
    const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1_000
    if (!Number.isNaN(seconds)) return Math.max(0, seconds)
  }
  const resets = Object.values(limits).map((limit) => (limit?.remaining === 0 ? limit.resetSeconds : 0))
  return Math.max(0, ...resets) || undefined
}

/** Reads the RateLimit header. Returns an empty object if the response has no such header. */
export function readLimits(headers: Headers): Limits {
  const found = (headers.get('ratelimit') ?? '').matchAll(/"([^"]+)";r=(\d+);t=(\d+)/g)
  return Object.fromEntries(
    [...found].map(([, name, remaining, reset]) => [
      name,
      { remaining: Number(remaining), resetSeconds: Number(reset) },
    ]),
  )
}

function readProblem(text: string): Problem | undefined {
  const body = parse(text)
  return isProblem(body) ? body : undefined
}

/** Parses JSON; undefined if it is invalid. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'reason' in body && 'detail' in body && 'request_id' in body
}
