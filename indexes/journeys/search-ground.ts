// The input and output of a search. All times are in seconds after the `baseSeconds` of a span (see span.ts), and are
// negated if the search runs backward.
import type { Continuations } from './continuations.ts'
import type { Footpaths } from './footpaths.ts'
import type { RouteLayer } from './route-layer.ts'

/** Stops or transfer points within walking distance of a place, and the walking times in seconds. */
export interface WalkEnds<Place extends number = number> {
  readonly stops: readonly Place[]
  readonly seconds: readonly number[]
}

/**
 * The data that a search reads: route layers, the transfers between points, and the trips and lines that must not be
 * used.
 */
export interface SearchGround {
  readonly layers: readonly RouteLayer[]
  /** Instance in the first layer → 1 if the instance must not be used; undefined if all instances may be used. */
  readonly masked: Uint8Array | undefined
  readonly footpaths: Footpaths
  /** Line → 1 if the line may be used; undefined if all lines may be used. */
  readonly lines: Uint8Array | undefined
  /** In-seat transfers; undefined if there are none. */
  readonly continuations: Continuations | undefined
}

/**
 * The labels of a search that ran in the opposite direction of time. A search uses them to exclude rides from which the
 * destination cannot be reached. The members have the same names and meanings as in `SearchState`, but times are
 * negated.
 */
export interface SearchBounds {
  readonly data: Int32Array
  /** A label is point << shift | (vehicles & mask). */
  readonly shift: number
  readonly mask: number
  /**
   * Where a table starts in `data`. The table is: label → the latest departure from the label's point with which riders
   * can still arrive, using at most the label's number of vehicles.
   */
  readonly arrival: number
  /**
   * Where a table starts in `data`. The table is: label → the latest time at which riders can alight at the label's
   * point and still arrive, using at most the label's number of further vehicles.
   */
  readonly ready: number
  /**
   * The time at which the opposite search stopped. There are no bounds at or beyond this time. UNREACHED if that search
   * was complete.
   */
  readonly end: number
}

/** What a search must find: the start and end points of journeys, and limits on the journeys. */
export interface SearchTask {
  /** The points at which journeys may start. Must include all points that are later passed to `RaptorSearch.leave`. */
  readonly access: WalkEnds
  readonly egress: WalkEnds
  /** Journeys depart before this time. */
  readonly leaveBefore?: number
  /** Arrivals at or after this time are not wanted. */
  readonly worst?: number
  /** Maximum duration of a journey; undefined if there is no maximum. */
  readonly mostSeconds?: number | undefined
  readonly bounds?: SearchBounds
  /**
   * Number of vehicles → a time. Journeys with this number of vehicles that depart at or before this time are not
   * wanted, because better ones are known. For more vehicles, the time is the same or later.
   */
  readonly lastKnown?: readonly number[]
  /** Maximum number of vehicles; MAX_VEHICLES if absent. */
  readonly mostVehicles?: number | undefined
  /** Whether the result of the search is used as bounds for another search. */
  readonly isForBounds?: boolean
}

/** A ride of a found journey. */
export interface FoundRide {
  readonly layer: number
  readonly route: number
  /** Index of the instance within its route. */
  readonly instance: number
  /** Position at which the rider boards. */
  readonly from: number
  /** Position at which the rider alights. */
  readonly to: number
  /** Whether the rider stays seated from the previous ride. */
  readonly staysSeated: boolean
}

/** A found journey, in the search's own time. */
export interface FoundJourney {
  readonly leaves: number
  readonly arrives: number
  readonly vehicles: number
  readonly rides: readonly FoundRide[]
}
