// A GTFS Schedule feed as typed columns: the table of contents of this folder.
// Rows are numbered in the order of their file; rows that were dropped have no number.
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
  /** Never empty: the id where the feed has no name. */
  readonly name: Column<StopRow, StringIndex>
  /** Degrees, WGS 84; NaN where the feed gives none (allowed for location types 3 and 4). */
  readonly lat: Column<StopRow>
  readonly lon: Column<StopRow>
  /** 0 stop, 1 station, 2 entrance, 3 generic node, 4 boarding area. */
  readonly locationType: Column<StopRow>
  /** NONE without a parent. */
  readonly parent: Column<StopRow, StopRow>
  /** 0 unknown, 1 accessible, 2 not accessible; not yet inherited. */
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
  /** Never NONE: the only agency, or the first, where the feed names none. */
  readonly agency: Column<RouteRow, AgencyRow>
  readonly shortName: Column<RouteRow, StringIndex>
  readonly longName: Column<RouteRow, StringIndex>
  /** GTFS route_type, extended types included. */
  readonly type: Column<RouteRow>
  /** 0xRRGGBB; white where the feed has none or a bad one. */
  readonly color: Column<RouteRow>
  /** 0xRRGGBB; black where the feed has none or a bad one. */
  readonly textColor: Column<RouteRow>
  /** NO_SORT_ORDER where the feed has none. */
  readonly sortOrder: Column<RouteRow>
  /** The fare network it belongs to; empty where the feed names none here. */
  readonly networkId: Column<RouteRow, StringIndex>
  /** 1 where the route has trips that GTFS-Flex gives zones or windows: a line even without any other trip. */
  readonly hasFlexTrips: Column<RouteRow>
}

/** The sort order of a route whose feed names none. */
export const NO_SORT_ORDER = 2_147_483_647

/** trips.txt. Trips left with fewer than two calls are gone. */
export interface TripTable {
  readonly count: number
  readonly id: Column<TripRow, StringIndex>
  readonly route: Column<TripRow, RouteRow>
  readonly service: Column<TripRow, ServiceRow>
  readonly headsign: Column<TripRow, StringIndex>
  readonly shortName: Column<TripRow, StringIndex>
  /** mta_trip_id: the path by which the New York subway's live feeds know a trip. */
  readonly pathId: Column<TripRow, StringIndex>
  /** 0 or 1; NONE_U8 where the feed has none. */
  readonly direction: Column<TripRow>
  /** Empty text without a block, and where the trips of a block run at the same time. */
  readonly blockId: Column<TripRow, StringIndex>
  /** NONE without a shape. */
  readonly shape: Column<TripRow, ShapeRow>
  /** 0 unknown, 1 yes, 2 no. */
  readonly wheelchair: Column<TripRow>
  /** 0 unknown, 1 yes, 2 no. */
  readonly bikes: Column<TripRow>
  /** Trip → its first call in `calls`; one longer than the trips. */
  readonly callOffset: Column<TripRow, CallRow>
}

/** stop_times.txt: the calls of each trip together, by stop_sequence; times complete and non-decreasing within a trip. */
export interface CallTable {
  readonly count: number
  readonly stop: Column<CallRow, StopRow>
  /** The feed's own number. */
  readonly stopSequence: Column<CallRow>
  /** Seconds after the service day's zero; may pass 86 400. */
  readonly arrivalSeconds: Column<CallRow>
  readonly departureSeconds: Column<CallRow>
  /** pickup_type 0..3. */
  readonly pickupType: Column<CallRow>
  /** drop_off_type 0..3. */
  readonly dropOffType: Column<CallRow>
  /** Empty text where the trip's headsign holds. */
  readonly headsign: Column<CallRow, StringIndex>
  /** shape_dist_traveled in the feed's unit; NaN where none. Absent where no row of the feed has any. */
  readonly shapeDistance: Column<CallRow> | undefined
}

/** calendar.txt and calendar_dates.txt together: one bit a day. */
export interface ServiceTable {
  readonly count: number
  readonly id: Column<ServiceRow, StringIndex>
  /** First day of the bits, in days after 1970-01-01. */
  readonly firstDay: number
  readonly dayCount: number
  /** Bytes a service takes in `activeDays`. */
  readonly bytesPerService: number
  /** Bit (service × bytesPerService × 8 + day), least significant bit of a byte first. */
  readonly activeDays: Uint8Array
}

/** shapes.txt: the points of each shape together, in order. */
export interface ShapeTable {
  readonly count: number
  readonly id: Column<ShapeRow, StringIndex>
  readonly pointOffset: Column<ShapeRow, ShapePointRow>
  /** Microdegrees. */
  readonly latE6: Column<ShapePointRow>
  readonly lonE6: Column<ShapePointRow>
  /** shape_dist_traveled in the feed's unit; NaN where none. Absent where no row has any. */
  readonly distance: Column<ShapePointRow> | undefined
}

/** frequencies.txt. Runs leave at start, start + headway … before end. */
export interface FrequencyTable {
  readonly count: number
  readonly trip: Column<FrequencyRow, TripRow>
  readonly startSeconds: Column<FrequencyRow>
  /** Exclusive. */
  readonly endSeconds: Column<FrequencyRow>
  readonly headwaySeconds: Column<FrequencyRow>
  /** 0 or 1. */
  readonly exactTimes: Column<FrequencyRow>
}

/** transfers.txt. NONE wherever a rule leaves a column open. */
export interface TransferTable {
  readonly count: number
  readonly fromStop: Column<TransferRow, StopRow>
  readonly toStop: Column<TransferRow, StopRow>
  readonly fromRoute: Column<TransferRow, RouteRow>
  readonly toRoute: Column<TransferRow, RouteRow>
  readonly fromTrip: Column<TransferRow, TripRow>
  readonly toTrip: Column<TransferRow, TripRow>
  /** 0..5. */
  readonly type: Column<TransferRow>
  /** NONE where the feed gives none. */
  readonly minSeconds: Column<TransferRow>
}

/** pathways.txt: each between two places of one station, none of which is the station itself. */
export interface PathwayTable {
  readonly count: number
  readonly from: Column<PathwayRow, StopRow>
  readonly to: Column<PathwayRow, StopRow>
  /** 1 where it leads back too. */
  readonly isBidirectional: Column<PathwayRow>
  /** NONE where the feed gives none. */
  readonly traversalSeconds: Column<PathwayRow>
  /** NaN where the feed gives none. */
  readonly lengthMeters: Column<PathwayRow>
  /** Up or down; 0 where the feed gives none. */
  readonly stairCount: Column<PathwayRow>
}

/** feed_info.txt, its first row; empty texts and 0 where absent. */
export interface FeedInfo {
  readonly publisherName: string
  readonly publisherUrl: string
  readonly lang: string
  readonly version: string
  /** yyyymmdd, 0 where absent. */
  readonly startDate: number
  readonly endDate: number
}

/** attributions.txt, one row. */
export interface Attribution {
  readonly organizationName: string
  readonly isProducer: boolean
  readonly isOperator: boolean
  readonly isAuthority: boolean
  readonly url: string
}

/** A table kept as the feed has it, for a part that reads it later: every field a text. */
export interface CarriedTable {
  /** File name, such as `levels.txt`. */
  readonly name: string
  readonly count: number
  readonly columns: readonly { readonly name: string; readonly values: Column<number, StringIndex> }[]
}

/** The files that are carried and not yet read. */
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

/** The tables of a feed, or of several that were joined, whose texts lie in a pool. */
export interface FeedTables {
  /** Feed → its first stop row; one longer than the feeds that were joined. */
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
  /** The publishers that feed_info.txt names, of each feed that was joined; each once, none empty. */
  readonly publishers: readonly string[]
  readonly attributions: readonly Attribution[]
  readonly carried: readonly CarriedTable[]
}

/** A whole feed. */
export interface Feed extends FeedTables {
  readonly strings: StringPool
}

/** Where a feed's bytes come from: a zip, a folder, or texts in a test. Names are bare, such as `stops.txt`. */
export interface FeedSource {
  readonly names: readonly string[]
  /** The subfolder whose files these are, with a slash at its end; empty or absent where they lie at the top. */
  readonly folder?: string
  /** The file's bytes, in order, in chunks of any size. Undefined where there is no such file. */
  open(name: string): AsyncIterable<Uint8Array> | undefined
}
