// The overview as data: the health of the process, each network with its snapshots, and each live feed.

import { readdirSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { countTimetable } from '../imports/import-report.ts'
import type { NetworkInside } from '../imports/network-states.ts'
import { localDayIn, serviceSpan } from '../imports/service-span.ts'
import { SharedCounts } from '../metrics/thread-counts.ts'
import { listSnapshots, snapshotFolder } from '../networks/snapshot-store.ts'
import { dateText, LocalTime, utcText } from '../rendering/timestamps.ts'
import { nameSource } from '../sources/feed-sources.ts'
import { SERVICE_STREAM_LIMIT } from '../streams/stream-slots.ts'
import type { GroundState } from '../streets/ground-control.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import { isErrno } from '../system/errno.ts'
import { VERSION } from '../system/version.ts'
import { briefOf, matchesSearch, type NetworkBrief } from './network-briefs.ts'
import type { OperatorSources } from './operator-sources.ts'
import { ageOf, type FeedsOfNetwork, groupFeeds, readError, readFeed, round } from './overview-feeds.ts'
import { readTraffic } from './traffic.ts'

/** The state of this process and its networks when the overview was requested. */
export type Overview = ReturnType<typeof readOverview>
/** A network in the overview. */
export type NetworkOverview = ReturnType<typeof readNetwork>
/** A live feed in the overview. */
export type FeedOverview = NetworkOverview['feeds'][number]

/**
 * Reads the current overview, with the networks that match a search. Ages are in seconds, and times are in RFC 3339
 * format.
 * @param search words to find in a network's id, name, city or problems; empty for all networks
 */
export function readOverview(sources: OperatorSources, search = '') {
  const nowMillis = sources.clock.nowMillis()
  const feedsOf = groupFeeds(sources.live.listFeeds())
  const find = (network: string) => sources.networks.find(network)
  const briefs = sources.configured().map((config) => briefOf(config, { find, feedsOf, nowMillis }))
  const read = (brief: NetworkBrief) => readNetwork(sources, brief, { feedsOf, nowMillis })
  return {
    ...readProcess(sources, nowMillis),
    search,
    network_count: briefs.length,
    served_count: briefs.filter(({ isServed }) => isServed).length,
    problem_count: briefs.filter(({ problems }) => problems.length > 0).length,
    found: briefs.filter((brief) => matchesSearch(brief, search)),
    read,
  }
}

/** The overview as JSON, with every network that was found, in configuration order. */
export function overviewJson({ found, read, ...overview }: Overview) {
  return { ...overview, networks: found.map(read) }
}

function readProcess(sources: OperatorSources, nowMillis: number) {
  const lag = sources.ledgerLag()
  const fault = sources.lastFlushFault()
  return {
    version: VERSION,
    at: utcText(nowMillis),
    started_at: utcText(sources.startedAtMillis),
    is_started: sources.isStarted(),
    is_ready: sources.isReady(),
    threads: readThreads(sources),
    traffic: readTraffic(sources.counts),
    replaced_threads: sources.replacedThreads(),
    streams: { open: sources.openStreams(), limit: SERVICE_STREAM_LIMIT },
    ledger: {
      seconds_since_flush: round(lag.seconds, 1),
      unflushed_units: lag.units,
      is_failing: sources.isFlushFailing(),
      last_fault: fault === undefined ? null : { at: utcText(fault.atMillis), message: fault.message },
      account_store: sources.accountStore,
      is_shared: sources.reportFleet !== undefined,
    },
    untrusted_proxies: sources.listForwarders(),
    streets: readStreets(sources),
  }
}

/** The state of the imported streets; null if no map extract is configured. */
function readStreets({ streets, clock }: OperatorSources) {
  const { state } = streets
  if (state === undefined) return null
  const { sources, meta, networks, lastError, ground } = state
  const extractMillis = meta?.extractSeconds === undefined ? undefined : meta.extractSeconds * 1000
  return {
    sources,
    kilometers: meta === undefined ? null : round(meta.kilometers, 0),
    built_at: meta === undefined ? null : utcText(meta.madeAtMillis),
    extract_at: extractMillis === undefined ? null : utcText(extractMillis),
    extract_age_seconds: extractMillis === undefined ? null : ageOf(extractMillis, clock.nowMillis()),
    networks: networks.map(({ id, linkedStops, unlinkedStops, unlinkedIds, warnings }) => ({
      id,
      stops_linked: linkedStops,
      stops_unlinked: unlinkedStops,
      unlinked: unlinkedIds,
      warnings,
    })),
    last_error: readError(lastError, utcText),
    map: ground === undefined ? null : { is_served: ground.path !== undefined, ...mapFacts(ground) },
  }
}

/** The facts about the map that is made from the streets. */
function mapFacts({ bytes, problem, warnings }: GroundState) {
  return { bytes: bytes ?? null, problem: problem ?? null, warnings }
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

function readNetwork(
  sources: OperatorSources,
  { config, problems }: NetworkBrief,
  { feedsOf, nowMillis }: { readonly feedsOf: FeedsOfNetwork; readonly nowMillis: number },
) {
  const inside = sources.networks.find(config.id)
  const zone = inside?.served?.loaded.snapshot.timetable.meta.timezone ?? 'UTC'
  const local = new LocalTime(zone)
  const at = (millis: number) => local.text(Math.floor(millis / 1000))
  const feeds = feedsOf(config.id)
  return {
    id: config.id,
    name: config.name,
    city: config.city,
    timezone: zone,
    problems,
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
    /** Remaining days of service including today; 0 or less if the last day of service has passed. */
    days_left: span === undefined ? null : span.last - today + 1,
    is_begun: span !== undefined && span.first <= today,
    counts: countTimetable(snapshot.timetable),
  }
}

/** The snapshots on disk, newest first, and the newest snapshot that was set aside because it is corrupt. */
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
