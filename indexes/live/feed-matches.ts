// How well the updates of a feed match the timetable: counts by reason, and a list of the unmatched ones.
import type { TripDescriptor } from '../../loaders/gtfs-rt/message.ts'

/** Match results for the trips of one feed. */
export interface FeedMatches {
  /** The number of trip updates in the feed. */
  readonly total: number
  /** Updates that matched a trip. */
  readonly matched: number
  /** Counts of ignored and repaired parts, by reason. */
  readonly reasons: Readonly<Record<string, number>>
}

/** An ignored trip update. */
export interface UnmatchedUpdate {
  /** One of the counted reasons. */
  readonly reason: string
  readonly trip: TripDescriptor
}

/** Counts reasons while a feed is read. */
export class Tally {
  total = 0
  matched = 0
  readonly reasons: Record<string, number> = {}
  /** The latest reason; explains an ignored update. */
  last = ''

  readonly count = (reason: string): void => {
    this.reasons[reason] = (this.reasons[reason] ?? 0) + 1
    this.last = reason
  }
}
