// The configuration: one TOML file, the environment and flags, made into one frozen object and checked once.
// Flags win over QUAI_* of the environment, over the file, over defaults.
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Value } from '@sinclair/typebox/value'
import { trustedProxyProblem } from '../access/client-address.ts'
import type { JourneySettings } from '../networks/network.ts'
import { type PlanTable, tableOfPlans } from '../plans/plans.ts'
import { ConfigError, parseConfigFile } from './config-file.ts'
import { type ReadContext, readTable } from './config-reader.ts'
import { SETTINGS, type Settings } from './config-settings.ts'
import { parsePostgresAddress } from './postgres-address.ts'

/** A GTFS-Realtime feed. */
export interface FeedConfig {
  readonly id: string
  /** An address on the web or an absolute path. */
  readonly url: string
  readonly intervalSeconds: number
  readonly headers: Readonly<Record<string, string>>
  readonly budget: { readonly limit: number; readonly window: 'minute' | 'hour' | 'day' | 'month' } | undefined
  readonly maxAgeSeconds: number | undefined
  /** What it carries, where that is set. */
  readonly provides: readonly ('trips' | 'vehicles' | 'alerts')[] | undefined
  readonly derivesSeverity: boolean
  /** Put before its ids, where that is set. */
  readonly prefix: string | undefined
}

/** One network. */
export interface NetworkConfig {
  readonly id: string
  readonly name: string
  readonly city: string
  /** At least one; a source is an address on the web or an absolute path, the prefix "" where none was given. */
  readonly gtfs: readonly { readonly source: string; readonly prefix: string }[]
  /** Seconds between two looks at the feeds; undefined for the usual ones, 0 for none. */
  readonly refreshSeconds: number | undefined
  readonly attribution: readonly string[]
  /** IANA zone that replaces the feed's own. */
  readonly timezone: string | undefined
  readonly scheduledVehicles: boolean
  readonly journeys: JourneySettings
  readonly feeds: readonly FeedConfig[]
}

/** What is logged. */
export interface LogConfig {
  readonly level: Settings['log']['level']
  readonly requests: Settings['log']['requests']
  /** Of all threads; beyond it a line stands for several requests. */
  readonly requestLinesPerSecond: number
}

/** Everything an operator can set. Plain data: it can be posted to a thread. */
export interface Config {
  /** The file that was read, absolute, or undefined where there was none. */
  readonly file: string | undefined
  readonly dataDir: string
  readonly bind: string
  readonly port: number
  readonly accountPort: number
  readonly adminBind: string
  readonly adminPort: number
  /** Other names by which the admin port is asked for metrics. */
  readonly adminHosts: readonly string[]
  /** Password of the pages for operators; they answer this machine alone without one. */
  readonly adminToken: string | undefined
  readonly explorerPort: number
  readonly workers: number
  readonly baseUrl: string
  readonly accountUrl: string
  readonly accountConsoleUrl: string
  readonly explorerUrl: string
  /** A PMTiles file, absolute. */
  readonly explorerTiles: string | undefined
  /** Host name of `baseUrl`, without a port, so that a key outlives a change of port. */
  readonly audience: string
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined
  readonly trustedProxies: readonly string[]
  readonly corsOrigins: readonly string[]
  /** How long it serves on after SIGTERM, not ready any more. */
  readonly drainSeconds: number
  readonly pepperFile: string
  readonly databaseUrl: string | undefined
  readonly mail: Settings['mail']
  readonly log: LogConfig
  readonly plans: PlanTable
  readonly addresses: readonly { readonly source: string; readonly attribution: string }[]
  readonly networks: readonly NetworkConfig[]
}

/** What the command line says. Keys of `flags` are those of the file (`account_port`); undefined is not given. */
export interface ConfigSources {
  /** `--config`; without it `quai.toml` of the current folder is read if it is there. */
  readonly file?: string | undefined
  readonly flags?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly currentFolder?: string
}

const DEFAULT_FILE = 'quai.toml'
/** No network may have the id that addresses have in theirs. */
const RESERVED_NETWORK = 'ban'

/** A configuration, and the settings it was made of. */
export interface LoadedConfig {
  readonly config: Config
  readonly settings: Readonly<Record<string, unknown>>
  /** The same settings fit to be shown: as `loadRedactedSettings` gives them. */
  readonly shown: Readonly<Record<string, unknown>>
}

/** Reads and checks the configuration; throws ConfigError. */
export function loadConfig(sources: ConfigSources = {}): Config {
  return checkSettings(readSettings(sources, false))
}

/** Reads the configuration for who compares it with another; throws ConfigError. */
export function loadComparable(sources: ConfigSources = {}): LoadedConfig {
  const read = readSettings(sources, false)
  return { config: checkSettings(read), settings: read.settings, shown: loadRedactedSettings(sources) }
}

function checkSettings({ file, settings }: ReturnType<typeof readSettings>): Config {
  if (!Value.Check(SETTINGS, settings))
    throw new Error('settings that were read without a problem must fit their table')
  const problems = findConflicts(settings)
  if (problems.length > 0) throw toError(file, problems)
  return deepFreeze(toConfig(file, settings))
}

/** The settings as they are in force, secrets replaced, `${NAME}` of the file left as it stands. */
export function loadRedactedSettings(sources: ConfigSources = {}): Record<string, unknown> {
  return readSettings(sources, true).settings
}

function readSettings(sources: ConfigSources, isRedacted: boolean) {
  const currentFolder = sources.currentFolder ?? process.cwd()
  const file = findFile(sources.file, currentFolder)
  const problems: string[] = []
  const context: ReadContext = {
    env: sources.env ?? process.env,
    flags: sources.flags ?? {},
    fileFolder: file === undefined ? currentFolder : dirname(file),
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

/** What fits setting by setting and yet doesn't fit together. */
function findConflicts(settings: Settings): string[] {
  const problems: string[] = []
  const database = settings.database_url === undefined ? undefined : parsePostgresAddress(settings.database_url)
  if (database !== undefined && 'problem' in database) problems.push(`database_url ${database.problem}`)
  for (const entry of settings.trusted_proxies) {
    const problem = trustedProxyProblem(entry)
    if (problem !== undefined) problems.push(`trusted_proxies: ${problem}`)
  }
  const ids = new Set<string>()
  for (const [at, network] of settings.networks.entries()) {
    if (network.id === RESERVED_NETWORK)
      problems.push(`networks[${at}].id must not be "${RESERVED_NETWORK}": addresses use it`)
    if (ids.has(network.id)) problems.push(`networks[${at}].id "${network.id}" is taken by a network above`)
    ids.add(network.id)
    const feedIds = new Set<string>()
    for (const [feedAt, feed] of network.feeds.entries()) {
      if (feedIds.has(feed.id))
        problems.push(`networks[${at}].feeds[${feedAt}].id "${feed.id}" is taken by a feed above`)
      feedIds.add(feed.id)
    }
  }
  return problems
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
    mail: settings.mail,
    log: {
      level: settings.log.level,
      requests: settings.log.requests,
      requestLinesPerSecond: settings.log.request_lines_per_second,
    },
    plans: toPlans(settings),
    addresses: settings.addresses.map((one) => (typeof one === 'string' ? { source: one, attribution: '' } : one)),
    networks: settings.networks.map(toNetwork),
  }
}

function toNetwork(network: Settings['networks'][number]): NetworkConfig {
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

function toPlans(settings: Settings): PlanTable {
  return tableOfPlans((plan) => {
    const given = settings.plans[plan]
    return {
      includedUnits: given.included_units,
      requestsPerSecond: given.requests_per_second,
      burst: given.burst,
      overageAvailable: given.overage_available,
      overageUnitAmountDecimal: given.overage_unit_amount_decimal,
    }
  })
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
