// Assigns numbers to stops and lines, and ranks trips by id. This is the first step of a build. The numbers depend on
// ids and codes, never on row order, so a reload of the same feed gives the same numbers.
import { columnArray, NONE } from '../../loaders/columns.ts'
import type { Feed } from '../../loaders/gtfs/feed.ts'
import { type StringIndex, type StringPool, textOf } from '../../loaders/strings.ts'
import { compareCodeUnits, compareNatural } from '../text/natural-order.ts'

/** Maps rows of one table to their numbers and back. */
export interface Numbering {
  readonly count: number
  /** Number → row. */
  readonly rowOf: Uint32Array
  /** Row → number; NONE for rows without a number. */
  readonly numberOf: Uint32Array
}

/** Row → its id as a string. The ids of rows that are not in `rows` are not decoded; they are empty strings. */
export function idTexts(pool: StringPool, ids: { readonly length: number }, rows: Uint32Array): string[] {
  const indexes = columnArray(ids)
  const texts: string[] = new Array(indexes.length).fill('')
  for (const row of rows) texts[row] = textOf(pool, indexes[row] as StringIndex)
  return texts
}

/** The rows sorted by id (UTF-16 code units), then by row. */
export function sortRowsById(pool: StringPool, ids: { readonly length: number }, rows: Uint32Array): Uint32Array {
  const texts = idTexts(pool, ids, rows)
  return rows.slice().sort((a, b) => compareCodeUnits(texts[a], texts[b]) || a - b)
}

/** The stops (location_type 0), numbered by id. A boarding area has the number of its stop. */
export function numberStops(feed: Feed): Numbering {
  const { stops } = feed
  const locationType = columnArray(stops.locationType)
  const parent = columnArray(stops.parent)
  const rows = rowsWhere(stops.count, (row) => locationType[row] === 0)
  const numbering = numberRows(sortRowsById(feed.strings, stops.id, rows), stops.count)
  for (let row = 0; row < stops.count; row++) {
    const stop = parent[row]
    if (locationType[row] === 4 && stop !== NONE) numbering.numberOf[row] = numbering.numberOf[stop]
  }
  return numbering
}

/** The rows of the stations (location_type 1), sorted by id. */
export function listStations(feed: Feed): Uint32Array {
  const locationType = columnArray(feed.stops.locationType)
  const rows = rowsWhere(feed.stops.count, (row) => locationType[row] === 1)
  return sortRowsById(feed.strings, feed.stops.id, rows)
}

/**
 * The lines: routes that have a trip, which may be an on-demand trip. Ordered by sort order, then code (natural order),
 * then id.
 */
export function numberLines(feed: Feed): Numbering {
  const { routes, strings } = feed
  const routeOfTrip = columnArray(feed.trips.route)
  const isLine = Uint8Array.from(columnArray(routes.hasFlexTrips))
  for (let trip = 0; trip < feed.trips.count; trip++) isLine[routeOfTrip[trip]] = 1
  const rows = rowsWhere(routes.count, (row) => isLine[row] === 1)
  const ids = idTexts(strings, routes.id, rows)
  const codes = idTexts(strings, routes.shortName, rows)
  const sortOrder = columnArray(routes.sortOrder)
  rows.sort(
    (a, b) => sortOrder[a] - sortOrder[b] || compareNatural(codes[a], codes[b]) || compareCodeUnits(ids[a], ids[b]),
  )
  return numberRows(rows, routes.count)
}

/** Trip row → rank of its id among all trips. */
export function rankTrips(feed: Feed): Uint32Array {
  const rows = rowsWhere(feed.trips.count, () => true)
  return numberRows(sortRowsById(feed.strings, feed.trips.id, rows), feed.trips.count).numberOf
}

/** Numbers rows by their position in a list. */
export function numberRows(rowOf: Uint32Array, rowCount: number): Numbering {
  const numberOf = new Uint32Array(rowCount).fill(NONE)
  for (let number = 0; number < rowOf.length; number++) numberOf[rowOf[number]] = number
  return { count: rowOf.length, rowOf, numberOf }
}

/** The values of a column in the order of `rowOf`: number → value. */
export function pick(column: { readonly length: number }, rowOf: Uint32Array): Uint32Array {
  const source = columnArray(column)
  const picked = new Uint32Array(rowOf.length)
  for (let number = 0; number < rowOf.length; number++) picked[number] = source[rowOf[number]]
  return picked
}

function rowsWhere(count: number, isWanted: (row: number) => boolean): Uint32Array {
  const rows = new Uint32Array(count)
  let length = 0
  for (let row = 0; row < count; row++) if (isWanted(row)) rows[length++] = row
  return rows.slice(0, length)
}
