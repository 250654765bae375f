// The metrics of networks and their live feeds: what serves, how old it is, what imports and fetches come to.
import { Counter, Gauge, type Registry } from 'prom-client'
import type { NetworkState } from '../imports/network-states.ts'
import type { FeedStatus } from '../networks/network.ts'

/** What the metrics of networks are read from. */
export interface NetworkSources {
  readonly listNetworks: () => readonly NetworkState[]
  readonly listFeeds: () => readonly NetworkFeed[]
  /** Service time, in milliseconds after 1970. */
  readonly nowMillis: () => number
}

/** A live feed of a network. */
export interface NetworkFeed {
  readonly network: string
  readonly status: FeedStatus
}

/** The metrics of snapshots and imports. */
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
  add('quai_network_served', 'Whether the network has a snapshot: 1 or 0.', ({ snapshot }) =>
    snapshot === undefined ? 0 : 1,
  )
  add('quai_snapshot_made_timestamp_seconds', 'When the snapshot that serves was made.', ({ snapshot }) =>
    snapshot === undefined ? undefined : snapshot.madeAtMillis / 1000,
  )
  add(
    'quai_snapshot_service_end_timestamp_seconds',
    'Start (UTC) of the day behind the last one on which a trip runs.',
    ({ snapshot }) => snapshot?.serviceEndSeconds,
  )
  add('quai_import_failing', 'Whether the last import failed: 1 or 0.', ({ isFailing }) => (isFailing ? 1 : 0))
  add(
    'quai_import_duration_seconds',
    'How long the last import took that made a snapshot; absent before the first.',
    ({ importSeconds }) => importSeconds,
  )
  new Counter({
    name: 'quai_imports_total',
    help: 'Imports since the start of the process, by what they came to.',
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

/** The metrics of live feeds. */
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
  add('quai_feed_fetched', 'Whether the feed was fetched once since the start: 1 or 0.', ({ fetchedAtMillis }) =>
    fetchedAtMillis === undefined ? 0 : 1,
  )
  add('quai_feed_age_seconds', 'Age of the newest message, by its own timestamp.', ({ timestampMillis }) =>
    ageOf(timestampMillis),
  )
  add('quai_feed_fresh_seconds', 'Age at which the data of the feed is stale.', ({ freshMillis }) => freshMillis / 1000)
  add('quai_feed_fetched_age_seconds', 'Time since the last fetch that did not fail.', ({ fetchedAtMillis }) =>
    ageOf(fetchedAtMillis),
  )
  add('quai_feed_match_ratio', 'Share of the trip updates that found their trip.', ({ matchRate }) => matchRate)
  add(
    'quai_feed_back_off_seconds',
    'Least wait before the next fetch after failures in a row; 0 while all is well.',
    ({ backOffMillis = 0 }) => backOffMillis / 1000,
  )
  add('quai_feed_budget_used', 'Fetches counted against the budget of the feed.', ({ budget }) => budget?.used)
  add('quai_feed_budget_limit', 'Fetches that the budget of the feed allows.', ({ budget }) => budget?.limit)
}
