// The id of a request: the client's own where it is sane, else that of the trace it belongs to, else a number of this
// process. It stands in every answer, and in the log where something broke. A trace context is handed back as it came.
import type { AskedHeaders } from './asked-headers.ts'

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
