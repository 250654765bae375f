// What a search is given and what it finds, in its own time: seconds after a span's base, negated where it runs backwards.
import type { Footpaths } from './footpaths.ts'
import type { RouteLayer } from './route-layer.ts'

/** Stops one can walk to, or from, and how long that takes. */
export interface WalkEnds {
  readonly stops: readonly number[]
  readonly seconds: readonly number[]
}

/** Layers of routes, and which instances of the first may not be taken. */
export interface SearchGround {
  readonly layers: readonly RouteLayer[]
  /** Instance of the first layer → 1 where it is not to be taken; undefined where all may be. */
  readonly masked: Uint8Array | undefined
  readonly footpaths: Footpaths
  /** Line → 1 where it may be taken; undefined where all may be. */
  readonly lines: Uint8Array | undefined
  /** Instances that go on as others, rider and all; undefined where none do. */
  readonly continuations: Continuations | undefined
}

/** Per stop, when boarding and alighting there is of use at the latest, in the search's own time. */
export interface SearchBounds {
  readonly board: Int32Array
  readonly alight: Int32Array
}

/** In-seat changes: instance → the one its vehicle becomes, both by their place in the layers joined end to end. */
export interface Continuations {
  readonly next: Int32Array
  /** Route (of all layers joined) → 1 where some instance of it goes on. */
  readonly routeHas: Uint8Array
}

/** A ride of a journey that was found. */
export interface FoundRide {
  readonly layer: number
  readonly route: number
  /** Within the route. */
  readonly instance: number
  /** Positions within the route. */
  readonly from: number
  readonly to: number
  /** The rider stays seated from the ride before. */
  readonly staysSeated: boolean
}

/** A journey that was found: from leaving to being there, in the search's own time. */
export interface FoundJourney {
  readonly leaves: number
  readonly arrives: number
  readonly vehicles: number
  readonly rides: readonly FoundRide[]
}
