// How well the updates of a feed fit the timetable: counted by reason, and those that fit nothing one by one.
import type { TripDescriptor } from '../../loaders/gtfs-rt/message.ts'

/** What came of the trips of one feed. */
export interface FeedMatches {
  /** Trip updates it has. */
  readonly total: number
  /** Those that found their trip. */
  readonly matched: number
  /** What could not be used, or had to be mended, by reason. */
  readonly reasons: Readonly<Record<string, number>>
}

/** A trip update that could not be used. */
export interface UnmatchedUpdate {
  /** One of the reasons that are counted. */
  readonly reason: string
  readonly trip: TripDescriptor
}

/** Counts them while a feed is read. */
export class Tally {
  total = 0
  matched = 0
  readonly reasons: Record<string, number> = {}
  /** The newest of them: of an update that is left, why. */
  last = ''

  readonly count = (reason: string): void => {
    this.reasons[reason] = (this.reasons[reason] ?? 0) + 1
    this.last = reason
  }
}
