// How well the updates of a feed match the timetable: counts by reason, and the updates that did not match.
import type { TripDescriptor } from '../../loaders/gtfs-rt/message.ts'

/**
 * Counts for one feed: its trip updates, the updates that matched, and the ignored or repaired parts of its messages.
 */
export interface FeedMatches {
  /** Number of trip updates in the feed. */
  readonly total: number
  /** Number of trip updates that matched a trip. */
  readonly matched: number
  /** Reason → how many message parts were ignored or repaired for this reason. */
  readonly reasons: Readonly<Record<string, number>>
}

/** A trip update that was ignored. */
export interface UnmatchedUpdate {
  /** The reason under which the update was counted. */
  readonly reason: string
  readonly trip: TripDescriptor
}

/** Counts reasons while a feed is being read. */
export class Tally {
  total = 0
  matched = 0
  readonly reasons: Record<string, number> = {}
  /** The last reason that was counted. If the update that is being read is then ignored, this is why. */
  last = ''

  readonly count = (reason: string): void => {
    this.reasons[reason] = (this.reasons[reason] ?? 0) + 1
    this.last = reason
  }
}
