// The metrics of the service as Prometheus reads them: made when they are asked for, of what the threads count and what
// the control thread knows. No label names a key or an account; the labels of one metric are bounded by configuration.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { LedgerLag } from '../metering/ledger.ts'
import { SERVICE_STREAM_LIMIT } from '../streams/stream-slots.ts'
import { VERSION } from '../system/version.ts'
import { addFeedMetrics, addNetworkMetrics, type NetworkSources } from './network-metrics.ts'
import { DURATION_BOUNDS_SECONDS, SharedCounts, STATUS_CLASSES } from './thread-counts.ts'

/** Sums that prom-client names as only counters may be; the same numbers stand in the metrics they are the sums of. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** What the metrics are read from. */
export interface MetricsSources extends NetworkSources {
  /** What the data threads count in. */
  readonly counts: SharedArrayBuffer
  readonly isReady: () => boolean
  /** Data threads that died and were replaced. */
  readonly replacedThreads: () => number
  /** Open streams of all threads. */
  readonly openStreams: () => number
  readonly ledgerLag: () => LedgerLag
}

/** How often the control thread's own loop is looked at, in milliseconds. */
const OWN_LOOP_MILLIS = 100

/** The metrics of one process, as text for Prometheus. */
export class ServiceMetrics {
  readonly contentType: string
  private readonly registry = new Registry()

  constructor(sources: MetricsSources) {
    const { registry } = this
    this.contentType = registry.contentType
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: OWN_LOOP_MILLIS })
    for (const name of MISNAMED) registry.removeSingleMetric(name)
    const counts = new SharedCounts(sources.counts)
    addProcessMetrics(registry, sources, counts)
    addAnswerMetrics(registry, counts)
    addLedgerMetrics(registry, sources)
    addNetworkMetrics(registry, sources)
    addFeedMetrics(registry, sources)
  }

  /** All of them, now. */
  async text(): Promise<string> {
    return await this.registry.metrics()
  }
}

function addProcessMetrics(registry: Registry, sources: MetricsSources, counts: SharedCounts): void {
  const { isReady, openStreams, replacedThreads } = sources
  const registers = [registry]
  new Gauge({ name: 'quai_info', help: 'The version that runs; always 1.', labelNames: ['version'], registers }).set(
    { version: VERSION },
    1,
  )
  new Gauge({
    name: 'quai_ready',
    help: 'Whether the service takes requests and can count their units: 1 or 0.',
    registers,
    collect() {
      this.set(isReady() ? 1 : 0)
    },
  })
  new Gauge({
    name: 'quai_thread_loop_lag_seconds',
    help: 'How late the timers of a data thread came at worst in the last 30 s.',
    labelNames: ['thread'],
    registers,
    collect() {
      for (const [thread, seconds] of counts.listLoopLags().entries()) this.set({ thread }, seconds)
    },
  })
  addTotal(registry, {
    name: 'quai_data_thread_replacements_total',
    help: 'Data threads that died by an error and were replaced.',
    read: replacedThreads,
  })
  new Gauge({
    name: 'quai_streams_open',
    help: 'Streams that are open.',
    registers,
    collect() {
      this.set(openStreams())
    },
  })
  new Gauge({ name: 'quai_streams_limit', help: 'Streams that may be open at once.', registers }).set(
    SERVICE_STREAM_LIMIT,
  )
}

function addAnswerMetrics(registry: Registry, counts: SharedCounts): void {
  const registers = [registry]
  new Counter({
    name: 'quai_requests_total',
    help: 'Answers, by the path of their route and the class of their status.',
    labelNames: ['route', 'status'],
    registers,
    collect() {
      this.reset()
      for (const { route, answers } of counts.listRoutes()) {
        for (const [at, status] of STATUS_CLASSES.entries()) this.inc({ route, status }, answers[at] ?? 0)
      }
    },
  })
  new AnswerDurations(registry, counts)
  new Counter({
    name: 'quai_refusals_total',
    help: 'Answers that are problems, by their reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset()
      for (const { reason, count } of counts.listRefusals()) this.inc({ reason }, count)
    },
  })
  addTotal(registry, {
    name: 'quai_units_total',
    help: 'Units charged since the start of the process.',
    read: () => counts.units,
  })
  addTotal(registry, {
    name: 'quai_streams_dropped_total',
    help: 'Streams dropped as their readers took nothing.',
    read: () => counts.droppedStreams,
  })
}

/** A counter without labels, read where it is counted. */
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

const DURATIONS = 'quai_request_duration_seconds'
const DURATIONS_HELP = 'Time from the start of a handler to its answer, by the path of the route.'

/** The times of answers: a histogram whose buckets the threads fill themselves. */
class AnswerDurations extends Histogram<'route'> {
  private readonly counts: SharedCounts

  constructor(registry: Registry, counts: SharedCounts) {
    super({ name: DURATIONS, help: DURATIONS_HELP, labelNames: ['route'], registers: [registry] })
    this.counts = counts
  }

  /** What prom-client asks a histogram for, though its types do not tell. */
  async getForPromString() {
    const values = this.counts.listRoutes().flatMap(({ route, buckets, seconds }) => {
      let count = 0
      const filled = buckets.map((inBucket, at) => {
        count += inBucket
        const le = DURATION_BOUNDS_SECONDS[at] ?? '+Inf'
        return { metricName: `${DURATIONS}_bucket`, labels: { le, route }, value: count }
      })
      return [
        ...filled,
        { metricName: `${DURATIONS}_sum`, labels: { route }, value: seconds },
        { metricName: `${DURATIONS}_count`, labels: { route }, value: count },
      ]
    })
    return { name: DURATIONS, help: DURATIONS_HELP, type: 'histogram', values }
  }
}

function addLedgerMetrics(registry: Registry, { ledgerLag }: MetricsSources): void {
  const registers = [registry]
  new Gauge({
    name: 'quai_ledger_flush_lag_seconds',
    help: 'Time since units were last brought to the ledger; a second where all is well.',
    registers,
    collect() {
      this.set(ledgerLag().seconds)
    },
  })
  new Gauge({
    name: 'quai_ledger_unflushed_units',
    help: 'Units that are counted and not in the ledger yet.',
    registers,
    collect() {
      this.set(ledgerLag().units)
    },
  })
}
