// The target of a request (RFC 9112, section 3.2): path and query as they were sent, and the id in the path.
import { decodePercent } from './query-string.ts'

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
