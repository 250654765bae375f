// A GTFS Schedule feed as typed columns: the table of contents of this folder.
// Rows are numbered in file order; dropped rows have no number.
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
  /** Never empty: the id if the feed has no name. */
  readonly name: Column<StopRow, StringIndex>
  /** Degrees, WGS 84; NaN if the feed gives none (allowed for location types 3 and 4). */
  readonly lat: Column<StopRow>
  readonly lon: Column<StopRow>
  /** 0 stop, 1 station, 2 entrance, 3 generic node, 4 boarding area. */
  readonly locationType: Column<StopRow>
  /** NONE if it has no parent. */
  readonly parent: Column<StopRow, StopRow>
  /** 0 unknown, 1 accessible, 2 not accessible; not yet inherited from the parent. */
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
  /** Never NONE: if the feed names no agency, it is the only one or the first. */
  readonly agency: Column<RouteRow, AgencyRow>
  readonly shortName: Column<RouteRow, StringIndex>
  readonly longName: Column<RouteRow, StringIndex>
  /** GTFS route_type, extended types included. */
  readonly type: Column<RouteRow>
  /** 0xRRGGBB; white if missing or invalid. */
  readonly color: Column<RouteRow>
  /** 0xRRGGBB; black if missing or invalid. */
  readonly textColor: Column<RouteRow>
  /** NO_SORT_ORDER if the feed has none. */
  readonly sortOrder: Column<RouteRow>
  /** The fare network of the route; empty if routes.txt names none. */
  readonly networkId: Column<RouteRow, StringIndex>
  /** 1 if the route has GTFS-Flex trips: it is a line even without other trips. */
  readonly hasFlexTrips: Column<RouteRow>
}

/** The sort order of a route without route_sort_order. */
export const NO_SORT_ORDER = 2_147_483_647

/** trips.txt, without trips that have fewer than two usable calls. */
export interface TripTable {
  readonly count: number
  readonly id: Column<TripRow, StringIndex>
  readonly route: Column<TripRow, RouteRow>
  readonly service: Column<TripRow, ServiceRow>
  readonly headsign: Column<TripRow, StringIndex>
  readonly shortName: Column<TripRow, StringIndex>
  /** mta_trip_id: the path that identifies a trip in the New York subway's live feeds. */
  readonly pathId: Column<TripRow, StringIndex>
  /** 0 or 1; NONE_U8 if the feed has none. */
  readonly direction: Column<TripRow>
  /** Empty if the trip has no block or the trips of its block overlap. */
  readonly blockId: Column<TripRow, StringIndex>
  /** NONE if it has no shape. */
  readonly shape: Column<TripRow, ShapeRow>
  /** 0 unknown, 1 yes, 2 no. */
  readonly wheelchair: Column<TripRow>
  /** 0 unknown, 1 yes, 2 no. */
  readonly bikes: Column<TripRow>
  /** Trip → its first call in `calls`; one longer than the trips. */
  readonly callOffset: Column<TripRow, CallRow>
}

/** stop_times.txt: grouped by trip, sorted by stop_sequence; times are complete and non-decreasing within a trip. */
export interface CallTable {
  readonly count: number
  readonly stop: Column<CallRow, StopRow>
  /** As in the feed. */
  readonly stopSequence: Column<CallRow>
  /** Seconds after the service day's zero; may pass 86 400. */
  readonly arrivalSeconds: Column<CallRow>
  readonly departureSeconds: Column<CallRow>
  /** pickup_type 0..3. */
  readonly pickupType: Column<CallRow>
  /** drop_off_type 0..3. */
  readonly dropOffType: Column<CallRow>
  /** Empty if the trip's headsign applies. */
  readonly headsign: Column<CallRow, StringIndex>
  /** shape_dist_traveled in the feed's unit; NaN if missing. Undefined if the feed has none at all. */
  readonly shapeDistance: Column<CallRow> | undefined
}

/** calendar.txt and calendar_dates.txt combined: one bit a day. */
export interface ServiceTable {
  readonly count: number
  readonly id: Column<ServiceRow, StringIndex>
  /** First day of the bits, in days after 1970-01-01. */
  readonly firstDay: number
  readonly dayCount: number
  /** Bytes per service in `activeDays`. */
  readonly bytesPerService: number
  /** Bit (service × bytesPerService × 8 + day), least significant bit of a byte first. */
  readonly activeDays: Uint8Array
}

/** shapes.txt: grouped by shape, in order. */
export interface ShapeTable {
  readonly count: number
  readonly id: Column<ShapeRow, StringIndex>
  readonly pointOffset: Column<ShapeRow, ShapePointRow>
  /** Microdegrees. */
  readonly latE6: Column<ShapePointRow>
  readonly lonE6: Column<ShapePointRow>
  /** shape_dist_traveled in the feed's unit; NaN if missing. Undefined if the feed has none at all. */
  readonly distance: Column<ShapePointRow> | undefined
}

/** frequencies.txt. Trips leave at start, start + headway … before end. */
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

/** transfers.txt. NONE in each column that a rule leaves empty. */
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
  /** NONE if the feed gives none. */
  readonly minSeconds: Column<TransferRow>
}

/** pathways.txt. Each connects two locations within one station, neither of which is the station itself. */
export interface PathwayTable {
  readonly count: number
  readonly from: Column<PathwayRow, StopRow>
  readonly to: Column<PathwayRow, StopRow>
  /** pathway_mode; 0 unknown. */
  readonly mode: Column<PathwayRow>
  /** 1 if bidirectional. */
  readonly isBidirectional: Column<PathwayRow>
  /** NONE if the feed gives none. */
  readonly traversalSeconds: Column<PathwayRow>
  /** NaN if the feed gives none. */
  readonly lengthMeters: Column<PathwayRow>
  /** Positive upwards or downwards; 0 if the feed gives none. */
  readonly stairCount: Column<PathwayRow>
}

/** The first row of feed_info.txt; empty texts and 0 if absent. */
export interface FeedInfo {
  readonly publisherName: string
  readonly publisherUrl: string
  readonly lang: string
  readonly version: string
  /** yyyymmdd, 0 if absent. */
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

/** A table kept unchanged for a later stage: every field is a text. */
export interface CarriedTable {
  /** File name, such as `levels.txt`. */
  readonly name: string
  readonly count: number
  readonly columns: readonly { readonly name: string; readonly values: Column<number, StringIndex> }[]
}

/** The files kept as texts for later stages. */
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

/** The tables of a feed, or of several joined feeds, with texts in a shared pool. */
export interface FeedTables {
  /** Feed → its first stop row; one longer than the number of joined feeds. */
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
  /** The publishers in feed_info.txt of all joined feeds, distinct and not empty. */
  readonly publishers: readonly string[]
  readonly attributions: readonly Attribution[]
  readonly carried: readonly CarriedTable[]
}

/** A whole feed. */
export interface Feed extends FeedTables {
  readonly strings: StringPool
}

/** Source of a feed's bytes: a zip, a folder, or texts in a test. Names have no folder, such as `stops.txt`. */
export interface FeedSource {
  readonly names: readonly string[]
  /** The subfolder of these files, with a trailing slash; empty or absent if they are at the top. */
  readonly folder?: string
  /**
   * The file's bytes, in order, in chunks of any size, each valid until the next. Undefined if the file does not exist.
   * May be called again.
   */
  open(name: string): AsyncIterable<Uint8Array> | undefined
  /** Size of the file in bytes, if known. Only used to estimate memory. */
  sizeOf?(name: string): number | undefined
}
