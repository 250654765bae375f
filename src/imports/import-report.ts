// The report of an import: stored next to the snapshot, printed by the command, read by the control thread.
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import type { FeedProblem, FileCounts } from '../../loaders/feed-problems.ts'
import { SNAPSHOT_FORMAT_VERSION } from '../../loaders/snapshot-file.ts'
import { dateOfDay, serviceSpan } from './service-span.ts'

/**
 * Outcome of an import. `up_to_date`: the newest snapshot was made from exactly these feeds. `refused`: nothing in the
 * feed can be served. `held`: the new snapshot can be served, but needs an operator's approval to replace the current
 * one. `failed`: a problem outside the feed, such as a failed download or a full disk.
 */
export type ImportEnd = 'imported' | 'up_to_date' | 'refused' | 'held' | 'failed'

/** The report of an import. */
export interface ImportReport {
  readonly network: string
  /** The feeds' sources, without secrets, comma-separated. */
  readonly feed: string
  readonly feedHash: string
  readonly formatVersion: number
  readonly outcome: ImportEnd
  /**
   * A sentence that says why nothing was imported, if the outcome is `refused`, `held` or `failed`. For programs,
   * `reason` gives the cause as a code.
   */
  readonly refusal: string | undefined
  readonly reason: string | undefined
  readonly files: Readonly<Record<string, FileCounts>>
  readonly problems: readonly FeedProblem[]
  /** Warnings for the operator, such as an expired calendar or files that lost many rows. */
  readonly warnings: readonly string[]
  readonly counts: Readonly<Record<string, number>>
  /** First and last service date, yyyy-mm-dd; empty if there is no service. */
  readonly firstDate: string
  readonly lastDate: string
  readonly snapshotPath: string
  readonly snapshotBytes: number
  readonly seconds: number
}

/** An empty report. */
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

/** Describes a timetable for a report: its size, and its first and last day of service. */
export function describeTimetable(timetable: Timetable): Pick<ImportReport, 'counts' | 'firstDate' | 'lastDate'> {
  const span = serviceSpan(timetable)
  return {
    counts: countTimetable(timetable),
    firstDate: span === undefined ? '' : dateOfDay(span.first),
    lastDate: span === undefined ? '' : dateOfDay(span.last),
  }
}

/** Counts the rows of a timetable: lines, stops, trips and so on. */
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

/**
 * Warnings about a timetable's service, such as a calendar that has ended.
 * @param today in days since 1970
 */
export function spanWarnings(timetable: Timetable, today: number): string[] {
  const span = serviceSpan(timetable)
  if (span === undefined) return ['no trip runs on any day: boards will be empty']
  if (span.last < today) return [`the calendar ended on ${dateOfDay(span.last)}: today's boards will be empty`]
  if (span.first > today) return [`the calendar begins on ${dateOfDay(span.first)}: today's boards will be empty`]
  return []
}
