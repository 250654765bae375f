// The types in the API document, and a method for each of its operations.
// Written by `bun run contracts` from the response schemas; do not edit.

import type { CallOptions, Limits, PagedAnswer, StreamEvent } from './surface.ts'

export interface Health {
  readonly status: 'ok'
  readonly service: 'service-api'
}

export interface StatusEntry {
  readonly network: string
  readonly static_refreshed_at: string | null
  readonly realtime: 'ok' | 'degraded' | 'down'
  readonly budgets: {
    readonly [name: string]: Budget
  }
  readonly mismatched_feeds: readonly {
    readonly id: string
    readonly trip_updates: number
    readonly matched: number
    readonly reasons: readonly {
      readonly reason: string
      readonly count: number
      readonly example: string
      readonly setting: string | null
    }[]
  }[]
  readonly last_error: {
    readonly at: string
    readonly source: string
    readonly reason: string
    readonly message: string
  } | null
}

export interface Budget {
  readonly used: number
  readonly limit: number
  readonly resets_at: string
}

export type Mode =
  | 'tram'
  | 'metro'
  | 'rail'
  | 'bus'
  | 'ferry'
  | 'cable_tram'
  | 'aerial_lift'
  | 'funicular'
  | 'trolleybus'
  | 'monorail'
  | 'coach'
  | 'air'
  | 'taxi'
  | 'other'

export interface Capabilities {
  readonly realtime_departures: boolean
  readonly vehicles: 'gps' | 'estimated' | 'mixed' | 'none'
  readonly alerts: boolean
  readonly journeys: 'native' | 'service' | 'none'
  readonly shapes: boolean
  readonly places: boolean
  readonly streams: boolean
}

export interface Network {
  readonly id: string
  readonly name: string
  readonly city: string
  readonly timezone: string
  readonly modes: readonly Mode[]
  readonly capabilities: Capabilities
  readonly static_refreshed_at: string
}

export interface NetworkDetail extends Network {
  readonly stats: {
    readonly lines: number
    readonly stops: number
    readonly areas: number
    readonly shapes: number
  }
  readonly walks?: 'streets' | 'straight' | 'mixed'
}

export interface CompactLine {
  readonly id: string
  readonly code: string
  readonly name: string
  readonly mode: Mode
  readonly color: string
}

export interface Direction {
  readonly id: string
  readonly name: string
  readonly headsign: string
}

export interface DirectionDetail extends Direction {
  readonly stops: readonly string[]
}

export interface Shape {
  readonly line_id: string
  readonly direction_id: string
  readonly geometry:
    | {
        readonly type: 'LineString'
        readonly coordinates: readonly (readonly [number, number])[]
      }
    | {
        readonly type: 'MultiLineString'
        readonly coordinates: readonly (readonly (readonly [number, number])[])[]
      }
}

export interface Line {
  readonly id: string
  readonly network: string
  readonly code: string
  readonly name: string
  readonly mode: Mode
  readonly color: string
  readonly text_color: string
  readonly operator: string
  readonly sort_order: number
  readonly accessible: boolean
  readonly directions: readonly Direction[]
  readonly shapes?: readonly Shape[]
}

export interface LineDetail {
  readonly id: string
  readonly network: string
  readonly code: string
  readonly name: string
  readonly mode: Mode
  readonly color: string
  readonly text_color: string
  readonly operator: string
  readonly sort_order: number
  readonly accessible: boolean
  readonly directions: readonly DirectionDetail[]
  readonly shapes?: readonly Shape[]
}

export interface DirectionStops {
  readonly direction_id: string
  readonly stops: readonly Stop[]
}

export interface Stop {
  readonly id: string
  readonly network: string
  readonly kind: 'stop' | 'area'
  readonly name: string
  readonly lat: number
  readonly lon: number
  readonly parent_id: string | null
  readonly line_ids: readonly string[]
  readonly modes: readonly Mode[]
  readonly town: string
  readonly accessible: boolean
  readonly platform_code: string | null
  readonly children: readonly string[]
}

export interface ListedStop extends Stop {
  readonly distance_meters?: number
}

export interface StopDetail extends Stop {
  readonly lines: readonly CompactLine[]
}

export interface NearbyStop extends Stop {
  readonly distance_meters: number
}

export interface Departure {
  readonly stop_id: string
  readonly line_id: string
  readonly line_code: string
  readonly line_name: string
  readonly mode: Mode
  readonly color: string
  readonly text_color: string
  readonly direction_id: string
  readonly headsign: string
  readonly scheduled_at: string
  readonly expected_at: string | null
  readonly delay_seconds: number | null
  readonly realtime: boolean
  readonly status: 'on_time' | 'delayed' | 'early' | 'canceled' | 'skipped' | 'added' | 'unscheduled' | 'unknown'
  readonly trip_id: string
  readonly vehicle_id: string | null
  readonly platform: string
  readonly source: string
}

export interface DeparturesAnswer {
  readonly data: readonly Departure[]
  readonly meta: DeparturesMeta
}

export interface NearbyDeparture {
  readonly stop_id: string
  readonly line_id: string
  readonly line_code: string
  readonly mode: Mode
  readonly headsign: string
  readonly scheduled_at: string
  readonly expected_at: string | null
  readonly delay_seconds: number | null
  readonly realtime: boolean
  readonly status: 'on_time' | 'delayed' | 'early' | 'canceled' | 'skipped' | 'added' | 'unscheduled' | 'unknown'
  readonly source: string
}

export interface NearbyDepartures {
  readonly stop: Stop
  readonly distance_meters: number
  readonly departures: readonly NearbyDeparture[]
}

export interface Explanation {
  readonly trip_id: string
  readonly line_id: string
  readonly stop_id: string
  readonly scheduled_at: string
  readonly expected_at: string | null
  readonly delay_seconds: number | null
  readonly shown: boolean
  readonly reason:
    | 'on_time'
    | 'delayed'
    | 'early'
    | 'canceled'
    | 'skipped'
    | 'added'
    | 'unscheduled'
    | 'no_live_data'
    | 'feed_stale'
    | 'outside_calendar'
    | 'service_not_running'
    | 'trip_ends_here'
    | 'no_boarding'
    | 'deleted_by_feed'
    | 'moved_to_other_stop'
    | 'left_before_window'
    | 'after_window'
    | 'predicted_before_window'
    | 'predicted_after_window'
    | 'left_behind'
    | 'replaced_by_live_run'
  readonly feed: string | null
  readonly feed_age_seconds: number | null
  readonly vehicle_id: string | null
}

export interface ExplanationsAnswer {
  readonly data: readonly Explanation[]
  readonly meta: ExplanationsMeta
}

export interface Vehicle {
  readonly id: string
  readonly network: string
  readonly line_id: string
  readonly direction_id: string
  readonly headsign: string
  readonly lat: number
  readonly lon: number
  readonly bearing: number
  readonly speed_kmh: number
  readonly delay_seconds: number | null
  readonly status: 'incoming_at' | 'stopped_at' | 'in_transit'
  readonly current_stop_id: string | null
  readonly next_stop_id: string | null
  readonly trip_id: string | null
  readonly off_route_meters: number | null
  readonly position_source: 'gps' | 'interpolated' | 'scheduled'
  readonly recorded_at: string
  readonly occupancy: string | null
}

export interface VehiclesAnswer {
  readonly data: readonly Vehicle[]
  readonly meta: ListMeta
}

export interface NearbyVehicle {
  readonly id: string
  readonly network: string
  readonly line_id: string
  readonly direction_id: string
  readonly headsign: string
  readonly lat: number
  readonly lon: number
  readonly bearing: number
  readonly speed_kmh: number
  readonly status: 'incoming_at' | 'stopped_at' | 'in_transit'
  readonly off_route_meters: number | null
  readonly position_source: 'gps' | 'interpolated' | 'scheduled'
  readonly recorded_at: string
  readonly distance_meters: number
}

export interface Trip {
  readonly id: string
  readonly network: string
  readonly line: {
    readonly id: string
    readonly code: string
    readonly name: string
    readonly mode: Mode
    readonly color: string
    readonly text_color: string
  }
  readonly direction_id: string
  readonly headsign: string
  readonly service_date: string
  readonly status: 'scheduled' | 'canceled' | 'added' | 'replaced'
  readonly realtime: boolean
  readonly delay_seconds: number | null
  readonly source: string
  readonly vehicle: Vehicle | null
  readonly calls: readonly RideCall[]
  readonly geometry?: {
    readonly type: 'LineString'
    readonly coordinates: readonly (readonly [number, number])[]
  }
  readonly geometry_source?: 'shape' | 'stops'
  readonly alert_ids?: readonly string[]
}

export interface TripAnswer {
  readonly data: Trip
  readonly meta: TripMeta
}

export interface Alert {
  readonly id: string
  readonly network: string
  readonly severity: 'unknown' | 'info' | 'warning' | 'critical'
  readonly title: string
  readonly message: string
  readonly cause: string
  readonly effect: string
  readonly line_ids: readonly string[]
  readonly stop_ids: readonly string[]
  readonly starts_at: string | null
  readonly ends_at: string | null
  readonly updated_at: string
  readonly url: string | null
  readonly source: string
}

export interface Journey {
  readonly id: string
  readonly departure_at: string
  readonly arrival_at: string
  readonly duration_seconds: number
  readonly transfers: number
  readonly slack_seconds: number | null
  readonly at_risk: boolean
  readonly walking_seconds: number
  readonly walking_meters: number
  readonly fare: {
    readonly amount: number
    readonly currency: string
    readonly text: string
  } | null
  readonly co2_grams: number
  readonly source: string
  readonly realtime: boolean
  readonly sections: readonly (WalkSection | TransitSection)[]
}

export interface WalkSection {
  readonly kind: 'walk'
  readonly departure_at: string
  readonly arrival_at: string
  readonly duration_seconds: number
  readonly realtime: boolean
  readonly distance_meters: number
  readonly from_place: SectionPlace
  readonly to_place: SectionPlace
  readonly geometry?: {
    readonly type: 'LineString'
    readonly coordinates: readonly (readonly [number, number])[]
  }
  readonly walk_source?: 'streets' | 'straight' | 'pathways'
  readonly steps?: readonly WalkStep[]
  readonly wheelchair?: 'yes' | 'unknown'
}

export interface TransitSection {
  readonly kind: 'transit'
  readonly departure_at: string
  readonly arrival_at: string
  readonly duration_seconds: number
  readonly realtime: boolean
  readonly line: {
    readonly id: string
    readonly code: string
    readonly name: string
    readonly mode: Mode
    readonly color: string
    readonly text_color: string
  }
  readonly headsign: string
  readonly direction_id: string
  readonly stop_ids: readonly string[]
  readonly trip_id: string
  readonly from_place: SectionPlace
  readonly to_place: SectionPlace
  readonly scheduled_departure_at: string
  readonly scheduled_arrival_at: string
  readonly delay_seconds: number | null
  readonly status: 'on_time' | 'delayed' | 'early' | 'canceled' | 'skipped' | 'added' | 'unscheduled' | 'unknown'
  readonly platform: string
  readonly vehicle_id: string | null
  readonly calls?: readonly RideCall[]
  readonly geometry?: {
    readonly type: 'LineString'
    readonly coordinates: readonly (readonly [number, number])[]
  }
  readonly geometry_source?: 'shape' | 'stops'
  readonly alert_ids?: readonly string[]
  readonly wheelchair?: 'yes' | 'unknown'
  readonly stay_seated?: boolean
}

export type SectionPlace =
  | {
      readonly kind: 'address'
      readonly lat: number
      readonly lon: number
      readonly label: string
    }
  | {
      readonly kind: 'area' | 'stop'
      readonly lat: number
      readonly lon: number
      readonly stop_id: string
      readonly name: string
    }

export interface RideCall {
  readonly stop_id: string
  readonly name: string
  readonly lat: number
  readonly lon: number
  readonly platform: string
  readonly status: 'on_time' | 'delayed' | 'early' | 'canceled' | 'skipped' | 'added' | 'unscheduled' | 'unknown'
  readonly arrival: CallTime | null
  readonly departure: CallTime | null
}

export interface CallTime {
  readonly scheduled_at: string
  readonly expected_at: string | null
  readonly delay_seconds: number | null
}

export interface Place {
  readonly id: string
  readonly kind: 'stop' | 'area' | 'address'
  readonly name: string
  readonly label: string
  readonly lat: number
  readonly lon: number
  readonly network: string | null
  readonly stop_id: string | null
  readonly town: string
  readonly postcode: string | null
  readonly source: 'store' | 'ban'
  readonly score: number
}

export interface NearestPlaces {
  readonly address: {
    readonly id: string
    readonly kind: 'address'
    readonly label: string
    readonly lat: number
    readonly lon: number
    readonly source: 'ban'
    readonly distance_meters: number
  } | null
  readonly stops: readonly {
    readonly id: string
    readonly kind: 'stop' | 'area'
    readonly name: string
    readonly lat: number
    readonly lon: number
    readonly network: string
    readonly distance_meters: number
  }[]
  readonly street?: {
    readonly name: string
    readonly distance_meters: number
  } | null
}

export interface Usage {
  readonly plan: 'free' | 'pay_as_you_go' | 'starter' | 'pro' | 'max'
  readonly period: string
  readonly included_units: number
  readonly units: number
  readonly remaining: number
  readonly overage_available: boolean
  readonly overage_enabled: boolean
  readonly overage_unit_amount_decimal: string
  readonly billable_units: number
  readonly spent_cents: number
  readonly spend_cap_cents: number
  readonly resets_at: string
  readonly keys: readonly {
    readonly id: string
    readonly name: string
    readonly prefix: string
    readonly last_four: string
    readonly units_today: number
    readonly units_period: number
    readonly last_used_at: string | null
  }[]
}

export interface Source {
  readonly id: string
  readonly fetched_at: string
  readonly age_seconds: number
  readonly freshness: 'scheduled' | 'realtime' | 'stale'
}

export interface Meta {
  readonly generated_at: string
  readonly units: number
  readonly streets?: {
    readonly built_at: string | null
    readonly extract_timestamp: string | null
    readonly kilometers: number
    readonly stops_linked: number
    readonly stops_unlinked: number
    readonly last_error: {
      readonly at: string
      readonly source: string
      readonly reason: string
      readonly message: string
    } | null
  }
}

export interface WalkStep {
  readonly name: string | null
  readonly distance_meters: number
  readonly kind: 'street' | 'steps' | 'elevator' | 'crossing'
}

export interface NetworksMeta {
  readonly generated_at: string
  readonly units: number
  readonly freshness: 'scheduled' | 'realtime'
  readonly count: number
  readonly attribution: readonly string[]
  readonly reason?: string
}

export interface NetworkMeta {
  readonly generated_at: string
  readonly units: number
  readonly network: string
  readonly freshness: 'scheduled' | 'realtime'
  readonly attribution: readonly string[]
}

export interface TripMeta extends NetworkMeta {
  readonly sources: readonly Source[]
}

export interface ListMeta extends NetworksMeta {
  readonly network: string
}

export interface PageMeta extends ListMeta {
  readonly limit: number
  readonly next_cursor: string | null
}

export interface DeparturesMeta extends AlertsMeta {
  readonly limit: number
}

export interface AlertsMeta extends ListMeta {
  readonly sources: readonly Source[]
}

export interface ExplanationsMeta extends ListMeta {
  readonly sources: readonly Source[]
}

export interface AlertPageMeta extends PageMeta {
  readonly sources: readonly Source[]
}

export interface JourneysMeta extends ListMeta {
  readonly limit: number
  readonly max_walk: number
  readonly previous_cursor: string | null
  readonly next_cursor: string | null
  readonly nearest_stops?: {
    readonly from: {
      readonly stop_id: string
      readonly name: string
      readonly distance_meters: number
    } | null
    readonly to: {
      readonly stop_id: string
      readonly name: string
      readonly distance_meters: number
    } | null
  }
}

export interface NearbyMeta extends NetworksMeta {
  readonly network?: string
  readonly limit: number
  readonly sources?: readonly Source[]
}

export interface NearestPlacesMeta {
  readonly generated_at: string
  readonly units: number
  readonly freshness: 'scheduled' | 'realtime'
  readonly attribution: readonly string[]
  readonly sources: readonly Source[]
  readonly reason?: string
}

export interface AlertsOfNetworksMeta extends NetworksMeta {
  readonly network?: string
  readonly limit: number
  readonly next_cursor: string | null
  readonly sources: readonly Source[]
}

export interface StreamEnd {
  readonly reason: string
}

export type Reason =
  | 'transit_query_invalid'
  | 'invalid_location'
  | 'malformed_request'
  | 'authentication_required'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'email_verification_required'
  | 'not_found'
  | 'capability_unsupported'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'content_too_large'
  | 'uri_too_long'
  | 'rate_limited'
  | 'quota_exhausted'
  | 'spend_cap_reached'
  | 'too_many_streams'
  | 'internal_error'
  | 'not_ready'
  | 'metering_unavailable'
  | 'planner_timeout'
  | 'overloaded'

export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
  readonly reason: Reason
  readonly code: string
  readonly request_id: string
  readonly param?: string
  readonly errors?: readonly {
    readonly param: string
    readonly reason: Reason
    readonly message: string
  }[]
}

export interface GetHealthAnswer {
  readonly data: Health
  readonly meta: Meta
}

export interface GetStatusAnswer {
  readonly data: readonly StatusEntry[]
  readonly meta: Meta
}

export interface ListNetworksAnswer {
  readonly data: readonly Network[]
  readonly meta: NetworksMeta
}

export interface GetNetworkAnswer {
  readonly data: NetworkDetail
  readonly meta: NetworkMeta
}

export interface ListLinesAnswer {
  readonly data: readonly Line[]
  readonly meta: PageMeta
}

export interface GetLineAnswer {
  readonly data: LineDetail
  readonly meta: NetworkMeta
}

export interface ListLineStopsAnswer {
  readonly data: readonly DirectionStops[]
  readonly meta: ListMeta
}

export interface ListLineAlertsAnswer {
  readonly data: readonly Alert[]
  readonly meta: AlertsMeta
}

export interface ListStopsAnswer {
  readonly data: readonly ListedStop[]
  readonly meta: PageMeta
}

export interface GetStopAnswer {
  readonly data: StopDetail
  readonly meta: NetworkMeta
}

export interface ListStopAlertsAnswer {
  readonly data: readonly Alert[]
  readonly meta: AlertsMeta
}

export interface ListNearbyStopsAnswer {
  readonly data: readonly NearbyStop[]
  readonly meta: NearbyMeta
}

export interface ListNearbyDeparturesAnswer {
  readonly data: readonly NearbyDepartures[]
  readonly meta: NearbyMeta
}

export interface ListNearbyVehiclesAnswer {
  readonly data: readonly NearbyVehicle[]
  readonly meta: NearbyMeta
}

export interface PlanJourneysAnswer {
  readonly data: readonly Journey[]
  readonly meta: JourneysMeta
}

export interface GetJourneyAnswer {
  readonly data: Journey
  readonly meta: NetworkMeta
}

export interface SearchPlacesAnswer {
  readonly data: readonly Place[]
  readonly meta: NearbyMeta
}

export interface ReversePlacesAnswer {
  readonly data: NearestPlaces
  readonly meta: NearestPlacesMeta
}

export interface ListNetworkAlertsAnswer {
  readonly data: readonly Alert[]
  readonly meta: AlertPageMeta
}

export interface ListAlertsAnswer {
  readonly data: readonly Alert[]
  readonly meta: AlertsOfNetworksMeta
}

export interface GetUsageAnswer {
  readonly data: Usage
  readonly meta: Meta
}

export interface ListNetworksParameters {
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface GetNetworkParameters {
  /** Id of a network. */
  readonly network: string
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface ListLinesParameters {
  /** Id of a network. */
  readonly network: string
  /** Return only these modes, separated by commas. */
  readonly modes?:
    | readonly (
        | 'tram'
        | 'metro'
        | 'rail'
        | 'bus'
        | 'ferry'
        | 'cable_tram'
        | 'aerial_lift'
        | 'funicular'
        | 'trolleybus'
        | 'monorail'
        | 'coach'
        | 'air'
        | 'taxi'
        | 'other'
      )[]
    | undefined
  /** Words to search for. Each must match the start of a word in the name. Accents and case are ignored. */
  readonly q?: string | undefined
  /** Maximum number of items to return. Default: 20. */
  readonly limit?: number | undefined
  /** `meta.next_cursor` from the previous page. Send the same filters with it. */
  readonly cursor?: string | undefined
  /** Optional parts to add to the response, separated by commas. */
  readonly include?: readonly 'geometry'[] | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface GetLineParameters {
  /** Id of a line. */
  readonly line_id: string
  /** Optional parts to add to the response, separated by commas. */
  readonly include?: readonly 'geometry'[] | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface ListLineStopsParameters {
  /** Id of a line. */
  readonly line_id: string
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface ListLineVehiclesParameters {
  /** Id of a line. */
  readonly line_id: string
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface ListLineAlertsParameters {
  /** Id of a line. */
  readonly line_id: string
  /** The time to report on: an RFC 3339 timestamp with an offset or Z, or `now`. Default: now. */
  readonly when?: string | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface ListStopsParameters {
  /** Id of a network. */
  readonly network: string
  /** Words to search for. Each must match the start of a word in the name. Accents and case are ignored. */
  readonly q?: string | undefined
  /** A point as `lat,lon` in decimal degrees, WGS 84. */
  readonly near?: string | undefined
  /** Maximum distance from `near`, in meters. Default: 500. */
  readonly radius?: number | undefined
  /** A bounding box as `min_lon,min_lat,max_lon,max_lat` in decimal degrees, edges included. */
  readonly bbox?: string | undefined
  /** A line id. Return only results for this line. */
  readonly line?: string | undefined
  /** Return only stops, or only areas. */
  readonly kind?: 'stop' | 'area' | undefined
  /** Maximum number of items to return. Default: 20. */
  readonly limit?: number | undefined
  /** `meta.next_cursor` from the previous page. Send the same filters with it. */
  readonly cursor?: string | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface GetStopParameters {
  /** Id of a stop or area. */
  readonly stop_id: string
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface ListStopAlertsParameters {
  /** Id of a stop or area. */
  readonly stop_id: string
  /** The time to report on: an RFC 3339 timestamp with an offset or Z, or `now`. Default: now. */
  readonly when?: string | undefined
  /** Optional parts to add to the response, separated by commas. */
  readonly include?: readonly ('lines' | 'agency')[] | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface ListDeparturesParameters {
  /** Id of a stop or area. */
  readonly stop_id: string
  /** Maximum number of items to return. Default: 10. */
  readonly limit?: number | undefined
  /** A line id. Return only results for this line. */
  readonly line?: string | undefined
  /** A direction id. Return only results in this direction. */
  readonly direction?: '0' | '1' | undefined
  /** Length of the time window, in minutes. Default: 60. */
  readonly horizon?: number | undefined
  /** The time to report on: an RFC 3339 timestamp with an offset or Z, or `now`. Default: now. */
  readonly when?: string | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface StreamDeparturesParameters {
  /** Id of a stop or area. */
  readonly stop_id: string
  /** Maximum number of items to return. Default: 10. */
  readonly limit?: number | undefined
  /** A line id. Return only results for this line. */
  readonly line?: string | undefined
  /** A direction id. Return only results in this direction. */
  readonly direction?: '0' | '1' | undefined
  /** Length of the time window, in minutes. Default: 60. */
  readonly horizon?: number | undefined
  /** Number of seconds between events. Default: 15. */
  readonly interval?: number | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface StreamLineVehiclesParameters {
  /** Id of a line. */
  readonly line_id: string
  /** Number of seconds between events. Default: 15. */
  readonly interval?: number | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface ListNearbyStopsParameters {
  /** A point as `lat,lon` in decimal degrees, WGS 84. */
  readonly near: string
  /** Maximum distance from `near`, in meters. Default: 500. */
  readonly radius?: number | undefined
  /** Network ids, separated by commas. Default: all networks. */
  readonly networks?: readonly string[] | undefined
  /** Return only these modes, separated by commas. */
  readonly modes?:
    | readonly (
        | 'tram'
        | 'metro'
        | 'rail'
        | 'bus'
        | 'ferry'
        | 'cable_tram'
        | 'aerial_lift'
        | 'funicular'
        | 'trolleybus'
        | 'monorail'
        | 'coach'
        | 'air'
        | 'taxi'
        | 'other'
      )[]
    | undefined
  /** Maximum number of items to return. Default: 20. */
  readonly limit?: number | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface ListNearbyDeparturesParameters {
  /** A point as `lat,lon` in decimal degrees, WGS 84. */
  readonly near: string
  /** Maximum distance from `near`, in meters. Default: 500. */
  readonly radius?: number | undefined
  /** Network ids, separated by commas. Default: all networks. */
  readonly networks?: readonly string[] | undefined
  /** Return only these modes, separated by commas. */
  readonly modes?:
    | readonly (
        | 'tram'
        | 'metro'
        | 'rail'
        | 'bus'
        | 'ferry'
        | 'cable_tram'
        | 'aerial_lift'
        | 'funicular'
        | 'trolleybus'
        | 'monorail'
        | 'coach'
        | 'air'
        | 'taxi'
        | 'other'
      )[]
    | undefined
  /** Length of the time window, in minutes. Default: 60. */
  readonly horizon?: number | undefined
  /** Maximum number of stops to return. Default: 5. */
  readonly limit?: number | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface ListNearbyVehiclesParameters {
  /** A point as `lat,lon` in decimal degrees, WGS 84. */
  readonly near: string
  /** Maximum distance from `near`, in meters. Default: 500. */
  readonly radius?: number | undefined
  /** Network ids, separated by commas. Default: all networks. */
  readonly networks?: readonly string[] | undefined
  /** Return only these modes, separated by commas. */
  readonly modes?:
    | readonly (
        | 'tram'
        | 'metro'
        | 'rail'
        | 'bus'
        | 'ferry'
        | 'cable_tram'
        | 'aerial_lift'
        | 'funicular'
        | 'trolleybus'
        | 'monorail'
        | 'coach'
        | 'air'
        | 'taxi'
        | 'other'
      )[]
    | undefined
  /** Maximum number of items to return. Default: 20. */
  readonly limit?: number | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface PlanJourneysParameters {
  /** Start of the journey. The id of a stop, area or address, a point as `lat,lon`, or text to search for. */
  readonly from: string
  /** Destination of the journey. The id of a stop, area or address, a point as `lat,lon`, or text to search for. */
  readonly to: string
  /** Earliest departure: an RFC 3339 timestamp with an offset or Z, or `now`. Default: `now`. */
  readonly when?: string | undefined
  /** Latest arrival: an RFC 3339 timestamp (then omit `when`), or `true` to use `when` as the latest arrival. */
  readonly arrive_by?: string | boolean | undefined
  /** Modes to use, separated by commas. Walking is always allowed. */
  readonly modes?:
    | readonly (
        | 'tram'
        | 'metro'
        | 'rail'
        | 'bus'
        | 'ferry'
        | 'cable_tram'
        | 'aerial_lift'
        | 'funicular'
        | 'trolleybus'
        | 'monorail'
        | 'coach'
        | 'air'
        | 'taxi'
        | 'other'
      )[]
    | undefined
  /** The planner to use: the operator's own (`native`), this service's (`service`), or the first available (`auto`, the default). */
  readonly planner?: 'auto' | 'native' | 'service' | undefined
  /** Maximum length, in meters, of the walk to the first stop, of the walk from the last stop, and of a journey entirely on foot. Default: 1000. If no stop is within that distance of the origin or the destination, 1250, 1500, 2000 and 2500 are tried in turn. */
  readonly max_walk?: number | undefined
  /** Maximum number of transfers between vehicles. In-seat transfers do not count. Default: 6. */
  readonly max_transfers?: number | undefined
  /** Minimum time for a transfer between vehicles, in seconds, in addition to the walk. Default: the network's own minimum, usually 60. Timed transfers and minimum transfer times that the operator publishes still apply. */
  readonly transfer_seconds?: number | undefined
  /** Whether to avoid trips, stops, stairs and escalators that wheelchair users cannot use. Default: `false`. Anything whose accessibility the operator does not describe counts as usable. */
  readonly wheelchair?: 'true' | 'false' | undefined
  /** Id of the network to travel in. Default: the smallest network that covers both ends. */
  readonly network?: string | undefined
  /** Optional parts to add to the response, separated by commas. `steps` is only available if walks follow a street map. */
  readonly include?: readonly ('calls' | 'geometry' | 'alerts' | 'steps')[] | undefined
  /** Maximum number of items to return. Default: 3. */
  readonly limit?: number | undefined
  /** `meta.next_cursor` or `meta.previous_cursor` from an earlier response. Send the same filters with it. You can change `limit` and omit `when`. */
  readonly cursor?: string | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface GetJourneyParameters {
  /** Id of a journey. */
  readonly journey_id: string
  /** Optional parts to add to the response, separated by commas. `steps` is only available if walks follow a street map. */
  readonly include?: readonly ('calls' | 'geometry' | 'alerts' | 'steps')[] | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface SearchPlacesParameters {
  /** Text to search for: a name, house number, town, postcode or stop code, or a point as `lat,lon`. */
  readonly q: string
  /** A point as `lat,lon` in decimal degrees, WGS 84. Results near it come first. Results more than 100 km away come last, unless `q` names their town. */
  readonly near?: string | undefined
  /** Network ids, separated by commas. Default: all networks. Addresses are limited to the area that these networks cover. */
  readonly networks?: readonly string[] | undefined
  /** Kinds of places to search for, separated by commas. Default: both. */
  readonly providers?: readonly ('stops' | 'addresses')[] | undefined
  /** Maximum number of items to return. Default: 10. */
  readonly limit?: number | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface ReversePlacesParameters {
  /** A point as `lat,lon` in decimal degrees, WGS 84. */
  readonly near: string
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface ListNetworkAlertsParameters {
  /** Id of a network. */
  readonly network: string
  /** Return only alerts of these severities, separated by commas. */
  readonly severity?: readonly ('unknown' | 'info' | 'warning' | 'critical')[] | undefined
  /** A line id. Return only results for this line. */
  readonly line?: string | undefined
  /** The time to report on: an RFC 3339 timestamp with an offset or Z, or `now`. Default: now. */
  readonly when?: string | undefined
  /** Maximum number of items to return. Default: 20. */
  readonly limit?: number | undefined
  /** `meta.next_cursor` from the previous page. Send the same filters with it. */
  readonly cursor?: string | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface ListAlertsParameters {
  /** Network ids, separated by commas. Default: all networks. */
  readonly networks: readonly string[]
  /** Return only alerts of these severities, separated by commas. */
  readonly severity?: readonly ('unknown' | 'info' | 'warning' | 'critical')[] | undefined
  /** A line id. Return only results for this line. */
  readonly line?: string | undefined
  /** The time to report on: an RFC 3339 timestamp with an offset or Z, or `now`. Default: now. */
  readonly when?: string | undefined
  /** Maximum number of items to return. Default: 20. */
  readonly limit?: number | undefined
  /** `meta.next_cursor` from the previous page. Send the same filters with it. */
  readonly cursor?: string | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface ListExplanationsParameters {
  /** Id of a stop or area. */
  readonly stop_id: string
  /** A trip id. Return only calls of this trip. */
  readonly trip?: string | undefined
  /** A line id. Return only results for this line. */
  readonly line?: string | undefined
  /** A direction id. Return only results in this direction. */
  readonly direction?: '0' | '1' | undefined
  /** The time to report on: an RFC 3339 timestamp with an offset or Z, or `now`. Default: now. */
  readonly when?: string | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface GetTripParameters {
  /** Id of a trip. */
  readonly trip_id: string
  /** Optional parts to add to the response, separated by commas. */
  readonly include?: readonly ('geometry' | 'alerts')[] | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

export interface StreamTripParameters {
  /** Id of a trip. */
  readonly trip_id: string
  /** Optional parts to add to the response, separated by commas. */
  readonly include?: readonly ('geometry' | 'alerts')[] | undefined
  /** Number of seconds between events. Default: 15. */
  readonly interval?: number | undefined
  /** Accepted but ignored: all text is in the operator's language. */
  readonly lang?: string | undefined
}

/** A client of the API: one method for each operation. */
export interface QuaiClient {
  /** The limits from the latest response that contained them. */
  readonly limits: Limits
  /** Check service health. Public: requires no key and costs no units. */
  getHealth(options?: CallOptions): Promise<GetHealthAnswer>

  /** Get network status. Public: requires no key and costs no units. */
  getStatus(options?: CallOptions): Promise<GetStatusAnswer>

  /** List networks. Costs 1 unit. */
  listNetworks(parameters?: ListNetworksParameters, options?: CallOptions): Promise<ListNetworksAnswer>

  /** Get a network. Costs 1 unit. */
  getNetwork(parameters: GetNetworkParameters, options?: CallOptions): Promise<GetNetworkAnswer>

  /** List lines. Costs 1 unit. */
  listLines(parameters: ListLinesParameters, options?: CallOptions): PagedAnswer<ListLinesAnswer, Line>

  /** Get a line. Costs 1 unit. */
  getLine(parameters: GetLineParameters, options?: CallOptions): Promise<GetLineAnswer>

  /** List line stops. Costs 1 unit. */
  listLineStops(parameters: ListLineStopsParameters, options?: CallOptions): Promise<ListLineStopsAnswer>

  /** List line vehicles. Costs 1 unit. */
  listLineVehicles(parameters: ListLineVehiclesParameters, options?: CallOptions): Promise<VehiclesAnswer>

  /** List line alerts. Costs 1 unit. */
  listLineAlerts(parameters: ListLineAlertsParameters, options?: CallOptions): Promise<ListLineAlertsAnswer>

  /** List stops. Costs 1 unit. */
  listStops(parameters: ListStopsParameters, options?: CallOptions): PagedAnswer<ListStopsAnswer, ListedStop>

  /** Get a stop. Costs 1 unit. */
  getStop(parameters: GetStopParameters, options?: CallOptions): Promise<GetStopAnswer>

  /** List stop alerts. Costs 1 unit. */
  listStopAlerts(parameters: ListStopAlertsParameters, options?: CallOptions): Promise<ListStopAlertsAnswer>

  /** List departures. Costs 1 unit. */
  listDepartures(parameters: ListDeparturesParameters, options?: CallOptions): Promise<DeparturesAnswer>

  /** Stream departures. Costs 1 unit per connection. */
  streamDepartures(
    parameters: StreamDeparturesParameters,
    options?: CallOptions,
  ): AsyncGenerator<StreamEvent<DeparturesAnswer>, void, undefined>

  /** Stream line vehicles. Costs 1 unit per connection. */
  streamLineVehicles(
    parameters: StreamLineVehiclesParameters,
    options?: CallOptions,
  ): AsyncGenerator<StreamEvent<VehiclesAnswer>, void, undefined>

  /** List nearby stops. Costs 1 unit. */
  listNearbyStops(parameters: ListNearbyStopsParameters, options?: CallOptions): Promise<ListNearbyStopsAnswer>

  /** List nearby departures. Costs 1 unit. */
  listNearbyDepartures(
    parameters: ListNearbyDeparturesParameters,
    options?: CallOptions,
  ): Promise<ListNearbyDeparturesAnswer>

  /** List nearby vehicles. Costs 1 unit. */
  listNearbyVehicles(parameters: ListNearbyVehiclesParameters, options?: CallOptions): Promise<ListNearbyVehiclesAnswer>

  /** Plan journeys. Costs 5 units. */
  planJourneys(parameters: PlanJourneysParameters, options?: CallOptions): PagedAnswer<PlanJourneysAnswer, Journey>

  /** Get a journey. Costs 1 unit. */
  getJourney(parameters: GetJourneyParameters, options?: CallOptions): Promise<GetJourneyAnswer>

  /** Search places. Costs 1 unit. */
  searchPlaces(parameters: SearchPlacesParameters, options?: CallOptions): Promise<SearchPlacesAnswer>

  /** Find nearest places. Costs 1 unit. */
  reversePlaces(parameters: ReversePlacesParameters, options?: CallOptions): Promise<ReversePlacesAnswer>

  /** List network alerts. Costs 1 unit. */
  listNetworkAlerts(
    parameters: ListNetworkAlertsParameters,
    options?: CallOptions,
  ): PagedAnswer<ListNetworkAlertsAnswer, Alert>

  /** List alerts. Costs 1 unit. */
  listAlerts(parameters: ListAlertsParameters, options?: CallOptions): PagedAnswer<ListAlertsAnswer, Alert>

  /** Explain departures. Costs 1 unit. */
  listExplanations(parameters: ListExplanationsParameters, options?: CallOptions): Promise<ExplanationsAnswer>

  /** Get a trip. Costs 1 unit. */
  getTrip(parameters: GetTripParameters, options?: CallOptions): Promise<TripAnswer>

  /** Stream a trip. Costs 1 unit per connection. */
  streamTrip(
    parameters: StreamTripParameters,
    options?: CallOptions,
  ): AsyncGenerator<StreamEvent<TripAnswer>, void, undefined>

  /** Get usage. Costs no units. */
  getUsage(options?: CallOptions): Promise<GetUsageAnswer>
}
