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

/** The data of a search: layers of routes, the changes between points, and what must not be used. */
export interface SearchGround {
  readonly layers: readonly RouteLayer[]
  /** Instance of the first layer → 1 if it must not be used; undefined if all may be. */
  readonly masked: Uint8Array | undefined
  readonly footpaths: Footpaths
  /** Line → 1 if it may be used; undefined if all may be. */
  readonly lines: Uint8Array | undefined
  /** In-seat transfers; undefined if there are none. */
  readonly continuations: Continuations | undefined
}

/**
 * The labels of a search in the other direction. They exclude rides from which the destination cannot be reached. The
 * members are named as in `SearchState`; times are negated.
 */
export interface SearchBounds {
  readonly data: Int32Array
  /** A label is point << shift | (vehicles & mask). */
  readonly shift: number
  readonly mask: number
  /** Index in `data` of a table: label → the latest departure from which this many vehicles are enough. */
  readonly arrival: number
  /**
   * Index in `data` of a table: label → the latest time of alighting after which this many further vehicles are enough.
   */
  readonly ready: number
  /**
   * The time at which the search stopped. There are no bounds at or beyond it. UNREACHED if the search was complete.
   */
  readonly end: number
}

/** What to search for. */
export interface SearchTask {
  /** Where journeys may start. Must include everything that is later passed to `leave`. */
  readonly access: WalkEnds
  readonly egress: WalkEnds
  /** Departures are before this time. */
  readonly leaveBefore?: number
  /** Arrivals at or after this time are useless. */
  readonly worst?: number
  /** Longer journeys are useless; undefined if all may be useful. */
  readonly mostSeconds?: number | undefined
  readonly bounds?: SearchBounds
  /** Number of vehicles → the time at or before which leaving is useless. Never decreases. */
  readonly lastKnown?: readonly number[]
  /** Maximum number of vehicles; MAX_VEHICLES if absent. */
  readonly mostVehicles?: number | undefined
  /** Whether the search computes bounds for another search. */
  readonly isForBounds?: boolean
}

/** A ride of a found journey. */
export interface FoundRide {
  readonly layer: number
  readonly route: number
  /** Index within the route. */
  readonly instance: number
  /** Position of boarding. */
  readonly from: number
  /** Position of alighting. */
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
