// The interface of the walks that journey planning uses. There are two implementations. straight-walks.ts uses straight
// lines. street-walks.ts follows the streets of an extract, and uses straight lines for places that are not on a
// street.
import type { WalkPlace } from '../spatial/walking.ts'
import type { AreaIndex, StopIndex } from '../timetable/timetable.ts'
import type { WalkStep } from './street-way.ts'

/** An end of a walk: a stop, an area, or any other place. */
export interface WalkEnd extends WalkPlace {
  readonly place?:
    | { readonly kind: 'stop'; readonly stop: StopIndex }
    | { readonly kind: 'area'; readonly area: AreaIndex }
    | undefined
}

/** Length and duration of a walk. */
export interface Walk {
  readonly meters: number
  readonly seconds: number
}

/** A walk between an end and a stop. */
export interface StopWalk extends Walk {
  readonly stop: StopIndex
}

/** The conditions of a search for stops around an end of a walk. */
export interface AroundQuestion {
  readonly maxMeters: number
  /** Whether people walk from the stops to the end, rather than from the end to the stops. */
  readonly isEgress: boolean
  /** Whether to include a stop. */
  readonly isWanted: (stop: StopIndex) => boolean
}

/** What a walk follows: streets, a straight line, or the pathways of a station. */
export type WalkSource = 'streets' | 'straight' | 'pathways'

/** The path of a walk, for display. */
export interface WalkCourse {
  readonly source: WalkSource
  /** The points of the path in degrees, both ends included. */
  readonly points: readonly WalkPlace[]
  /** The steps of the walk, street by street; undefined if the walk is not along streets. */
  readonly steps: readonly WalkStep[] | undefined
  /** Whether the whole walk is known to be accessible by wheelchair. */
  readonly isAccessible: boolean
}

/** Walks of one timetable for one kind of walker. */
export interface Walks {
  /**
   * The stops within walking distance of an end, each once, in any order. Includes walks along pathways and through
   * entrances.
   */
  around(end: WalkEnd, question: AroundQuestion): Iterable<StopWalk>
  /**
   * The walk between two places; undefined if no walk of at most `maxMeters` exists. Ignores the pathways between
   * stops.
   */
  between(from: WalkEnd, to: WalkEnd, maxMeters: number): Walk | undefined
  /** The stops within walking distance of a stop, for transfers. Ignores the pathways between stops. */
  near(stop: StopIndex, maxMeters: number): Iterable<StopWalk>
  /** The walk for a transfer between two stops, of any length. Uses pathways if they connect the two stops. */
  change(from: StopIndex, to: StopIndex): Walk
  /** What the walk follows from one end to the other. */
  sourceOf(from: WalkEnd, to: WalkEnd): WalkSource
  /**
   * The path of a walk from one end to the other.
   * @param meters the length of the walk
   */
  course(from: WalkEnd, to: WalkEnd, meters: number): WalkCourse
}
