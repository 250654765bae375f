// Metrics of networks and live feeds: served snapshots, their age, and results of imports and fetches. The number of
// networks with their own series is limited. Networks named in the settings come first, then those with problems.
import { Counter, Gauge, type Registry } from 'prom-client'
import type { NetworkState } from '../imports/network-states.ts'
import type { FeedStatus } from '../networks/network.ts'

/** Sources of the network metrics. */
export interface NetworkSources {
  readonly listNetworks: () => readonly NetworkState[]
  readonly listFeeds: () => readonly NetworkFeed[]
  /** Service time in Unix milliseconds. */
  readonly nowMillis: () => number
  /** Returns the settings that determine which networks have their own series. */
  readonly shownNetworks: () => ShownSettings
}

/** The settings that determine which networks have their own series. */
export interface ShownSettings {
  readonly networkLimit: number
  /** Networks that always have series, regardless of the limit. */
  readonly networks: readonly string[]
}

/**
 * The networks as read for one metrics request: `all` networks, the `shown` networks that have their own series, and
 * the `feeds` of the shown networks.
 */
export interface NetworkReading {
  readonly all: readonly NetworkState[]
  readonly shown: readonly NetworkState[]
  readonly feeds: readonly NetworkFeed[]
}

/** A live feed of a network. */
export interface NetworkFeed {
  readonly network: string
  readonly status: FeedStatus
}

/** A timetable that ends within this time is a problem, as in the alerts of the operator kit (src/kit). */
const SOON_SECONDS = 7 * 86_400
/** A feed is a problem if the share of its updates that match is smaller than this. */
const LEAST_MATCH_RATE = 0.8
const BUDGET_SHARE = 0.95

/** Reads all networks, and chooses those that get their own series. */
export function readNetworks(sources: NetworkSources): NetworkReading {
  const all = sources.listNetworks()
  const feeds = sources.listFeeds()
  const { networkLimit, networks } = sources.shownNetworks()
  if (all.length <= networkLimit) return { all, shown: all, feeds }
  const nowMillis = sources.nowMillis()
  const failing = new Set(feeds.filter(({ status }) => isUnwell(status, nowMillis)).map(({ network }) => network))
  const named = new Set(networks)
  const rankOf = (network: NetworkState) =>
    named.has(network.id) ? 0 : failing.has(network.id) || isInTrouble(network, nowMillis) ? 1 : 2
  const ranked = all.map((network) => ({ network, rank: rankOf(network) })).sort((a, b) => a.rank - b.rank)
  const chosen = ranked.filter(({ rank }, at) => rank === 0 || at < networkLimit).map(({ network }) => network)
  const ids = new Set(chosen.map(({ id }) => id))
  return { all, shown: all.filter(({ id }) => ids.has(id)), feeds: feeds.filter(({ network }) => ids.has(network)) }
}

function isInTrouble({ snapshot, isFailing }: NetworkState, nowMillis: number): boolean {
  const end = snapshot?.serviceEndSeconds
  return snapshot === undefined || isFailing || end === undefined || end - nowMillis / 1000 < SOON_SECONDS
}

function isUnwell(
  { timestampMillis, freshMillis, matchRate, backOffMillis, budget }: FeedStatus,
  nowMillis: number,
): boolean {
  const isFresh = timestampMillis !== undefined && nowMillis - timestampMillis <= freshMillis
  const isMatched = (matchRate ?? 1) >= LEAST_MATCH_RATE
  const isUsedUp = budget !== undefined && budget.used > budget.limit * BUDGET_SHARE
  return !isFresh || !isMatched || isUsedUp || (backOffMillis ?? 0) > 0
}

/** Adds the metrics of snapshots and imports. @param read returns the networks as read for the current request */
export function addNetworkMetrics(registry: Registry, read: () => NetworkReading): void {
  const listNetworks = () => read().shown
  new Gauge({
    name: 'quai_networks',
    help: 'Networks by state: configured, served, failing (the last import failed).',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { all } = read()
      this.set({ state: 'configured' }, all.length)
      this.set({ state: 'served' }, all.filter(({ snapshot }) => snapshot !== undefined).length)
      this.set({ state: 'failing' }, all.filter(({ isFailing }) => isFailing).length)
    },
  })
  const add = (name: string, help: string, read: (network: NetworkState) => number | undefined) =>
    new Gauge({
      name,
      help,
      labelNames: ['network'],
      registers: [registry],
      collect() {
        this.reset()
        for (const network of listNetworks()) {
          const value = read(network)
          if (value !== undefined) this.set({ network: network.id }, value)
        }
      },
    })
  add('quai_network_served', 'Whether the network has a snapshot (1 or 0).', ({ snapshot }) =>
    snapshot === undefined ? 0 : 1,
  )
  add('quai_snapshot_made_timestamp_seconds', 'Creation time of the served snapshot.', ({ snapshot }) =>
    snapshot === undefined ? undefined : snapshot.madeAtMillis / 1000,
  )
  add(
    'quai_snapshot_service_end_timestamp_seconds',
    'Start (UTC) of the day after the last day of service.',
    ({ snapshot }) => snapshot?.serviceEndSeconds,
  )
  add('quai_import_failing', 'Whether the last import failed (1 or 0).', ({ isFailing }) => (isFailing ? 1 : 0))
  add(
    'quai_import_duration_seconds',
    'Duration of the last import that made a snapshot; absent before the first.',
    ({ importSeconds }) => importSeconds,
  )
  new Counter({
    name: 'quai_imports_total',
    help: 'Imports since the process started, by outcome.',
    labelNames: ['network', 'outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { id, imports } of listNetworks()) {
        for (const [outcome, count] of Object.entries(imports)) this.inc({ network: id, outcome }, count)
      }
    },
  })
}

/** Adds the metrics of live feeds. @param readNow returns the networks as read for the current request */
export function addFeedMetrics(registry: Registry, readNow: () => NetworkReading, nowMillis: () => number): void {
  const listFeeds = () => readNow().feeds
  const add = (name: string, help: string, read: (status: FeedStatus) => number | undefined) =>
    new Gauge({
      name,
      help,
      labelNames: ['network', 'feed'],
      registers: [registry],
      collect() {
        this.reset()
        for (const { network, status } of listFeeds()) {
          const value = read(status)
          if (value !== undefined) this.set({ network, feed: status.id }, value)
        }
      },
    })
  const ageOf = (millis: number | undefined) =>
    millis === undefined ? undefined : Math.max(0, nowMillis() - millis) / 1000
  add(
    'quai_feed_fetched',
    'Whether the feed has been fetched since the process started (1 or 0).',
    ({ fetchedAtMillis }) => (fetchedAtMillis === undefined ? 0 : 1),
  )
  add('quai_feed_age_seconds', 'Age of the newest message, from its own timestamp.', ({ timestampMillis }) =>
    ageOf(timestampMillis),
  )
  add('quai_feed_fresh_seconds', 'Age from which the feed is stale.', ({ freshMillis }) => freshMillis / 1000)
  add('quai_feed_fetched_age_seconds', 'Time since the last successful fetch.', ({ fetchedAtMillis }) =>
    ageOf(fetchedAtMillis),
  )
  add('quai_feed_match_ratio', 'Share of trip updates that matched a trip.', ({ matchRate }) => matchRate)
  add(
    'quai_feed_back_off_seconds',
    'Minimum delay before the next fetch after repeated failures; 0 if the last fetch succeeded.',
    ({ backOffMillis = 0 }) => backOffMillis / 1000,
  )
  add('quai_feed_budget_used', 'Fetches used from the feed budget.', ({ budget }) => budget?.used)
  add('quai_feed_budget_limit', 'Fetches allowed by the feed budget.', ({ budget }) => budget?.limit)
}
