// What an import says of itself: the report kept beside a snapshot, printed by the command, read by the control thread.
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import type { FeedProblem, FileCounts } from '../../loaders/feed-problems.ts'
import { SNAPSHOT_FORMAT_VERSION } from '../../loaders/snapshot-file.ts'
import { dateOfDay, serviceSpan } from './service-span.ts'

/**
 * How an import ended. `up_to_date`: the newest snapshot is of these very feeds. `refused`: nothing of a feed can be
 * served. `held`: it could, but not in place of what serves now without an operator's word. `failed`: no fault of a
 * feed that was read, such as a download that failed or a full disk.
 */
export type ImportEnd = 'imported' | 'up_to_date' | 'refused' | 'held' | 'failed'

/** The report of one import. */
export interface ImportReport {
  readonly network: string
  /** The feeds' sources, without secrets, joined by commas. */
  readonly feed: string
  readonly feedHash: string
  readonly formatVersion: number
  readonly outcome: ImportEnd
  /** Why nothing was imported, where the outcome is `refused`, `held` or `failed`: a sentence, and one word for programs. */
  readonly refusal: string | undefined
  readonly reason: string | undefined
  readonly files: Readonly<Record<string, FileCounts>>
  readonly problems: readonly FeedProblem[]
  /** Sentences an operator should read: files that lost much, a calendar that has ended. */
  readonly warnings: readonly string[]
  readonly counts: Readonly<Record<string, number>>
  /** First and last service date, yyyy-mm-dd; empty without any service. */
  readonly firstDate: string
  readonly lastDate: string
  readonly snapshotPath: string
  readonly snapshotBytes: number
  readonly seconds: number
}

/** A report to be filled: of an import that has made nothing. */
export function emptyReport(network: string, feed: string): ImportReport {
  return {
    network,
    feed,
    feedHash: '',
    formatVersion: SNAPSHOT_FORMAT_VERSION,
    outcome: 'refused',
    refusal: undefined,
    reason: undefined,
    files: {},
    problems: [],
    warnings: [],
    counts: {},
    firstDate: '',
    lastDate: '',
    snapshotPath: '',
    snapshotBytes: 0,
    seconds: 0,
  }
}

/** What a report says of a timetable. */
export function describeTimetable(timetable: Timetable): Pick<ImportReport, 'counts' | 'firstDate' | 'lastDate'> {
  const span = serviceSpan(timetable)
  return {
    counts: countTimetable(timetable),
    firstDate: span === undefined ? '' : dateOfDay(span.first),
    lastDate: span === undefined ? '' : dateOfDay(span.last),
  }
}

/** How many of each thing a timetable holds. */
export function countTimetable(timetable: Timetable): Record<string, number> {
  return {
    lines: timetable.lines.id.length,
    stops: timetable.stops.id.length,
    areas: timetable.areas.id.length,
    trips: timetable.trips.id.length,
    patterns: timetable.patterns.line.length,
    stopTimes: timetable.stopTimes.departureSeconds.length,
    shapes: timetable.shapes.id.length,
  }
}

/** What an operator should know of a timetable's service on a day (days after 1970). */
export function spanWarnings(timetable: Timetable, today: number): string[] {
  const span = serviceSpan(timetable)
  if (span === undefined) return ['no trip runs on any day: boards will be empty']
  if (span.last < today) return [`the calendar ended on ${dateOfDay(span.last)}: boards of today will be empty`]
  if (span.first > today) return [`the calendar begins on ${dateOfDay(span.first)}: boards of today will be empty`]
  return []
}
