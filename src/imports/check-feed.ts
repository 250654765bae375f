// Looks a feed through without serving it: everything an import would do, up to the snapshot, and what would be said of
// it. The command prints what is found here.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { buildTimetable } from '../../indexes/timetable/build-timetable.ts'
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import { type FeedProblem, type FeedProblems, FeedRefused, type FileCounts } from '../../loaders/feed-problems.ts'
import type { FeedSource } from '../../loaders/gtfs/feed.ts'
import { excessiveDrops } from '../../loaders/gtfs/load-feed.ts'
import { loadFeeds } from '../../loaders/gtfs/load-feeds.ts'
import { effectOf, meaningOf } from '../../loaders/rules.ts'
import { fetchFeeds, type LocalFeed, nameSource, withOpenFeeds } from '../sources/feed-sources.ts'
import { isWebAddress } from '../sources/source-stamp.ts'
import type { Clock } from '../system/clock.ts'
import { describeTimetable, spanWarnings } from './import-report.ts'
import { localDayIn } from './service-span.ts'

/** A problem with what it means and what the service does about it, in words. */
export interface ExplainedProblem extends FeedProblem {
  readonly means: string
  readonly effect: string
}

/**
 * What was found out about a feed: the document of `quai check --json`. Names that an import's report has too mean the
 * same there. Members are added, never renamed.
 */
export interface FeedCheck {
  /** The feed as it was named, without what may be secret in an address. */
  readonly feed: string
  /** Of the zip, or of all files of the feed's folder; 0 where there is none, and for a folder that is refused. */
  readonly bytes: number
  readonly canBeServed: boolean
  /** One sentence: `can be served`, `can be served; 12 of 8 000 rows are left out`, or `cannot be served: …`. */
  readonly verdict: string
  /** Sentences an operator should read: a calendar that has ended, a file that lost much. */
  readonly warnings: readonly string[]
  /** One entry for each rule, file, field and action; errors first, then by file and line. */
  readonly problems: readonly ExplainedProblem[]
  /** Rows read and rows left out, by file, in the order of reading; empty where the feed is refused. */
  readonly files: Readonly<Record<string, FileCounts>>
  /** Files of the feed that no part of the service reads. */
  readonly unreadFiles: readonly string[]
  /** Lines, stops, areas, trips, patterns, stopTimes and shapes that would be served; empty where it is refused. */
  readonly counts: Readonly<Record<string, number>>
  /** IANA name; empty where the feed is refused. */
  readonly timezone: string
  /** First and last day with service, yyyy-mm-dd; empty without any. */
  readonly firstDate: string
  readonly lastDate: string
  readonly seconds: number
}

/** What is to be checked. */
export interface CheckOrder {
  /** A zip, a folder, or an address on the web. */
  readonly source: string
  /** IANA name that replaces the feed's own zone. */
  readonly timezone: string | undefined
}

/** Told while a feed is checked: the step, and how far it is. */
export type CheckProgress = (step: 'fetching' | 'reading' | 'indexing', detail: string) => void

/** Checks a feed. What is no fault of the feed throws: a failed download, a file that may not be read. */
export async function checkFeed(order: CheckOrder, clock: Clock, onProgress: CheckProgress): Promise<FeedCheck> {
  if (!isWebAddress(order.source)) return await checkFetched(order, '', { clock, onProgress })
  const folder = mkdtempSync(join(tmpdir(), 'quai-check-'))
  try {
    onProgress('fetching', nameSource(order.source))
    return await checkFetched(order, folder, { clock, onProgress })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Checks a feed; where it is on the web, it is fetched into `dataDir`. */
async function checkFetched(
  order: CheckOrder,
  dataDir: string,
  { clock, onProgress }: { readonly clock: Clock; readonly onProgress: CheckProgress },
): Promise<FeedCheck> {
  const startedMillis = performance.now()
  const seconds = () => Math.round(performance.now() - startedMillis) / 1000
  const [feed] = await fetchFeeds([{ source: order.source, prefix: '' }], { dataDir, network: 'check' })
  if (feed === undefined) throw new Error('one feed was ordered, and none came')
  const base = { feed: nameSource(order.source), bytes: sizeOfZip(feed) }
  try {
    const { timetable, problems, names, bytes } = await buildFrom(feed, order, onProgress)
    return {
      ...base,
      bytes: bytes ?? base.bytes,
      ...describeFeed(timetable, problems, clock),
      ...describeFiles(problems, names),
      seconds: seconds(),
    }
  } catch (error) {
    if (!(error instanceof FeedRefused)) throw error
    return { ...base, ...describeRefusal(error, feed), seconds: seconds() }
  }
}

interface BuiltFeed {
  readonly timetable: Timetable
  readonly problems: FeedProblems
  readonly names: readonly string[]
  /** Of a feed in a folder. */
  readonly bytes: number | undefined
}

async function buildFrom(feed: LocalFeed, { timezone }: CheckOrder, onProgress: CheckProgress): Promise<BuiltFeed> {
  const { loaded, names, bytes } = await withOpenFeeds([feed], async (parts) => ({
    names: parts.flatMap(({ source }) => source.names),
    bytes: parts.map(({ source }) => sizeOfFolder(feed, source))[0],
    loaded: await loadFeeds(parts, {
      onProgress: (file, rows) => onProgress('reading', `${file} ${rows}`),
      ...(timezone === undefined ? {} : { timezone }),
    }),
  }))
  // What loading left behind is given back before the indexes ask for as much again.
  Bun.gc(true)
  onProgress('indexing', `${loaded.feed.calls.count} stop times`)
  return { timetable: buildTimetable(loaded.feed), problems: loaded.problems, names, bytes }
}

function describeFeed(
  timetable: Timetable,
  problems: FeedProblems,
  clock: Clock,
): Omit<FeedCheck, 'feed' | 'bytes' | 'files' | 'unreadFiles' | 'seconds'> {
  const { timezone } = timetable.meta
  const counts = [...problems.files.values()]
  const rows = counts.reduce((sum, file) => sum + file.rows, 0)
  const dropped = counts.reduce((sum, file) => sum + file.dropped, 0)
  const losses = excessiveDrops(problems).map(
    (file) =>
      `${file.file} loses ${share(file)} of its rows: an import does not put the feed in place of one that serves, unless it is forced`,
  )
  return {
    canBeServed: true,
    verdict:
      dropped === 0
        ? 'can be served'
        : `can be served; ${dropped} of ${rows} rows ${dropped === 1 ? 'is' : 'are'} left out`,
    warnings: [...spanWarnings(timetable, localDayIn(timezone, clock.nowMillis())), ...losses],
    problems: problems.list().map(explain),
    timezone,
    ...describeTimetable(timetable),
  }
}

function describeFiles(problems: FeedProblems, names: readonly string[]): Pick<FeedCheck, 'files' | 'unreadFiles'> {
  return {
    files: Object.fromEntries(problems.files),
    unreadFiles: names.filter((name) => !problems.files.has(name)),
  }
}

function describeRefusal(
  { problem, found }: FeedRefused,
  feed: LocalFeed,
): Omit<FeedCheck, 'feed' | 'bytes' | 'seconds'> {
  // What is on the web lies here under another name.
  const file = problem.file === basename(feed.path) ? feed.label : problem.file
  const explained = explain({ field: '', example: '', ...problem, file, severity: 'error', count: 1 })
  return {
    canBeServed: false,
    verdict: `cannot be served: ${refusalOf(explained)}`,
    warnings: [],
    problems: [explained, ...found.map(explain)],
    files: {},
    unreadFiles: [],
    counts: {},
    timezone: '',
    firstDate: '',
    lastDate: '',
  }
}

function explain(problem: FeedProblem): ExplainedProblem {
  return { ...problem, means: meaningOf(problem.rule), effect: effectOf(problem) }
}

/** What decided it, and where. */
function refusalOf({ file, line, means, example }: ExplainedProblem): string {
  if (example === file) return `${means}: ${file}`
  return `${file}${line > 0 ? `:${line}` : ''}: ${means}${example === '' ? '' : ` (${example})`}`
}

function share({ rows, dropped }: FileCounts): string {
  return `${((dropped / rows) * 100).toFixed(1)} %`
}

/** Bytes of a zip; 0 for a folder, and where there is nothing, which is for the loader to say. */
function sizeOfZip({ path }: LocalFeed): number {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined || found.isDirectory() ? 0 : found.size
}

/** Bytes of the files of a feed that lies in a folder; undefined for a zip. */
function sizeOfFolder({ path }: LocalFeed, source: FeedSource): number | undefined {
  if (!statSync(path).isDirectory()) return undefined
  const { folder = '', names } = source
  return names.reduce((bytes, name) => bytes + statSync(join(path, folder, name)).size, 0)
}
