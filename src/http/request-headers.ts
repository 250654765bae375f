// Reads request headers: framing, Accept, request id and trace context; with a fast path for requests with few headers.
import { Problem } from './problem.ts'

/** Headers as they are asked for. */
export type AskedHeaders = Pick<Headers, 'get'>

/** Of a request that has none. */
export const NO_HEADERS: AskedHeaders = { get: () => null }

/**
 * The headers beside Host, Authorization and Connection. Programs that ask often send these alone, and need not be asked
 * for eight others, each a call out of the engine (25 ns).
 */
export function headersBeside(headers: Headers): AskedHeaders {
  const { count } = headers
  if (count > 3 || headers.get('host') === null || headers.get('authorization') === null) return headers
  return count === 2 || headers.get('connection') !== null ? NO_HEADERS : headers
}

/** No route of the data API takes a body: one up to this is read past, a longer one is refused. */
export const BODY_LIMIT_BYTES = 64 * 1024

/** A host and a port, or nothing. Two Host headers arrive here as one with a comma. */
const HOST = /^[^\s,/?#@\\]*$/
/** Two equal Content-Length headers arrive as one with a comma. */
const LENGTH = /^\d+$/

/** The limits on request bodies of one API. */
export interface FramingRules {
  /** Longest body, in bytes. */
  readonly bodyLimitBytes: number
  /** The error text for a body of unknown length; the default text of the reason if absent. */
  readonly unknownLength?: string
}

/** The error in a message's framing, or undefined. Runs on every request. */
export function findFramingFault(
  headers: Headers,
  rules: FramingRules,
  /** `headersBeside` of the same message */
  beside: AskedHeaders = headers,
): Problem<'malformed_request' | 'content_too_large'> | undefined {
  const host = headers.get('host')
  if (host !== null && !HOST.test(host)) return malformedHost()
  return beside === NO_HEADERS ? undefined : findBodyFault(headers, rules)
}

/** The error for an invalid Host header. */
export function malformedHost(): Problem<'malformed_request'> {
  return new Problem('malformed_request', 'The Host header is invalid. Send one host, with an optional port.')
}

function findBodyFault(
  headers: Headers,
  rules: FramingRules,
): Problem<'malformed_request' | 'content_too_large'> | undefined {
  if (headers.get('transfer-encoding') !== null) return new Problem('content_too_large', rules.unknownLength)
  const length = headers.get('content-length')
  if (length === null) return undefined
  if (!LENGTH.test(length))
    return new Problem('malformed_request', 'The Content-Length header is invalid. Send one whole number of bytes.')
  return Number(length) > rules.bodyLimitBytes ? new Problem('content_too_large') : undefined
}

/** What routes answer. */
export type MediaType = 'application/json' | 'text/event-stream'

/** Media ranges that cover each, the most exact first. */
const COVERING: Readonly<Record<MediaType, readonly string[]>> = {
  'application/json': ['application/json', 'application/*', '*/*'],
  'text/event-stream': ['text/event-stream', 'text/*', '*/*'],
}

/** Whether an Accept header lets a media type through; it does where it is absent, empty or says nothing readable. */
export function acceptsMedia(accept: string | null, type: MediaType): boolean {
  if (accept === null || accept === '*/*' || accept === type || accept.trim() === '') return true
  const qualities = new Map<string, number>()
  for (const range of accept.toLowerCase().split(',')) {
    const [media = '', ...parameters] = range.split(';').map((part) => part.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    qualities.set(media, quality === undefined ? 1 : Number(quality.slice(2)))
  }
  for (const media of COVERING[type]) {
    const quality = qualities.get(media)
    // The most exact range rules; a quality that is no number excludes nothing.
    if (quality !== undefined) return quality !== 0
  }
  return false
}

const SANE = /^[A-Za-z0-9._~-]{1,128}$/
/** W3C Trace Context: version, trace id, id of the caller's span, flags; more only in later versions. */
const TRACE_CONTEXT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-[!-~]*)?$/
const TRACE_ID_START = 3
const TRACE_ID_END = 35
/** A header of this version ends behind its flags. */
const FIRST_VERSION = '00'
const FIRST_VERSION_LENGTH = 55
/** What a later version may add is bounded, as it is sent back. */
const LENGTH_LIMIT = 256

/** Tells the threads and runs of this program apart. */
const PREFIX = `${crypto.randomUUID().slice(0, 13)}-`
let requestCount = 0

/**
 * The id of a request with these headers. A new one at every call where the client gave none.
 * @param trace its `traceContextOf`, where the caller has read it already
 */
export function requestIdOf(headers: AskedHeaders, trace: string | undefined = traceContextOf(headers)): string {
  const given = headers.get('x-request-id')
  if (given !== null && SANE.test(given)) return given
  return trace?.slice(TRACE_ID_START, TRACE_ID_END) ?? PREFIX + (requestCount++).toString(36)
}

/** The `traceparent` of a request, undefined where it has none or one that says nothing. */
export function traceContextOf(headers: AskedHeaders): string | undefined {
  const given = headers.get('traceparent')
  return given !== null && isTraceContext(given) ? given : undefined
}

/** The headers that hand a request's trace context back. */
export function traceHeaders(headers: AskedHeaders): Readonly<Record<string, string>> {
  const traceparent = traceContextOf(headers)
  return traceparent === undefined ? {} : { traceparent }
}

function isTraceContext(given: string): boolean {
  if (given.length > LENGTH_LIMIT || !TRACE_CONTEXT.test(given)) return false
  return !given.startsWith(FIRST_VERSION) || given.length === FIRST_VERSION_LENGTH
}
