// Addresses of requests: the base URL, and paths with their parameters.
import type { ClientOptions } from './surface.ts'

/** The parameters of an operation. */
export type Parameters = object

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Returns the base URL without a slash at its end. Throws a TypeError if it is invalid or would send the key unencrypted. */
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

/** Fills in a path such as `/v1/stops/{stop_id}`. The other parameters become the query; lists are joined by commas. */
export function targetOf(template: string, parameters: Parameters): string {
  const rest = new Map<string, unknown>(Object.entries(parameters))
  const path = template.replace(/\{([a-z_]+)\}/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    // `.` or `..` as a path segment would lead to another route.
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) {
      throw new TypeError(`"${name}" is ${JSON.stringify(value)}; it must be an id from a response, and not empty`)
    }
    return encodeURIComponent(value)
  })
  const query = new URLSearchParams()
  for (const [name, value] of rest) if (value !== undefined) query.append(name, String(value))
  return query.size === 0 ? path : `${path}?${query}`
}
