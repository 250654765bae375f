// The configuration. The values from one TOML file, from the environment and from flags are merged into one frozen
// object. The object is validated once. Precedence: flags, QUAI_* environment, file, defaults.

import { existsSync } from 'node:fs'
import { availableParallelism, hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Value } from '@sinclair/typebox/value'
import type { JourneySettings } from '../networks/network.ts'
import type { Offers } from '../plans/offers.ts'
import type { PlanTable } from '../plans/plans.ts'
import { findConflicts } from './config-conflicts.ts'
import { ConfigError, parseConfigFile } from './config-file.ts'
import { type ReadContext, readTable } from './config-reader.ts'
import { OSM_CREDIT, offersOf, plansOf, SETTINGS, type Settings } from './config-settings.ts'
import { withEnvironmentFile } from './environment-file.ts'

/** A GTFS-Realtime feed. */
export interface FeedConfig {
  readonly id: string
  /** A web URL or an absolute path. */
  readonly url: string
  readonly intervalSeconds: number
  readonly headers: Readonly<Record<string, string>>
  readonly budget: { readonly limit: number; readonly window: 'minute' | 'hour' | 'day' | 'month' } | undefined
  readonly maxAgeSeconds: number | undefined
  /** The entities that the feed contains; undefined if not configured. */
  readonly provides: readonly ('trips' | 'vehicles' | 'alerts')[] | undefined
  readonly derivesSeverity: boolean
  /** Prefix of the feed's ids; undefined if not configured. */
  readonly prefix: string | undefined
}

/** The settings of one network. */
export interface NetworkConfig {
  readonly id: string
  readonly name: string
  readonly city: string
  /** The network's GTFS feeds, at least one. A source is a web URL or an absolute path. The prefix is "" by default. */
  readonly gtfs: readonly { readonly source: string; readonly prefix: string }[]
  /** Seconds between two checks for changed feeds; undefined for the default, 0 for no checks. */
  readonly refreshSeconds: number | undefined
  readonly attribution: readonly string[]
  /** IANA time zone that overrides the time zone in the feed. */
  readonly timezone: string | undefined
  readonly scheduledVehicles: boolean
  /** Whether walks follow the streets in the OpenStreetMap extracts. */
  readonly streets: boolean
  readonly journeys: JourneySettings
  readonly feeds: readonly FeedConfig[]
}

/** Log settings. */
export interface LogConfig {
  readonly level: Settings['log']['level']
  readonly requests: Settings['log']['requests']
  /**
   * Maximum number of request lines that all threads together write per second. Beyond this rate, one line stands for
   * several requests.
   */
  readonly requestLinesPerSecond: number
}

/** Which networks have their own time series at /metrics. */
export interface MetricsConfig {
  readonly networkLimit: number
  /** Networks that always have their own time series, regardless of the limit. */
  readonly networks: readonly string[]
}

/** The store in which replicas share snapshots. */
export interface SnapshotStoreConfig {
  readonly endpoint: string
  readonly bucket: string
  readonly prefix: string
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
  readonly hasVirtualHosts: boolean
}

/** Settings of a replica. */
export interface ClusterConfig {
  /** The replica's name for operators. */
  readonly name: string
  readonly leaseSeconds: number
  readonly outageShare: number
  readonly lostAfterSeconds: number
  /** The replica rejects every key after this many minutes without a response from the database; 0 for never. */
  readonly ringAgeMinutes: number
  readonly flushSeconds: number
  readonly hasPreparedStatements: boolean
  /** Undefined if replicas do not share snapshots: each replica then imports its own snapshots. */
  readonly snapshots: SnapshotStoreConfig | undefined
}

/** All settings, as plain data that can be posted to a thread. */
export interface Config {
  /** Absolute path of the file that was read; undefined if there was none. */
  readonly file: string | undefined
  readonly dataDir: string
  readonly bind: string
  readonly port: number
  readonly accountPort: number
  readonly adminBind: string
  readonly adminPort: number
  /** Additional host names under which the admin port serves metrics. */
  readonly adminHosts: readonly string[]
  /** Password for the operator pages. Without a password, only this machine can open the pages. */
  readonly adminToken: string | undefined
  readonly explorerPort: number
  readonly workers: number
  readonly baseUrl: string
  readonly accountUrl: string
  readonly accountConsoleUrl: string
  readonly explorerUrl: string
  /** Absolute path of a PMTiles file with the explorer's base map. */
  readonly explorerTiles: string | undefined
  /**
   * Host name of `baseUrl`: the host for which keys are valid. It has no port, so that keys stay valid if the port changes.
   */
  readonly audience: string
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined
  readonly trustedProxies: readonly string[]
  readonly corsOrigins: readonly string[]
  /** How long the service keeps serving after SIGTERM, while it already reports that it is not ready. */
  readonly drainSeconds: number
  readonly pepperFile: string
  readonly databaseUrl: string | undefined
  /** Undefined for a single service. */
  readonly cluster: ClusterConfig | undefined
  readonly mail: Settings['mail']
  readonly log: LogConfig
  readonly metrics: MetricsConfig
  readonly plans: PlanTable
  readonly offers: Offers
  readonly addresses: readonly { readonly source: string; readonly attribution: string }[]
  /** OpenStreetMap extracts, each a web URL or an absolute path. */
  readonly streets: readonly { readonly source: string; readonly attribution: string }[]
  /** The base map made from the extracts; undefined for none. */
  readonly ground: { readonly hasBuildings: boolean } | undefined
  readonly networks: readonly NetworkConfig[]
}

/** The configuration of a replica. */
export type ReplicaConfig = Config & { readonly cluster: ClusterConfig; readonly databaseUrl: string }

/** Whether the configuration is a replica's: it has [cluster] and `database_url`. */
export function isReplicaConfig(config: Config): config is ReplicaConfig {
  return config.cluster !== undefined && config.databaseUrl !== undefined
}

/**
 * Where to read the configuration. The keys of `flags` are the same as in the file, such as `account_port`. The value
 * of an absent flag is undefined.
 */
export interface ConfigSources {
  /** The value of `--config`; by default `quai.toml` in the current folder, if it exists. */
  readonly file?: string | undefined
  readonly flags?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly currentFolder?: string
}

const DEFAULT_FILE = 'quai.toml'

/** A configuration and its settings. */
export interface LoadedConfig {
  readonly config: Config
  readonly settings: Readonly<Record<string, unknown>>
  /** The same settings with secrets redacted, as `loadRedactedSettings` returns them. */
  readonly shown: Readonly<Record<string, unknown>>
}

/** Reads and validates the configuration; throws ConfigError. */
export function loadConfig(sources: ConfigSources = {}): Config {
  return checkSettings(readSettings(sources, false))
}

/**
 * Reads the configuration and its printable settings, so that it can be compared with another configuration. Throws
 * ConfigError.
 */
export function loadComparable(sources: ConfigSources = {}): LoadedConfig {
  const read = readSettings(sources, false)
  return { config: checkSettings(read), settings: read.settings, shown: loadRedactedSettings(sources) }
}

function checkSettings({ file, settings }: ReturnType<typeof readSettings>): Config {
  if (!Value.Check(SETTINGS, settings))
    throw new Error('the settings were read without a problem, but do not match their schema')
  const problems = findConflicts(settings)
  if (problems.length > 0) throw toError(file, problems)
  return deepFreeze(toConfig(file, settings))
}

/** The current settings, with secrets redacted. `${NAME}` in the file is not expanded. */
export function loadRedactedSettings(sources: ConfigSources = {}): Record<string, unknown> {
  return readSettings(sources, true).settings
}

function readSettings(sources: ConfigSources, isRedacted: boolean) {
  const currentFolder = sources.currentFolder ?? process.cwd()
  const file = findFile(sources.file, currentFolder)
  const fileFolder = file === undefined ? currentFolder : dirname(file)
  const problems: string[] = []
  const context: ReadContext = {
    ...withEnvironmentFile(sources.env ?? process.env, fileFolder),
    flags: sources.flags ?? {},
    fileFolder,
    currentFolder,
    isRedacted,
    problems,
  }
  const value = file === undefined ? {} : parseConfigFile(file)
  const settings = readTable(SETTINGS, value, { path: [], context }) ?? {}
  if (problems.length > 0) throw toError(file, problems)
  return { file, settings }
}

function findFile(given: string | undefined, currentFolder: string): string | undefined {
  const file = resolve(currentFolder, given ?? DEFAULT_FILE)
  if (existsSync(file)) return file
  if (given === undefined) return undefined
  throw new ConfigError(`the configuration file ${file} does not exist`)
}

function toError(file: string | undefined, problems: readonly string[]): ConfigError {
  const head = file === undefined ? 'the configuration is not usable' : `the configuration ${file} is not usable`
  return new ConfigError(`${head}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
}

function toConfig(file: string | undefined, settings: Settings): Config {
  const scheme = settings.tls === undefined ? 'http' : 'https'
  const accountUrl = settings.account_url ?? `${scheme}://localhost:${settings.account_port}`
  const accountConsoleUrl = settings.account_console_url ?? accountUrl
  const explorerUrl = settings.explorer_url ?? `${scheme}://localhost:${settings.explorer_port}`
  const baseUrl = settings.base_url ?? `${scheme}://localhost:${settings.port}`
  return {
    file,
    dataDir: settings.data_dir,
    bind: settings.bind,
    port: settings.port,
    accountPort: settings.account_port,
    adminBind: settings.admin_bind,
    adminPort: settings.admin_port,
    adminHosts: settings.admin_hosts,
    adminToken: settings.admin_token,
    explorerPort: settings.explorer_port,
    workers: settings.workers ?? availableParallelism(),
    baseUrl,
    accountUrl,
    accountConsoleUrl,
    explorerUrl,
    explorerTiles: settings.explorer_tiles,
    audience: new URL(baseUrl).hostname,
    tls: settings.tls === undefined ? undefined : { certFile: settings.tls.cert_file, keyFile: settings.tls.key_file },
    trustedProxies: settings.trusted_proxies,
    corsOrigins: settings.cors_origins ?? originsOf([accountUrl, accountConsoleUrl, explorerUrl]),
    drainSeconds: settings.drain_seconds,
    pepperFile: settings.pepper_file ?? join(settings.data_dir, 'pepper'),
    databaseUrl: settings.database_url,
    cluster: settings.cluster && toCluster(settings.cluster),
    mail: settings.mail,
    metrics: { networkLimit: settings.metrics.network_limit, networks: settings.metrics.networks },
    log: {
      level: settings.log.level,
      requests: settings.log.requests,
      requestLinesPerSecond: settings.log.request_lines_per_second,
    },
    plans: plansOf(settings),
    offers: offersOf(settings),
    addresses: settings.addresses.map((one) => (typeof one === 'string' ? { source: one, attribution: '' } : one)),
    streets: settings.streets.map((one) => (typeof one === 'string' ? { source: one, attribution: OSM_CREDIT } : one)),
    ground: settings.ground ? { hasBuildings: settings.ground_buildings } : undefined,
    networks: settings.networks.map((network) => toNetwork(network, settings.streets.length > 0)),
  }
}

function toCluster(cluster: NonNullable<Settings['cluster']>): ClusterConfig {
  return {
    name: cluster.name === '' ? hostname() : cluster.name,
    leaseSeconds: cluster.lease_seconds,
    outageShare: cluster.outage_share,
    lostAfterSeconds: cluster.lost_after_seconds,
    ringAgeMinutes: cluster.ring_age_minutes,
    flushSeconds: cluster.flush_seconds,
    hasPreparedStatements: cluster.prepared_statements,
    snapshots: cluster.snapshots && toSnapshotStore(cluster.snapshots),
  }
}

function toSnapshotStore({
  access_key,
  secret_key,
  virtual_hosts,
  ...rest
}: NonNullable<NonNullable<Settings['cluster']>['snapshots']>): SnapshotStoreConfig {
  return { ...rest, accessKey: access_key, secretKey: secret_key, hasVirtualHosts: virtual_hosts }
}

function toNetwork(network: Settings['networks'][number], hasStreets: boolean): NetworkConfig {
  const sources = Array.isArray(network.gtfs) ? network.gtfs : [network.gtfs]
  return {
    id: network.id,
    name: network.name ?? network.id,
    city: network.city,
    gtfs: sources.map((one) => (typeof one === 'string' ? { source: one, prefix: '' } : one)),
    refreshSeconds: network.refresh_seconds,
    attribution: network.attribution,
    timezone: network.timezone,
    scheduledVehicles: network.scheduled_vehicles,
    streets: hasStreets && network.streets,
    journeys: {
      transferWalkMeters: network.transfer_walk_meters,
      changeSeconds: network.change_seconds,
      tightSeconds: network.tight_seconds,
      gramsPerKm: network.co2_grams_per_km ?? {},
      native: toPlanner(network.planner),
    },
    feeds: network.feeds.map((feed) => ({
      id: feed.id,
      url: feed.url,
      intervalSeconds: feed.interval_seconds,
      headers: feed.headers,
      budget: feed.budget,
      maxAgeSeconds: feed.max_age_seconds,
      provides: feed.provides,
      derivesSeverity: feed.derive_severity,
      prefix: feed.prefix,
    })),
  }
}

function toPlanner(planner: Settings['networks'][number]['planner']): JourneySettings['native'] {
  if (planner === undefined) return undefined
  const { kind, url, headers, tag, deadline_seconds: seconds } = planner
  return { kind, url, headers, tag, deadlineMillis: Math.round(seconds * 1000) }
}

function originsOf(urls: readonly string[]): string[] {
  return [...new Set(urls.map((url) => new URL(url).origin))]
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) deepFreeze(member)
  }
  return Object.freeze(value)
}
