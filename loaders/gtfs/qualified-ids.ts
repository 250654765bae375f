// Qualifies the ids of a feed, so that they differ from those of other feeds in the network. Ids that clients see get the
// feed's prefix. All other ids get the feed's ordinal, so that blocks, zones, fares and services of different feeds never
// mix.
import { type Column, columnArray, sealColumn } from '../columns.ts'
import { EMPTY_STRING, type StringIndex, type StringPoolBuilder } from '../strings.ts'
import type { CarriedTable, FeedTables } from './feed.ts'

/** How the ids of one feed are qualified. */
export interface IdScope {
  /** Prefix of each stop, route and trip id. */
  readonly prefix: string
  /** The index of the feed in its network; undefined if it is the only feed. */
  readonly ordinal: number | undefined
}

/**
 * Name of a column that every carried table gets in a network with several feeds. In each row, the column contains the
 * ordinal of the feed that the row comes from. With this column, a rule without an id, such as a fare for all routes,
 * applies only to its own feed.
 */
const FEED_ORDINAL_COLUMN = 'feed_ordinal'

/** The columns of carried tables that contain stop, route or trip ids. */
const PUBLIC_ID_COLUMNS: readonly string[] = ['stop_id', 'from_stop_id', 'to_stop_id', 'route_id', 'trip_id']
/** A column that does not contain ids, although its name ends in `_id`: its values are 0 or 1. */
const DIRECTION_COLUMN = 'direction_id'

/**
 * Returns the tables with qualified ids. Stops, routes and trips get `prefix + id`. Agencies, services, shapes, blocks,
 * zones, levels, networks and every other `…_id` in the carried tables get `ordinal:id`, so that joins between tables
 * still work. An empty id stays empty, except the id of an agency: two feeds may each have an agency without an id.
 */
export function qualifyIds(tables: FeedTables, strings: StringPoolBuilder, scope: IdScope): FeedTables {
  const inner = scope.ordinal === undefined ? '' : `${scope.ordinal}:`
  const toPublic = prefixWith(strings, scope.prefix)
  const toInner = prefixWith(strings, inner)
  const { agencies, stops, routes, trips, services, shapes, carried } = tables
  return {
    ...tables,
    agencies: { ...agencies, id: prefixWith(strings, inner, { isKey: true })(agencies.id) },
    stops: { ...stops, id: toPublic(stops.id), zoneId: toInner(stops.zoneId), levelId: toInner(stops.levelId) },
    routes: { ...routes, id: toPublic(routes.id), networkId: toInner(routes.networkId) },
    trips: { ...trips, id: toPublic(trips.id), blockId: toInner(trips.blockId) },
    services: { ...services, id: toInner(services.id) },
    shapes: { ...shapes, id: toInner(shapes.id) },
    carried: carried.map((table) => qualifyTable(table, strings, { toPublic, toInner, ordinal: scope.ordinal })),
  }
}

type Qualify = <I extends number>(column: Column<I, StringIndex>) => Column<I, StringIndex>

function qualifyTable(
  table: CarriedTable,
  strings: StringPoolBuilder,
  by: { readonly toPublic: Qualify; readonly toInner: Qualify; readonly ordinal: number | undefined },
): CarriedTable {
  const { ordinal } = by
  const columns = table.columns.map(({ name, values }) => {
    if (PUBLIC_ID_COLUMNS.includes(name)) return { name, values: by.toPublic(values) }
    if (name.endsWith('_id') && name !== DIRECTION_COLUMN) return { name, values: by.toInner(values) }
    return { name, values }
  })
  if (ordinal === undefined) return { ...table, columns }
  const ordinals = new Uint32Array(table.count).fill(strings.internText(String(ordinal)))
  const own = columns.filter(({ name }) => name !== FEED_ORDINAL_COLUMN)
  return { ...table, columns: [...own, { name: FEED_ORDINAL_COLUMN, values: sealColumn(ordinals) }] }
}

/**
 * Returns a function that puts a prefix before each string in a column. With an empty prefix, the function returns the
 * column itself.
 * @param isKey whether an empty string gets the prefix too
 */
function prefixWith(strings: StringPoolBuilder, prefix: string, { isKey = false } = {}): Qualify {
  return <I extends number>(column: Column<I, StringIndex>) => {
    if (prefix === '') return column
    const texts = columnArray(column)
    const prefixed = new Uint32Array(texts.length)
    for (let row = 0; row < texts.length; row++) {
      const text = texts[row] as StringIndex
      const isLeft = text === EMPTY_STRING && !isKey
      prefixed[row] = isLeft ? EMPTY_STRING : strings.internText(prefix + strings.textOf(text))
    }
    return sealColumn(prefixed)
  }
}
