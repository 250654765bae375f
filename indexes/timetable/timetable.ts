// The timetable: all static data of one network as columns, as stored in a snapshot. Built by build-timetable.ts from a
// Feed, and read by boards, lines, areas and journeys.
import { type Column, type Index, NONE, nextIndex } from '../../loaders/columns.ts'
import type { StringIndex, StringPool } from '../../loaders/strings.ts'
import type { Mode } from './modes.ts'

/** A stop (location_type 0). Stops are numbered in the order of their ids (UTF-16 code units). */
export type StopIndex = Index<'Stop'>
/** A station, or a group of stops with the same name, numbered by id. */
export type AreaIndex = Index<'Area'>
/** A line, numbered in line order: by sort_order, then code (natural order), then id. */
export type LineIndex = Index<'Line'>
/** A line in one direction. The directions of a line are consecutive, by direction id. */
export type DirectionIndex = Index<'Direction'>
/** Trips of one line and direction that have the same sequence of calls and never overtake each other. */
export type PatternIndex = Index<'Pattern'>
/** An index into `patterns.stopAt`: the first index of the pattern plus the stop position. */
export type PatternStopIndex = Index<'PatternStop'>
/** A trip in the feed. The trips of a pattern are consecutive, earliest first. */
export type TripIndex = Index<'Trip'>
/** The index of one call's times in the stop-time columns; see `stopTimeAt`. */
export type StopTimeIndex = Index<'StopTime'>
export type ServiceIndex = Index<'Service'>
export type ShapeIndex = Index<'Shape'>
export type ShapePointIndex = Index<'ShapePoint'>
/** A row of a stop's board. */
export type BoardIndex = Index<'Board'>
/** A row of a stop's frequency board: one call of a frequency trip. */
export type FrequencyBoardIndex = Index<'FrequencyBoard'>
export type FrequencyIndex = Index<'Frequency'>
export type TransferIndex = Index<'Transfer'>

export interface Stops {
  readonly id: Column<StopIndex, StringIndex>
  readonly code: Column<StopIndex, StringIndex>
  readonly name: Column<StopIndex, StringIndex>
  /** Degrees, WGS 84. */
  readonly lat: Column<StopIndex>
  readonly lon: Column<StopIndex>
  /** NONE if the stop has no area. */
  readonly area: Column<StopIndex, AreaIndex>
  /** wheelchair_boarding, or the station's if the stop has no value: 0 unknown, 1 accessible, 2 not accessible. */
  readonly wheelchair: Column<StopIndex>
  readonly platformCode: Column<StopIndex, StringIndex>
  readonly zoneId: Column<StopIndex, StringIndex>
  /** Stop → the lines that riders can board or leave at this stop on at least one day, in line order. */
  readonly lineOffset: Column<StopIndex>
  readonly lineAt: Column<number, LineIndex>
  /** Number of departures on the busiest day of the network, used for ranking. */
  readonly dailyDepartures: Column<StopIndex>
  /** Sum of STOP_HAS_… bits. */
  readonly callKinds: Column<StopIndex>
}

/** At least one trip calls at this stop. */
export const STOP_HAS_CALLS = 1
/** At least one call at this stop is not the last of its trip. */
export const STOP_HAS_DEPARTURES = 2
/** At least one call at this stop allows boarding and is not the last of its trip. */
export const STOP_HAS_BOARDINGS = 4
/**
 * Riders can neither board nor alight at this stop, not even on trips that only live data contains. Set only in
 * step-free views of a timetable.
 */
export const STOP_IS_CLOSED = 8

export interface Areas {
  readonly id: Column<AreaIndex, StringIndex>
  readonly code: Column<AreaIndex, StringIndex>
  readonly name: Column<AreaIndex, StringIndex>
  readonly lat: Column<AreaIndex>
  readonly lon: Column<AreaIndex>
  /** 1 if the area has stops where riders can board, and all of these stops are accessible; otherwise 0. */
  readonly accessible: Column<AreaIndex>
  readonly stopOffset: Column<AreaIndex>
  readonly stopAt: Column<number, StopIndex>
  readonly lineOffset: Column<AreaIndex>
  readonly lineAt: Column<number, LineIndex>
}

/** Entrances, generic nodes and boarding areas, sorted by id. Each belongs either to a stop or to an area. */
export interface StationParts {
  readonly id: Column<number, StringIndex>
  /** NONE if the part belongs to an area. */
  readonly stop: Column<number, StopIndex>
  /** NONE if the part belongs to a stop. */
  readonly area: Column<number, AreaIndex>
}

export interface Lines {
  readonly id: Column<LineIndex, StringIndex>
  /** route_short_name, used to sort lines. For the code to display, see `lineCode`. */
  readonly code: Column<LineIndex, StringIndex>
  readonly name: Column<LineIndex, StringIndex>
  readonly mode: Column<LineIndex, Mode>
  /** GTFS route_type, basic or extended, as in the feed. */
  readonly routeType: Column<LineIndex>
  /** 0xRRGGBB. */
  readonly color: Column<LineIndex>
  readonly textColor: Column<LineIndex>
  readonly operator: Column<LineIndex, StringIndex>
  /** Position in `meta.agencies`. */
  readonly agency: Column<LineIndex>
  readonly sortOrder: Column<LineIndex>
  /** network_id of the route in the feed; empty if the route has none. */
  readonly fareNetwork: Column<LineIndex, StringIndex>
  /** 1 if every trip has wheelchair_accessible 1. */
  readonly accessible: Column<LineIndex>
  /** Line → its first direction; has one extra entry. */
  readonly directionOffset: Column<LineIndex, DirectionIndex>
  /** Line → its first pattern; has one extra entry. */
  readonly patternOffset: Column<LineIndex, PatternIndex>
  /** The lines sorted by id, for lookup. */
  readonly byId: Column<number, LineIndex>
}

export interface Directions {
  readonly line: Column<DirectionIndex, LineIndex>
  /** 0 or 1, from the feed or derived. */
  readonly directionId: Column<DirectionIndex>
  readonly headsign: Column<DirectionIndex, StringIndex>
  readonly name: Column<DirectionIndex, StringIndex>
  /** Direction → its merged stop order. */
  readonly stopOffset: Column<DirectionIndex>
  readonly stopAt: Column<number, StopIndex>
  /** Direction → its shapes: the most used, then those of branches that earlier shapes do not cover. May be none. */
  readonly shapeOffset: Column<DirectionIndex>
  readonly shapeAt: Column<number, ShapeIndex>
}

export interface Patterns {
  readonly line: Column<PatternIndex, LineIndex>
  readonly direction: Column<PatternIndex, DirectionIndex>
  /** Pattern → its first stop position; has one extra entry. */
  readonly stopOffset: Column<PatternIndex, PatternStopIndex>
  readonly stopAt: Column<PatternStopIndex, StopIndex>
  /** pickup_type 0..3. */
  readonly pickupType: Column<PatternStopIndex>
  readonly dropOffType: Column<PatternStopIndex>
  /** Pattern → its first trip; has one extra entry. */
  readonly tripOffset: Column<PatternIndex, TripIndex>
  /** Pattern → its first stop time; has one extra entry. */
  readonly timeOffset: Column<PatternIndex, StopTimeIndex>
  /** 1 if the pattern consists of a single frequency trip. Its times are relative to the trip's first departure. */
  readonly isFrequency: Column<PatternIndex>
}

export interface Trips {
  readonly id: Column<TripIndex, StringIndex>
  /** Rank of the trip's id among all trips, compared by UTF-16 code units. */
  readonly idRank: Column<TripIndex>
  /** The trips sorted by id, for lookup. */
  readonly byId: Column<number, TripIndex>
  readonly pattern: Column<TripIndex, PatternIndex>
  readonly service: Column<TripIndex, ServiceIndex>
  /** The headsign of the trip, or the name of its last stop if the trip has no headsign. */
  readonly headsign: Column<TripIndex, StringIndex>
  readonly shortName: Column<TripIndex, StringIndex>
  /** The path id by which some live feeds refer to the trip (mta_trip_id); usually empty. */
  readonly pathId: Column<TripIndex, StringIndex>
  readonly block: Column<TripIndex, StringIndex>
  /** NONE if the trip has no shape. */
  readonly shape: Column<TripIndex, ShapeIndex>
  /** 0 unknown, 1 yes, 2 no. */
  readonly wheelchair: Column<TripIndex>
  readonly bikes: Column<TripIndex>
  /** Trip → start of its stop_sequences in `callProfiles.stopSequence`. */
  readonly sequenceProfile: Column<TripIndex>
  /** Trip → start of its calls' headsigns in `callProfiles.headsign`; NONE if the trip's headsign applies to all. */
  readonly headsignProfile: Column<TripIndex>
  /** Trip → start of its calls' distances in `callProfiles.shapeDistance`; NONE if no call has one. */
  readonly distanceProfile: Column<TripIndex>
  /** Trip → its first frequency; has one extra entry. */
  readonly frequencyOffset: Column<TripIndex, FrequencyIndex>
}

/** Call data that trips share. Each distinct list is stored once. */
export interface CallProfiles {
  readonly stopSequence: Column<number>
  /** Empty if the trip's headsign applies. */
  readonly headsign: Column<number, StringIndex>
  readonly shapeDistance: Column<number>
}

/** Times in seconds after the service day's zero, sorted by pattern, stop position and trip. */
export interface StopTimes {
  readonly arrivalSeconds: Column<StopTimeIndex>
  readonly departureSeconds: Column<StopTimeIndex>
}

export interface Frequencies {
  readonly startSeconds: Column<FrequencyIndex>
  /** End of the frequency, exclusive. */
  readonly endSeconds: Column<FrequencyIndex>
  readonly headwaySeconds: Column<FrequencyIndex>
  readonly exactTimes: Column<FrequencyIndex>
}

/** For each stop, the calls that allow boarding, sorted by departure, line, trip id and stop position. */
export interface Boards {
  /** Stop → its first row; has one extra entry. */
  readonly offset: Column<StopIndex, BoardIndex>
  readonly departureSeconds: Column<BoardIndex>
  readonly trip: Column<BoardIndex, TripIndex>
  readonly position: Column<BoardIndex>
  /**
   * Like `offset`, for the calls of frequency trips. These calls have no departure column, because their departures
   * depend on the run.
   */
  readonly frequencyOffset: Column<StopIndex, FrequencyBoardIndex>
  readonly frequencyTrip: Column<FrequencyBoardIndex, TripIndex>
  readonly frequencyPosition: Column<FrequencyBoardIndex>
}

/** Which services run on which service days. */
export interface ServiceDays {
  readonly serviceId: Column<ServiceIndex, StringIndex>
  /**
   * One bit for each service and day, at bit number service × bytesPerService × 8 + day. In each byte, the least
   * significant bit comes first.
   */
  readonly activeDays: Column<number>
  /** Day (from `meta.firstDay`) → the instant of its zero (local noon minus 12 hours), in seconds after 1970. */
  readonly zeroSeconds: Column<number>
  /** Day → number of trips that run on it; a frequency trip counts once. */
  readonly tripCount: Column<number>
}

export interface Shapes {
  readonly id: Column<ShapeIndex, StringIndex>
  readonly pointOffset: Column<ShapeIndex, ShapePointIndex>
  /** Microdegrees. */
  readonly latE6: Column<ShapePointIndex>
  readonly lonE6: Column<ShapePointIndex>
  /** Distance from the shape's start in the feed's unit; NaN if unknown. Empty if no shape has distances. */
  readonly distance: Column<ShapePointIndex>
}

/** The rules in transfers.txt. A field that a rule leaves empty is NONE. */
export interface Transfers {
  readonly fromStop: Column<TransferIndex, StopIndex>
  readonly toStop: Column<TransferIndex, StopIndex>
  readonly fromArea: Column<TransferIndex, AreaIndex>
  readonly toArea: Column<TransferIndex, AreaIndex>
  readonly fromLine: Column<TransferIndex, LineIndex>
  readonly toLine: Column<TransferIndex, LineIndex>
  readonly fromTrip: Column<TransferIndex, TripIndex>
  readonly toTrip: Column<TransferIndex, TripIndex>
  readonly type: Column<TransferIndex>
  readonly minSeconds: Column<TransferIndex>
}

/** The shortest walks inside stations, along the pathways in pathways.txt. Empty if the feed has none. */
export interface StationWays {
  /** Stop → its first walk to another stop of its station; has one extra entry. */
  readonly stopOffset: Column<StopIndex>
  /** The stop where each walk ends, ascending for each stop. */
  readonly toStop: Column<number, StopIndex>
  readonly seconds: Column<number>
  /** Stop → the first entrance that pathways connect to it; has one extra entry. */
  readonly doorOffset: Column<StopIndex>
  /** Degrees. */
  readonly doorLat: Column<number>
  readonly doorLon: Column<number>
  /**
   * `inSeconds`: seconds from the entrance to the stop. `outSeconds`: from the stop to the entrance. NONE if there is
   * no walk.
   */
  readonly inSeconds: Column<number>
  readonly outSeconds: Column<number>
  /** Like `seconds`, `inSeconds` and `outSeconds`, without stairs and escalators; BY_STEPS if all walks need them. */
  readonly stepFreeSeconds: Column<number>
  readonly stepFreeInSeconds: Column<number>
  readonly stepFreeOutSeconds: Column<number>
}

/** Value of a step-free time if every walk needs stairs or escalators. */
export const BY_STEPS = NONE - 1

/** The words in names and codes of stops and areas. See indexes/text. */
export interface StopWords {
  /** Distinct normalized tokens, sorted by UTF-16 code units. */
  readonly tokenBytes: Column<number>
  readonly tokenOffset: Column<number>
  /** Token → its first posting; has one extra entry. */
  readonly postingOffset: Column<number>
  /**
   * For each token, the stops and areas that contain it, ascending: a stop index, or the number of stops plus an area
   * index.
   */
  readonly posting: Column<number>
}

/** Orders of stops and areas. A place's number is its stop index, or the number of stops plus its area index. */
export interface PlaceOrders {
  /**
   * The words of the name, without accents, case and punctuation, separated by single spaces. `plainCode` is the same
   * for the code.
   */
  readonly plainName: Column<number, StringIndex>
  readonly plainCode: Column<number, StringIndex>
  /** Departures on the busiest day. */
  readonly dailyDepartures: Column<number>
  /** Sorted by name in natural order, then areas before stops, then by id. */
  readonly byName: Column<number>
  /** Sorted by daily departures, most first, then by name. */
  readonly byRelevance: Column<number>
  /** Number → its position in `byRelevance`. */
  readonly relevanceRank: Column<number>
}

/** Flatbush trees over stops and over areas, in Flatbush's own format. */
export interface PointTrees {
  readonly stops: Column<number>
  readonly areas: Column<number>
}

/** Data that is not in columns. */
export interface TimetableMeta {
  /** IANA time zone of the agencies and of all times. */
  readonly timezone: string
  /** feed_lang, otherwise agency_lang, otherwise ''. */
  readonly language: string
  readonly modes: readonly string[]
  readonly firstDay: number
  readonly dayCount: number
  readonly bytesPerService: number
  /**
   * Latest departure or arrival in seconds after the service day's zero, including runs of frequency trips. It
   * determines how many earlier service days a board must include.
   */
  readonly maxTimeSeconds: number
  readonly hasShapes: boolean
  readonly agencies: readonly { id: string; name: string; url: string; timezone: string; lang: string }[]
  readonly feedInfo:
    | { publisherName: string; publisherUrl: string; lang: string; version: string; startDate: number; endDate: number }
    | undefined
  readonly attributions: readonly string[]
  /**
   * The carried tables (see timetable-meta.ts): name, row count and column names. The names are in the order of the
   * columns in `carried`.
   */
  readonly carried: readonly { name: string; count: number; columns: readonly string[] }[]
}

/** All static data of one network. Read-only. */
export interface Timetable {
  readonly meta: TimetableMeta
  readonly strings: StringPool
  readonly stops: Stops
  readonly areas: Areas
  readonly stationParts: StationParts
  readonly lines: Lines
  readonly directions: Directions
  readonly patterns: Patterns
  readonly trips: Trips
  readonly callProfiles: CallProfiles
  readonly stopTimes: StopTimes
  readonly frequencies: Frequencies
  readonly boards: Boards
  readonly serviceDays: ServiceDays
  readonly shapes: Shapes
  readonly transfers: Transfers
  readonly stationWays: StationWays
  readonly stopWords: StopWords
  readonly placeOrders: PlaceOrders
  readonly pointTrees: PointTrees
  /** `<file>/<column>` → the strings in this column. */
  readonly carried: { readonly [key: string]: Column<number, StringIndex> }
}

/** The index of a trip's times at a stop position. */
export function stopTimeAt(timetable: Timetable, trip: TripIndex, position: number): StopTimeIndex {
  const { patterns, trips } = timetable
  const pattern = trips.pattern[trip]
  const firstTrip = patterns.tripOffset[pattern]
  const tripCount = patterns.tripOffset[nextIndex(pattern)] - firstTrip
  return (patterns.timeOffset[pattern] + position * tripCount + (trip - firstTrip)) as StopTimeIndex
}

/** All stops, ascending. */
export function* eachStop({ stops }: Pick<Timetable, 'stops'>): Generator<StopIndex> {
  for (let stop = 0 as StopIndex; stop < stops.id.length; stop = nextIndex(stop)) yield stop
}

/** Number of calls in a pattern. */
export function callCount(timetable: Timetable, pattern: PatternIndex): number {
  const { stopOffset } = timetable.patterns
  return stopOffset[nextIndex(pattern)] - stopOffset[pattern]
}

/** Whether a service runs on a day, counted from `meta.firstDay`. */
export function isActive(timetable: Timetable, service: ServiceIndex, day: number): boolean {
  const { bytesPerService } = timetable.meta
  const byte = timetable.serviceDays.activeDays[service * bytesPerService + (day >> 3)]
  return ((byte >> (day & 7)) & 1) === 1
}
