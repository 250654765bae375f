// Checks a feed without serving it: runs all import steps that come before writing the snapshot, and collects the
// problems that `quai check` prints.
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
import { collectBetweenSteps } from '../system/memory-sweeper.ts'
import { describeTimetable, spanWarnings } from './import-report.ts'
import { localDayIn } from './service-span.ts'

/** A problem of a feed, with an explanation of its meaning and its effect. */
export interface ExplainedProblem extends FeedProblem {
  readonly means: string
  readonly effect: string
}

/**
 * The result of a check: the document of `quai check --json`. Names shared with import reports have the same meaning.
 * Members are only added, never renamed.
 */
export interface FeedCheck {
  /** The feed as named in the command, without secrets in its URL. */
  readonly feed: string
  /**
   * Size of the zip, or of all files in the feed's folder; 0 if the feed is missing, or if it is a folder and was
   * refused.
   */
  readonly bytes: number
  readonly canBeServed: boolean
  /** One sentence: `can be served`, `can be served; 12 of 8 000 rows are left out`, or `cannot be served: …`. */
  readonly verdict: string
  /** Warnings for the operator, such as an expired calendar or a file that lost many rows. */
  readonly warnings: readonly string[]
  /** One entry per rule, file, field and action. Errors come first; the rest of the order is by file and line. */
  readonly problems: readonly ExplainedProblem[]
  /** Rows read and dropped per file, in reading order; empty if the feed is refused. */
  readonly files: Readonly<Record<string, FileCounts>>
  /** Files of the feed that Quai does not read. */
  readonly unreadFiles: readonly string[]
  /** Numbers of lines, stops, areas, trips, patterns, stopTimes and shapes that would be served; empty if refused. */
  readonly counts: Readonly<Record<string, number>>
  /** Names of the agencies, in the order of the feed; empty if the feed is refused. */
  readonly agencies: readonly string[]
  /** IANA name; empty if the feed is refused. */
  readonly timezone: string
  /** First and last day with service, yyyy-mm-dd; empty if there is none. */
  readonly firstDate: string
  readonly lastDate: string
  readonly seconds: number
}

/** A feed to check. */
export interface CheckOrder {
  /** A zip, a folder, or a URL. */
  readonly source: string
  /** IANA name that overrides the feed's time zone. */
  readonly timezone: string | undefined
}

/** Called with the progress of a check: the current step, and a detail such as a number of rows. */
export type CheckProgress = (step: 'fetching' | 'reading' | 'indexing', detail: string) => void

/** Checks a feed. Throws for problems outside the feed: a failed download, an unreadable file. */
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

/** Checks a feed; a feed on the web is downloaded to `dataDir`. */
async function checkFetched(
  order: CheckOrder,
  dataDir: string,
  { clock, onProgress }: { readonly clock: Clock; readonly onProgress: CheckProgress },
): Promise<FeedCheck> {
  const startedMillis = performance.now()
  const seconds = () => Math.round(performance.now() - startedMillis) / 1000
  const [feed] = await fetchFeeds([{ source: order.source, prefix: '' }], { dataDir, network: 'check' })
  if (feed === undefined) throw new Error('the download returned no feed')
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
  /** Size of the feed's folder; undefined for a zip. */
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
  // Before the indexes are built, frees the memory that loading used.
  collectBetweenSteps(loaded.feed.calls.count)()
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
      `${share(file)} of the rows in ${file.file} are unusable; to replace a served feed with this one, \`quai import\` needs --force`,
  )
  return {
    canBeServed: true,
    verdict:
      dropped === 0
        ? 'can be served'
        : `can be served; ${dropped} of ${rows} rows ${dropped === 1 ? 'is' : 'are'} left out`,
    warnings: [...spanWarnings(timetable, localDayIn(timezone, clock.nowMillis())), ...losses],
    problems: problems.list().map(explain),
    agencies: timetable.meta.agencies.map(({ name }) => name),
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
  // A downloaded feed has a different name locally, so a problem with the feed's own file is reported under the feed's
  // label.
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
    agencies: [],
    timezone: '',
    firstDate: '',
    lastDate: '',
  }
}

function explain(problem: FeedProblem): ExplainedProblem {
  return { ...problem, means: meaningOf(problem.rule), effect: effectOf(problem) }
}

/** Describes the problem for which the feed is refused, with its location. */
function refusalOf({ file, line, means, example }: ExplainedProblem): string {
  if (example === file) return `${means}: ${file}`
  return `${file}${line > 0 ? `:${line}` : ''}: ${means}${example === '' ? '' : ` (${example})`}`
}

function share({ rows, dropped }: FileCounts): string {
  return `${((dropped / rows) * 100).toFixed(1)}%`
}

/** Size of a zip in bytes; 0 for a folder or a missing file. The loader reports a missing file. */
function sizeOfZip({ path }: LocalFeed): number {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined || found.isDirectory() ? 0 : found.size
}

/** Total size in bytes of the files in an unzipped feed; undefined for a zip. */
function sizeOfFolder({ path }: LocalFeed, source: FeedSource): number | undefined {
  if (!statSync(path).isDirectory()) return undefined
  const { folder = '', names } = source
  return names.reduce((bytes, name) => bytes + statSync(join(path, folder, name)).size, 0)
}
