// Reads the head of a request: its target (RFC 9112, section 3.2), path and query as they were sent, without building a URL
// object; framing, Accept, Accept-Encoding, request id and trace context of its headers, with a fast path for requests that have few.
// parameter-parser.ts gives the texts of a query their meaning.
import { CODINGS, type ContentCoding } from './content-coding.ts'
import { Problem } from './problem.ts'

/** Longest path and query, in characters. */
export const TARGET_LENGTH_LIMIT = 4096

/** Where the path starts in a request URL, which lacks scheme and host where the Host header is no host. */
export function pathStart(url: string): number {
  if (url.charCodeAt(0) === 0x2f) return 0
  const start = url.indexOf('/', url.indexOf('://') + 3)
  return start < 0 ? url.length : start
}

/** Path and query of a request URL; undefined where they are too long. */
export function readTarget(url: string): string | undefined {
  const start = pathStart(url)
  const fragment = url.indexOf('#', start)
  const end = fragment < 0 ? url.length : fragment
  return end - start > TARGET_LENGTH_LIMIT ? undefined : url.slice(start, end)
}

/**
 * Reads the id out of a path of this shape; undefined where it is malformed. The path is read again here since the
 * router may have seen it before dots in it were resolved.
 */
export function pathIdReader(shape: string): (path: string) => string | undefined {
  const colon = shape.indexOf(':')
  if (colon < 0) return () => ''
  const slash = shape.indexOf('/', colon)
  const before = shape.slice(0, colon)
  const behind = slash < 0 ? '' : shape.slice(slash)
  return (path) => {
    if (!path.startsWith(before) || !path.endsWith(behind)) return undefined
    const id = path.slice(before.length, path.length - behind.length)
    return id.includes('/') ? undefined : decodePercent(id)
  }
}

/** A known parameter that stands in the query more than once. */
export const REPEATED = Symbol('repeated')
/** A known parameter whose percent-encoding is not UTF-8. */
export const MALFORMED = Symbol('malformed')

/** What the query says of a parameter; undefined where it says nothing. */
export type RawValue = string | typeof REPEATED | typeof MALFORMED | undefined

/**
 * Reads a query (the text behind the question mark, without a fragment). Unknown names are passed over.
 * @param slots name of a known parameter → its place in the result
 */
export function readQuery(query: string, slots: ReadonlyMap<string, number>): RawValue[] {
  const values = new Array<RawValue>(slots.size).fill(undefined)
  let start = 0
  while (start <= query.length) {
    const ampersand = query.indexOf('&', start)
    const end = ampersand < 0 ? query.length : ampersand
    const equals = query.indexOf('=', start)
    const nameEnd = equals < 0 || equals > end ? end : equals
    const slot = findSlot(query.slice(start, nameEnd), slots)
    if (slot !== undefined) {
      const text = nameEnd === end ? '' : query.slice(nameEnd + 1, end)
      values[slot] = values[slot] === undefined ? (decodeQueryText(text) ?? MALFORMED) : REPEATED
    }
    start = end + 1
  }
  return values
}

function findSlot(name: string, slots: ReadonlyMap<string, number>): number | undefined {
  const slot = slots.get(name)
  if (slot !== undefined || !name.includes('%')) return slot
  const decoded = decodeQueryText(name)
  return decoded === undefined ? undefined : slots.get(decoded)
}

/** A text of a query with `+` as space and percent-encoded UTF-8; undefined where that is malformed. */
function decodeQueryText(text: string): string | undefined {
  return decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text)
}

/** Percent-encoded UTF-8 decoded; undefined where it is malformed. */
export function decodePercent(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

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
  const qualities = readQualities(accept)
  for (const media of COVERING[type]) {
    const quality = qualities.get(media)
    // The most exact range rules; a quality that is no number excludes nothing.
    if (quality !== undefined) return quality !== 0
  }
  return false
}

/** What a header such as Accept names, in lower case, each with its quality (RFC 9110, 12.4.2). */
function readQualities(header: string): Map<string, number> {
  const qualities = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    qualities.set(name, quality === undefined ? 1 : Number(quality.slice(2)))
  }
  return qualities
}

/** Headers whose choice is remembered. Clients send few different ones; more of them start it anew. */
const KEPT_HEADERS = 256
const chosen = new Map<string, ContentCoding | undefined>()

/** The coding to answer a client in; undefined where it names none that we have. */
export function chooseCoding(acceptEncoding: string | null): ContentCoding | undefined {
  if (acceptEncoding === null) return undefined
  if (chosen.has(acceptEncoding)) return chosen.get(acceptEncoding)
  if (chosen.size >= KEPT_HEADERS) chosen.clear()
  const coding = readChoice(acceptEncoding, CODINGS)
  chosen.set(acceptEncoding, coding)
  return coding
}

/** Whether a client takes what is kept under gzip alone. */
export function takesGzip(acceptEncoding: string | null): boolean {
  return acceptEncoding !== null && readChoice(acceptEncoding, ['gzip']) === 'gzip'
}

/** The one of some codings with the highest quality; of equal ones the first. One that is not named has that of `*`. */
function readChoice(acceptEncoding: string, codings: readonly ContentCoding[]): ContentCoding | undefined {
  const qualities = readQualities(acceptEncoding)
  let best: ContentCoding | undefined
  let highest = 0
  for (const coding of codings) {
    const quality = qualities.get(coding) ?? qualities.get('*') ?? 0
    if (quality > highest) [best, highest] = [coding, quality]
  }
  return highest >= (qualities.get('identity') ?? 0) ? best : undefined
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
