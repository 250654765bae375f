// A decoded GTFS-Realtime message, as plain objects. Times are in seconds after 1970; absent values are undefined.
// Field names are those of the GTFS-Realtime reference. decode-message.ts creates messages.

/** The entities by kind: those of one message, or those of a feed after its newest message has been applied. */
export interface FeedEntities {
  /**
   * Several updates can have the same trip descriptor: the New York subway feeds can contain two trains with the same
   * trip id.
   */
  readonly trips: readonly TripUpdate[]
  readonly vehicles: readonly VehicleReport[]
  readonly alerts: readonly AlertReport[]
  readonly modifications: readonly TripModifications[]
  readonly shapes: readonly LiveShape[]
}

/** One message of one feed. */
export interface RealtimeMessage extends FeedEntities {
  readonly version: string
  /** Whether the message replaces all earlier messages of the feed, or contains only changes. */
  readonly incrementality: 'full_dataset' | 'differential'
  /** Timestamp in the header; undefined if the feed has none. */
  readonly timestampSeconds: number | undefined
  /** Ids of the entities that a differential message deletes. */
  readonly deletedIds: readonly string[]
  /**
   * Reason (for example `entity_without_id`) → number of entities and fields that were dropped for this reason during
   * decoding.
   */
  readonly dropped: Readonly<Record<string, number>>
}

/** The trip that a feed refers to. Empty strings become undefined. */
export interface TripDescriptor {
  readonly tripId: string | undefined
  readonly routeId: string | undefined
  readonly directionId: number | undefined
  /** start_time, converted to seconds after the service day's zero. */
  readonly startSeconds: number | undefined
  /** yyyymmdd. */
  readonly startDate: string | undefined
  readonly relationship: TripRelationship
  /**
   * Entity id of the TripModifications that changed the trip. If present, the stop_sequences of the trip's calls are
   * renumbered from 1.
   */
  readonly modificationsId?: string | undefined
}

/** TripDescriptor.ScheduleRelationship. ADDED is deprecated; NEW replaces it. */
export type TripRelationship =
  | 'scheduled'
  | 'added'
  | 'unscheduled'
  | 'canceled'
  | 'replacement'
  | 'duplicated'
  | 'deleted'
  | 'new'

/** The vehicle that runs a trip or reports a position (VehicleDescriptor). */
export interface VehicleDescriptor {
  readonly id: string | undefined
  readonly label: string | undefined
  readonly licensePlate: string | undefined
}

/** One TripUpdate entity. */
export interface TripUpdate {
  readonly entityId: string
  readonly trip: TripDescriptor
  readonly vehicle: VehicleDescriptor | undefined
  readonly timestampSeconds: number | undefined
  /** Delay of the whole trip; undefined if the feed has none. */
  readonly delaySeconds: number | undefined
  readonly stopTimes: readonly StopTimeUpdate[]
  /** TripProperties of a new, duplicated or replaced trip. */
  readonly properties: TripProperties | undefined
}

/** TripProperties: how a trip differs from the timetable. */
export interface TripProperties {
  readonly tripId: string | undefined
  readonly startDate: string | undefined
  readonly startSeconds: number | undefined
  readonly shapeId: string | undefined
  readonly headsign: string | undefined
  readonly shortName: string | undefined
}

/** One StopTimeUpdate of a TripUpdate. */
export interface StopTimeUpdate {
  readonly stopSequence: number | undefined
  readonly stopId: string | undefined
  readonly arrival: StopTimeEvent | undefined
  readonly departure: StopTimeEvent | undefined
  readonly relationship: 'scheduled' | 'skipped' | 'no_data' | 'unscheduled'
  /** The platform to which the call moved (StopTimeProperties.assigned_stop_id). */
  readonly assignedStopId: string | undefined
  readonly headsign: string | undefined
  /** pickup_type, 0 to 3; undefined if the feed does not change it. */
  readonly pickupType: number | undefined
  /** drop_off_type, 0 to 3; undefined if the feed does not change it. */
  readonly dropOffType: number | undefined
}

/** StopTimeEvent. An event with neither a time nor a delay becomes undefined. */
export interface StopTimeEvent {
  readonly timeSeconds: number | undefined
  readonly delaySeconds: number | undefined
  readonly scheduledSeconds: number | undefined
}

/** One TripModifications entity: a detour of scheduled trips on some days. */
export interface TripModifications {
  readonly entityId: string
  readonly selected: readonly { readonly tripIds: readonly string[]; readonly shapeId: string | undefined }[]
  /** Start times of the affected frequency-based trips, in seconds after the service day's zero. */
  readonly startTimes: readonly number[]
  /** yyyymmdd. */
  readonly serviceDates: readonly string[]
  readonly modifications: readonly Modification[]
}

/** A span of consecutive calls, and the stops that replace it. */
export interface Modification {
  /**
   * The first call that is replaced. If there is no end selector, no call is replaced, and the replacement stops are
   * inserted before this call.
   */
  readonly start: StopSelector | undefined
  readonly end: StopSelector | undefined
  /** Seconds that are added to the times of all calls after the span. */
  readonly delaySeconds: number
  readonly replacements: readonly ReplacementStop[]
  /** Entity id of the alert about the detour. */
  readonly alertId: string | undefined
}

/** Selects a call in a trip by stop_sequence or stop. */
export type StopSelector = Pick<StopTimeUpdate, 'stopSequence' | 'stopId'>

/** One stop that replaces the calls of a span. */
export interface ReplacementStop {
  /** Seconds after the arrival at the call before the span. */
  readonly travelSeconds: number | undefined
  readonly stopId: string | undefined
}

/** One Shape entity. */
export interface LiveShape {
  readonly entityId: string
  readonly shapeId: string | undefined
  /** Encoded polyline with five decimals. */
  readonly polyline: string | undefined
}

/** One VehiclePosition entity. */
export interface VehicleReport {
  readonly entityId: string
  readonly trip: TripDescriptor | undefined
  readonly vehicle: VehicleDescriptor | undefined
  readonly timestampSeconds: number | undefined
  /** Degrees, WGS 84; undefined if the report has no position. */
  readonly lat: number | undefined
  readonly lon: number | undefined
  /** Degrees clockwise from north. */
  readonly bearing: number | undefined
  readonly speedMetersPerSecond: number | undefined
  readonly stopSequence: number | undefined
  readonly stopId: string | undefined
  readonly status: 'incoming_at' | 'stopped_at' | 'in_transit'
  /** OccupancyStatus in snake_case; undefined if it is absent or NO_DATA_AVAILABLE. */
  readonly occupancy: string | undefined
}

/** One Alert entity. */
export interface AlertReport {
  readonly entityId: string
  readonly activePeriods: readonly TimeRange[]
  readonly communicationPeriods: readonly TimeRange[]
  readonly impactPeriods: readonly TimeRange[]
  readonly selectors: readonly EntitySelector[]
  /** Name of the enum value in snake_case. */
  readonly cause: string
  readonly effect: string
  /** `unknown`, `info`, `warning`, `severe`. */
  readonly severity: string
  readonly header: readonly Translation[]
  readonly description: readonly Translation[]
  readonly url: readonly Translation[]
}

/** Seconds after 1970; start inclusive, end exclusive. If a bound is missing, the range is unlimited on that side. */
export interface TimeRange {
  readonly startSeconds: number | undefined
  readonly endSeconds: number | undefined
}

/** An informed entity of an alert. All fields that are present must match. */
export interface EntitySelector {
  readonly agencyId: string | undefined
  readonly routeId: string | undefined
  readonly routeType: number | undefined
  readonly directionId: number | undefined
  readonly trip: TripDescriptor | undefined
  readonly stopId: string | undefined
}

/** A string and its language. The language is undefined if the feed does not state it. */
export interface Translation {
  readonly text: string
  readonly language: string | undefined
}
