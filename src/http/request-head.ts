// Parses the head of a request: target (RFC 9112, section 3.2), framing, Accept, Accept-Encoding, request id and trace
// context. The path and the query are cut from the URL string, without a URL object. Requests with few headers take a
// fast path. parameter-parser.ts interprets the query's values.
import { CODINGS, type ContentCoding } from './content-coding.ts'
import { Problem } from './problem.ts'

/** Maximum length of a path with its query, in characters. */
export const TARGET_LENGTH_LIMIT = 4096

/**
 * The index at which the path of a request URL starts. If the Host header is invalid, the URL has neither scheme nor
 * host.
 */
export function pathStart(url: string): number {
  if (url.charCodeAt(0) === 0x2f) return 0
  const start = url.indexOf('/', url.indexOf('://') + 3)
  return start < 0 ? url.length : start
}

/** The index where the query of a request URL ends: at the fragment, or at the end of the URL. */
export function targetEnd(url: string, start: number): number {
  const fragment = url.indexOf('#', start)
  return fragment < 0 ? url.length : fragment
}

/** The index of the first question mark between `start` and `end` in a request URL; `end` if there is none. */
export function queryMark(url: string, start: number, end: number): number {
  const mark = url.indexOf('?', start)
  return mark < 0 || mark > end ? end : mark
}

/** Returns the path and the query of a request URL; undefined if they are too long. */
export function readTarget(url: string): string | undefined {
  const start = pathStart(url)
  const end = targetEnd(url, start)
  return end - start > TARGET_LENGTH_LIMIT ? undefined : url.slice(start, end)
}

/**
 * Returns a function that parses the id in a path of the given shape. The function returns undefined if the id is
 * malformed. The id that the router extracts is not used, because the router may have matched the path before dot
 * segments were resolved.
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
    const known = decodedIds.get(id)
    if (known !== undefined) return known
    if (id.includes('/')) return undefined
    const decoded = decodePercent(id)
    if (decoded === undefined) return undefined
    if (decodedIds.size >= KEPT_IDS) decodedIds.clear()
    decodedIds.set(id, decoded)
    return decoded
  }
}

/** Maximum number of decoded ids in the cache; a full cache is cleared. */
const KEPT_IDS = 4096
const decodedIds = new Map<string, string>()

/** The value of a known parameter that is in the query more than once. */
export const REPEATED = Symbol('repeated')
/** The value of a known parameter whose percent-encoding is not valid UTF-8. */
export const MALFORMED = Symbol('malformed')

/** The value of a parameter in the query; undefined if absent. */
export type RawValue = string | typeof REPEATED | typeof MALFORMED | undefined

/**
 * Parses a query (the text after the question mark, without a fragment). Parameters that are not in `slots` are
 * ignored.
 * @param slots name of a parameter → index of its value in the result
 */
export function readQuery(query: string, slots: ReadonlyMap<string, number>): RawValue[] {
  const values = new Array<RawValue>(slots.size).fill(undefined)
  for (let start = 0; start <= query.length; ) {
    const { nameEnd, end, isPlain } = readPair(query, start)
    const slot = findSlot(query.slice(start, nameEnd), slots)
    start = end + 1
    if (slot === undefined) continue
    const text = query.slice(nameEnd + 1, Math.max(nameEnd + 1, end))
    const value = isPlain ? text : (decodeQueryText(text) ?? MALFORMED)
    values[slot] = values[slot] === undefined ? value : REPEATED
  }
  return values
}

/**
 * The position of a parameter in a query, as indexes into the query string. The name reaches from the start of the pair
 * to `nameEnd` (exclusive).
 */
export interface QueryPair {
  readonly nameEnd: number
  /**
   * Where the value ends. The value starts after the equals sign at `nameEnd`; without an equals sign, `end` equals
   * `nameEnd`.
   */
  readonly end: number
  /** Whether the pair has no percent-encoding and no `+`. */
  readonly isPlain: boolean
}

/** Reads the parameter that starts at an index of the query. */
export function readPair(query: string, start: number): QueryPair {
  let nameEnd = -1
  let isPlain = true
  let end = start
  for (; end < query.length; end++) {
    const unit = query.charCodeAt(end)
    if (unit === AMPERSAND) break
    if (unit === EQUALS && nameEnd < 0) nameEnd = end
    else if (unit === PERCENT || unit === PLUS) isPlain = false
  }
  return { nameEnd: nameEnd < 0 ? end : nameEnd, end, isPlain }
}

const AMPERSAND = 0x26
const EQUALS = 0x3d
const PERCENT = 0x25
const PLUS = 0x2b

/**
 * The index in `slots` of a parameter; undefined if the parameter is unknown.
 * @param name as written in the query, so it may be percent-encoded
 */
export function findSlot(name: string, slots: ReadonlyMap<string, number>): number | undefined {
  const slot = slots.get(name)
  if (slot !== undefined || !name.includes('%')) return slot
  const decoded = decodeQueryText(name)
  return decoded === undefined ? undefined : slots.get(decoded)
}

/**
 * Decodes a name or a value from a query: `+` as a space, and percent-encoded UTF-8. Returns undefined if it is
 * malformed.
 */
export function decodeQueryText(text: string): string | undefined {
  return decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text)
}

/** Decodes percent-encoded UTF-8; undefined if malformed. */
export function decodePercent(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/** Read access to headers. */
export type RequestHeaders = Pick<Headers, 'get'>

/** The headers of a request that has no headers. */
export const NO_HEADERS: RequestHeaders = { get: () => null }

/**
 * Returns NO_HEADERS if the request has only Host, Authorization and possibly Connection, as requests from frequent
 * clients do; otherwise returns all headers. NO_HEADERS saves eight lookups of 25 ns each.
 */
export function headersBeside(
  headers: Headers,
  host = headers.get('host'),
  authorization = headers.get('authorization'),
): RequestHeaders {
  const { count } = headers
  if (count > 3 || host === null || authorization === null) return headers
  return count === 2 || headers.get('connection') !== null ? NO_HEADERS : headers
}

/** No route of the data API uses a body. Bodies up to this size are ignored; larger bodies are refused. */
export const BODY_LIMIT_BYTES = 64 * 1024

/**
 * A valid Host header: a host with an optional port, or empty. Two Host headers arrive as one value with a comma, which
 * is invalid.
 */
const HOST = /^[^\s,/?#@\\]*$/
/** A valid Content-Length header. Two Content-Length headers arrive as one value with a comma, which is invalid. */
const LENGTH = /^\d+$/

/** One API's limits on request bodies. */
export interface FramingRules {
  /** Longest body, in bytes. */
  readonly bodyLimitBytes: number
  /** The error message for a body of unknown length. If absent, the reason's default message is used. */
  readonly unknownLength?: string
}

/** Returns the error in a request's framing, if any. Runs on every request. */
export function findFramingFault(
  headers: Headers,
  rules: FramingRules,
  /** The result of `headersBeside` for the same request. */
  beside: RequestHeaders = headers,
): Problem<'malformed_request' | 'content_too_large'> | undefined {
  return findHostFault(headers.get('host')) ?? findBodyFault(beside, rules)
}

let lastValidHost: string | null = null

/** Returns the error in a Host header, if any. @param host null if the request has no such header */
export function findHostFault(host: string | null): Problem<'malformed_request'> | undefined {
  if (host === lastValidHost) return undefined
  if (host !== null && !HOST.test(host)) return malformedHost()
  lastValidHost = host
  return undefined
}

/** The error for an invalid Host header. */
export function malformedHost(): Problem<'malformed_request'> {
  return new Problem('malformed_request', 'The Host header is invalid. Send one host, with an optional port.')
}

/** Returns the error in the framing of a body, if any. */
export function findBodyFault(
  headers: RequestHeaders,
  rules: FramingRules,
): Problem<'malformed_request' | 'content_too_large'> | undefined {
  if (headers === NO_HEADERS) return undefined
  if (headers.get('transfer-encoding') !== null) return new Problem('content_too_large', rules.unknownLength)
  const length = headers.get('content-length')
  if (length === null) return undefined
  if (!LENGTH.test(length))
    return new Problem('malformed_request', 'The Content-Length header is invalid. Send one whole number of bytes.')
  return Number(length) > rules.bodyLimitBytes ? new Problem('content_too_large') : undefined
}

/** Media types of responses. */
export type MediaType = 'application/json' | 'text/event-stream'

/** For each media type of a response, the media ranges of an Accept header that match it, most specific first. */
const COVERING: Readonly<Record<MediaType, readonly string[]>> = {
  'application/json': ['application/json', 'application/*', '*/*'],
  'text/event-stream': ['text/event-stream', 'text/*', '*/*'],
}

/** Whether an Accept header allows a media type. An absent or empty header allows all types. */
export function acceptsMedia(accept: string | null, type: MediaType): boolean {
  if (accept === null || accept === '*/*' || accept === type || accept.trim() === '') return true
  const qualities = readQualities(accept)
  for (const media of COVERING[type]) {
    const quality = qualities.get(media)
    // The most specific media range decides. Only quality 0 excludes the type; an invalid quality does not.
    if (quality !== undefined) return quality !== 0
  }
  return false
}

/** Parses a header such as Accept: names in lower case → quality (RFC 9110, 12.4.2). */
function readQualities(header: string): Map<string, number> {
  const qualities = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    qualities.set(name, quality === undefined ? 1 : Number(quality.slice(2)))
  }
  return qualities
}

/** Size of the cache of parsed Accept-Encoding headers; a full cache is cleared. Clients send few different values. */
const KEPT_HEADERS = 256
const chosen = new Map<string, ContentCoding | undefined>()

/** Returns the content coding for a client; undefined if the client accepts none of CODINGS, or prefers no coding. */
export function chooseCoding(acceptEncoding: string | null): ContentCoding | undefined {
  if (acceptEncoding === null) return undefined
  if (chosen.has(acceptEncoding)) return chosen.get(acceptEncoding)
  if (chosen.size >= KEPT_HEADERS) chosen.clear()
  const coding = readChoice(acceptEncoding, CODINGS)
  chosen.set(acceptEncoding, coding)
  return coding
}

/**
 * Returns the content coding in which a page is sent to a client; undefined for none. Prefers Brotli, which browsers
 * accept over HTTPS.
 */
export function choosePageCoding(acceptEncoding: string | null): 'br' | 'gzip' | undefined {
  if (acceptEncoding === null) return undefined
  return readChoice(acceptEncoding, ['br', 'gzip'] as const)
}

/** Whether a client accepts gzip. */
export function takesGzip(acceptEncoding: string | null): boolean {
  return acceptEncoding !== null && readChoice(acceptEncoding, ['gzip']) === 'gzip'
}

/**
 * Returns the coding with the highest quality. Of codings with the same quality, returns the first in the list. A
 * coding that the header does not name has the quality of `*`. Returns undefined if `identity` has a higher quality
 * than all codings.
 */
function readChoice<Coding extends string>(acceptEncoding: string, codings: readonly Coding[]): Coding | undefined {
  const qualities = readQualities(acceptEncoding)
  let best: Coding | undefined
  let highest = 0
  for (const coding of codings) {
    const quality = qualities.get(coding) ?? qualities.get('*') ?? 0
    if (quality > highest) [best, highest] = [coding, quality]
  }
  return highest >= (qualities.get('identity') ?? 0) ? best : undefined
}

const SANE = /^[A-Za-z0-9._~-]{1,128}$/
/** W3C Trace Context: version, trace id, id of the caller's span, flags. Later versions can have more fields. */
const TRACE_CONTEXT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-[!-~]*)?$/
const TRACE_ID_START = 3
const TRACE_ID_END = 35
/** In version 00, a `traceparent` has a fixed length, because nothing may follow the flags. */
const FIRST_VERSION = '00'
const FIRST_VERSION_LENGTH = 55
/** Maximum length of a `traceparent` with a later version. It is limited because responses send the header back. */
const LENGTH_LIMIT = 256

/** Prefix of generated request ids: different for each thread and each run of the program. */
const PREFIX = `${crypto.randomUUID().slice(0, 13)}-`
let requestCount = 0

/**
 * Returns the id of a request: the client's X-Request-Id; otherwise the id of the client's trace; otherwise a new id.
 * @param trace the result of `traceContextOf` for the request, if already parsed
 */
export function requestIdOf(headers: RequestHeaders, trace: string | undefined = traceContextOf(headers)): string {
  const given = headers.get('x-request-id')
  if (given !== null && SANE.test(given)) return given
  return trace?.slice(TRACE_ID_START, TRACE_ID_END) ?? newRequestId()
}

/** Generates an id for a request whose client sent none. */
export function newRequestId(): string {
  return PREFIX + (requestCount++).toString(36)
}

/** Returns the `traceparent` of a request; undefined if absent or invalid. */
export function traceContextOf(headers: RequestHeaders): string | undefined {
  const given = headers.get('traceparent')
  return given !== null && isTraceContext(given) ? given : undefined
}

/** Returns the headers that send back a request's trace context. */
export function traceHeaders(headers: RequestHeaders): Readonly<Record<string, string>> {
  const traceparent = traceContextOf(headers)
  return traceparent === undefined ? {} : { traceparent }
}

function isTraceContext(given: string): boolean {
  if (given.length > LENGTH_LIMIT || !TRACE_CONTEXT.test(given)) return false
  return !given.startsWith(FIRST_VERSION) || given.length === FIRST_VERSION_LENGTH
}
