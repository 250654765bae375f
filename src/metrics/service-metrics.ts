// The service's Prometheus metrics, built on request from the threads' counts and the control thread's state. No label
// contains a key or an account; the number of label values is limited by the configuration.
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { FleetFigures } from '../accounts/fleet.ts'
import type { LedgerLag } from '../metering/ledger.ts'
import { SERVICE_STREAM_LIMIT } from '../streams/stream-slots.ts'
import { VERSION } from '../system/version.ts'
import { FilledHistogram } from './filled-histogram.ts'
import { addFleetMetrics } from './fleet-metrics.ts'
import {
  addFeedMetrics,
  addNetworkMetrics,
  type NetworkReading,
  type NetworkSources,
  readNetworks,
} from './network-metrics.ts'
import { DURATION_BOUNDS_SECONDS, SharedCounts, STATUS_CLASSES } from './thread-counts.ts'

/**
 * prom-client gauges that are left out. Their names end in `_total`, which is reserved for counters. Nothing is lost,
 * because each of them is only the sum of another metric's values.
 */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** Sources of the metrics. */
export interface MetricsSources extends NetworkSources {
  /** The counts of the data threads. */
  readonly counts: SharedArrayBuffer
  readonly isReady: () => boolean
  /** Number of data threads that were restarted after a crash. */
  readonly replacedThreads: () => number
  /** Number of open streams over all threads. */
  readonly openStreams: () => number
  readonly ledgerLag: () => LedgerLag
  /** Returns the figures of a replica in a cluster; undefined for a single service. */
  readonly fleet?: (() => FleetFigures) | undefined
}

/** Interval at which the delay of the control thread's event loop is measured, in milliseconds. */
const OWN_LOOP_MILLIS = 100

/** The metrics of one process in Prometheus text format. */
export class ServiceMetrics {
  readonly contentType: string
  private readonly registry = new Registry()
  private readonly readNetworks: () => NetworkReading
  /** The networks as read for the current request. All network metrics use this reading. */
  private reading: NetworkReading | undefined

  constructor(sources: MetricsSources) {
    const { registry } = this
    this.contentType = registry.contentType
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: OWN_LOOP_MILLIS })
    for (const name of MISNAMED) registry.removeSingleMetric(name)
    const counts = new SharedCounts(sources.counts)
    addProcessMetrics(registry, sources, counts)
    addAnswerMetrics(registry, counts)
    addLedgerMetrics(registry, sources)
    if (sources.fleet !== undefined) addFleetMetrics(registry, sources.fleet)
    this.readNetworks = () => readNetworks(sources)
    const read = () => (this.reading ??= this.readNetworks())
    addNetworkMetrics(registry, read)
    addFeedMetrics(registry, read, sources.nowMillis)
  }

  /** Reads all metrics and returns them in Prometheus text format. */
  async text(): Promise<string> {
    this.reading = this.readNetworks()
    return await this.registry.metrics()
  }
}

function addProcessMetrics(registry: Registry, sources: MetricsSources, counts: SharedCounts): void {
  const { isReady, openStreams, replacedThreads } = sources
  const registers = [registry]
  new Gauge({ name: 'quai_info', help: 'The running version; always 1.', labelNames: ['version'], registers }).set(
    { version: VERSION },
    1,
  )
  new Gauge({
    name: 'quai_ready',
    help: 'Whether the service accepts requests and can count their units (1 or 0).',
    registers,
    collect() {
      this.set(isReady() ? 1 : 0)
    },
  })
  new Gauge({
    name: 'quai_thread_loop_lag_seconds',
    help: 'Maximum event loop delay of a data thread in the last 30 s.',
    labelNames: ['thread'],
    registers,
    collect() {
      for (const [thread, seconds] of counts.listLoopLags().entries()) this.set({ thread }, seconds)
    },
  })
  addTotal(registry, {
    name: 'quai_data_thread_replacements_total',
    help: 'Data threads restarted after a crash.',
    read: replacedThreads,
  })
  new Gauge({
    name: 'quai_streams_open',
    help: 'Open streams.',
    registers,
    collect() {
      this.set(openStreams())
    },
  })
  new Gauge({ name: 'quai_streams_limit', help: 'Maximum number of open streams.', registers }).set(
    SERVICE_STREAM_LIMIT,
  )
}

function addAnswerMetrics(registry: Registry, counts: SharedCounts): void {
  const registers = [registry]
  new Counter({
    name: 'quai_requests_total',
    help: 'Responses by route path and status class.',
    labelNames: ['route', 'status'],
    registers,
    collect() {
      this.reset()
      for (const { route, answers } of counts.listRoutes()) {
        for (const [at, status] of STATUS_CLASSES.entries()) this.inc({ route, status }, answers[at] ?? 0)
      }
    },
  })
  new FilledHistogram(registry, {
    name: 'quai_request_duration_seconds',
    help: 'Time from the start of a handler to its response, by route path.',
    boundsSeconds: DURATION_BOUNDS_SECONDS,
    read: () =>
      counts.listRoutes().map(({ route, buckets, seconds }) => ({ labels: { route }, counts: { buckets, seconds } })),
  })
  new Counter({
    name: 'quai_refusals_total',
    help: 'Problem responses by reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset()
      for (const { reason, count } of counts.listRefusals()) this.inc({ reason }, count)
    },
  })
  addTotal(registry, {
    name: 'quai_units_total',
    help: 'Units charged since the process started.',
    read: () => counts.units,
  })
  addTotal(registry, {
    name: 'quai_streams_dropped_total',
    help: 'Streams closed because the client did not read.',
    read: () => counts.droppedStreams,
  })
  addTotal(registry, {
    name: 'quai_places_cut_total',
    help: 'Place searches that reached their work limit; better results may be missing.',
    read: () => counts.cutPlaceSearches,
  })
}

/** Adds a counter without labels. `read` returns its current value. */
function addTotal(registry: Registry, total: { name: string; help: string; read: () => number }): void {
  const { name, help, read } = total
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset()
      this.inc(read())
    },
  })
}

function addLedgerMetrics(registry: Registry, { ledgerLag }: MetricsSources): void {
  const registers = [registry]
  new Gauge({
    name: 'quai_ledger_flush_lag_seconds',
    help: 'Time since the last flush of units to the ledger; normally about a second.',
    registers,
    collect() {
      this.set(ledgerLag().seconds)
    },
  })
  new Gauge({
    name: 'quai_ledger_unflushed_units',
    help: 'Units counted but not flushed to the ledger yet.',
    registers,
    collect() {
      this.set(ledgerLag().units)
    },
  })
}
