// The target of a request (RFC 9112, section 3.2): path and query as they were sent, read without building a URL object.
// parameter-parser.ts gives the texts of a query their meaning.

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
