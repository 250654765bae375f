// What the explorer knows of the API: the members it reads of each resource.

/** A network. */
export interface Network {
  readonly id: string
  readonly name: string
  readonly city: string
  readonly timezone: string
  readonly modes: readonly string[]
  readonly capabilities: {
    readonly realtime_departures: boolean
    readonly vehicles: string
    readonly alerts: boolean
    readonly journeys: string
    readonly shapes: boolean
    readonly places: boolean
    readonly streams: boolean
  }
  readonly static_refreshed_at: string
}

/** One way a line goes. */
export interface Direction {
  readonly id: string
  readonly name: string
  readonly headsign: string
  /** Ids in order; only where one line is asked for. */
  readonly stops?: readonly string[]
}

/** Coordinates are [lon, lat]. */
export type Geometry =
  | { readonly type: 'LineString'; readonly coordinates: readonly Coordinate[] }
  | { readonly type: 'MultiLineString'; readonly coordinates: readonly (readonly Coordinate[])[] }

/** [lon, lat] in degrees. */
export type Coordinate = readonly [lon: number, lat: number]

/** A line as boards and stops name it. */
export interface CompactLine {
  readonly id: string
  readonly code: string
  readonly name: string
  readonly mode: string
  readonly color: string
  readonly text_color?: string
}

/** A line. */
export interface Line extends CompactLine {
  readonly network: string
  readonly text_color: string
  readonly operator?: string
  readonly accessible: boolean
  readonly directions: readonly Direction[]
  readonly shapes?: readonly {
    readonly line_id: string
    readonly direction_id: string
    readonly geometry: Geometry
  }[]
}

/** A stop, or an area of several. */
export interface Stop {
  readonly id: string
  readonly network: string
  readonly kind: 'stop' | 'area'
  readonly name: string
  readonly lat: number
  readonly lon: number
  readonly parent_id: string | null
  readonly line_ids: readonly string[]
  readonly modes: readonly string[]
  readonly town: string
  readonly accessible: boolean
  readonly platform_code: string | null
  readonly children: readonly string[]
  /** Only where one stop is asked for. */
  readonly lines?: readonly CompactLine[]
}

/** The stops of one direction, in order. */
export interface DirectionStops {
  readonly direction_id: string
  readonly stops: readonly Stop[]
}

/** A vehicle on its way. */
export interface Vehicle {
  readonly id: string
  readonly line_id: string
  readonly direction_id: string
  readonly headsign: string
  readonly lat: number
  readonly lon: number
  readonly bearing: number | null
  readonly speed_kmh: number | null
  readonly delay_seconds: number | null
  readonly status: string
  readonly next_stop_id: string | null
  readonly position_source: string
  readonly recorded_at: string
  readonly occupancy: string | null
}

/** A notice of the operator's. */
export interface Alert {
  readonly id: string
  readonly severity: string
  readonly title: string
  readonly message: string
  readonly effect: string
  readonly line_ids: readonly string[]
  readonly stop_ids: readonly string[]
  readonly starts_at: string | null
  readonly ends_at: string | null
  readonly url: string | null
}

/** A departure of a board. */
export interface Departure {
  readonly stop_id: string
  readonly line_id: string
  readonly line_code: string
  readonly line_name: string
  readonly mode: string
  readonly color: string
  readonly text_color: string
  readonly headsign: string
  readonly scheduled_at: string
  readonly expected_at: string | null
  readonly delay_seconds: number | null
  readonly realtime: boolean
  readonly status: string
  readonly trip_id: string
  readonly platform: string
}

/** A stop, an area or an address that was searched for. */
export interface Place {
  readonly id: string
  readonly kind: 'stop' | 'area' | 'address'
  readonly name: string
  readonly label: string
  readonly lat: number
  readonly lon: number
  readonly network: string | null
  readonly town: string
}

/** Where a walk begins or ends. */
export interface SectionPlace {
  readonly kind: string
  readonly lat: number
  readonly lon: number
  readonly label?: string
  readonly name?: string
  readonly stop_id?: string
}

interface SectionTimes {
  readonly departure_at: string
  readonly arrival_at: string
  readonly duration_seconds: number
  readonly realtime: boolean
  readonly from_place: SectionPlace
  readonly to_place: SectionPlace
}

/** A part of a journey. */
export type Section =
  | (SectionTimes & {
      readonly kind: 'walk'
      readonly distance_meters: number
    })
  | (SectionTimes & {
      readonly kind: 'transit'
      readonly line: CompactLine
      readonly headsign: string
      readonly direction_id: string
      readonly stop_ids: readonly string[]
    })

/** A way from one point to another. */
export interface Journey {
  readonly id: string
  readonly departure_at: string
  readonly arrival_at: string
  readonly duration_seconds: number
  readonly transfers: number
  readonly walking_seconds: number
  readonly walking_meters: number
  readonly fare: { readonly amount: number; readonly currency: string; readonly text: string } | null
  readonly co2_grams: number
  readonly realtime: boolean
  readonly sections: readonly Section[]
}

/** A network's entry of the status. */
export interface Status {
  readonly network: string
  readonly static_refreshed_at: string
  readonly realtime: 'ok' | 'degraded' | 'down'
  readonly last_error: { readonly reason: string; readonly message: string; readonly source: string } | null
}

/** A feed behind a board. */
export interface Source {
  readonly id: string
  readonly fetched_at: string
  readonly age_seconds: number
  readonly freshness: string
}

/** What stands beside the data of an answer. */
export interface Meta {
  readonly generated_at: string
  readonly units: number
  readonly network?: string
  readonly freshness?: string
  readonly count?: number
  readonly next_cursor?: string | null
  readonly attribution?: readonly string[]
  readonly sources?: readonly Source[]
}

/** An answer of the API. */
export interface Answer<Data> {
  readonly data: Data
  readonly meta: Meta
}

/** The body of a refusal. */
export interface ProblemBody {
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly reason: string
  readonly code: string
  readonly instance?: string
}
