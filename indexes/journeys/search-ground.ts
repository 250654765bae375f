// Input and output of a search. Times are the search's own: seconds after a span's base, negated if the search runs
// backwards.
import type { Continuations } from './continuations.ts'
import type { Footpaths } from './footpaths.ts'
import type { RouteLayer } from './route-layer.ts'

/** Stops or points within walking distance, and the walking times in seconds. */
export interface WalkEnds<Place extends number = number> {
  readonly stops: readonly Place[]
  readonly seconds: readonly number[]
}

/**
 * The data of a search: layers of routes, the transfers between points, and the trips and lines that must not be used.
 */
export interface SearchGround {
  readonly layers: readonly RouteLayer[]
  /** Instance of the first layer → 1 if the instance must not be used; undefined if all instances may be used. */
  readonly masked: Uint8Array | undefined
  readonly footpaths: Footpaths
  /** Line → 1 if the line may be used; undefined if all lines may be used. */
  readonly lines: Uint8Array | undefined
  /** In-seat transfers; undefined if there are none. */
  readonly continuations: Continuations | undefined
}

/**
 * The labels of a search in the other direction of time. A search uses them to exclude rides from which the destination
 * cannot be reached. The members have the same names and meanings as in `SearchState`, but times are negated.
 */
export interface SearchBounds {
  readonly data: Int32Array
  /** A label is point << shift | (vehicles & mask). */
  readonly shift: number
  readonly mask: number
  /**
   * Index in `data` of a table: label → the latest departure from the point with which riders can still arrive, with
   * this many vehicles.
   */
  readonly arrival: number
  /**
   * Index in `data` of a table: label → the latest time at which a rider can alight at the point and still arrive with
   * this many further vehicles.
   */
  readonly ready: number
  /**
   * The time at which the other search stopped. There are no bounds at or beyond this time. UNREACHED if the search was
   * complete.
   */
  readonly end: number
}

/** The task of a search. */
export interface SearchTask {
  /** The points at which journeys may start. Must include all points that are later passed to `leave`. */
  readonly access: WalkEnds
  readonly egress: WalkEnds
  /** Journeys depart before this time. */
  readonly leaveBefore?: number
  /** Arrivals at or after this time are useless. */
  readonly worst?: number
  /** Maximum duration of a journey; undefined if there is no maximum. */
  readonly mostSeconds?: number | undefined
  readonly bounds?: SearchBounds
  /**
   * Number of vehicles → a time. Leaving at this time or earlier is useless. With more vehicles, the time is the same
   * or later.
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
