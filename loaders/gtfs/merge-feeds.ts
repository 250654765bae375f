// Joins the tables of several feeds by concatenation. Ids are already qualified (qualified-ids.ts). If a column
// contains row numbers of a table, these numbers are increased by that table's number of rows in all earlier feeds.
import { type Column, sealColumn } from '../columns.ts'
import type { StringIndex } from '../strings.ts'
import {
  type AgencyTable,
  CARRIED_FILES,
  type CallTable,
  type CarriedTable,
  type FeedInfo,
  type FeedTables,
  type FrequencyTable,
  type PathwayTable,
  type RouteTable,
  type ShapeTable,
  type StopTable,
  type TransferTable,
  type TripTable,
} from './feed.ts'
import { joinServices } from './joined-calendars.ts'
import { type ArrayKind, joinColumns, joinOffsets, joinOptionalColumns, joinReferences } from './joined-columns.ts'

/** The joined tables, and the feeds whose calendars were cut short. */
export interface MergedFeeds {
  readonly tables: FeedTables
  /**
   * Indexes of the feeds whose last days were ignored, because those days are too far from the earliest day in any
   * feed.
   */
  readonly cutFeeds: readonly number[]
}

/** Joins one or more feeds, which must not have a stop, route or trip id in common (see id-collisions.ts). */
export function mergeFeeds(feeds: readonly FeedTables[]): MergedFeeds {
  const counts: RowCounts = {
    agencies: feeds.map(({ agencies }) => agencies.count),
    stops: feeds.map(({ stops }) => stops.count),
    routes: feeds.map(({ routes }) => routes.count),
    trips: feeds.map(({ trips }) => trips.count),
    calls: feeds.map(({ calls }) => calls.count),
    services: feeds.map(({ services }) => services.count),
    shapes: feeds.map(({ shapes }) => shapes.count),
    points: feeds.map(({ shapes }) => shapes.latE6.length),
  }
  const { table: services, cutFeeds } = joinServices(feeds.map((feed) => feed.services))
  const join = <Table extends Counted>(of: (feed: FeedTables) => Table, joinings: Joinings<Table>): Table =>
    joinTable(feeds.map(of), joinings, counts)
  return {
    cutFeeds,
    tables: {
      stopOffsetOfFeed: addUp(counts.stops),
      agencies: join((feed) => feed.agencies, AGENCIES),
      stops: join((feed) => feed.stops, STOPS),
      routes: join((feed) => feed.routes, ROUTES),
      trips: join((feed) => feed.trips, TRIPS),
      calls: join((feed) => feed.calls, CALLS),
      services,
      shapes: join((feed) => feed.shapes, SHAPES),
      frequencies: join((feed) => feed.frequencies, FREQUENCIES),
      transfers: join((feed) => feed.transfers, TRANSFERS),
      pathways: join((feed) => feed.pathways, PATHWAYS),
      info: joinInfos(feeds.flatMap(({ info }) => info ?? [])),
      publishers: [...new Set(feeds.flatMap(({ publishers }) => publishers))],
      attributions: feeds.flatMap(({ attributions }) => attributions),
      carried: joinCarriedTables(feeds.map(({ carried }) => carried)),
    },
  }
}

/** Table → its number of rows in each feed. */
interface RowCounts {
  readonly agencies: readonly number[]
  readonly stops: readonly number[]
  readonly routes: readonly number[]
  readonly trips: readonly number[]
  readonly calls: readonly number[]
  readonly services: readonly number[]
  readonly shapes: readonly number[]
  readonly points: readonly number[]
}

/** The first row of each feed in the joined table, and then the end of the last feed. */
function addUp(counts: readonly number[]): number[] {
  const offsets = [0]
  for (const [feed, count] of counts.entries()) offsets.push(offsets[feed] + count)
  return offsets
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/** What all tables of a feed have in common. Their other members are columns. */
interface Counted {
  readonly count: number
}

/**
 * How to join a column: `offsets` if it contains offsets, the name of a table if it contains row numbers of that table,
 * or an object if some feeds do not have the column. In the object, `rows` is the table that contains the column.
 */
type Joining = 'offsets' | keyof RowCounts | { readonly kind: ArrayKind; readonly rows: keyof RowCounts }

/** The type of a column's values. */
type ValueOf<Values> = Values[keyof Values & number]

/**
 * The columns of a table that need special treatment: those with row numbers or offsets, and those that some feeds do
 * not have.
 */
type SpecialColumns<Table> = {
  [Name in keyof Table]: undefined extends Table[Name]
    ? Name
    : IsPlain<ValueOf<Table[Name]>> extends true
      ? never
      : Name
}[keyof Table]

/**
 * Whether values have the same meaning in all feeds. This is true of plain numbers, and of the numbers of strings in
 * the shared string pool.
 */
type IsPlain<Value> = number extends Value ? true : Value extends StringIndex ? true : false

/** How each special column of a table is joined. All other columns are concatenated unchanged. */
type Joinings<Table> = { readonly [Name in Exclude<SpecialColumns<Table>, 'count'>]: Joining }

const AGENCIES: Joinings<AgencyTable> = {}

const STOPS: Joinings<StopTable> = { parent: 'stops' }

const ROUTES: Joinings<RouteTable> = { agency: 'agencies' }

const TRIPS: Joinings<TripTable> = { route: 'routes', service: 'services', shape: 'shapes', callOffset: 'offsets' }

const CALLS: Joinings<CallTable> = { stop: 'stops', shapeDistance: { kind: Float64Array, rows: 'calls' } }

const SHAPES: Joinings<ShapeTable> = { pointOffset: 'offsets', distance: { kind: Float32Array, rows: 'points' } }

const FREQUENCIES: Joinings<FrequencyTable> = { trip: 'trips' }

const TRANSFERS: Joinings<TransferTable> = {
  fromStop: 'stops',
  toStop: 'stops',
  fromRoute: 'routes',
  toRoute: 'routes',
  fromTrip: 'trips',
  toTrip: 'trips',
}

const PATHWAYS: Joinings<PathwayTable> = { from: 'stops', to: 'stops' }

function joinTable<Table extends Counted>(
  tables: readonly Table[],
  joinings: Joinings<Table>,
  counts: RowCounts,
): Table {
  const names = Object.keys(tables[0] ?? {}).filter((name) => name !== 'count')
  const special = new Map(Object.entries<Joining>(joinings))
  const columns = names.map((name) => {
    const parts = tables.map((table: Counted) => Reflect.get(table, name))
    return [name, joinParts(parts, special.get(name), counts)]
  })
  return Object.fromEntries([['count', total(tables.map(({ count }) => count))], ...columns])
}

function joinParts(
  parts: readonly Column<number>[],
  joining: Joining | undefined,
  counts: RowCounts,
): Column<number> | undefined {
  if (joining === undefined) return joinColumns(parts)
  if (joining === 'offsets') return joinOffsets(parts)
  if (typeof joining === 'string') return joinReferences(parts, counts[joining])
  return joinOptionalColumns(joining.kind, parts, counts[joining.rows])
}

/**
 * Joins the rows of feed_info.txt. Each string comes from the first feed in which it is not empty, except that a
 * publisher and its URL come from the same feed. The dates are the earliest start and the latest end.
 */
function joinInfos(infos: readonly FeedInfo[]): FeedInfo | undefined {
  if (infos.length === 0) return undefined
  const publisher = infos.find(({ publisherName }) => publisherName !== '') ?? infos[0]
  const startDates = infos.map(({ startDate }) => startDate).filter((date) => date !== 0)
  return {
    publisherName: publisher?.publisherName ?? '',
    publisherUrl: publisher?.publisherUrl ?? '',
    lang: infos.find(({ lang }) => lang !== '')?.lang ?? '',
    version: infos.find(({ version }) => version !== '')?.version ?? '',
    startDate: startDates.length === 0 ? 0 : Math.min(...startDates),
    endDate: Math.max(...infos.map(({ endDate }) => endDate)),
  }
}

/**
 * Joins carried tables (feed.ts) that have the same file name. The result has the columns of all feeds. If a feed does
 * not have a column, its rows get empty strings there.
 */
function joinCarriedTables(feeds: readonly (readonly CarriedTable[])[]): CarriedTable[] {
  return CARRIED_FILES.flatMap((file) => {
    const tables = feeds.flatMap((feed) => feed.filter(({ name }) => name === file))
    return tables.length === 0 ? [] : [joinCarriedTable(file, tables)]
  })
}

function joinCarriedTable(name: string, tables: readonly CarriedTable[]): CarriedTable {
  const names = [...new Set(tables.flatMap(({ columns }) => columns.map((each) => each.name)))]
  return {
    name,
    count: total(tables.map(({ count }) => count)),
    columns: names.map((columnName) => ({
      name: columnName,
      values: joinColumns<number, StringIndex>(
        tables.map(({ columns, count }) => {
          const own = columns.find((each) => each.name === columnName)
          return own === undefined ? sealColumn(new Uint32Array(count)) : own.values
        }),
      ),
    })),
  }
}
