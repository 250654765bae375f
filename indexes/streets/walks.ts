// The interface for walks in planning. It has two implementations: straight lines (straight-walks.ts), and the streets
// of an extract (street-walks.ts), which uses straight lines for places that are not on the streets.
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

/** Which stops around an end are requested. */
export interface AroundQuestion {
  readonly maxMeters: number
  /** Whether people walk from the stops to the end. */
  readonly isEgress: boolean
  /** The stops to consider; others are skipped. */
  readonly isAsked: (stop: StopIndex) => boolean
}

/** Along streets, in a straight line, or along the pathways of a station. */
export type WalkSource = 'streets' | 'straight' | 'pathways'

/** The route of a walk. */
export interface WalkCourse {
  readonly source: WalkSource
  /** In degrees, both ends included. */
  readonly points: readonly WalkPlace[]
  /** Along streets only. */
  readonly steps: readonly WalkStep[] | undefined
  /** Whether all of it is known to be accessible for wheelchairs. */
  readonly isAccessible: boolean
}

/** Walks of one timetable for one kind of walker. */
export interface Walks {
  /** The stops within a walk, each once, in any order. Walks inside stations and by their entrances included. */
  around(end: WalkEnd, question: AroundQuestion): Iterable<StopWalk>
  /** The walk between two places, ignoring pathways in stations; undefined if it is longer. */
  between(from: WalkEnd, to: WalkEnd, maxMeters: number): Walk | undefined
  /** Stops within a walk from a stop, for changes; ignores pathways in stations. */
  near(stop: StopIndex, maxMeters: number): Iterable<StopWalk>
  /** The walk of a change, however long: by pathways if these connect both stops. */
  change(from: StopIndex, to: StopIndex): Walk
  /** The source of a walk from one end to the other. */
  sourceOf(from: WalkEnd, to: WalkEnd): WalkSource
  /** The route of a walk from one end to the other. @param meters the length of that walk */
  course(from: WalkEnd, to: WalkEnd, meters: number): WalkCourse
}
