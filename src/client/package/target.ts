// The URLs of requests: the base URL, and paths with their parameters.
import type { ClientOptions } from './surface.ts'

/** The parameters of an operation. */
export type Parameters = object

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * Returns the base URL without a trailing slash. Throws a TypeError if the base URL is invalid or would send the key
 * unencrypted.
 */
export function baseOf({ baseUrl, key, allowHttp = false }: ClientOptions): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(`baseUrl is "${baseUrl}"; it must be an address such as https://api.example.org`)
  }
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new TypeError('baseUrl must have no query, no fragment and no password')
  }
  const path = url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname
  if (path.endsWith('/v1')) throw new TypeError(`baseUrl is "${baseUrl}"; leave out /v1`)
  if (key !== undefined && url.protocol === 'http:' && !allowHttp && !LOOPBACK.test(url.hostname)) {
    throw new TypeError(`baseUrl is "${baseUrl}"; keys are only sent over HTTPS, unless allowHttp is true`)
  }
  return url.origin + path
}

/**
 * The path and query of a request. Parameters that the template names, such as `stop_id` in `/v1/stops/{stop_id}`, are
 * filled into the path. The others become the query, with list items joined by commas.
 */
export function targetOf(template: string, parameters: Parameters): string {
  const rest = new Map<string, unknown>(Object.entries(parameters))
  const path = template.replace(/\{([a-z_]+)\}/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    // The values `.` and `..` are refused, because as a path segment they would lead to another route.
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) {
      throw new TypeError(`"${name}" is ${JSON.stringify(value)}; it must be an id from a response, and not empty`)
    }
    return encodeURIComponent(value)
  })
  const query = new URLSearchParams()
  for (const [name, value] of rest) if (value !== undefined) query.append(name, String(value))
  return query.size === 0 ? path : `${path}?${query}`
}
