// The framing of a message: a Host header that is no host, two lengths, bodies too large to be read past. The HTTP server
// beneath lets these through, or answers before it has seen them.
import { type AskedHeaders, NO_HEADERS } from './asked-headers.ts'
import { Problem } from './problem.ts'

/** No route of the data API takes a body: one up to this is read past, a longer one is refused. */
export const BODY_LIMIT_BYTES = 64 * 1024

/** A host and a port, or nothing. Two Host headers arrive here as one with a comma. */
const HOST = /^[^\s,/?#@\\]*$/
/** Two equal Content-Length headers arrive as one with a comma. */
const LENGTH = /^\d+$/

/** What an API says of the bodies it gets. */
export interface FramingRules {
  /** Longest body, in bytes. */
  readonly bodyLimitBytes: number
  /** What is said of a body whose length is not given; the sentence of the reason where absent. */
  readonly unknownLength?: string
}

/** Why the framing of a message is refused; undefined where nothing is wrong with it. Runs on every request. */
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

/** The refusal of a Host header that is no host. */
export function malformedHost(): Problem<'malformed_request'> {
  return new Problem('malformed_request', 'The Host header is not one host with perhaps a port.')
}

function findBodyFault(
  headers: Headers,
  rules: FramingRules,
): Problem<'malformed_request' | 'content_too_large'> | undefined {
  if (headers.get('transfer-encoding') !== null) return new Problem('content_too_large', rules.unknownLength)
  const length = headers.get('content-length')
  if (length === null) return undefined
  if (!LENGTH.test(length)) return new Problem('malformed_request', 'Content-Length is not one number.')
  return Number(length) > rules.bodyLimitBytes ? new Problem('content_too_large') : undefined
}
