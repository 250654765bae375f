// On SIGHUP: reads the configuration again, and applies changed settings on every thread. Warns about changed settings
// that need a restart, then checks the feeds. An invalid file changes nothing.
import type { AccountListener } from '../account-api/account-listener.ts'
import { StoreUnavailable } from '../accounts/account-store.ts'
import type { AccountsService } from '../accounts/accounts-service.ts'
import type { Config, LoadedConfig, NetworkConfig } from '../config/config.ts'
import { changeText, listChanges, RELOADED_KEYS } from '../config/config-changes.ts'
import { ConfigError } from '../config/config-file.ts'
import type { ConnectionWatch } from '../control/connection-watch.ts'
import type { DataThreads } from '../control/data-threads.ts'
import type { ControlledNetwork } from '../imports/network-states.ts'
import type { NetworksControl } from '../imports/networks-control.ts'
import type { LiveFeeds } from '../realtime/live-feeds.ts'
import type { ThreadLog } from '../server/thread-messages.ts'
import type { StreetsControl } from '../streets/streets-control.ts'
import { setLogLevel } from '../system/log.ts'

/** The parts of the service that settings affect. */
export interface ReloadParts {
  /** The configuration that the service started with. */
  readonly loaded: LoadedConfig
  /** Reads the configuration. Throws ConfigError. */
  readonly read: () => LoadedConfig
  readonly accounts: AccountsService
  readonly account: AccountListener
  readonly networks: NetworksControl
  readonly streets: StreetsControl
  readonly live: LiveFeeds
  readonly threads: DataThreads
  readonly watch: ConnectionWatch
  /** Receives the new settings. */
  readonly stage: { config: Config }
  readonly log: (line: string) => void
}

/** Applies settings while the service runs. */
export class ServeReload {
  private readonly parts: ReloadParts
  private inForce: LoadedConfig
  private running: Promise<void> = Promise.resolve()

  constructor(parts: ReloadParts) {
    this.parts = parts
    this.inForce = parts.loaded
  }

  /** Applies the changed configuration, then checks the feeds. A run starts when the previous run has ended. */
  run(): Promise<void> {
    this.running = this.running.then(async () => {
      await this.reloadOrReport()
      void this.parts.networks.recheck()
      void this.parts.streets.refresh()
    })
    return this.running
  }

  /**
   * Reloads the configuration and logs a failure, such as a lack of file descriptors. A failure must not stop the
   * service or prevent later reloads.
   */
  private async reloadOrReport(): Promise<void> {
    try {
      await this.reload()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.parts.log(`reload failed: ${why}; some settings may have been applied; send SIGHUP to try again`)
    }
  }

  private async reload(): Promise<void> {
    const { log } = this.parts
    const next = this.readOrRefuse()
    if (next === undefined) return
    const changes = listChanges(this.inForce, next)
    for (const change of changes.filter(({ needsRestart }) => needsRestart)) {
      log(`reload: warning: ${changeText(change)}; restart to apply`)
    }
    const taken = changes.filter(({ needsRestart }) => !needsRestart)
    if (taken.length > 0) {
      const merged = merge(this.inForce, next)
      if (!(await this.takeOver(this.inForce.config, merged.config))) return
      this.inForce = merged
      this.parts.stage.config = merged.config
    }
    for (const change of taken) log(`reload: ${changeText(change)}`)
    log(changes.length === 0 ? 'reload: no settings changed' : `reload: settings applied: ${taken.length}`)
  }

  private readOrRefuse(): LoadedConfig | undefined {
    try {
      return this.parts.read()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      for (const line of error.message.split('\n')) this.parts.log(`reload: ${line}`)
      this.parts.log('reload rejected; keeping the current configuration')
      return undefined
    }
  }

  /** Applies the settings in `after`. Returns whether this succeeded. */
  private async takeOver(before: Config, after: Config): Promise<boolean> {
    const { accounts, account, networks, streets, live, threads, watch, log } = this.parts
    // The plans are applied first. Only this step writes to the database, so only this step can fail.
    try {
      if (!Bun.deepEquals(before.plans, after.plans)) {
        if (accounts.fleet === undefined) await accounts.replacePlans(after.plans)
        else log("reload: the cluster's plans do not change until you run `quai plans apply`")
      }
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      log(`reload rejected: the plans could not be stored: ${error.message}; keeping the current configuration`)
      return false
    }
    setLogLevel(after.log.level)
    account.trust(after.trustedProxies)
    account.offer(after.offers)
    watch.trust(after.trustedProxies)
    await live.reload(after.networks, after.log.level)
    // Threads must have the new list of networks before they receive a snapshot of a new network.
    const ids = after.networks.map(({ id }) => id)
    await threads.reload({ networks: ids, trustedProxies: after.trustedProxies, log: threadLog(after) })
    await streets.reload(after)
    await networks.reload(after.networks.map(toControlled), changedNetworks(before, after))
    return true
  }
}

/** The settings after a reload: new values for the settings that need no restart, old values for all others. */
function merge(before: LoadedConfig, after: LoadedConfig): LoadedConfig {
  // The currency does not change until a restart, because all amounts in a month must be in the same currency.
  const { currency } = before.config.offers
  const { streets, ground, networks, plans, offers, trustedProxies, log, metrics, drainSeconds } = after.config
  const pick = (was: LoadedConfig['settings'], is: LoadedConfig['settings']) => ({
    ...was,
    ...Object.fromEntries(RELOADED_KEYS.map((key) => [key, is[key]])),
  })
  return {
    config: {
      ...before.config,
      streets,
      ground,
      networks,
      plans,
      offers: { ...offers, currency },
      trustedProxies,
      log,
      metrics,
      drainSeconds,
    },
    settings: pick(before.settings, after.settings),
    shown: pick(before.shown, after.shown),
  }
}

function changedNetworks(before: Config, after: Config): Set<string> {
  const known = new Map(before.networks.map((network) => [network.id, network]))
  return new Set(after.networks.filter((each) => !Bun.deepEquals(each, known.get(each.id))).map(({ id }) => id))
}

/** A network's configuration in the form that the control thread uses. */
export function toControlled(network: NetworkConfig): ControlledNetwork {
  const { id, name, city, attribution, streets, journeys, gtfs, timezone, refreshSeconds } = network
  return {
    settings: { id, name, city, attribution, journeys, ...(streets ? { hasStreets: true } : {}) },
    feeds: gtfs,
    timezone,
    sources: gtfs.map(({ source }) => source),
    refreshSeconds,
  }
}

/** The log settings of each data thread. */
export function threadLog({ log, workers }: Config): ThreadLog {
  const { level, requests, requestLinesPerSecond } = log
  return { level, requests, requestLinesPerSecond: Math.max(1, Math.floor(requestLinesPerSecond / workers)) }
}
