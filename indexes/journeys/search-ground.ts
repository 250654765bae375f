// Input and output of a search, in its own time: seconds after a span's base, negated if the search runs backwards.
import type { Continuations } from './continuations.ts'
import type { Footpaths } from './footpaths.ts'
import type { RouteLayer } from './route-layer.ts'

/** Stops, or points, within walking distance, and the walking times. */
export interface WalkEnds<Place extends number = number> {
  readonly stops: readonly Place[]
  readonly seconds: readonly number[]
}

/** Layers of routes, and the instances of the first layer that must not be used. */
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
 * The labels of a backward search from an end: they prune a forward search to it. As in `SearchState`, times negated.
 */
export interface SearchBounds {
  readonly data: Int32Array
  /** A label: point << shift | (vehicles & mask). */
  readonly shift: number
  readonly mask: number
  /** Offset in `data` of a table by label: the last departure from which this many vehicles are enough. */
  readonly arrival: number
  /** Offset in `data` of a table by label: the latest alighting time from which this many more vehicles are enough. */
  readonly ready: number
  /** The search stopped at this time: anything at or beyond it has no bound. UNREACHED if the search was complete. */
  readonly end: number
}

/** The target of a search. */
export interface SearchTask {
  /** Where journeys may start: all starts passed to `leave`. */
  readonly access: WalkEnds
  readonly egress: WalkEnds
  /** Departures are before this time. */
  readonly leaveBefore?: number
  /** Arrivals at or after this time are useless. */
  readonly worst?: number
  readonly bounds?: SearchBounds
  /** By number of vehicles: leaving at or before this time is useless. Never decreases with the number of vehicles. */
  readonly lastKnown?: readonly number[]
  /** Maximum number of vehicles; MAX_VEHICLES if absent. */
  readonly mostVehicles?: number | undefined
  /** Whether to compute bounds for another search, which uses them to rule out rides. */
  readonly isForBounds?: boolean
}

/** A ride of a found journey. */
export interface FoundRide {
  readonly layer: number
  readonly route: number
  /** Index within the route. */
  readonly instance: number
  /** Positions within the route. */
  readonly from: number
  readonly to: number
  /** The rider stays seated from the previous ride. */
  readonly staysSeated: boolean
}

/** A found journey: from departure to arrival, in the search's own time. */
export interface FoundJourney {
  readonly leaves: number
  readonly arrives: number
  readonly vehicles: number
  readonly rides: readonly FoundRide[]
}
