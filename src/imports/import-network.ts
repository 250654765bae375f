// One network's import: feeds → columns → indexes → snapshot file, with a report of dropped and repaired rows. A
// running server imports in a child process, never on a thread that answers requests.
import { buildTimetable } from '../../indexes/timetable/build-timetable.ts'
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import { type FeedProblems, FeedRefused } from '../../loaders/feed-problems.ts'
import { excessiveDrops } from '../../loaders/gtfs/load-feed.ts'
import { loadFeeds } from '../../loaders/gtfs/load-feeds.ts'
import { isLarge, type LayoutRules } from '../journeys/layout-files.ts'
import { layOutAhead } from '../journeys/layouts-ahead.ts'
import {
  type FoundSnapshot,
  findSnapshot,
  type LoadedSnapshot,
  lastImportPath,
  openSnapshotFolder,
  reportPath,
  type SnapshotMaking,
  verifySnapshot,
  writeSnapshot,
} from '../networks/snapshot-store.ts'
import { openTowns, writeStops } from '../places/stop-store.ts'
import { makeSnapshotTexts, NO_TOWNS, type Towns } from '../rendering/snapshot-view.ts'
import { DownloadFailed } from '../sources/download-failed.ts'
import {
  type FeedOrder,
  fetchFeeds,
  hashFeeds,
  type LocalFeed,
  nameSource,
  stampInput,
  withOpenFeeds,
} from '../sources/feed-sources.ts'
import { stampSources } from '../sources/source-stamp.ts'
import type { Clock } from '../system/clock.ts'
import { isErrno } from '../system/errno.ts'
import { collectBetweenSteps } from '../system/memory-sweeper.ts'
import { writeFileWhole } from '../system/whole-file.ts'
import { type Canary, findMissingCanary, pickCanaries } from './canaries.ts'
import { lockImport } from './import-lock.ts'
import { describeTimetable, emptyReport, type ImportReport, spanWarnings } from './import-report.ts'
import { type Circumstances, findPassedOver, forgetPassedOver, notePassedOver } from './passed-over.ts'
import { type Hold, listHolds } from './replacement-checks.ts'
import { localDayIn } from './service-span.ts'

/** Error codes that mean: the disk is full, a quota is exceeded, or a file is larger than this process may write. */
const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL']

/** What to import, from where, and with which options. */
export interface ImportOrder {
  readonly network: string
  readonly feeds: readonly FeedOrder[]
  /** The feeds as local files, if they have already been downloaded. */
  readonly fetched?: readonly LocalFeed[]
  /** Overrides the time zone of the feeds. */
  readonly timezone: string | undefined
  readonly dataDir: string
  /** Whether addresses are configured. If so, rendered stops contain the names of their towns. */
  readonly hasAddresses?: boolean
  /**
   * Words that match every stop in the network. If absent, no search index is written, and each data thread builds its
   * own.
   */
  readonly stopWords?: string
  /**
   * How the import lays out days for the journey search. Absent for networks whose walks follow streets: for those, the
   * planners lay out the days.
   */
  readonly layoutRules?: LayoutRules | undefined
  /**
   * Builds a snapshot even if the current one is up to date, and skips the checks that could hold the new snapshot
   * back.
   */
  readonly force: boolean
}

/** Called with the progress of an import: the current step and a detail. */
export type ImportProgress = (step: 'waiting' | 'fetching' | 'reading' | 'indexing' | 'writing', detail: string) => void

/** Callbacks of an import. */
export interface ImportSurroundings {
  readonly onProgress?: ImportProgress
}

/** State passed between the steps of an import. */
interface ImportRun {
  readonly order: ImportOrder
  readonly clock: Clock
  readonly onProgress: ImportProgress
  readonly base: ImportReport
  readonly seconds: () => number
}

/** The `reason` in the report if a feed was read, but was then refused or held. */
const NOT_TAKEN = 'static_import_failed'

/** Imports one network. Problems that an operator can fix are returned in the report; only bugs throw. */
export async function importNetwork(
  order: ImportOrder,
  clock: Clock,
  { onProgress = () => undefined }: ImportSurroundings = {},
): Promise<ImportReport> {
  const startedMillis = performance.now()
  const seconds = () => Math.round(performance.now() - startedMillis) / 1000
  const base = emptyReport(order.network, order.feeds.map(({ source }) => nameSource(source)).join(', '))
  const run: ImportRun = { order, clock, onProgress, base, seconds }
  try {
    openSnapshotFolder(order.dataDir, order.network)
    const lock = await lockImport(order, () => onProgress('waiting', 'another import of this network is running'))
    try {
      const report = await importLocked(run)
      if (report.outcome !== 'up_to_date') keepReport(lastImportPath(order.dataDir, order.network), report)
      return report
    } finally {
      lock.release()
    }
  } catch (error) {
    return failedReport(run, error)
  }
}

function keepReport(path: string, report: ImportReport): void {
  writeFileWhole(path, `${JSON.stringify(report, null, 2)}\n`)
}

/** The report of a failed import; rethrows bugs. */
function failedReport({ order, base, seconds }: ImportRun, error: unknown): ImportReport {
  const failed = { ...base, outcome: 'failed', seconds: seconds() } as const
  if (error instanceof DownloadFailed) return { ...failed, refusal: error.message, reason: error.reason }
  if (!isErrno(error, ...FULL)) throw error
  const refusal = `no space left in ${order.dataDir}; free some space (a running service then retries the import)`
  return { ...failed, refusal, reason: 'disk_full' }
}

async function importLocked(run: ImportRun): Promise<ImportReport> {
  const { order, base } = run
  run.onProgress('fetching', base.feed)
  // The stamp is made before the feeds are read, so that a change during the import is noticed later.
  const sourceStamp = stampSources(order.feeds.map(({ source }) => source))
  const feeds = order.fetched ?? (await fetchFeeds(order.feeds, order))
  return await importFetched(run, feeds, { sourceStamp, inputStamp: stampInput(feeds, order.timezone) })
}

/** Stamps of the sources and of the downloaded feeds, made before the feeds are read. */
type Stamps = Required<Pick<SnapshotMaking, 'sourceStamp' | 'inputStamp'>>

async function importFetched(run: ImportRun, feeds: readonly LocalFeed[], stamps: Stamps): Promise<ImportReport> {
  const { order } = run
  const served = findSnapshot(order.dataDir, order.network).found
  const servedHash = served?.loaded.making.feedHash ?? ''
  let feedHash = ''
  try {
    feedHash = await hashFeeds(feeds, order.timezone)
    if (!order.force && served !== undefined && servedHash === feedHash) return upToDate(run, served)
    const circumstances = circumstancesOf(run, { feedHash, servedHash, served })
    const passedOver = order.force ? undefined : findPassedOver(circumstances)
    if (passedOver !== undefined) return { ...passedOver, seconds: run.seconds() }
    return await buildSnapshot(run, { feeds, served, circumstances, stamps })
  } catch (error) {
    if (!(error instanceof FeedRefused)) throw error
    const report = refusedReport(run, feedHash, error)
    if (feedHash !== '') notePassedOver(circumstancesOf(run, { feedHash, servedHash, served }), report, undefined)
    return report
  }
}

function circumstancesOf(
  { order, clock }: ImportRun,
  found: { readonly feedHash: string; readonly servedHash: string; readonly served: FoundSnapshot | undefined },
): Circumstances {
  const { dataDir, network } = order
  const zone = found.served?.loaded.snapshot.timetable.meta.timezone ?? 'UTC'
  const { feedHash, servedHash } = found
  return { dataDir, network, feedHash, servedHash, today: localDayIn(zone, clock.nowMillis()) }
}

function upToDate({ base, order, seconds }: ImportRun, { loaded, path, bytes }: FoundSnapshot): ImportReport {
  const { making, snapshot } = loaded
  prepareStops(order, loaded, { path, towns: townsAt(order) })
  return {
    ...base,
    feedHash: making.feedHash,
    outcome: 'up_to_date',
    ...describeTimetable(snapshot.timetable),
    snapshotPath: path,
    snapshotBytes: bytes.byteLength,
    seconds: seconds(),
  }
}

function refusedReport(
  { base, seconds }: ImportRun,
  feedHash: string,
  { message, problem, found }: FeedRefused,
): ImportReport {
  return {
    ...base,
    feedHash,
    outcome: 'refused',
    refusal: message,
    reason: NOT_TAKEN,
    problems: [{ severity: 'error', count: 1, field: '', example: '', ...problem, action: 'refused_feed' }, ...found],
    seconds: seconds(),
  }
}

/** The result of building a timetable. The feeds' memory has already been freed. */
interface BuiltNetwork {
  readonly timetable: Timetable
  readonly problems: FeedProblems
  readonly canaries: readonly Canary[]
}

async function buildSnapshot(
  run: ImportRun,
  parts: {
    readonly feeds: readonly LocalFeed[]
    readonly served: FoundSnapshot | undefined
    readonly circumstances: Circumstances
    readonly stamps: Stamps
  },
): Promise<ImportReport> {
  const { order, clock } = run
  const { feedHash } = parts.circumstances
  const refreshedAtMillis = clock.nowMillis()
  const { timetable, problems, canaries } = await buildNetwork(run, parts.feeds)
  const today = localDayIn(timetable.meta.timezone, refreshedAtMillis)
  const drops = excessiveDrops(problems)
  const report: ImportReport = {
    ...run.base,
    feedHash,
    outcome: 'imported',
    files: Object.fromEntries(problems.files),
    problems: problems.list(),
    ...describeTimetable(timetable),
    warnings: [
      ...drops.map((drop) => `${drop.file}: ${drop.dropped} of ${drop.rows} rows were dropped`),
      ...spanWarnings(timetable, today),
    ],
  }
  const served = parts.served?.loaded.snapshot.timetable
  const holds = served === undefined ? [] : listHolds({ served, next: timetable, drops, today })
  if (holds.length > 0 && !order.force) {
    const refusal = describeHolds(holds)
    const held: ImportReport = { ...report, outcome: 'held', refusal, reason: NOT_TAKEN, seconds: run.seconds() }
    notePassedOver(parts.circumstances, held, retryDay(holds))
    return held
  }
  run.onProgress('writing', order.network)
  const making = { network: order.network, feedHash, refreshedAtMillis, ...parts.stamps }
  const towns = townsAt(order)
  const texts = makeSnapshotTexts(timetable, order.network, towns)
  const notKept: string[] = []
  const written = writeSnapshot({ dataDir: order.dataDir, making, timetable, texts }, (snapshot, path) => {
    inspect(snapshot, canaries)
    prepareStops(order, snapshot, { path, towns })
    prepareJourneys(order, snapshot, { path, refreshedAtMillis, warn: (message) => notKept.push(message) })
  })
  forgetPassedOver(order.dataDir, order.network)
  const overridden = holds.map(({ sentence }) => `accepted by --force: ${sentence}`)
  const imported: ImportReport = {
    ...report,
    warnings: [...overridden, ...report.warnings, ...notKept],
    snapshotPath: written.path,
    snapshotBytes: written.bytes,
    seconds: run.seconds(),
  }
  keepReport(reportPath(written.path), imported)
  return imported
}

/**
 * Returns the town lookup for the most recently imported addresses. It finds no town if addresses are not configured.
 */
function townsAt({ dataDir, hasAddresses }: ImportOrder): Towns {
  return hasAddresses === true ? openTowns(dataDir) : NO_TOWNS
}

async function buildNetwork(run: ImportRun, feeds: readonly LocalFeed[]): Promise<BuiltNetwork> {
  const { order, clock } = run
  const { feed, problems } = await withOpenFeeds(feeds, (parts) =>
    loadFeeds(parts, {
      onProgress: (file, rows) => run.onProgress('reading', `${file} ${rows}`),
      ...(order.timezone === undefined ? {} : { timezone: order.timezone }),
    }),
  )
  const canaries = pickCanaries(feed, clock.nowMillis())
  // Before the indexes are built, frees the memory that loading used.
  const collect = collectBetweenSteps(feed.calls.count)
  collect()
  run.onProgress('indexing', `${feed.calls.count} stop times`)
  const timetable = buildTimetable(feed, { dropsCalls: true, onFreed: collect })
  collect()
  return { timetable, problems, canaries }
}

/** Writes the search index for a snapshot's stops. */
function prepareStops(
  { stopWords }: ImportOrder,
  { snapshot }: LoadedSnapshot,
  { path, towns }: { readonly path: string; readonly towns: Towns },
): void {
  if (stopWords !== undefined) writeStops(path, { snapshot, words: stopWords }, towns)
}

/** Lays out the days that the first journey queries need. Does nothing for small networks. */
function prepareJourneys(
  { layoutRules }: ImportOrder,
  { snapshot }: LoadedSnapshot,
  at: { readonly path: string; readonly refreshedAtMillis: number; readonly warn: (message: string) => void },
): void {
  if (layoutRules === undefined || !isLarge(snapshot.timetable)) return
  layOutAhead(snapshot, layoutRules, { ...at, seconds: Math.ceil(at.refreshedAtMillis / 1000) })
}

/** Checks a snapshot before it is served: all checksums, and that it has all canaries. Throws if a check fails. */
function inspect(written: LoadedSnapshot, canaries: readonly Canary[]): void {
  const corrupt = verifySnapshot(written)
  if (corrupt.length > 0)
    throw new Error(`the snapshot that was just written is corrupt: checksum mismatch in ${corrupt.join(', ')}`)
  const wrong = findMissingCanary(written.snapshot.timetable, canaries)
  if (wrong !== undefined) throw new Error(`the snapshot does not match its feed: ${wrong}`)
}

function describeHolds(holds: readonly Hold[]): string {
  return `the new timetable is held back, and the current one stays in service: ${holds.map(({ sentence }) => sentence).join('; ')}`
}

/** The first day on which none of these reasons holds the snapshot back; undefined if one of them never ends. */
function retryDay(holds: readonly Hold[]): number | undefined {
  const days = holds.map(({ untilDay }) => untilDay)
  return days.every((day) => day !== undefined) ? Math.max(...days) : undefined
}
