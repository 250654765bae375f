// The data API responses that the page reads.
// Written by `bun run contracts` from the response schemas; do not edit.

/** A mode of transport. */
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

/** A network. */
export interface Network {
  readonly id: string
  readonly name: string
  readonly city: string
  readonly timezone: string
  readonly modes: readonly Mode[]
  readonly capabilities: {
    readonly realtime_departures: boolean
    readonly vehicles: 'gps' | 'estimated' | 'mixed' | 'none'
    readonly alerts: boolean
    readonly journeys: 'native' | 'service' | 'none'
    readonly shapes: boolean
    readonly places: boolean
    readonly streams: boolean
  }
  readonly static_refreshed_at: string
}

/** [lon, lat] in degrees. */
export type Coordinate = readonly [number, number]

/** The shape of a line in one direction. */
export type Geometry =
  | {
      readonly type: 'LineString'
      readonly coordinates: readonly Coordinate[]
    }
  | {
      readonly type: 'MultiLineString'
      readonly coordinates: readonly (readonly Coordinate[])[]
    }

/** A line in a stop's details. */
export interface CompactLine {
  readonly id: string
  readonly code: string
  readonly name: string
  readonly mode: Mode
  readonly color: string
}

/** A line. */
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
  readonly directions: readonly {
    readonly id: string
    readonly name: string
    readonly headsign: string
  }[]
  readonly shapes?: readonly {
    readonly line_id: string
    readonly direction_id: string
    readonly geometry: Geometry
  }[]
}

/** A line with its stops and shapes. */
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
  readonly directions: readonly {
    readonly id: string
    readonly name: string
    readonly headsign: string
    readonly stops: readonly string[]
  }[]
  readonly shapes?: readonly {
    readonly line_id: string
    readonly direction_id: string
    readonly geometry: Geometry
  }[]
}

/** A stop, or an area with several stops. */
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

/** A stop or an area with its lines. */
export interface StopDetail extends Stop {
  readonly lines: readonly CompactLine[]
}

/** The stops of one direction, in order. */
export interface DirectionStops {
  readonly direction_id: string
  readonly stops: readonly Stop[]
}

/** A vehicle. */
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

/** A vehicle near a point. */
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

/** A service alert. */
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

/** A departure on a board. */
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

/** A departure from a nearby stop. */
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

/** The next departures from a stop near a point. */
export interface NearbyDepartures {
  readonly stop: Stop
  readonly distance_meters: number
  readonly departures: readonly NearbyDeparture[]
}

/** A stop, area or address that matches a search. */
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

/** Where a section of a journey begins or ends. */
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

/** A section on foot. */
export interface Walk {
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
    readonly coordinates: readonly Coordinate[]
  }
  readonly walk_source?: 'streets' | 'straight' | 'pathways'
}

/** A stop on a trip, with its times. */
export interface TripCall {
  readonly stop_id: string
  readonly name: string
  readonly lat: number
  readonly lon: number
  readonly platform: string
  readonly status: 'on_time' | 'delayed' | 'early' | 'canceled' | 'skipped' | 'added' | 'unscheduled' | 'unknown'
  readonly arrival: {
    readonly scheduled_at: string
    readonly expected_at: string | null
    readonly delay_seconds: number | null
  } | null
  readonly departure: {
    readonly scheduled_at: string
    readonly expected_at: string | null
    readonly delay_seconds: number | null
  } | null
}

/** A section in one vehicle. */
export interface Ride {
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
  readonly calls?: readonly TripCall[]
  readonly wheelchair?: 'yes' | 'unknown'
  readonly stay_seated?: boolean
}

/** A section of a journey. */
export type Section = Walk | Ride

/** A trip on one day. */
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
  readonly calls: readonly TripCall[]
  readonly geometry?: {
    readonly type: 'LineString'
    readonly coordinates: readonly Coordinate[]
  }
  readonly alert_ids?: readonly string[]
}

/** Why a call is or is not on a stop's board. */
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

/** A journey from one point to another. */
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
  readonly sections: readonly Section[]
}

/** The status of a network. */
export interface Status {
  readonly network: string
  readonly static_refreshed_at: string | null
  readonly realtime: 'ok' | 'degraded' | 'down'
  readonly budgets: {
    readonly [name: string]: {
      readonly used: number
      readonly limit: number
      readonly resets_at: string
    }
  }
  readonly last_error: {
    readonly at: string
    readonly source: string
    readonly reason: string
    readonly message: string
  } | null
}

/** A feed used for a response. */
export interface Source {
  readonly id: string
  readonly fetched_at: string
  readonly age_seconds: number
  readonly freshness: 'scheduled' | 'realtime' | 'stale'
}

/** The metadata of a response. */
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
  readonly freshness?: 'scheduled' | 'realtime'
  readonly count?: number
  readonly attribution?: readonly string[]
  readonly reason?: string
  readonly network?: string
  readonly sources?: readonly Source[]
  readonly limit?: number
  readonly next_cursor?: string | null
  readonly max_walk?: number
  readonly previous_cursor?: string | null
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

/** The reason for an error. */
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

/** An error response. */
export interface ProblemBody {
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

/** A response from the API. */
export interface Answer<Data> {
  readonly data: Data
  readonly meta: Meta
}
