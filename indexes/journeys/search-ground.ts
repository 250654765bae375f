// What a search is given and what it finds, in its own time: seconds after a span's base, negated where it runs backwards.
import type { Footpaths } from './footpaths.ts'
import type { RouteLayer } from './route-layer.ts'

/** Stops, or points, one can walk to, or from, and how long that takes. */
export interface WalkEnds<Place extends number = number> {
  readonly stops: readonly Place[]
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

/** The labels of a search back from an end: what a search forwards to it need not ride. As `SearchLabels`, times negated. */
export interface SearchBounds {
  /** Label → when the last vehicle leaves with which so many are enough. */
  readonly arrival: Int32Array
  /** Label → when one must have alighted at the latest, so that so many more are enough. */
  readonly ready: Int32Array
  /** The search went no further than this: whatever lies there or behind it is not bounded. UNREACHED where it went all the way. */
  readonly end: number
}

/** In-seat changes: instance → those its vehicle becomes, all by their place in the layers joined end to end. */
export interface Continuations {
  /** Instance → its first one; one longer. */
  readonly offset: Uint32Array
  readonly next: Uint32Array
  /** Route (of all layers joined) → 1 where some instance of it goes on. */
  readonly routeHas: Uint8Array
}

/** What is looked for. */
export interface SearchTask {
  /** Where journeys may start: all that `leave` is told. */
  readonly access: WalkEnds
  readonly egress: WalkEnds
  /** Nobody leaves then or later. */
  readonly leaveBefore?: number
  /** The first arrival that is of no use. */
  readonly worst?: number
  readonly bounds?: SearchBounds
  /** By number of vehicles: leaving then or earlier is of no use. Never less than for fewer vehicles. */
  readonly lastKnown?: readonly number[]
  /** Vehicles taken, at most; MAX_VEHICLES where absent. */
  readonly mostVehicles?: number | undefined
  /** Whether to find what bounds another search: that one rules out what is not to be ridden. */
  readonly isForBounds?: boolean
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
