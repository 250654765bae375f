// A feed's time zone, and its routes in line order. Part of the text oracle.
import { eachRow, type FeedText } from './feed-text.ts'

const NO_SORT_ORDER = 2_147_483_647
const MAX_ROUTE_TYPE = 65_535

/**
 * A route, and its rank among all routes. Routes are sorted by route_sort_order, then by code in natural order, then by
 * id.
 */
export interface PlainRoute {
  readonly id: string
  readonly order: number
}

/** Reads the time zone from agency.txt and the routes from routes.txt. */
export async function readRoutes(feed: FeedText): Promise<{ zone: string; routes: Map<string, PlainRoute> }> {
  let zone = ''
  await eachRow(feed, 'agency.txt', ['agency_timezone'], ([value = '']) => {
    if (zone === '') zone = value
  })
  const found = new Map<string, { id: string; code: string; sortOrder: number }>()
  const columns = ['route_id', 'route_short_name', 'route_sort_order', 'route_type']
  await eachRow(feed, 'routes.txt', columns, ([id = '', code = '', sortOrder = '', type = '']) => {
    if (id === '' || found.has(id)) return
    // A route without a valid route_type is dropped, because GTFS requires this value.
    if (!/^\d+$/.test(type) || Number(type) > MAX_ROUTE_TYPE) return
    found.set(id, { id, code, sortOrder: /^\d+$/.test(sortOrder) ? Number(sortOrder) : NO_SORT_ORDER })
  })
  const sorted = [...found.values()].sort(
    (a, b) => a.sortOrder - b.sortOrder || compareNaturally(a.code, b.code) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0),
  )
  return { zone, routes: new Map(sorted.map(({ id }, order) => [id, { id, order }])) }
}

/**
 * Compares two strings in natural order: runs of digits as numbers, everything else character by character, ignoring
 * case. An example of this order is 1, 2, 2A, 10, N1.
 */
export function compareNaturally(a: string, b: string): number {
  const left = a.toLowerCase().match(/\d+|\D/g) ?? []
  const right = b.toLowerCase().match(/\d+|\D/g) ?? []
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x = '', y = ''] = [left[i], right[i]]
    if (/\d/.test(x) && /\d/.test(y)) {
      if (BigInt(x) !== BigInt(y)) return BigInt(x) < BigInt(y) ? -1 : 1
    } else if (x !== y) return x < y ? -1 : 1
  }
  return left.length - right.length
}
