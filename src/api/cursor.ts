// Keyset cursors. A cursor says where a page ended, as JSON in base64url, without a signature. It contains its route
// and filters, so that it cannot be used elsewhere. It contains the last item's sort key and id, so that it stays valid
// when the snapshot changes.
import { compareCodeUnits, compareNatural } from '../../indexes/text/natural-order.ts'
import { type Problem, refusedParameter } from '../http/problem.ts'

/** A part of a sort key. */
export type KeyPart = string | number

/**
 * The position of an item in a list, after which the next page starts: the item's sort key, then its id, so that no two
 * items have the same position.
 */
export interface PageEnd {
  readonly key: readonly KeyPart[]
  readonly id: string
}

/** The route and filters that a cursor belongs to. */
export interface CursorScope {
  readonly route: string
  /** Hash of the path and the filters, without the page size. */
  readonly filter: string
}

const VERSION = 1

/** A short hash of the values that determine which items a list contains, and in which order. */
export function filterHash(filters: unknown): string {
  return Bun.hash.wyhash(JSON.stringify(filters)).toString(36)
}

/** The cursor for the page that follows an item. */
export function encodeCursor(scope: CursorScope, end: PageEnd): string {
  const json = JSON.stringify({ v: VERSION, route: scope.route, filter: scope.filter, key: end.key, id: end.id })
  return Buffer.from(json, 'utf8').toString('base64url')
}

/**
 * The position in a cursor. Undefined if there is no cursor; a problem if the cursor is damaged or belongs to another
 * route or other filters.
 * @param shape the types of the sort key's parts
 */
export function decodeCursor(
  cursor: string | undefined,
  scope: CursorScope,
  shape: readonly ('string' | 'number')[],
): PageEnd | undefined | Problem {
  if (cursor === undefined) return undefined
  const content = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'))
  if (!isRecord(content) || content.v !== VERSION || content.route !== scope.route) {
    return refusedParameter(
      'cursor',
      'The parameter "cursor" does not come from this route; expected the next_cursor from an earlier response, or no "cursor" for the first page.',
    )
  }
  if (content.filter !== scope.filter) {
    return refusedParameter(
      'cursor',
      'The parameter "cursor" belongs to a request with different filters; repeat those filters, or omit "cursor" to get the first page.',
    )
  }
  const { key, id } = content
  const isSound =
    typeof id === 'string' &&
    Array.isArray(key) &&
    key.length === shape.length &&
    key.every((part, place) => typeof part === shape[place])
  return isSound
    ? { key, id }
    : refusedParameter(
        'cursor',
        'The parameter "cursor" is damaged; send next_cursor unchanged, or omit "cursor" to get the first page.',
      )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/**
 * Compares two positions; negative if `a` comes before `b`. Keys are compared part by part, with strings in natural
 * order. Equal keys are ordered by id, code unit by code unit.
 */
export function compareEnds(a: PageEnd, b: PageEnd): number {
  for (let part = 0; part < a.key.length; part++) {
    const order = compareParts(a.key[part], b.key[part])
    if (order !== 0) return order
  }
  return compareCodeUnits(a.id, b.id)
}

function compareParts(a: KeyPart, b: KeyPart): number {
  if (typeof a === 'string' && typeof b === 'string') return compareNatural(a, b)
  if (a === b) return 0
  return a < b ? -1 : 1
}
