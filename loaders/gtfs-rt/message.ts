// A decoded GTFS-Realtime message: plain objects, times in seconds after 1970, absent values undefined.
// Made by decode-message.ts; field names follow the GTFS-Realtime reference.

/** Entities by kind: of one message, or of a feed as of its newest message. */
export interface FeedEntities {
  /** Several updates may have one descriptor: the New York subway sends two trains with one trip id. */
  readonly trips: readonly TripUpdate[]
  readonly vehicles: readonly VehicleReport[]
  readonly alerts: readonly AlertReport[]
  readonly modifications: readonly TripModifications[]
  readonly shapes: readonly LiveShape[]
}

/** One message of one feed. */
export interface RealtimeMessage extends FeedEntities {
  readonly version: string
  /** Whether the message replaces everything the feed sent before, or contains changes only. */
  readonly incrementality: 'full_dataset' | 'differential'
  /** Header timestamp; undefined if the feed does not give one. */
  readonly timestampSeconds: number | undefined
  /** Ids of entities that a differential message deletes. */
  readonly deletedIds: readonly string[]
  /** Entities and fields dropped while decoding, by reason: `duplicate_entity_id`, `entity_without_content`… */
  readonly dropped: Readonly<Record<string, number>>
}

/** The trip that a feed refers to. Empty texts are undefined. */
export interface TripDescriptor {
  readonly tripId: string | undefined
  readonly routeId: string | undefined
  readonly directionId: number | undefined
  /** `HH:MM:SS` as seconds after the service day's zero. */
  readonly startSeconds: number | undefined
  /** yyyymmdd. */
  readonly startDate: string | undefined
  readonly relationship: TripRelationship
  /** The trip as changed by the TripModifications with this entity id: stop_sequences count from 1 again. */
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

/** VehicleDescriptor. */
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
  /** Delay of the whole trip, if the feed gives one. */
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
  /** The platform the call moved to (StopTimeProperties.assigned_stop_id). */
  readonly assignedStopId: string | undefined
  readonly headsign: string | undefined
  /** 0..3, if the feed changes them. */
  readonly pickupType: number | undefined
  readonly dropOffType: number | undefined
}

/** StopTimeEvent; undefined instead of an event with neither time nor delay. */
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

/** A span of calls and its replacement. */
export interface Modification {
  /** First replaced call; without an end selector, the replacement stops are inserted before it. */
  readonly start: StopSelector | undefined
  readonly end: StopSelector | undefined
  /** Added to all times after the span. */
  readonly delaySeconds: number
  readonly replacements: readonly ReplacementStop[]
  /** Entity id of the alert about the detour. */
  readonly alertId: string | undefined
}

/** Selects a call of a trip by sequence or stop. */
export type StopSelector = Pick<StopTimeUpdate, 'stopSequence' | 'stopId'>

/** One stop of a detour. */
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
  /** OccupancyStatus in snake_case; undefined if absent or NO_DATA_AVAILABLE. */
  readonly occupancy: string | undefined
}

/** One Alert entity. */
export interface AlertReport {
  readonly entityId: string
  readonly activePeriods: readonly TimeRange[]
  readonly communicationPeriods: readonly TimeRange[]
  readonly impactPeriods: readonly TimeRange[]
  readonly selectors: readonly EntitySelector[]
  /** In snake_case. */
  readonly cause: string
  readonly effect: string
  /** `unknown`, `info`, `warning`, `severe`. */
  readonly severity: string
  readonly header: readonly Translation[]
  readonly description: readonly Translation[]
  readonly url: readonly Translation[]
}

/** Seconds after 1970, start inclusive, end exclusive; a missing bound is open. */
export interface TimeRange {
  readonly startSeconds: number | undefined
  readonly endSeconds: number | undefined
}

/** An informed entity of an alert: all given fields must match. */
export interface EntitySelector {
  readonly agencyId: string | undefined
  readonly routeId: string | undefined
  readonly routeType: number | undefined
  readonly directionId: number | undefined
  readonly trip: TripDescriptor | undefined
  readonly stopId: string | undefined
}

/** A text and its language; undefined if the feed does not give the language. */
export interface Translation {
  readonly text: string
  readonly language: string | undefined
}
