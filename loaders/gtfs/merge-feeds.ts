// The tables of several feeds made one: rows of the first, then the second. Their ids are told apart before; here only
// row numbers change, by the rows of the feeds before.
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
import { joinColumns, joinOffsets, joinOptionalColumns, joinReferences } from './joined-columns.ts'

/** The joined tables, and what could not be kept. */
export interface MergedFeeds {
  readonly tables: FeedTables
  /** Feeds, by their place, whose last days are too far from the first day of all. */
  readonly cutFeeds: readonly number[]
}

/** Joins feeds, at least one. No id may stand in two of them. */
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
  return {
    cutFeeds,
    tables: {
      stopOffsetOfFeed: addUp(counts.stops),
      agencies: joinAgencies(feeds.map((feed) => feed.agencies)),
      stops: joinStops(
        feeds.map((feed) => feed.stops),
        counts,
      ),
      routes: joinRoutes(
        feeds.map((feed) => feed.routes),
        counts,
      ),
      trips: joinTrips(
        feeds.map((feed) => feed.trips),
        counts,
      ),
      calls: joinCalls(
        feeds.map((feed) => feed.calls),
        counts,
      ),
      services,
      shapes: joinShapes(
        feeds.map((feed) => feed.shapes),
        counts,
      ),
      frequencies: joinFrequencies(
        feeds.map((feed) => feed.frequencies),
        counts,
      ),
      transfers: joinTransfers(
        feeds.map((feed) => feed.transfers),
        counts,
      ),
      pathways: joinPathways(
        feeds.map((feed) => feed.pathways),
        counts,
      ),
      info: joinInfos(feeds.flatMap(({ info }) => info ?? [])),
      publishers: [...new Set(feeds.flatMap(({ publishers }) => publishers))],
      attributions: feeds.flatMap(({ attributions }) => attributions),
      carried: joinCarriedTables(feeds.map(({ carried }) => carried)),
    },
  }
}

/** How many rows each feed has. */
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

/** Where each feed's rows start, and where the last one's end. */
function addUp(counts: readonly number[]): number[] {
  const offsets = [0]
  for (const [feed, count] of counts.entries()) offsets.push(offsets[feed] + count)
  return offsets
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Joins one column of each table. */
function column<Table, I extends number, Value extends number>(
  kind: Parameters<typeof joinColumns>[0],
  tables: readonly Table[],
  of: (table: Table) => Column<I, Value>,
): Column<I, Value> {
  return joinColumns(kind, tables.map(of))
}

function texts<Table, I extends number>(
  tables: readonly Table[],
  of: (table: Table) => Column<I, StringIndex>,
): Column<I, StringIndex> {
  return joinColumns(Uint32Array, tables.map(of))
}

function references<Table, I extends number, Row extends number>(
  tables: readonly Table[],
  counts: readonly number[],
  of: (table: Table) => Column<I, Row>,
): Column<I, Row> {
  return joinReferences(tables.map(of), counts)
}

function joinAgencies(tables: readonly AgencyTable[]): AgencyTable {
  return {
    count: total(tables.map(({ count }) => count)),
    id: texts(tables, ({ id }) => id),
    name: texts(tables, ({ name }) => name),
    url: texts(tables, ({ url }) => url),
    timezone: texts(tables, ({ timezone }) => timezone),
    lang: texts(tables, ({ lang }) => lang),
  }
}

function joinStops(tables: readonly StopTable[], counts: RowCounts): StopTable {
  return {
    count: total(counts.stops),
    id: texts(tables, ({ id }) => id),
    code: texts(tables, ({ code }) => code),
    name: texts(tables, ({ name }) => name),
    lat: column(Float64Array, tables, ({ lat }) => lat),
    lon: column(Float64Array, tables, ({ lon }) => lon),
    locationType: column(Uint8Array, tables, ({ locationType }) => locationType),
    parent: references(tables, counts.stops, ({ parent }) => parent),
    wheelchairBoarding: column(Uint8Array, tables, ({ wheelchairBoarding }) => wheelchairBoarding),
    platformCode: texts(tables, ({ platformCode }) => platformCode),
    zoneId: texts(tables, ({ zoneId }) => zoneId),
    timezone: texts(tables, ({ timezone }) => timezone),
    levelId: texts(tables, ({ levelId }) => levelId),
  }
}

function joinRoutes(tables: readonly RouteTable[], counts: RowCounts): RouteTable {
  return {
    count: total(counts.routes),
    id: texts(tables, ({ id }) => id),
    agency: references(tables, counts.agencies, ({ agency }) => agency),
    shortName: texts(tables, ({ shortName }) => shortName),
    longName: texts(tables, ({ longName }) => longName),
    type: column(Uint16Array, tables, ({ type }) => type),
    color: column(Uint32Array, tables, ({ color }) => color),
    textColor: column(Uint32Array, tables, ({ textColor }) => textColor),
    sortOrder: column(Uint32Array, tables, ({ sortOrder }) => sortOrder),
    networkId: texts(tables, ({ networkId }) => networkId),
    hasFlexTrips: column(Uint8Array, tables, ({ hasFlexTrips }) => hasFlexTrips),
  }
}

function joinTrips(tables: readonly TripTable[], counts: RowCounts): TripTable {
  return {
    count: total(counts.trips),
    id: texts(tables, ({ id }) => id),
    route: references(tables, counts.routes, ({ route }) => route),
    service: references(tables, counts.services, ({ service }) => service),
    headsign: texts(tables, ({ headsign }) => headsign),
    shortName: texts(tables, ({ shortName }) => shortName),
    direction: column(Uint8Array, tables, ({ direction }) => direction),
    pathId: texts(tables, ({ pathId }) => pathId),
    blockId: texts(tables, ({ blockId }) => blockId),
    shape: references(tables, counts.shapes, ({ shape }) => shape),
    wheelchair: column(Uint8Array, tables, ({ wheelchair }) => wheelchair),
    bikes: column(Uint8Array, tables, ({ bikes }) => bikes),
    callOffset: joinOffsets(tables.map(({ callOffset }) => callOffset)),
  }
}

function joinCalls(tables: readonly CallTable[], counts: RowCounts): CallTable {
  return {
    count: total(counts.calls),
    stop: references(tables, counts.stops, ({ stop }) => stop),
    stopSequence: column(Uint32Array, tables, ({ stopSequence }) => stopSequence),
    arrivalSeconds: column(Uint32Array, tables, ({ arrivalSeconds }) => arrivalSeconds),
    departureSeconds: column(Uint32Array, tables, ({ departureSeconds }) => departureSeconds),
    pickupType: column(Uint8Array, tables, ({ pickupType }) => pickupType),
    dropOffType: column(Uint8Array, tables, ({ dropOffType }) => dropOffType),
    headsign: texts(tables, ({ headsign }) => headsign),
    shapeDistance: joinOptionalColumns(
      Float64Array,
      tables.map(({ shapeDistance }) => shapeDistance),
      counts.calls,
    ),
  }
}

function joinShapes(tables: readonly ShapeTable[], counts: RowCounts): ShapeTable {
  return {
    count: total(counts.shapes),
    id: texts(tables, ({ id }) => id),
    pointOffset: joinOffsets(tables.map(({ pointOffset }) => pointOffset)),
    latE6: column(Int32Array, tables, ({ latE6 }) => latE6),
    lonE6: column(Int32Array, tables, ({ lonE6 }) => lonE6),
    distance: joinOptionalColumns(
      Float32Array,
      tables.map(({ distance }) => distance),
      counts.points,
    ),
  }
}

function joinFrequencies(tables: readonly FrequencyTable[], counts: RowCounts): FrequencyTable {
  return {
    count: total(tables.map(({ count }) => count)),
    trip: references(tables, counts.trips, ({ trip }) => trip),
    startSeconds: column(Uint32Array, tables, ({ startSeconds }) => startSeconds),
    endSeconds: column(Uint32Array, tables, ({ endSeconds }) => endSeconds),
    headwaySeconds: column(Uint32Array, tables, ({ headwaySeconds }) => headwaySeconds),
    exactTimes: column(Uint8Array, tables, ({ exactTimes }) => exactTimes),
  }
}

function joinTransfers(tables: readonly TransferTable[], counts: RowCounts): TransferTable {
  return {
    count: total(tables.map(({ count }) => count)),
    fromStop: references(tables, counts.stops, ({ fromStop }) => fromStop),
    toStop: references(tables, counts.stops, ({ toStop }) => toStop),
    fromRoute: references(tables, counts.routes, ({ fromRoute }) => fromRoute),
    toRoute: references(tables, counts.routes, ({ toRoute }) => toRoute),
    fromTrip: references(tables, counts.trips, ({ fromTrip }) => fromTrip),
    toTrip: references(tables, counts.trips, ({ toTrip }) => toTrip),
    type: column(Uint8Array, tables, ({ type }) => type),
    minSeconds: column(Uint32Array, tables, ({ minSeconds }) => minSeconds),
  }
}

function joinPathways(tables: readonly PathwayTable[], counts: RowCounts): PathwayTable {
  return {
    count: total(tables.map(({ count }) => count)),
    from: references(tables, counts.stops, ({ from }) => from),
    to: references(tables, counts.stops, ({ to }) => to),
    isBidirectional: column(Uint8Array, tables, ({ isBidirectional }) => isBidirectional),
    traversalSeconds: column(Uint32Array, tables, ({ traversalSeconds }) => traversalSeconds),
    lengthMeters: column(Float64Array, tables, ({ lengthMeters }) => lengthMeters),
    stairCount: column(Uint16Array, tables, ({ stairCount }) => stairCount),
  }
}

/** Of each text the first that says anything, a publisher with its own address; the days of all. */
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

/** Each file once, with every column that some feed has: empty texts in the rows of a feed without it. */
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
      values: texts<CarriedTable, number>(tables, ({ columns, count }) => {
        const own = columns.find((each) => each.name === columnName)
        return own === undefined ? sealColumn(new Uint32Array(count)) : own.values
      }),
    })),
  }
}
