// What is refused of a request before anything else is asked of it: framing that two readers could read differently,
// and bodies too large to be read past. The HTTP server beneath lets these through, or answers before it has seen them.

import { type AskedHeaders, NO_HEADERS } from './asked-headers.ts'
import { Problem } from './problem.ts'

/** No route takes a body: one up to this is read past, a longer one is refused. */
export const BODY_LIMIT_BYTES = 64 * 1024

/** A host and a port, or nothing. Two Host headers arrive here as one with a comma. */
const HOST = /^[^\s,/?#@\\]*$/
/** Two equal Content-Length headers arrive as one with a comma. */
const LENGTH = /^\d+$/

/** Why a message is refused, or undefined. Runs on every request. @param others `headersBeside` of the same message */
export function findMessageFault(headers: Headers, others: AskedHeaders = headers): Problem | undefined {
  const host = headers.get('host')
  if (host !== null && !HOST.test(host)) {
    return new Problem('malformed_request', 'The Host header is not one host with perhaps a port.')
  }
  return others === NO_HEADERS ? undefined : findBodyFault(headers)
}

function findBodyFault(headers: Headers): Problem | undefined {
  if (headers.get('transfer-encoding') !== null) {
    return new Problem('content_too_large', 'No route takes a body, least of all one of unknown length.')
  }
  const length = headers.get('content-length')
  if (length === null) return undefined
  if (!LENGTH.test(length)) return new Problem('malformed_request', 'Content-Length is not one number.')
  return Number(length) > BODY_LIMIT_BYTES ? new Problem('content_too_large') : undefined
}
