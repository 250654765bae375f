// Metrics of a replica in a cluster.
import { Counter, Gauge, type Registry } from 'prom-client'
import type { FleetFigures } from '../accounts/fleet.ts'
import { FilledHistogram } from './filled-histogram.ts'

const STATES = ['joining', 'serving'] as const

/** Adds a replica's metrics about its cluster. @param read returns the current figures */
export function addFleetMetrics(registry: Registry, read: () => FleetFigures): void {
  const registers = [registry]
  new Gauge({
    name: 'quai_cluster_replicas',
    help: 'Replicas in the cluster, by state, according to the last response from the database.',
    labelNames: ['state'],
    registers,
    collect() {
      const { replicas } = read()
      for (const state of STATES) this.set({ state }, replicas[state] ?? 0)
    },
  })
  addNumber(registry, 'gauge', {
    name: 'quai_cluster_tick_age_seconds',
    help: 'Time since the database last answered this replica; normally below a second.',
    read: () => read().tickAgeSeconds,
  })
  addNumber(registry, 'gauge', {
    name: 'quai_cluster_version_lag',
    help: 'Changes to accounts, keys and plans that this replica has not applied yet.',
    read: () => read().versionLag,
  })
  addNumber(registry, 'counter', {
    name: 'quai_cluster_resyncs_total',
    help: 'Number of times that this replica sent everything again because the database had lost transactions.',
    read: () => read().resyncs,
  })
  addSharedMetrics(registry, read)
  addNumber(registry, 'gauge', {
    name: 'quai_grants_held_units',
    help: 'Units granted to this replica and not used yet.',
    read: () => read().heldUnits,
  })
  addNumber(registry, 'counter', {
    name: 'quai_outage_units_total',
    help: 'Units beyond its grants that this replica allowed while the database was unavailable.',
    read: () => read().outageUnits,
  })
  const { boundsSeconds } = read().waits
  new FilledHistogram<never>(registry, {
    name: 'quai_grant_wait_seconds',
    help: 'Time that requests waited for units for their account.',
    boundsSeconds,
    read: () => [{ labels: {}, counts: read().waits }],
  })
}

/** Adds the metrics of live data and timetables, which one replica provides for all replicas. */
function addSharedMetrics(registry: Registry, read: () => FleetFigures): void {
  new Gauge({
    name: 'quai_cluster_role',
    help: 'Whether this replica has the role (1 or 0). The live role polls the live feeds for all replicas; the import role imports timetables.',
    labelNames: ['role'],
    registers: [registry],
    collect() {
      const { live, snapshots } = read()
      this.set({ role: 'live' }, live?.isPoller === true ? 1 : 0)
      if (snapshots !== undefined) this.set({ role: 'import' }, snapshots.isImporter ? 1 : 0)
    },
  })
  addNumber(registry, 'gauge', {
    name: 'quai_live_lag_seconds',
    help: 'Time from the commit of the newest live message until the data threads of this replica received it.',
    read: () => read().live?.lagSeconds ?? 0,
  })
  addNumber(registry, 'gauge', {
    name: 'quai_snapshot_adopt_seconds',
    help: 'How long this replica took to serve the last snapshot that it shares with the others.',
    read: () => read().snapshots?.adoptSeconds ?? 0,
  })
}

function addNumber(
  registry: Registry,
  kind: 'gauge' | 'counter',
  { name, help, read }: { readonly name: string; readonly help: string; readonly read: () => number },
): void {
  const collect = function (this: Gauge | Counter) {
    this.reset()
    this.inc(read())
  }
  const parts = { name, help, registers: [registry], collect }
  if (kind === 'gauge') new Gauge(parts)
  else new Counter(parts)
}
