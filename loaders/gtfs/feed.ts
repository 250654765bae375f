// A GTFS Schedule feed as typed columns. Start reading this folder here. Unless noted otherwise, rows are numbered in
// file order. Dropped rows have no number.
import type { Column, Index } from '../columns.ts'
import type { StringIndex, StringPool } from '../strings.ts'

export type AgencyRow = Index<'AgencyRow'>
export type StopRow = Index<'StopRow'>
export type RouteRow = Index<'RouteRow'>
export type TripRow = Index<'TripRow'>
export type CallRow = Index<'CallRow'>
export type ServiceRow = Index<'ServiceRow'>
export type ShapeRow = Index<'ShapeRow'>
export type ShapePointRow = Index<'ShapePointRow'>
export type FrequencyRow = Index<'FrequencyRow'>
export type TransferRow = Index<'TransferRow'>
export type PathwayRow = Index<'PathwayRow'>

/** agency.txt. */
export interface AgencyTable {
  readonly count: number
  readonly id: Column<AgencyRow, StringIndex>
  readonly name: Column<AgencyRow, StringIndex>
  readonly url: Column<AgencyRow, StringIndex>
  readonly timezone: Column<AgencyRow, StringIndex>
  readonly lang: Column<AgencyRow, StringIndex>
}

/** stops.txt, all location types. */
export interface StopTable {
  readonly count: number
  readonly id: Column<StopRow, StringIndex>
  readonly code: Column<StopRow, StringIndex>
  /** stop_name, or the id if the row has no name. Never empty. */
  readonly name: Column<StopRow, StringIndex>
  /** Degrees, WGS 84. NaN if the row has no position, which is allowed for location types 3 and 4. */
  readonly lat: Column<StopRow>
  readonly lon: Column<StopRow>
  /** 0 stop, 1 station, 2 entrance, 3 generic node, 4 boarding area. */
  readonly locationType: Column<StopRow>
  /** NONE if the stop has no parent. */
  readonly parent: Column<StopRow, StopRow>
  /** 0 unknown, 1 accessible, 2 not accessible. The parent's value is not inherited here. */
  readonly wheelchairBoarding: Column<StopRow>
  readonly platformCode: Column<StopRow, StringIndex>
  readonly zoneId: Column<StopRow, StringIndex>
  readonly timezone: Column<StopRow, StringIndex>
  readonly levelId: Column<StopRow, StringIndex>
}

/** routes.txt. */
export interface RouteTable {
  readonly count: number
  readonly id: Column<RouteRow, StringIndex>
  /** The agency of the route; the feed's first agency if agency_id is empty or unknown. Never NONE. */
  readonly agency: Column<RouteRow, AgencyRow>
  readonly shortName: Column<RouteRow, StringIndex>
  readonly longName: Column<RouteRow, StringIndex>
  /** GTFS route_type, basic or extended. */
  readonly type: Column<RouteRow>
  /** 0xRRGGBB; white if missing or invalid. */
  readonly color: Column<RouteRow>
  /** 0xRRGGBB; black if missing or invalid. */
  readonly textColor: Column<RouteRow>
  /** route_sort_order; NO_SORT_ORDER if the route has none. */
  readonly sortOrder: Column<RouteRow>
  /** The fare network of the route; empty if the route has none in routes.txt. */
  readonly networkId: Column<RouteRow, StringIndex>
  /** 1 if the route has GTFS-Flex trips. Such a route becomes a line even if it has no other trips. */
  readonly hasFlexTrips: Column<RouteRow>
}

/** Value of `sortOrder` for a route without route_sort_order. */
export const NO_SORT_ORDER = 2_147_483_647

/** trips.txt. Trips that have fewer than two usable calls are left out. */
export interface TripTable {
  readonly count: number
  readonly id: Column<TripRow, StringIndex>
  readonly route: Column<TripRow, RouteRow>
  readonly service: Column<TripRow, ServiceRow>
  readonly headsign: Column<TripRow, StringIndex>
  readonly shortName: Column<TripRow, StringIndex>
  /** mta_trip_id: the id by which the live feeds of the New York subway refer to a trip. */
  readonly pathId: Column<TripRow, StringIndex>
  /** direction_id, 0 or 1; NONE_U8 if the trip has none. */
  readonly direction: Column<TripRow>
  /** Empty if the trip has no block. The trips of a block may overlap; checkBlocks in blocks.ts reports such blocks. */
  readonly blockId: Column<TripRow, StringIndex>
  /** NONE if the trip has no shape. */
  readonly shape: Column<TripRow, ShapeRow>
  /** 0 unknown, 1 yes, 2 no. */
  readonly wheelchair: Column<TripRow>
  /** 0 unknown, 1 yes, 2 no. */
  readonly bikes: Column<TripRow>
  /** Trip → its first call; has one extra entry. */
  readonly callOffset: Column<TripRow, CallRow>
}

/** stop_times.txt, sorted by trip and then by stop_sequence. All calls of a trip have times, which never decrease. */
export interface CallTable {
  readonly count: number
  readonly stop: Column<CallRow, StopRow>
  /** stop_sequence, as in the feed. */
  readonly stopSequence: Column<CallRow>
  /** Seconds after the service day's zero; can be above 86 400. */
  readonly arrivalSeconds: Column<CallRow>
  readonly departureSeconds: Column<CallRow>
  /** pickup_type 0..3. */
  readonly pickupType: Column<CallRow>
  /** drop_off_type 0..3. */
  readonly dropOffType: Column<CallRow>
  /** Empty if the trip's headsign applies. */
  readonly headsign: Column<CallRow, StringIndex>
  /** shape_dist_traveled in the feed's unit; NaN if missing. Undefined if the whole feed has none. */
  readonly shapeDistance: Column<CallRow> | undefined
}

/** calendar.txt and calendar_dates.txt combined, one bit per day. */
export interface ServiceTable {
  readonly count: number
  readonly id: Column<ServiceRow, StringIndex>
  /** The day of the first bit, in days after 1970-01-01. */
  readonly firstDay: number
  readonly dayCount: number
  /** Number of bytes per service in `activeDays`. */
  readonly bytesPerService: number
  /**
   * One bit for each service and day, at bit number service × bytesPerService × 8 + day. The least significant bit of
   * each byte comes first.
   */
  readonly activeDays: Uint8Array
}

/** shapes.txt, sorted by shape. The points of each shape are in the order of shape_pt_sequence. */
export interface ShapeTable {
  readonly count: number
  readonly id: Column<ShapeRow, StringIndex>
  readonly pointOffset: Column<ShapeRow, ShapePointRow>
  /** Microdegrees. */
  readonly latE6: Column<ShapePointRow>
  readonly lonE6: Column<ShapePointRow>
  /** shape_dist_traveled in the feed's unit; NaN if missing. Undefined if the whole feed has none. */
  readonly distance: Column<ShapePointRow> | undefined
}

/** frequencies.txt. For each row, the trip departs at the start, and again after every headway until the end. */
export interface FrequencyTable {
  readonly count: number
  readonly trip: Column<FrequencyRow, TripRow>
  readonly startSeconds: Column<FrequencyRow>
  /** End of the frequency, exclusive. */
  readonly endSeconds: Column<FrequencyRow>
  readonly headwaySeconds: Column<FrequencyRow>
  /** 0 or 1. */
  readonly exactTimes: Column<FrequencyRow>
}

/** transfers.txt. Each row is a transfer rule. A field that the rule leaves empty is NONE. */
export interface TransferTable {
  readonly count: number
  readonly fromStop: Column<TransferRow, StopRow>
  readonly toStop: Column<TransferRow, StopRow>
  readonly fromRoute: Column<TransferRow, RouteRow>
  readonly toRoute: Column<TransferRow, RouteRow>
  readonly fromTrip: Column<TransferRow, TripRow>
  readonly toTrip: Column<TransferRow, TripRow>
  /** transfer_type, 0 to 5. */
  readonly type: Column<TransferRow>
  /** NONE if the rule has no min_transfer_time. */
  readonly minSeconds: Column<TransferRow>
}

/** pathways.txt. Each row connects two locations of one station; neither is the station itself. */
export interface PathwayTable {
  readonly count: number
  readonly from: Column<PathwayRow, StopRow>
  readonly to: Column<PathwayRow, StopRow>
  /** pathway_mode; 0 unknown. */
  readonly mode: Column<PathwayRow>
  /** 1 if bidirectional. */
  readonly isBidirectional: Column<PathwayRow>
  /** NONE if the row has no traversal_time. */
  readonly traversalSeconds: Column<PathwayRow>
  /** NaN if the row has no length. */
  readonly lengthMeters: Column<PathwayRow>
  /** Number of stairs, whether up or down; 0 if the row has no stair_count. */
  readonly stairCount: Column<PathwayRow>
}

/** The first row of feed_info.txt. Missing strings are empty, and missing dates are 0. */
export interface FeedInfo {
  readonly publisherName: string
  readonly publisherUrl: string
  readonly lang: string
  readonly version: string
  /** yyyymmdd; 0 if missing. */
  readonly startDate: number
  readonly endDate: number
}

/** One row of attributions.txt. */
export interface Attribution {
  readonly organizationName: string
  readonly isProducer: boolean
  readonly isOperator: boolean
  readonly isAuthority: boolean
  readonly url: string
}

/** A table that the loader does not interpret. All its fields are strings. */
export interface CarriedTable {
  /** File name, such as `levels.txt`. */
  readonly name: string
  readonly count: number
  readonly columns: readonly { readonly name: string; readonly values: Column<number, StringIndex> }[]
}

/** The files that are loaded as carried tables. */
export const CARRIED_FILES = [
  'levels.txt',
  'directions.txt',
  'fare_attributes.txt',
  'fare_rules.txt',
  'fare_products.txt',
  'fare_leg_rules.txt',
  'fare_leg_join_rules.txt',
  'fare_transfer_rules.txt',
  'fare_media.txt',
  'rider_categories.txt',
  'areas.txt',
  'stop_areas.txt',
  'networks.txt',
  'route_networks.txt',
  'timeframes.txt',
] as const

/** The tables of a feed, or of several joined feeds. Their strings are in a shared pool. */
export interface FeedTables {
  /** Feed → its first row in `stops`; has one extra entry. */
  readonly stopOffsetOfFeed: readonly number[]
  readonly agencies: AgencyTable
  readonly stops: StopTable
  readonly routes: RouteTable
  readonly trips: TripTable
  readonly calls: CallTable
  readonly services: ServiceTable
  readonly shapes: ShapeTable
  readonly frequencies: FrequencyTable
  readonly transfers: TransferTable
  readonly pathways: PathwayTable
  readonly info: FeedInfo | undefined
  /** The distinct publisher names from the feed_info.txt files of all feeds, without empty names. */
  readonly publishers: readonly string[]
  readonly attributions: readonly Attribution[]
  readonly carried: readonly CarriedTable[]
}

/** A whole feed: its tables, and the pool that contains their strings. */
export interface Feed extends FeedTables {
  readonly strings: StringPool
}

/**
 * The source of a feed's bytes: a zip file, a folder, or strings in a test. File names, such as `stops.txt`, do not
 * include a folder.
 */
export interface FeedSource {
  readonly names: readonly string[]
  /** The subfolder that contains the files, with a slash at its end. Empty or absent if the files are at the top. */
  readonly folder?: string
  /**
   * The bytes of a file, in order, in chunks of any size. A chunk is valid only until the next chunk is read. Undefined
   * if the file does not exist. A file can be opened several times.
   */
  open(name: string): AsyncIterable<Uint8Array> | undefined
  /** Size of a file in bytes, if known. Used only to estimate memory. */
  sizeOf?(name: string): number | undefined
}
