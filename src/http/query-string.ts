// The query of a raw request URL, read without building a URL object: one slot for each parameter a route knows.
// Runs on every request; parameter-parser.ts gives the texts their meaning.

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
