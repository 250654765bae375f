// Metrics of networks and live feeds: served snapshots, their age, and results of imports and fetches.
import { Counter, Gauge, type Registry } from 'prom-client'
import type { NetworkState } from '../imports/network-states.ts'
import type { FeedStatus } from '../networks/network.ts'

/** Sources of the network metrics. */
export interface NetworkSources {
  readonly listNetworks: () => readonly NetworkState[]
  readonly listFeeds: () => readonly NetworkFeed[]
  /** Service time in Unix milliseconds. */
  readonly nowMillis: () => number
}

/** A live feed of a network. */
export interface NetworkFeed {
  readonly network: string
  readonly status: FeedStatus
}

/** Metrics of snapshots and imports. */
export function addNetworkMetrics(registry: Registry, { listNetworks }: NetworkSources): void {
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

/** Metrics of live feeds. */
export function addFeedMetrics(registry: Registry, { listFeeds, nowMillis }: NetworkSources): void {
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
  add('quai_feed_budget_used', 'Fetches used of the feed budget.', ({ budget }) => budget?.used)
  add('quai_feed_budget_limit', 'Fetches allowed by the feed budget.', ({ budget }) => budget?.limit)
}
