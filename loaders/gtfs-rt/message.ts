// A GTFS-Realtime feed message as the rest of the house reads it: plain objects with one meaning each, instants as
// numbers of seconds after 1970, absent things undefined. Made by decode-message.ts; field names follow the reference.

/** One message of one feed. */
export interface RealtimeMessage {
  readonly version: string
  /** Whether it stands for everything the feed knows, or tells of changes only. */
  readonly incrementality: 'full_dataset' | 'differential'
  /** Header time; undefined where the feed gives none. */
  readonly timestampSeconds: number | undefined
  readonly trips: readonly TripUpdate[]
  readonly vehicles: readonly VehicleReport[]
  readonly alerts: readonly AlertReport[]
  readonly modifications: readonly TripModifications[]
  readonly shapes: readonly LiveShape[]
  /** Entities that a differential message takes back, by entity id. */
  readonly deletedIds: readonly string[]
  /** What was left out of the message while it was decoded, by reason: `duplicate_entity_id`, `entity_without_content`… */
  readonly dropped: Readonly<Record<string, number>>
}

/** Which trip is meant, as a feed describes it. Empty texts are undefined. */
export interface TripDescriptor {
  readonly tripId: string | undefined
  readonly routeId: string | undefined
  readonly directionId: number | undefined
  /** `HH:MM:SS` as seconds after the service day's zero. */
  readonly startSeconds: number | undefined
  /** yyyymmdd. */
  readonly startDate: string | undefined
  readonly relationship: TripRelationship
  /** It means the trip as the TripModifications of this entity id have it: its stop_sequences count from 1 again. */
  readonly modificationsId?: string | undefined
}

/** TripDescriptor.ScheduleRelationship; ADDED is deprecated, and means what NEW says clearly. */
export type TripRelationship =
  | 'scheduled'
  | 'added'
  | 'unscheduled'
  | 'canceled'
  | 'replacement'
  | 'duplicated'
  | 'deleted'
  | 'new'

/** A vehicle as a feed names it. */
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
  /** Of the whole trip, where the feed gives one. */
  readonly delaySeconds: number | undefined
  readonly stopTimes: readonly StopTimeUpdate[]
  /** Of a trip that is new, duplicated or replaced (TripProperties). */
  readonly properties: TripProperties | undefined
}

/** What a TripUpdate says of a trip that the timetable does not have so. */
export interface TripProperties {
  readonly tripId: string | undefined
  readonly startDate: string | undefined
  readonly startSeconds: number | undefined
  readonly shapeId: string | undefined
  readonly headsign: string | undefined
  readonly shortName: string | undefined
}

/** One call of a TripUpdate. */
export interface StopTimeUpdate {
  readonly stopSequence: number | undefined
  readonly stopId: string | undefined
  readonly arrival: StopTimeEvent | undefined
  readonly departure: StopTimeEvent | undefined
  readonly relationship: 'scheduled' | 'skipped' | 'no_data' | 'unscheduled'
  /** The platform it was moved to (StopTimeProperties.assigned_stop_id). */
  readonly assignedStopId: string | undefined
  readonly headsign: string | undefined
  /** 0..3 where the feed changes them. */
  readonly pickupType: number | undefined
  readonly dropOffType: number | undefined
}

/** When; an event that gives neither is undefined in its place. */
export interface StopTimeEvent {
  readonly timeSeconds: number | undefined
  readonly delaySeconds: number | undefined
  readonly scheduledSeconds: number | undefined
}

/** One TripModifications entity: trips of the timetable that take another way on some days. */
export interface TripModifications {
  readonly entityId: string
  readonly selected: readonly { readonly tripIds: readonly string[]; readonly shapeId: string | undefined }[]
  /** The runs of frequency trips, in seconds after the service day's zero. */
  readonly startTimes: readonly number[]
  /** yyyymmdd. */
  readonly serviceDates: readonly string[]
  readonly modifications: readonly Modification[]
}

/** A span of calls that others replace. */
export interface Modification {
  /** Its first call; without an end, the call before which the others are put in. */
  readonly start: StopSelector | undefined
  readonly end: StopSelector | undefined
  /** Added to all times behind it. */
  readonly delaySeconds: number
  readonly replacements: readonly ReplacementStop[]
  /** Entity id of the alert that tells riders. */
  readonly alertId: string | undefined
}

/** A call of a trip, by sequence or stop. */
export type StopSelector = Pick<StopTimeUpdate, 'stopSequence' | 'stopId'>

/** A call of a detour. */
export interface ReplacementStop {
  /** From the arrival at the call before the span. */
  readonly travelSeconds: number | undefined
  readonly stopId: string | undefined
}

/** One Shape entity. */
export interface LiveShape {
  readonly entityId: string
  readonly shapeId: string | undefined
  /** Encoded, five decimals. */
  readonly polyline: string | undefined
}

/** One VehiclePosition entity. */
export interface VehicleReport {
  readonly entityId: string
  readonly trip: TripDescriptor | undefined
  readonly vehicle: VehicleDescriptor | undefined
  readonly timestampSeconds: number | undefined
  /** Degrees, WGS 84; undefined where the report has no position. */
  readonly lat: number | undefined
  readonly lon: number | undefined
  /** Degrees clockwise from north. */
  readonly bearing: number | undefined
  readonly speedMetersPerSecond: number | undefined
  readonly stopSequence: number | undefined
  readonly stopId: string | undefined
  readonly status: 'incoming_at' | 'stopped_at' | 'in_transit'
  /** OccupancyStatus in snake_case; undefined for NO_DATA_AVAILABLE and where absent. */
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

/** Instants in seconds after 1970, start inclusive, end exclusive; a missing bound is open. */
export interface TimeRange {
  readonly startSeconds: number | undefined
  readonly endSeconds: number | undefined
}

/** What an alert speaks of: all that is given must hold together. */
export interface EntitySelector {
  readonly agencyId: string | undefined
  readonly routeId: string | undefined
  readonly routeType: number | undefined
  readonly directionId: number | undefined
  readonly trip: TripDescriptor | undefined
  readonly stopId: string | undefined
}

/** A text in a language; the language undefined where the feed does not say. */
export interface Translation {
  readonly text: string
  readonly language: string | undefined
}
