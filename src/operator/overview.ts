// The overview as data: process health, each network with its snapshots, and each live feed.
import { readdirSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { NetworkConfig } from '../config/config.ts'
import { countTimetable } from '../imports/import-report.ts'
import type { NetworkInside } from '../imports/network-states.ts'
import { localDayIn, serviceSpan } from '../imports/service-span.ts'
import { SharedCounts } from '../metrics/thread-counts.ts'
import type { FeedStatus, LastError } from '../networks/network.ts'
import { listSnapshots, snapshotFolder } from '../networks/snapshot-store.ts'
import { dateText, LocalTime, utcText } from '../rendering/timestamps.ts'
import { nameSource } from '../sources/feed-sources.ts'
import { SERVICE_STREAM_LIMIT } from '../streams/stream-slots.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import { isErrno } from '../system/errno.ts'
import { VERSION } from '../system/version.ts'
import type { OperatorSources } from './operator-sources.ts'

/** Freshness of a feed. `dropped`: too old to be used. */
export type FeedAge = 'fresh' | 'stale' | 'dropped' | 'nothing yet'

/** The state of a process at one moment. */
export type Overview = ReturnType<typeof readOverview>
/** A network in the overview. */
export type NetworkOverview = Overview['networks'][number]
/** A live feed in the overview. */
export type FeedOverview = NetworkOverview['feeds'][number]

/** The current overview. Ages are in seconds, times are RFC 3339. */
export function readOverview(sources: OperatorSources) {
  const nowMillis = sources.clock.nowMillis()
  const lag = sources.ledgerLag()
  const fault = sources.lastFlushFault()
  return {
    version: VERSION,
    at: utcText(nowMillis),
    started_at: utcText(sources.startedAtMillis),
    is_started: sources.isStarted(),
    is_ready: sources.isReady(),
    threads: readThreads(sources),
    replaced_threads: sources.replacedThreads(),
    streams: { open: sources.openStreams(), limit: SERVICE_STREAM_LIMIT },
    ledger: {
      seconds_since_flush: round(lag.seconds, 1),
      unflushed_units: lag.units,
      is_failing: sources.isFlushFailing(),
      last_fault: fault === undefined ? null : { at: utcText(fault.atMillis), message: fault.message },
      account_store: sources.accountStore,
    },
    untrusted_proxies: sources.listForwarders(),
    networks: sources.configured().map((network) => readNetwork(sources, network, nowMillis)),
  }
}

function readThreads({ counts }: OperatorSources) {
  const shared = new SharedCounts(counts)
  const lags = shared.listLoopLags()
  const nowMillis = TRUE_CLOCK.nowMillis()
  return shared.listBeats().map((beatAtMillis, thread) => ({
    thread,
    last_beat_seconds: beatAtMillis === 0 ? null : round(Math.max(0, nowMillis - beatAtMillis) / 1000, 1),
    worst_lag_seconds: round(lags[thread] ?? 0, 3),
  }))
}

function readNetwork(sources: OperatorSources, config: NetworkConfig, nowMillis: number) {
  const inside = sources.networks.find(config.id)
  const zone = inside?.served?.loaded.snapshot.timetable.meta.timezone ?? 'UTC'
  const local = new LocalTime(zone)
  const at = (millis: number) => local.text(Math.floor(millis / 1000))
  const feeds = new Map(
    sources.live.listFeeds().flatMap(({ network, status }) => (network === config.id ? [[status.id, status]] : [])),
  )
  return {
    id: config.id,
    name: config.name,
    city: config.city,
    timezone: zone,
    sources: config.gtfs.map(({ source }) => nameSource(source)),
    snapshot: inside?.served === undefined ? null : readSnapshot(inside.served, at, nowMillis),
    kept: listKept(sources.dataDir, config.id, inside?.served?.path),
    imports: inside?.imports ?? { imported: 0, up_to_date: 0, failed: 0 },
    import_seconds: inside?.importSeconds ?? null,
    is_import_waiting: inside?.isQueued ?? false,
    last_error: readError(inside?.lastError, at),
    feeds: config.feeds.map((feed) => readFeed(feed, feeds.get(feed.id), { at, nowMillis })),
  }
}

function readSnapshot(
  { loaded, path, takenAtMillis }: NonNullable<NetworkInside['served']>,
  at: (millis: number) => string,
  nowMillis: number,
) {
  const { snapshot, making } = loaded
  const span = serviceSpan(snapshot.timetable)
  const today = localDayIn(snapshot.timetable.meta.timezone, nowMillis)
  return {
    id: snapshot.id,
    file: basename(path),
    feed_hash: making.feedHash,
    made_at: at(snapshot.refreshedAtMillis),
    age_seconds: ageOf(snapshot.refreshedAtMillis, nowMillis),
    loaded_at: at(takenAtMillis),
    first_date: span === undefined ? null : dateText(span.first),
    last_date: span === undefined ? null : dateText(span.last),
    /** Remaining days of service including today; 0 or less if the last one has passed. */
    days_left: span === undefined ? null : span.last - today + 1,
    is_begun: span !== undefined && span.first <= today,
    counts: countTimetable(snapshot.timetable),
  }
}

/** The snapshots on disk, newest first, and the newest one set aside as corrupt. */
function listKept(dataDir: string, network: string, served: string | undefined) {
  const paths = listSnapshots(dataDir, network)
  const corrupt = listNames(snapshotFolder(dataDir, network)).filter((name) => name.endsWith('.corrupt'))
  const kept = paths.flatMap((path) => {
    const stat = statOf(path)
    if (stat === undefined) return [] // deleted by an import since it was listed
    const { size, mtimeMs } = stat
    return [
      {
        file: basename(path),
        bytes: size,
        written_at: utcText(mtimeMs),
        is_serving: path === served,
        is_corrupt: false,
      },
    ]
  })
  return [
    ...kept,
    ...corrupt.map((file) => ({ file, bytes: 0, written_at: null, is_serving: false, is_corrupt: true })),
  ]
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
}

function statOf(path: string) {
  try {
    return statSync(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
}

function readError(error: LastError | undefined, at: (millis: number) => string) {
  if (error === undefined) return null
  return { at: at(error.atMillis), source: error.source, reason: error.reason, message: error.message }
}

function readFeed(
  config: NetworkConfig['feeds'][number],
  status: FeedStatus | undefined,
  { at, nowMillis }: { readonly at: (millis: number) => string; readonly nowMillis: number },
) {
  const { carries, matches, budget, timestampMillis, fetchedAtMillis } = status ?? {}
  const isFailing = (status?.backOffMillis ?? 0) > 0
  return {
    id: config.id,
    source: nameSource(config.url),
    interval_seconds: config.intervalSeconds,
    carries: (['trips', 'vehicles', 'alerts'] as const).filter((kind) => carries?.[kind] === true),
    state: ageWord(status, nowMillis),
    is_failing: isFailing,
    age_seconds: timestampMillis === undefined ? null : ageOf(timestampMillis, nowMillis),
    fresh_seconds: status === undefined ? null : status.freshMillis / 1000,
    dropped_after_seconds: status === undefined ? null : status.maxAgeMillis / 1000,
    fetched_at: fetchedAtMillis === undefined ? null : at(fetchedAtMillis),
    trip_updates: matches?.total ?? null,
    matched: matches?.matched ?? null,
    match_rate: status?.matchRate === undefined ? null : round(status.matchRate, 3),
    reasons: matches?.reasons ?? {},
    mismatch: matches?.mismatch ?? [],
    back_off_seconds: (status?.backOffMillis ?? 0) / 1000,
    budget:
      budget === undefined ? null : { used: budget.used, limit: budget.limit, resets_at: at(budget.resetsAtMillis) },
    last_error: readError(status?.lastError, at),
  }
}

function ageWord(status: FeedStatus | undefined, nowMillis: number): FeedAge {
  if (status?.timestampMillis === undefined) return 'nothing yet'
  const age = nowMillis - status.timestampMillis
  if (age > status.maxAgeMillis) return 'dropped'
  return age > status.freshMillis ? 'stale' : 'fresh'
}

function ageOf(thenMillis: number, nowMillis: number): number {
  return Math.max(0, Math.floor((nowMillis - thenMillis) / 1000))
}

function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits
}
