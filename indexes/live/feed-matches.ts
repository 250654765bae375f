// How well the updates of a feed match the timetable: counts by reason, and the updates that did not match.
import type { TripDescriptor } from '../../loaders/gtfs-rt/message.ts'

/** The match results of one feed. */
export interface FeedMatches {
  /** Number of trip updates in the feed. */
  readonly total: number
  /** Number of updates that matched a trip. */
  readonly matched: number
  /** Reason → number of parts that were ignored or repaired. */
  readonly reasons: Readonly<Record<string, number>>
}

/** A trip update that was ignored. */
export interface UnmatchedUpdate {
  /** One of the reasons that are counted. */
  readonly reason: string
  readonly trip: TripDescriptor
}

/** Counts reasons while a feed is being read. */
export class Tally {
  total = 0
  matched = 0
  readonly reasons: Record<string, number> = {}
  /** The last reason that was counted, which is why an update was ignored. */
  last = ''

  readonly count = (reason: string): void => {
    this.reasons[reason] = (this.reasons[reason] ?? 0) + 1
    this.last = reason
  }
}
