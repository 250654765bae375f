// One network's import: feed bytes → columns → indexes → snapshot file, with a report of what was dropped and mended.
// Runs in a process of its own beside a server; nothing here is called on a serving thread.
import { writeFileSync } from 'node:fs'
import { buildTimetable } from '../indexes/timetable/build-timetable.ts'
import type { Timetable } from '../indexes/timetable/timetable.ts'
import { type FeedProblem, FeedRefused, type FileCounts } from '../loaders/gtfs/feed-problems.ts'
import { excessiveDrops, loadFeed } from '../loaders/gtfs/load-feed.ts'
import { SNAPSHOT_FORMAT_VERSION } from '../loaders/snapshot-file.ts'
import type { Clock } from './clock.ts'
import { hashFeed, openFeedSource } from './feed-source.ts'
import { findSnapshot, reportPath, writeSnapshot } from './snapshot-store.ts'

/** What an import needs to know of a network. */
export interface ImportOrder {
  readonly network: string
  /** Path of the feed: a zip or a folder. */
  readonly gtfs: string
  readonly dataDir: string
  /** Build even where the snapshot is of this very feed. */
  readonly force: boolean
}

/** What an import tells of itself while it runs. */
export type ImportProgress = (step: 'hashing' | 'reading' | 'indexing' | 'writing', detail: string) => void

/** The report kept beside a snapshot. */
export interface ImportReport {
  readonly network: string
  readonly feed: string
  readonly feedHash: string
  readonly formatVersion: number
  readonly outcome: 'imported' | 'up_to_date' | 'refused'
  /** Set where the outcome is `refused`. */
  readonly refusal: string | undefined
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

const MILLIS_PER_DAY = 86_400_000

function toDate(day: number): string {
  return new Date(day * MILLIS_PER_DAY).toISOString().slice(0, 10)
}

/** First and last day on which a trip runs, after 1970-01-01; undefined where none does. */
export function serviceSpan(timetable: Timetable): { first: number; last: number } | undefined {
  const { tripCount } = timetable.serviceDays
  let first = 0
  let last = tripCount.length - 1
  while (first <= last && tripCount[first] === 0) first++
  while (last >= first && tripCount[last] === 0) last--
  return first > last ? undefined : { first: timetable.meta.firstDay + first, last: timetable.meta.firstDay + last }
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

function spanWarnings(span: { first: number; last: number } | undefined, today: number): string[] {
  if (span === undefined) return ['no trip runs on any day: boards will be empty']
  if (span.last < today) return [`the calendar ended on ${toDate(span.last)}: boards of today will be empty`]
  if (span.first > today) return [`the calendar begins on ${toDate(span.first)}: boards of today will be empty`]
  return []
}

/** Imports one network. A refused feed gives a report, not an exception; a full disk and our own faults throw. */
export async function importNetwork(
  order: ImportOrder,
  clock: Clock,
  onProgress: ImportProgress,
): Promise<ImportReport> {
  const startedMillis = performance.now()
  const seconds = () => Math.round(performance.now() - startedMillis) / 1000
  onProgress('hashing', order.gtfs)
  const base = { network: order.network, feed: order.gtfs, formatVersion: SNAPSHOT_FORMAT_VERSION }
  let feedHash = ''
  try {
    feedHash = await hashFeed(order.gtfs)
    const current = order.force ? undefined : findSnapshot(order.dataDir, order.network).found
    if (current?.loaded.making.feedHash === feedHash) {
      const { timetable } = current.loaded.snapshot
      return {
        ...base,
        feedHash,
        outcome: 'up_to_date',
        refusal: undefined,
        files: {},
        problems: [],
        warnings: [],
        counts: countTimetable(timetable),
        ...spanDates(timetable),
        snapshotPath: current.path,
        snapshotBytes: current.bytes.byteLength,
        seconds: seconds(),
      }
    }
    return await buildSnapshot(order, { feedHash, clock, onProgress, seconds })
  } catch (error) {
    if (!(error instanceof FeedRefused)) throw error
    return {
      ...base,
      feedHash,
      outcome: 'refused',
      refusal: error.message,
      files: {},
      problems: [{ severity: 'error', count: 1, field: '', example: '', ...error.problem, action: 'refused_feed' }],
      warnings: [],
      counts: {},
      firstDate: '',
      lastDate: '',
      snapshotPath: '',
      snapshotBytes: 0,
      seconds: seconds(),
    }
  }
}

function spanDates(timetable: Timetable): { firstDate: string; lastDate: string } {
  const span = serviceSpan(timetable)
  return {
    firstDate: span === undefined ? '' : toDate(span.first),
    lastDate: span === undefined ? '' : toDate(span.last),
  }
}

async function buildSnapshot(
  order: ImportOrder,
  run: { feedHash: string; clock: Clock; onProgress: ImportProgress; seconds: () => number },
): Promise<ImportReport> {
  const source = await openFeedSource(order.gtfs)
  try {
    const { feed, problems } = await loadFeed(source, {
      onProgress: (file, rows) => run.onProgress('reading', `${file} ${rows}`),
    })
    // What loading left behind is given back before the indexes ask for as much again.
    Bun.gc(true)
    run.onProgress('indexing', `${feed.calls.count} stop times`)
    const timetable = buildTimetable(feed)
    Bun.gc(true)
    run.onProgress('writing', order.network)
    const refreshedAtMillis = run.clock.nowMillis()
    const making = { network: order.network, feedHash: run.feedHash, refreshedAtMillis }
    const written = writeSnapshot(order.dataDir, making, timetable)
    const report: ImportReport = {
      network: order.network,
      feed: order.gtfs,
      feedHash: run.feedHash,
      formatVersion: SNAPSHOT_FORMAT_VERSION,
      outcome: 'imported',
      refusal: undefined,
      files: Object.fromEntries(problems.files),
      problems: problems.list(),
      warnings: [
        ...excessiveDrops(problems).map((drop) => `${drop.file}: ${drop.dropped} of ${drop.rows} rows were dropped`),
        ...spanWarnings(serviceSpan(timetable), Math.floor(refreshedAtMillis / MILLIS_PER_DAY)),
      ],
      counts: countTimetable(timetable),
      ...spanDates(timetable),
      snapshotPath: written.path,
      snapshotBytes: written.bytes,
      seconds: run.seconds(),
    }
    writeFileSync(reportPath(written.path), `${JSON.stringify(report, null, 2)}\n`)
    return report
  } finally {
    await source.close()
  }
}
