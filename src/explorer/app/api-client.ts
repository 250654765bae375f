// The API client. Each call is recorded for the request drawer. A failed call throws a Refusal with the API's reason.

import { Stored } from '../../pages/app/stored.ts'
import { beginCall, KEPT_BODY, noteCall } from './calls.ts'
import type { Answer, ProblemBody } from './contract.ts'
import { apiKey } from './key.ts'
import type { Purpose } from './purposes.ts'
import { noteLost, noteReached } from './reach.ts'

/** A failed call. Status 0 means that the API could not be reached. */
export class Refusal extends Error {
  readonly status: number
  readonly reason: string
  /** Seconds to wait before a retry, from the Retry-After header; 0 if it is absent. */
  readonly retrySeconds: number

  constructor(facts: { status: number; reason: string; message: string; retrySeconds?: number }) {
    super(facts.message)
    this.status = facts.status
    this.reason = facts.reason
    this.retrySeconds = facts.retrySeconds ?? 0
  }
}

/** Why the API refused the key; undefined if the current key has not been refused. */
export const keyRefusal = new Stored<Refusal | undefined>(undefined)
/** Units left this month, from the latest response; undefined before the first response. */
export const unitsLeft = new Stored<number | undefined>(undefined)
/** How far the service's clock is ahead of the browser's clock, in milliseconds. */
const clockAheadMillis = new Stored(0)

/** Options of a call. */
export interface RequestOptions {
  readonly signal?: AbortSignal
  /** Whether the call is repeated regularly. Such a call is not retried after a response with status 429. */
  readonly isPolled?: boolean
}

const TRIES = 6

/** Path → the pending or finished response to a call that was made in advance. */
const ahead = new Map<string, Promise<Answer<never>>>()

/** Makes a call in advance. The next `request` for the same path uses its response. */
export function requestAhead(path: string, purpose: Purpose): void {
  const answer = request<never>(path, purpose)
  answer.catch(() => undefined) // prevents an unhandled rejection; the next `request` for the path gets the failure
  ahead.set(path, answer)
}

/** Gets a path below /v1. If the rate limit is exceeded, retries after the time in the Retry-After header. */
export async function request<Data>(
  path: string,
  purpose: Purpose,
  options: RequestOptions = {},
): Promise<Answer<Data>> {
  const made = ahead.get(path)
  ahead.delete(path)
  if (made !== undefined) return await made
  for (let attempt = 1; ; attempt++) {
    try {
      return await requestOnce<Data>(path, purpose, options)
    } catch (error) {
      const isTooFast = error instanceof Refusal && error.reason === 'rate_limited'
      if (!isTooFast || attempt === TRIES || options.isPolled === true) throw error
      // A random addition to the wait keeps several calls from being retried at the same moment.
      await new Promise((resolve) => setTimeout(resolve, (error.retrySeconds + Math.random() * attempt) * 1_000))
    }
    options.signal?.throwIfAborted()
  }
}

async function requestOnce<Data>(
  path: string,
  purpose: Purpose,
  { signal, isPolled = false }: RequestOptions,
): Promise<Answer<Data>> {
  const call = beginCall(path, purpose, { isPolled })
  const started = performance.now()
  const options: RequestInit = {
    headers: authorization(),
    credentials: 'omit',
    cache: 'no-store',
    signal: signal ?? null,
  }
  const response = await fetch(call.url, options).catch((error: unknown) => {
    const isAborted = signal?.aborted === true
    noteCall(call.id, { status: 0, millis: performance.now() - started, isOpen: false })
    if (isAborted) throw error
    noteLost()
    throw unreachable()
  })
  noteReached()
  const text = await response.text()
  const body: unknown = parse(text)
  noteCall(call.id, {
    status: response.status,
    millis: performance.now() - started,
    units: unitsOf(body),
    headers: [...response.headers],
    body: text.slice(0, KEPT_BODY),
    isOpen: false,
  })
  noteLimits(response.headers)
  if (!response.ok || !isAnswer<Data>(body)) throw refusalOf(response, body)
  clockAheadMillis.set(Date.parse(body.meta.generated_at) - Date.now())
  return body
}

/** Encodes an id as a path segment; colons need no encoding. */
export function segment(id: string): string {
  return encodeURIComponent(id).replaceAll('%3A', ':')
}

/** The service's current time, in milliseconds. */
export function serviceNow(): number {
  return Date.now() + clockAheadMillis.value
}

/** Requests the pages of a list until `most` rows are loaded. `isWhole` is false if the list has more rows. */
export async function requestAll<Row>(
  path: string,
  purpose: Purpose,
  most: number,
): Promise<{ readonly rows: readonly Row[]; readonly isWhole: boolean }> {
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    const next: string = cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`
    const answer: Answer<readonly Row[]> = await request<readonly Row[]>(next, purpose)
    rows.push(...answer.data)
    cursor = answer.meta.next_cursor ?? null
  } while (cursor !== null && rows.length < most)
  return { rows, isWhole: cursor === null }
}

/** The Authorization header; empty without a key. */
export function authorization(): Record<string, string> {
  return apiKey.value === undefined ? {} : { Authorization: `Bearer ${apiKey.value}` }
}

/** Converts an error response to a Refusal, and stores the Refusal in `keyRefusal` if the status is 401 or 403. */
export function refusalOf(response: Response, body: unknown): Refusal {
  const problem = isProblem(body) ? body : undefined
  const refusal = new Refusal({
    status: response.status,
    reason: problem?.reason ?? 'unknown',
    message: problem?.detail ?? `status ${response.status}`,
    retrySeconds: Number(response.headers.get('retry-after') ?? 0) || 0,
  })
  if (response.status === 401 || response.status === 403) keyRefusal.set(refusal)
  return refusal
}

/** The error of a request that got no response. */
export function unreachable(): Refusal {
  return new Refusal({ status: 0, reason: 'unreachable', message: 'no response' })
}

/** Converts any error to a Refusal. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  return new Refusal({ status: 0, reason: 'unknown', message: error instanceof Error ? error.message : String(error) })
}

/** Parses JSON; undefined if it is invalid. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The units that a call cost, from the `meta` of its response. */
export function unitsOf(body: unknown): number {
  return isAnswer(body) ? body.meta.units : 0
}

const UNITS_LEFT = /"units";r=(\d+)/

/** Reads the number of units left this month from a response's headers, and stores it in `unitsLeft`. */
export function noteLimits(headers: Headers): void {
  const left = UNITS_LEFT.exec(headers.get('ratelimit') ?? '')?.[1]
  if (left !== undefined) unitsLeft.set(Number(left))
}

/** Whether a body is that of a successful API response. */
export function isAnswer<Data>(body: unknown): body is Answer<Data> {
  return typeof body === 'object' && body !== null && 'data' in body && 'meta' in body
}

function isProblem(body: unknown): body is ProblemBody {
  return typeof body === 'object' && body !== null && 'reason' in body && 'detail' in body
}
