// The admin port of a running service: defines when the service is ready, and loads the code for metrics and operator
// pages on first use.
import { hostname as nodeHostname } from 'node:os'
import type { UntrustedForwarders } from '../access/untrusted-forwarders.ts'
import type { AccountsService } from '../accounts/accounts-service.ts'
import type { Config } from '../config/config.ts'
import { openAdmin } from '../control/admin.ts'
import type { DataThreads } from '../control/data-threads.ts'
import type { NetworksControl } from '../imports/networks-control.ts'
import type { MetricsSources, ServiceMetrics } from '../metrics/service-metrics.ts'
import type { OperatorPages } from '../operator/operator-pages.ts'
import type { OperatorSources } from '../operator/operator-sources.ts'
import type { LiveFeeds } from '../realtime/live-feeds.ts'
import type { StreamsStart } from '../server/thread-messages.ts'
import { StreamSlots } from '../streams/stream-slots.ts'
import type { StreetsControl } from '../streets/streets-control.ts'
import { type ClockStart, startClock, TRUE_CLOCK } from '../system/clock.ts'
import { once } from '../system/once.ts'

/** How far the service's startup or shutdown has progressed, and its current settings. */
export interface Stage {
  /**
   * Whether the service has been ready at least once: its ports were open, and it served a network or had none
   * configured.
   */
  isStarted: boolean
  /** Whether the ports are open and the service is not draining. */
  isReady: boolean
  /** Whether the service is draining: its shutdown was requested, but it keeps serving for a while. */
  isDraining: boolean
  /** The current settings, including reloaded settings. */
  config: Config
}

/** The parts of the service that the admin port shows. */
interface WatchedParts {
  readonly stage: Stage
  readonly accounts: AccountsService
  readonly networks: NetworksControl
  readonly streets: StreetsControl
  readonly live: LiveFeeds
  readonly threads: DataThreads
  readonly streams: StreamsStart
  readonly counts: SharedArrayBuffer
  readonly clock: ClockStart
  readonly forwarders: UntrustedForwarders
}

/** Opens the admin port. It is opened before all other ports, so that a slow start can be monitored. */
export function openAdminPort(config: Config, parts: WatchedParts): ReturnType<typeof openAdmin> {
  const { stage, accounts, networks, live, threads } = parts
  const { fleet } = accounts
  const isServing = () => networks.count === 0 || networks.servedCount > 0
  const isReady = () => stage.isReady && threads.isAnswering && isServing() && accounts.fleet?.isReady !== false
  // Stays true even if no network is served later.
  const isStarted = () => {
    stage.isStarted ||= isReady()
    return stage.isStarted
  }
  const slots = new StreamSlots(parts.streams.slots)
  const clock = startClock(parts.clock)
  const sources: MetricsSources = {
    counts: parts.counts,
    isReady,
    replacedThreads: () => threads.replacedCount,
    openStreams: () => slots.takenCount,
    ledgerLag: () => accounts.ledgerLag(),
    fleet: fleet && (() => fleet.figures),
    listNetworks: () => networks.states(),
    listFeeds: () => live.listFeeds(),
    nowMillis: () => clock.nowMillis(),
    shownNetworks: () => stage.config.metrics,
  }
  const { adminBind: hostname, adminPort: port } = config
  const names = [nodeHostname(), ...config.adminHosts].map((name) => name.toLowerCase())
  const metrics = once(() => loadMetrics(sources))
  const pages = once(() => loadPages(config, parts, { ...sources, clock, isStarted }))
  const digestLive = () => threads.digestLive()
  return openAdmin({ hostname, port, names, isStarted, isReady, digestLive, metrics, pages })
}

/** Loads the metrics code on first use. Loading takes about 30 ms on a busy machine. */
async function loadMetrics(sources: MetricsSources): Promise<ServiceMetrics> {
  const { ServiceMetrics } = await import('../metrics/service-metrics.ts')
  return new ServiceMetrics(sources)
}

/** Loads the code for the operator pages on first use. */
async function loadPages(
  config: Config,
  { stage, accounts, networks, streets, live, forwarders }: WatchedParts,
  watched: MetricsSources & Pick<OperatorSources, 'clock' | 'isStarted'>,
): Promise<OperatorPages> {
  const { fleet } = accounts
  const { OperatorPages } = await import('../operator/operator-pages.ts')
  const sources: OperatorSources = {
    ...watched,
    networks,
    streets,
    live,
    dataDir: config.dataDir,
    accountStore: config.databaseUrl === undefined ? 'SQLite' : 'PostgreSQL',
    configured: () => stage.config.networks,
    isFlushFailing: () => accounts.isFlushFailing,
    listForwarders: () => forwarders.list(stage.config.trustedProxies),
    lastFlushFault: () => accounts.lastFlushFault,
    reportFleet: fleet && (() => fleet.report()),
    startedAtMillis: TRUE_CLOCK.nowMillis() - performance.now(),
  }
  return new OperatorPages(sources, config.adminToken)
}
