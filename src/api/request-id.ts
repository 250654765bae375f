// The id of a request: the client's own where it is sane, else a number of this process. It stands in every answer,
// and in the log where something broke.

const SANE = /^[A-Za-z0-9._~-]{1,128}$/

/** Tells the threads and runs of this program apart. */
const PREFIX = `${crypto.randomUUID().slice(0, 13)}-`
let requestCount = 0

/** The id of a request with these headers. A new one at every call where the client gave none. */
export function requestIdOf(headers: Headers): string {
  const given = headers.get('x-request-id')
  if (given !== null && SANE.test(given)) return given
  return PREFIX + (requestCount++).toString(36)
}
